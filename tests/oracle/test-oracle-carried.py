#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carried sends (TAP): which mpgsim --predict finds in random programs, and every rank's run with a region scaled, against
tests/oracle's own rule (oracle_carried.py).

The environment variables MPGSIM and CARRIED_SEEDS say which program, and how many traces."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import oracle_predict  # noqa: E402
from oracle_carried import Carried  # noqa: E402
from oracle_matching import Matching  # noqa: E402
from oracle_trace import OracleError, read_trace  # noqa: E402
from randomtrace_carried import Program  # noqa: E402

MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
TARGET = ["--predict", "--latency=const:2385ns", "--byte=const:0.375ns", "--deterministic", "--polling=work",
          "--collectives=measured", "--carried=shown"]
FACTORS = ["0", "0.385", "1.6", "3"]
LIMITS = [[], ["--eager-limit=4096", "--source-eager-limit=4096"], ["--eager-limit=512", "--source-eager-limit=512"],
          ["--eager-limit=100000", "--source-eager-limit=512"], ["--eager-limit=512", "--source-eager-limit=100000"]]


def simulated(path, words):
    """(limits, run of each rank), or what is wrong."""
    done = subprocess.run([*MPGSIM, "--json", "--replicas=1", *words, path], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    answer = json.loads(done.stdout)
    found = answer["options"].get("carried_bytes", {"blocking": None, "requested": None})  # none are
    return ((found["blocking"], found["requested"]),
            [round(one["traced_ns"] + one["delay_ns"]["median"], 3) for one in answer["ranks"]])


def expected(path, words):
    with open(path, encoding="ascii") as file:
        matching = Matching(read_trace(file))
    limits = Carried(matching).limits
    try:
        runs = oracle_predict.run_times(matching, words)
    except OracleError as error:
        return str(error)
    return (limits[True], limits[False]), [round(float(run), 3) for run, _ in runs]


def main():
    seeds, failed, kinds = int(os.environ.get("CARRIED_SEEDS", "60")), 0, set()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "app.txt")
        for seed in range(seeds):
            with open(path, "w", encoding="ascii") as file:
                file.write(Program(seed).text())
            words = [*TARGET, *LIMITS[seed % len(LIMITS)], f"--suppose=scale even factor={FACTORS[seed % 4]}"]
            got, want = simulated(path, words), expected(path, words)
            right = got == want or ("deadlock" in want and "ranks wait for each other" in got)
            failed += not right
            if not right:
                print(f"# {got}\n# oracle: {want}\n# {' '.join(words)}")
            elif isinstance(got, tuple):
                kinds.add(tuple(one is not None for one in got[0]))
            print(f"{'ok' if right else 'not ok'} {seed + 1} - seed {seed}: carried sends are those of the oracle", flush=True)
    every = len(kinds) == 4
    failed += not every
    print(f"{'ok' if every else 'not ok'} {seeds + 1} - none, blocking ones, those of requests, both: {sorted(kinds)}")
    print(f"1..{seeds + 1}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
