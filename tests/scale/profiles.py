# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes profiles in the format of mpgtrace(5), with given contents. For tests; standard library only."""

import re
import struct
import zlib


def calls(path):
    """Returns the numbers of the calls by name, from the table trace/calls.def."""
    with open(path, encoding="utf-8") as table:
        text_ = re.sub(r"/\*.*?\*/", "", table.read(), flags=re.DOTALL)
    names = re.findall(r"\bMPG_(CALL|LARGE)\((\w+)", text_)
    return {name + ("_c" if kind == "LARGE" else ""): i for i, (kind, name) in enumerate(names)}


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def text(words):
    data = words if isinstance(words, bytes) else words.encode()
    return varint(len(data)) + data


def rank_file(rank, ranks, run_ns, rows, sites, modules=((b"build", "/nowhere/app"),), facts=(), counters=(),
              state=1, start_ns=1000):
    """Returns the file of one rank. ROWS: (call, site or -1, count, sum, least, most[, sent, received[, counters]]),
    times in ns. SITES: each a tuple of (module, offset), innermost first. COUNTERS: their names."""
    body = b"".join(b"\x01" + text(build) + text(path) for build, path in modules)
    for frames in sites:
        body += b"\x02" + varint(len(frames)) + b"".join(varint(m + 1) + varint(o) for m, o in frames)
    facts = list(facts) + ([("values", " ".join(counters))] if counters else [])
    body += b"".join(b"\x03" + text(key) + text(value) for key, value in facts)
    table = values = b""
    for row in rows:
        call, site, count, total, least, most = row[:6]
        sent, received = row[6:8] if len(row) > 6 else (0, 0)
        table += struct.pack("<IiQQQQQQQ", call, site, count, total, least, most, sent, received, 0)
        values += struct.pack("<%dq" % len(counters), *(row[8] if len(row) > 8 else (0,) * len(counters)))
    layout = 2 | len(counters) << 16 if counters else 1
    head = struct.pack("<6I5q", layout, len(rows), len(rows), len(body), len(body), state, start_ns,
                       start_ns + run_ns, 0, 0, 0)
    payload = head + table + values + body
    header = b"MPGTRCE\n" + struct.pack("<HHIIIQqIIIHH", 4, 4, rank, ranks, 2, 0, 0, 0, len(payload), len(payload),
                                        0, 0)
    end = struct.pack("<I", 0)
    return header + struct.pack("<I", zlib.crc32(header + end + payload)) + end + payload


def write(path, ranks, run_ns, rows_of, sites, **more):
    """Writes one file with all RANKS. ROWS_OF(rank): the rank's rows."""
    with open(path, "wb") as out:
        for rank in range(ranks):
            out.write(rank_file(rank, ranks, run_ns, rows_of(rank), sites, **more))
