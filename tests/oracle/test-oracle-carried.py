#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carried sends, and Win_starts that wait (TAP): which mpgsim finds in random programs, with and without collectives and
windows, and what becomes of every rank's run with a region scaled, in both modes, against tests/oracle's own rules
(oracle_carried.py, oracle_starts.py).

The environment variables MPGSIM and CARRIED_SEEDS say which program, and how many traces; arguments are seeds."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import oracle  # noqa: E402
import oracle_predict  # noqa: E402
import randomcollectives  # noqa: E402
from oracle_matching import Matching  # noqa: E402
from oracle_trace import OracleError, read_trace  # noqa: E402
from randomtrace_carried import Program, WithStarts, WithTrees  # noqa: E402

MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
COSTS = ["--latency=const:2385ns", "--byte=const:0.375ns", "--deterministic", "--carried=shown"]
PREDICT = [*COSTS, "--predict", "--polling=work"]
PERTURB = [*COSTS, "--absorb=clock"]
KINDS = [Program, WithTrees, WithTrees, WithStarts]
FACTORS = ["0", "0.385", "1.6", "3"]
LIMITS = [[], ["--eager-limit=4096", "--source-eager-limit=4096"], ["--eager-limit=512", "--source-eager-limit=512"],
          ["--eager-limit=100000", "--source-eager-limit=512"], ["--eager-limit=512", "--source-eager-limit=100000"]]


def simulated(path, words):
    """(limits, run of each rank, whether Win_starts wait), or what is wrong."""
    done = subprocess.run([*MPGSIM, "--json", "--replicas=1", *words, path], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    answer = json.loads(done.stdout)
    found = answer["options"].get("carried_bytes", {"blocking": None, "requested": None})  # none are
    return ((found["blocking"], found["requested"]),
            [one["traced_ns"] + one["delay_ns"]["median"] for one in answer["ranks"]],
            answer["options"].get("starts_wait", False))


def expected(path, words):
    """The same, and how many sends in trees wait."""
    with open(path, encoding="ascii") as file:
        matching = Matching(read_trace(file))
    found, starts = [], []
    try:
        if "--predict" in words:
            runs = [run for run, _ in oracle_predict.run_times(matching, words, carried=found, starts=starts)]
        else:
            _, settings = oracle.parse_arguments([*words, "-"])
            runs = [traced + delay for traced, delay, _ in oracle.rank_delays(matching, settings, carried=found, starts=starts)]
    except OracleError as error:
        return str(error)
    return (found[0].limits[True], found[0].limits[False]), [float(run) for run in runs], starts[0], found[0].in_trees


def agree(got, want):
    """To 1e-6 ns, and what floating-point numbers leave of times."""
    if isinstance(got, str) or isinstance(want, str):
        return "deadlock" in want and "ranks wait for each other" in got
    return got[0] == want[0] and got[2] == want[2] and all(abs(a - b) <= 1e-6 + 1e-12 * abs(b) for a, b in zip(got[1], want[1]))


def case(seed, folder):
    """(a trace, a command line), by turns: modes, programs with collectives or windows, tables of algorithms."""
    path, table = os.path.join(folder, f"{seed}.txt"), os.path.join(folder, f"{seed}.collectives")
    kind = KINDS[seed // 2 % len(KINDS)]
    with open(path, "w", encoding="ascii") as file:
        file.write(kind(seed).text())
    has_trees = kind is WithTrees
    limits = LIMITS[seed % 5 if not has_trees or seed % 5 % 2 else 0]  # what is synchronous is not carried
    words = [*(PERTURB if seed % 2 else PREDICT), *limits, f"--suppose=scale even factor={FACTORS[seed % 7 % 4]}"]
    if not has_trees:
        return path, [*words, "--collectives=measured"]
    if seed % 11 % 3:
        with open(table, "w", encoding="ascii") as file:
            file.write(randomcollectives.make(seed))
        words.append("--collective-table=" + table)
        words += ["--collectives=expand"] * (seed % 11 % 3 == 2)
    return path, words


def main():
    seeds = [int(word) for word in sys.argv[1:]] or range(int(os.environ.get("CARRIED_SEEDS", "80")))
    failed, kinds, held, starts = 0, set(), set(), set()
    print(f"1..{len(seeds) + 3 * (len(sys.argv) == 1)}")
    with tempfile.TemporaryDirectory() as folder:
        for n, seed in enumerate(seeds, 1):
            path, words = case(seed, folder)
            got, want = simulated(path, words), expected(path, words)
            right = agree(got, want)
            failed += not right
            if not right:
                print(f"# {got}\n# oracle: {want}\n# {' '.join(words)} {path}")
            elif isinstance(got, tuple):
                kinds.add(tuple(one is not None for one in got[0]))
                held.add(("--predict" in words, want[3] > 0))
                starts.add(("--predict" in words, want[2]))
            print(f"{'ok' if right else 'not ok'} {n} - seed {seed}: carried sends are those of the oracle", flush=True)
    if len(sys.argv) == 1:
        failed += len(kinds) < 4 or len(held) < 4 or len(starts) < 4
        print(f"{'ok' if len(kinds) == 4 else 'not ok'} {n + 1} - none, blocking ones, those of requests, both: {sorted(kinds)}")
        print(f"{'ok' if len(held) == 4 else 'not ok'} {n + 2} - both modes, with sends in trees that wait, and without: {sorted(held)}")
        print(f"{'ok' if len(starts) == 4 else 'not ok'} {n + 3} - both modes, with Win_starts that wait, and without: {sorted(starts)}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
