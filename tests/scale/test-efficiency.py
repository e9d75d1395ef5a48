#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgscale --table=efficiency (TAP): efficiencies of traces and profiles at several process counts, by hand. The
environment variable MPGSCALE names the program."""

import csv
import io
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import profiles  # noqa: E402
from tap import ok, parts, run  # noqa: E402

BARRIER = profiles.calls(os.path.join(HERE, "../../trace/calls.def"))["Barrier"]


def trace(folder, name, compute, until, *about, values=None):
    """Writes a trace: ranks compute for COMPUTE ns each and meet in a Barrier, which all leave UNTIL ns after
    MPI_Init."""
    lines = ["#mpgtext 1", f"#ranks {len(compute)}", *about]
    for rank, work in enumerate(compute):
        counted = [" values=" + ",".join(map(str, v)) for v in ([0, 0], values[rank], [0, 0])] if values else [""] * 3
        lines += [f"{rank} 0 100 Init{counted[0]}", f"{rank} {100 + work} {100 + until} Barrier{counted[1]}",
                  f"{rank} {100 + until} {200 + until} Finalize{counted[2]}"]
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return path


def table(*words):
    done = run("--table=efficiency", "--csv", *words)
    return [{key: float(value) if value else None for key, value in row.items()}
            for row in csv.DictReader(io.StringIO(done.stdout))]


def near(row, **values):
    return all(row[key] is None if value is None else abs(row[key] - value) <= 1e-12 for key, value in values.items())


def of_traces(folder):
    one = trace(folder, "one", [1600], 1600)
    two = trace(folder, "two", [800, 400], 1000)
    slow, slower = trace(folder, "slow", [800, 500], 1100), trace(folder, "slower", [900, 900], 2385)
    first, second = table(one, two)
    ok(near(first, ranks=1, runs=1, parallel=1, computation_scaling=1, **{"global": 1}), "one rank", first)
    ok(near(second, ranks=2, run_ns=1000, ideal_ns=800, parallel=0.6, load_balance=0.75, communication=0.8, serialization=1,
            transfer=0.8, computation_scaling=1600 / 1200, **{"global": 0.8}), "two ranks: computation scaling 4/3", second)
    scaled = table("--label=scaling=scaled,%s,%s" % (one, two), one, two)[1]
    ok(near(scaled, computation_scaling=1600 / 600), "scaled: of a mean rank", scaled)
    median = table(one, two, slow, slower)[1]
    ok(near(median, runs=3, run_ns=1100, load_balance=650 / 800), "several runs: the one with the median time", median)
    fastest = table("--representative=fastest", slow, two, one, slower)[1]
    ok(near(fastest, runs=3, run_ns=1000, load_balance=0.75), "... or the fastest", fastest)
    rows = json.loads(run("--table=efficiency", "--json", one, two).stdout)
    ok(near(rows[1], transfer=0.8, instruction_scaling=None), "JSON", rows)
    text = run("--table=efficiency", one, two).stdout
    ok("scaling  against 1 rank; sizes are unknown (--label scaling=fixed,FILE... tells them): computed as if fixed\n" in text and
       "Counters are not in all traces" in text and "IPC  " not in text, "text", text)
    names = "#values PAPI_TOT_INS PAPI_TOT_CYC"
    counted = [trace(folder, "a", [1600], 1600, names, values=[[4000, 2000]]),
               trace(folder, "b", [800, 400], 1000, names, values=[[3000, 1500], [1500, 1500]])]
    second = table(*counted)[1]
    ok(near(second, instruction_scaling=4000 / 4500, ipc_scaling=1.5 / 2, frequency_scaling=(3000 / 1200) / (2000 / 1600)),
       "counters", second)
    ok("Frequency" in run("--table=efficiency", *counted).stdout, "... are columns of the text")


def of_profiles(folder):
    path = os.path.join(folder, "p")
    profiles.write(path, 2, 1000, lambda rank: [(BARRIER, 0, 1, [200, 600][rank], [200, 600][rank], [200, 600][rank])], [((0, 16),)])
    one = trace(folder, "one", [1600], 1600)
    row = table(one, path)[1]
    ok(near(row, ranks=2, run_ns=1000, parallel=0.6, load_balance=0.75, communication=0.8, computation_scaling=1600 / 1200),
       "a profile: time outside of MPI", row)
    ok(near(row, ideal_ns=None, serialization=None, transfer=None), "... without the ideal run", row)
    text = run("--table=efficiency", one, path).stdout
    ok("80.00 %              -         -" in text and "Profiles do not tell the ideal run: serialization and transfer need traces" in
       text, "... which the text says", text)


def of_bad_recordings(folder):
    one = trace(folder, "one", [1600], 1600, "#fact 0 off_cpu rseq")
    with open(one, encoding="ascii") as file:
        text = file.read()
    with open(one, "w", encoding="ascii") as file:
        file.write(text.replace(" Barrier", " Barrier off=800"))
    done = run("--table=efficiency", "--csv", one)
    ok("one: NOT RELIABLE: off the CPU for 50 % of the run" in done.stderr, "a disturbed recording is named", done.stderr)
    ok(done.stderr.count("NOT RELIABLE") == 1, "... once", done.stderr)
    quiet = [trace(folder, name, [1600 // n] * n, 1600 // n) for name, n in (("one.quiet", 1), ("two", 2))]
    found = json.loads(run("--json", "--unit=call", "--threshold=0", one, *quiet, trace(folder, "four", [400] * 4, 400)).stdout)
    ok({os.path.basename(r["path"]): r["reliable"] for r in found["runs"]} ==
       {"one": False, "one.quiet": True, "two": True, "four": True}, "... in JSON", found["runs"])
    lonely = trace(folder, "lonely", [100, 100], 200)
    with open(lonely, encoding="ascii") as file:
        text = file.read()
    with open(lonely, "w", encoding="ascii") as file:
        file.write(text.replace("1 200 300 Barrier", "1 200 300 Bcast root=0 bytes=8"))
    done = run("--table=efficiency", "--csv", one, lonely)
    ok("lonely" in done.stderr and len(done.stdout.splitlines()) == 2, "what does not match is left out", done.stderr + done.stdout)


parts(of_traces, of_profiles, of_bad_recordings)
