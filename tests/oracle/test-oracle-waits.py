#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares mpgtrace waits with oracle_waits.py on random traces, by call, region and rank (TAP). The environment
variable MPGTRACE names the program. Arguments: --first SEED --seeds N --steps N, or traces instead, as mpgtrace print
writes them: all sums agree within 1 ns."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import oracle_waits  # noqa: E402
from oracle_trace import read_trace  # noqa: E402
from scripts import made  # noqa: E402

TOLERANCE_NS = 1e-3
TOLERANCE_OF_RECORDED_NS = 1
MPGTRACE = shlex.split(os.environ.get("MPGTRACE", "./mpgtrace"))
LIMITS = [None, 4096, -1, 100, "found"]
MORE = ("send,pair,isend,recv,irecv,sendrecv,null,wait,waitall,waitany,waitsome,test,testall,testany,testsome,"
        "persistent,probe,collective,icollective,mprobe,mrecv,neighbors,promise,partitions,isendrecv,window,see,split")


def generate(seed, steps):
    """Returns a text trace, and the eager limit with which it is read."""
    ranks = str(2 + seed * 5 % 7)
    limit = LIMITS[seed % 5]
    if seed % 7 == 4:
        command = ["randomtrace_open.py", "--seed", str(seed), "--steps", str(steps)]
        limit = limit and "found"
    else:
        command = ["randomtrace.py", "--seed", str(seed), "--ranks", ranks, "--steps", str(steps), "--clocks",
                   "offsets" if seed % 3 == 1 else "shared"]
        command += ["--all-synchronous-safe"] if limit in (-1, 100) else []
        command += ["--kinds", MORE] if seed % 2 else []
    text = made(*command)
    changes = ["randomtrace_threads.py"] * (seed % 8 == 3) + ["randomtrace_regions.py"] * (seed % 3 == 2)
    for change in changes:
        text = made(change, "--seed", str(seed), text=text)
    return text, limit


def numbers(row):
    return {"calls": row[0], "waited": row[1], "time_ns": float(row[2]), "wait_ns": float(sum(row[3])),
            **{kind + "_ns": float(ns) for kind, ns in zip(oracle_waits.KINDS, row[3])}}


def compare(who, want, got, tolerance):
    return [f"{who}: {key} is {got.get(key)!r} instead of {value!r}" for key, value in want.items()
            if not abs(got.get(key, float("nan")) - value) <= tolerance]


def check_seed(seed, steps, path):
    text, limit = generate(seed, steps)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return check(text.splitlines(), limit, path, TOLERANCE_NS)


def check_recorded(path):
    with subprocess.Popen([*MPGTRACE, "print", path], stdout=subprocess.PIPE, text=True) as shown:
        return check(shown.stdout, "found", path, TOLERANCE_OF_RECORDED_NS)


def check(lines, limit, path, tolerance):
    """Returns the errors, and the number of calls that waited."""
    waits = oracle_waits.Waits(read_trace(lines), limit)
    wrong, waited = [], 0
    for by in ("call", "region", "rank"):
        given = [] if limit == "found" else ["--eager-limit=%d" % (10**15 if limit is None else limit)]
        command = [*MPGTRACE, "waits", "--json", "--by=" + by, *given, path]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            return [run.stderr.strip()], 0
        answer = json.loads(run.stdout)
        if limit == "found" and answer["eager_limit_bytes"] != waits.eager_limit:
            wrong.append(f"the limit is {answer['eager_limit_bytes']} instead of {waits.eager_limit}")
        rows = {row[by]: row["traced"] for row in answer["rows"]}
        wanted = {who: numbers(row) for who, row in waits.sums[by].items()}
        if by == "rank":
            wanted.update({r: numbers([0, 0, 0, [0] * 7]) for r in range(answer["ranks"]) if r not in wanted})
        if set(rows) != set(wanted):
            wrong.append(f"{by}: {sorted(map(str, rows))} instead of {sorted(map(str, wanted))}")
        for who, want in wanted.items():
            wrong += compare(f"{by} {who}", want, rows.get(who, {}), tolerance)
    for matter in oracle_waits.MATTERS:
        want = numbers(waits.sums["matter"][matter])
        wrong += compare(matter, want, answer["traced"][matter], tolerance)
        waited += want["waited"]
    if answer["traced"]["total_ns"] != waits.total:
        wrong.append(f"total is {answer['traced']['total_ns']} instead of {waits.total}")
    return wrong, waited


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("traces", nargs="*")
    options = parser.parse_args()
    failed = waited = 0
    if options.traces:
        print(f"1..{len(options.traces)}")
    for n, path in enumerate(options.traces, 1):
        wrong, some = check_recorded(path)
        failed += bool(wrong)
        for line in wrong[:20]:
            print("#", line)
        print(f"{'not ok' if wrong else 'ok'} {n} - {path}: {some} calls waited", flush=True)
    if options.traces:
        return 1 if failed else 0
    print(f"1..{options.seeds + 1}")
    with tempfile.TemporaryDirectory() as directory:
        for n in range(options.seeds):
            seed = options.first + n
            path = os.path.join(directory, f"seed{seed}.txt")
            wrong, some = check_seed(seed, options.steps, path)
            waited += some
            failed += bool(wrong)
            for line in wrong[:5]:
                print("#", line)
            print(f"{'not ok' if wrong else 'ok'} {n + 1} - seed {seed}: mpgtrace waits agrees", flush=True)
    print(f"{'ok' if waited else 'not ok'} {options.seeds + 1} - {waited} calls waited")
    return 1 if failed else 0


sys.exit(main())
