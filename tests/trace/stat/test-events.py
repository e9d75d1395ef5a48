#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace print --csv (TAP): each column by hand; all events of a trace. The environment variable MPGTRACE names the
program, top_srcdir the sources."""

import csv
import io
import os
import subprocess
import sys

from tap import finish, ok

MPGTRACE = os.path.abspath(os.environ.get("MPGTRACE", "./mpgtrace"))
SOURCE = os.environ.get("top_srcdir", ".")
HEAD = ("rank,thread,call,begin_ns,end_ns,peer,source,bytes,received_bytes,tag,communicator,root,requests,done,region,callsite,"
        "off_cpu_before_ns,off_cpu_ns,calls,calls_ns,failed").split(",")
TRACE = """#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
#comm 1 = 2 1
#comm 2 = 0 | 1 2
#module 0 = - "python:f:/src/a.py"
#site 0 = 0+0x7 0+0x9
0 0 100 Init
0 150 150 Region_begin name="outer"
0 160 160 Region_begin name="inner"
0 200 210 Send comm=2 to=1 tag=5 bytes=8 site=0 off=30 off_call=4
0 220 220 Region_end name="inner"
0 230 240 Sendrecv comm=0 to=1 tag=6 bytes=16 from=2 recvtag=7 recvbytes=24
0.1 250 260 Isend comm=0 to=null tag=3 bytes=8 request=1
0.1 270 280 Waitall requests=1
0 290 290 Wtime calls=3 time=60 least=20 most=20
0 300 310 Flush
0 320 330 Bcast failed=1
0 340 350 Finalize
1 0 100 Init
1 200 300 Irecv comm=2 from=0 tag=5 bytes=8 any=tag request=4
1 310 320 Testany requests=4 done=4
1 330 340 Bcast comm=1 root=0 bytes=80
1 350 360 Recv comm=0 from=0 tag=6 bytes=16
1 400 410 Finalize
2 0 100 Init
2 330 340 Bcast comm=1 root=0 bytes=80
2 350 360 Send comm=0 to=0 tag=7 bytes=24
2 400 410 Finalize
"""


def table(text, *words):
    done = subprocess.run([MPGTRACE, "print", "--csv", *words, "-"], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        ok(f"print --csv {' '.join(words)}", False, done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout))), done.stdout


def shown(row):
    """Returns the fields of ROW that are not empty, 0, or times."""
    return {k: v for k, v in row.items() if v not in ("", "0", "no") and k not in ("begin_ns", "end_ns")}


def main():
    rows, text = table(TRACE)
    ok("one heading line", text.splitlines()[0].split(",") == HEAD, text.splitlines()[0])
    ok("one line an event, rank after rank", [(r["rank"], r["call"]) for r in rows][:3] ==
       [("0", "MPI_Init"), ("0", "Region_begin"), ("0", "Region_begin")] and len(rows) == 22, f"{len(rows)}")
    for i, name, wanted in (
            (3, "a send between groups, in a region, at a place, off the CPU",
             {"call": "MPI_Send", "peer": "2", "bytes": "8", "tag": "5", "communicator": "2", "region": "inner",
              "callsite": "f (a.py:7)", "off_cpu_before_ns": "30", "off_cpu_ns": "4"}),
            (4, "a mark names its region", {"call": "Region_end", "region": "inner"}),
            (5, "both halves", {"call": "MPI_Sendrecv", "peer": "1", "source": "2", "bytes": "16", "received_bytes": "24",
                                "tag": "6", "region": "outer"}),
            (6, "MPI_PROC_NULL is nobody; another thread has regions of its own",
             {"thread": "1", "call": "MPI_Isend", "tag": "3", "requests": "1"}),
            (7, "all requests done", {"thread": "1", "call": "MPI_Waitall", "requests": "1", "done": "1"}),
            (8, "aggregated calls", {"call": "MPI_Wtime", "calls": "3", "calls_ns": "60", "region": "outer"}),
            (9, "a flush", {"call": "Flush", "region": "outer"}),
            (10, "a call that failed", {"call": "MPI_Bcast", "failed": "yes", "region": "outer"}),
            (13, "a receive, of the status", {"rank": "1", "call": "MPI_Irecv", "received_bytes": "8", "tag": "5",
                                              "communicator": "2", "requests": "4"}),
            (14, "the request done", {"rank": "1", "call": "MPI_Testany", "requests": "4", "done": "4"}),
            (15, "a root, as world rank", {"rank": "1", "call": "MPI_Bcast", "communicator": "1", "root": "2"})):
        found = shown(rows[i])
        if i == 13:
            ok("... its source 0 is a rank", rows[i]["peer"] == "0", str(rows[i]))
        ok(name, found == wanted, f"{found} instead of {wanted}")
    ok("times of the rank's clock", (rows[3]["begin_ns"], rows[3]["end_ns"]) == ("200", "210"))
    deep, _ = table(TRACE, "--frames=2")
    ok("--frames", deep[3]["callsite"] == "f (a.py:7) < f (a.py:9)", deep[3]["callsite"])
    with open(os.path.join(SOURCE, "examples/silas/waitany.txt"), encoding="utf-8") as file:
        text = file.read()
    rows, _ = table(text)
    lines = [line.split()[:3] for line in text.splitlines() if not line.startswith("#")]
    ok("all events of a trace", sorted([r["rank"], r["begin_ns"], r["end_ns"]] for r in rows) == sorted(lines))
    done = subprocess.run([MPGTRACE, "print", "--frames=2", "-"], input=TRACE, capture_output=True, text=True, check=False)
    ok("--frames without --csv", done.returncode == 2 and "--csv" in done.stderr, done.stderr)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
