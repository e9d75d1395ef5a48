# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints small files that make a careless reader allocate or compute much: malice.py KIND SIZE > FILE."""
import struct
import sys
import zlib

EVENTS, FACTS = 1, 2


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def signed(value):
    return varint(value * 2 if value >= 0 else -2 * value - 1)


def chunk(payload, kind=EVENTS, rank=0, ranks=1, sequence=0, events=0, raw=None, thread=0):
    raw = len(payload) if raw is None else raw
    head = struct.pack("<8sHHIIIQqIIIHH", b"MPGTRCE\n", 3, kind, rank, ranks, 0, sequence, 0,
                       events, raw, len(payload), thread, 5)
    run = struct.pack("<I", 0)
    return head + struct.pack("<I", zlib.crc32(head + run + payload)) + run + payload


def records(data):
    """Returns the columns of a chunk without events."""
    return varint(len(data)) * 2 + data + bytes(8)


def events(data):
    payload = records(data)
    return chunk(payload, raw=len(data))


def comms(n):
    """Communicators with 2^26 processes of another job, each of a different size."""
    group = lambda i: varint((1 << 26) - i) + varint(0) + signed(-4) + signed(-1) + \
        varint((1 << 26) - 2 - i)
    return events(b"".join(b"\x02" + signed(i) + signed(-1) + signed(i) + signed(i) + group(i)
                           for i in range(n)))


def topologies(n):
    world = b"\x02" + signed(0) + signed(-1) + signed(0) + signed(0) + varint(1) + varint(0) + \
        signed(0)
    many = varint(1 << 26) + varint(0) + signed(0) + signed(-1) + varint((1 << 26) - 2)
    return events(world + (b"\x03" + signed(0) + many) * n)


def threads(n):
    return b"".join(chunk(records(b""), raw=0, thread=t) for t in range(0, 65536, 65535 // n))


def ranks(n):
    return b"".join(chunk(records(b""), raw=0, ranks=1 << 26, rank=i) for i in range(n))


def unpacked(n):
    """Chunks that claim to unpack to a GiB."""
    return b"".join(chunk(records(b"\0" * 30), raw=1 << 30, sequence=i) for i in range(n))


def event_counts(n):
    return b"".join(chunk(records(b""), raw=0, events=(1 << 32) - 1, sequence=i) for i in range(n))


def facts(n):
    return chunk(b"a b\n" * n, FACTS) + chunk(records(b""), raw=0, sequence=1)


def fact_chunks(n):
    return b"".join(chunk(b"host %d\n" % i, FACTS, sequence=i) for i in range(n)) + \
        chunk(records(b""), raw=0, sequence=n)


def clocks(n):
    return chunk(b"".join(b"clock %d 1\n" % i for i in range(n)), FACTS, ranks=2) + \
        chunk(b"clock 1 1\n", FACTS, rank=1, ranks=2)


def text(lines):
    return ("#mpgtext 1\n" + "\n".join(lines) + "\n").encode()


def text_ranks(n):
    return text(["#ranks %d" % (n * 100), "0 0 1 Init"])


def regions(n):
    """Regions that stay open during many calls."""
    return text(["#ranks 1", "0 0 1 Init"] + ['0 1 1 Region_begin name="r%d"' % i
                                              for i in range(n)] +
                ["0 %d %d Comm_rank" % (i, i + 1) for i in range(2, n)])


def values(n):
    return text(["#ranks %d" % n, "#values " + " ".join("v%d" % i for i in range(64))])


def lists(n):
    """Every call lists all requests."""
    return text(["#ranks 1", "0 0 1 Init"] +
                ["0 %d %d Irecv bytes=1 any=source,tag request=%d" % (2 * i, 2 * i + 1, i)
                 for i in range(1, 100)] +
                ["0 %d %d Testsome requests=%s done=" %
                 (2 * i, 2 * i + 1, ",".join(map(str, range(1, 100)))) for i in range(100, n // 99)])


KINDS = {f.__name__: f for f in (comms, topologies, threads, ranks, unpacked, event_counts, facts,
                                 fact_chunks, clocks, text_ranks, regions, values, lists)}

if sys.argv[1:] == ["kinds"]:
    print(" ".join(KINDS))
else:
    sys.stdout.buffer.write(KINDS[sys.argv[1]](int(sys.argv[2])))
