# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes profiles with many runs, ranks and call sites, to measure time and memory of mpgscale: python3
tests/scale/many.py --sites 200 --ranks 1000 --runs 50 FOLDER && time mpgscale FOLDER/*

Runs have RANKS ranks on average, at five counts. Standard library only."""

import argparse
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import profiles  # noqa: E402

SEND = profiles.calls(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../trace/calls.def"))["Send"]


def write_run(path, ranks, sites, run):
    """Writes all ranks to one file, each row with its own times."""
    table_of = struct.Struct("<" + "IiQQQQQQQ" * sites)
    definitions = b"\x01" + profiles.text(b"build") + profiles.text("/nowhere/app")
    for site in range(sites):
        definitions += b"\x02" + profiles.varint(1) + profiles.varint(1) + profiles.varint(0x1000 + 16 * site)
    with open(path, "wb") as out:
        for rank in range(ranks):
            total, rows = 0, []
            for site in range(sites):
                ns = 1000 + (site * 7919 + rank * 104729 + run * 1299709) % 5000 + site * ranks // 10
                total += 10 * ns
                rows += (SEND, site, 10, 10 * ns, ns, ns, 80, 0, 0)
            head = struct.pack("<6I5q", 1, sites, sites, len(definitions), len(definitions), 1, 1000, 2 * total, 0, 0,
                               0)
            payload = head + table_of.pack(*rows) + definitions
            header = b"MPGTRCE\n" + struct.pack("<HHIIIQqIIIHH", 4, 4, rank, ranks, 2, 0, 0, 0, len(payload),
                                                len(payload), 0, 0)
            end = bytes(4)
            out.write(header + struct.pack("<I", zlib.crc32(header + end + payload)) + end + payload)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--ranks", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("folder")
    args = parser.parse_args()
    for run in range(args.runs):
        ranks = max(1, args.ranks * (1 + run % 5) // 3)
        write_run(os.path.join(args.folder, "run-%d" % run), ranks, args.sites, run)


if __name__ == "__main__":
    main()
