#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait state of every call, and their sums, compared with a computation from the printed trace alone (TAP). In the
printed trace each call gets a call site of its own, so that mpgtrace waits, which sums by call site, can be compared
call by call; then sums by call, call site, region and rank, as JSON and CSV. The environment variables MPGTRACE and
MPGSIM name the programs. What mpgsim --waits prints for the traced run is compared for every third trace, with --sim
for all. Arguments: traces (of up to WAITS_MAX_CALLS lines); without any, random traces are made (--first SEED --seeds N
--steps N)."""

import argparse
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, ".."), os.path.join(HERE, "..", "oracle")]
sys.dont_write_bytecode = True
from scripts import made  # noqa: E402
from tap import finish, ok, skip  # noqa: E402
from waits_printed import KINDS, MATTERS, Printed  # noqa: E402

MPGTRACE = shlex.split(os.environ.get("MPGTRACE", "./mpgtrace"))
MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
TOLERANCE_NS = 1.01
MAX_CALLS = int(os.environ.get("WAITS_MAX_CALLS", "60000"))


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def one_site_a_call(lines):
    """Returns the printed trace in which each call's site is the number of its line."""
    out = []
    for number, line in enumerate(lines):
        if line.startswith(("#module", "#site")):
            out.append("# was a place")
        elif line.startswith("#ranks"):
            out += [line]
        elif line.startswith("#") or not line:
            out.append(line)
        else:
            line = re.sub(r" site=\d+", "", line)
            if " calls=" not in line and " Region_" not in line and " Flush" not in line:
                line = f"#site {number} = 0+0x{number:x}\n{line} site={number}"
            out.append(line)
    first = next(i for i, line in enumerate(out) if line.startswith("#site") or not line.startswith("#"))
    out.insert(first, '#module 0 = - "/nowhere/p"')
    return "\n".join(out) + "\n"


def differs(who, want, got):
    """Returns how two rows differ. WANT: [calls, waited, time, {kind: ns}]"""
    wrong = []
    for key, value, most in [("calls", want[0], 0), ("waited", want[1], 0),
                             ("time_ns", want[2], TOLERANCE_NS * max(1, want[0] ** 0.5))] + \
            [(k + "_ns", want[3].get(k, 0.0), TOLERANCE_NS * max(1, want[1] ** 0.5)) for k in KINDS]:
        if not abs(float(got.get(key, "nan")) - value) <= most:
            wrong.append(f"{who}: {key} is {got.get(key)} instead of {value}")
    return wrong


def each_call(printed, lines, limit):
    command = [*MPGTRACE, "waits", "--json", "--by=callsite", *limit, "-"]
    answer = run(command, one_site_a_call(lines))
    if answer.returncode:
        return [answer.stderr.strip()], None
    answer = json.loads(answer.stdout)
    rows = {int(row["callsite"][0].split("+0x")[1], 16): row for row in answer["rows"]}
    wrong, waited = [], 0
    for call, _ in printed.counted():
        row = rows.pop(call.line, None)
        if row is None:
            wrong.append(f"{lines[call.line]}: not there")
            continue
        kind, long = call.wait()
        waited += kind is not None
        want = [1, int(kind is not None), call.end - call.begin, {kind: long} if kind else {}]
        some = differs(lines[call.line], want, row["traced"])
        if some and abs(long - float(row["traced"]["wait_ns"])) <= TOLERANCE_NS and long <= TOLERANCE_NS:
            some = [w for w in some if ": calls is" in w or ": time_ns is" in w]  # a wait so short may be a rounding error
        wrong += some
    wrong += [f"{lines[number]}: is there" for number in rows]
    return wrong, (answer, waited)


def check(printed, lines, limit, sim):
    """Returns the errors and the number of calls that waited; (errors, None) if there is nothing to compare."""
    wrong, found = each_call(printed, lines, limit)
    if found is None:
        return wrong, 0
    answer, waited = found
    text = "\n".join(lines) + "\n"
    if not limit and answer["eager_limit_bytes"] != printed.eager_limit:
        wrong.append(f"the eager limit is {answer['eager_limit_bytes']} instead of {printed.eager_limit}")
    for matter, row in printed.sums(lambda call, matter: matter).items():
        wrong += differs(matter, row, answer["traced"][matter])
    keys = {"call": lambda call, _: "MPI_" + call.name, "rank": lambda call, _: str(call.rank),
            "region": lambda call, _: call.region or ""}
    for by, key in keys.items():
        given = run([*MPGTRACE, "waits", "--csv", "--by=" + by, *limit, "-"], text)
        rows = {row[by]: row for row in csv.DictReader(io.StringIO(given.stdout))}
        for who, row in printed.sums(key).items():
            wrong += differs(f"{by} {who}", row, rows.get(bare(who) if by == "region" else who, {}))
    if sim:
        wrong += simulated(printed, text, limit)
    return wrong, waited


def bare(name):
    """Returns a region's name without quotes."""
    return name[1:-1].replace('\\"', '"').replace("\\\\", "\\") if name.startswith('"') else name


def simulated(printed, text, limit):
    command = [*MPGSIM, "--waits", "--json", "--replicas=1", *["--source=" + word[2:] for word in limit], "-"]
    answer = run(command, text)
    if answer.returncode:
        return [answer.stderr.strip()]
    waits = json.loads(answer.stdout)["waits"]
    wrong = []
    for matter, row in printed.sums(lambda call, matter: matter).items():
        wrong += differs("mpgsim, " + matter, row, waits["traced"][matter])
    return wrong


# Two groups of two: processes that are neither root nor of the group that gives or gets wait for nobody, and nobody
# waits for them.
GROUPS = """#mpgtext 1
#ranks 4
#clocks shared
#comm 1 = 1 0 | 2 3
0 0 100 Init
0 200 300 Bcast comm=1 root=root bytes=8
0 400 900 Gather comm=1 root=root bytes=0
0 1000 1100 Finalize
1 0 100 Init
1 110 120 Bcast comm=1 root=null bytes=0
1 130 140 Gather comm=1 root=null bytes=0
1 1000 1100 Finalize
2 0 100 Init
2 150 310 Bcast comm=1 root=1 bytes=8
2 700 710 Gather comm=1 root=1 bytes=8
2 1000 1100 Finalize
3 0 100 Init
3 190 310 Bcast comm=1 root=1 bytes=8
3 800 810 Gather comm=1 root=1 bytes=8
3 1000 1100 Finalize
"""
LONG = {(2, "Bcast"): 50, (3, "Bcast"): 10, (0, "Gather"): 300}
# Sends that leave before their receives are posted show an eager limit, also where those are freed, before or after;
# generalized requests are messages' matter, files' are not.
FREED = """#mpgtext 1
#ranks 2
#clocks shared
#file 0 = 0 0
0 0 100 Init
0 1000 1100 Send to=1 tag=3 bytes=36
0 1200 1300 Send to=1 tag=3 bytes=48
0 1310 1320 Grequest_start request=1
0 1330 1340 File_iread_at file=0 bytes=3600 request=2
0 1350 1360 Waitany requests=1,2 done=1
0 1400 1450 Waitany requests=2
0 5000 5100 Finalize
1 0 100 Init
1 500 600 Irecv from=0 tag=3 bytes=36 request=1
1 610 700 Request_free request=1
1 2000 2100 Irecv from=0 tag=3 bytes=48 request=2
1 2200 2210 Request_free request=2
1 5000 5100 Finalize
"""
LIMITS = [[], ["--eager-limit=4096"], ["--eager-limit=-1"], ["--eager-limit=100"], []]
MORE = ("send,pair,isend,recv,irecv,sendrecv,null,wait,waitall,waitany,waitsome,test,testall,testany,testsome,"
        "persistent,probe,collective,icollective,mprobe,mrecv,neighbors,promise,partitions,isendrecv,window,see,split")


def generate(seed, steps):
    def program(name, *given, text=""):
        return made(name, "--seed", str(seed), *given, text=text)
    limit = LIMITS[seed % 5]
    if seed % 7 == 4:
        limit = []
        text = program("randomtrace_open.py", "--steps", str(steps))
    else:
        more = ["--clocks", "offsets" if seed % 3 == 1 else "shared", "--ranks", str(2 + seed * 5 % 7)]
        more += ["--all-synchronous-safe"] if limit and limit[0].endswith(("-1", "=100")) else []
        more += ["--kinds", MORE] if seed % 2 else []
        text = program("randomtrace.py", "--steps", str(steps), *more)
    for name in ["randomtrace_threads.py"] * (seed % 8 == 3) + ["randomtrace_regions.py"] * (seed % 3 == 2):
        text = program(name, text=text)
    return text, limit


def report(name, printed, lines, limit, sim):
    wrong, waited = check(printed, lines, limit, sim)
    ok(f"{name}: {waited} calls waited" + (f", {len(wrong)} wrong" if wrong else ""), not wrong, "\n# ".join(wrong[:8]))
    return waited


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--sim", action="store_true")
    parser.add_argument("traces", nargs="*")
    options = parser.parse_args()
    all_waited = 0
    for path in options.traces:
        shown = run([*MPGTRACE, "print", path])
        lines = shown.stdout.splitlines()
        if shown.returncode or len(lines) > MAX_CALLS:
            skip(path, f"{len(lines)} lines {shown.stderr[:100].strip()}")
            continue
        printed = Printed(lines)
        if not printed.ended or not printed.comparable():
            skip(path, "ends early, or no clocks")
            continue
        report(path, printed, lines, [], options.sim)
    if options.traces:
        return finish()
    for seed in range(options.first, options.first + options.seeds):
        text, limit = generate(seed, options.steps)
        lines = text.splitlines()
        printed = Printed(lines, int(limit[0].split("=")[1]) if limit else None)
        all_waited += report(f"seed {seed}", printed, lines, limit, options.sim or seed % 3 == 0)
    lines = GROUPS.splitlines()
    printed = Printed(lines)
    got = {(call.rank, call.name): call.wait()[1] for call in printed.calls if call.wait()[0]}
    ok(f"two groups by hand: {got}", got == LONG)
    report("two groups", printed, lines, [], options.sim)
    lines = FREED.splitlines()
    printed = Printed(lines)
    ok("a limit that only freed receives show", printed.eager_limit == 48)
    report("freed receives, generalized requests", printed, lines, [], options.sim)
    ok(f"{all_waited} calls waited", all_waited > 0)
    return finish()


sys.exit(main())
