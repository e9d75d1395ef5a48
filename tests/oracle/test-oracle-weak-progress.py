#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that wait for a call of another rank (TAP): which sends, Win_starts, one-sided transfers and nonblocking
collectives mpgsim finds in random programs, and each rank's run time with a region scaled, in both modes, compared with
the oracle's rules (oracle_traced_progress.py). The environment variable MPGSIM names the program, WEAK_PROGRESS_SEEDS
how many traces are compared; arguments are seeds."""

import json
import os
import random
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
from randomtrace_calls import WithMoved, WithTransfers  # noqa: E402
from randomtrace_weak_progress import Program, WithStarts, WithTrees  # noqa: E402
from scripts import made  # noqa: E402

MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
COSTS = ["--latency=const:2385ns", "--byte=const:0.375ns", "--without=choice"]
PREDICT = [*COSTS, "--predict", "--polling=work"]
PERTURB = [*COSTS, "--absorb=clock"]
KINDS = [Program, WithTrees, WithTransfers, WithMoved, WithTrees, WithStarts, WithMoved]
FACTORS = ["0", "0.385", "1.6", "3"]
LIMITS = [[], ["--eager-limit=4096", "--source=eager-limit=4096"], ["--eager-limit=512", "--source=eager-limit=512"],
          ["--eager-limit=100000", "--source=eager-limit=512"], ["--eager-limit=512", "--source=eager-limit=100000"]]

INSERTED = [225, 266, 365, 378, 379, 392, 448]  # of Program, which carry sends that block; what is inserted is larger
SEEDS = [*range(76), 96, 133, 144, 172, *INSERTED]  # the last before these of what is rare


def simulated(path, words):
    """Returns (limits, run time of each rank, whether Win_starts wait, transfers that wait, collectives that wait), or
    the error message."""
    done = subprocess.run([*MPGSIM, "--json", "--replicas=1", *words, path], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    answer = json.loads(done.stdout)
    found = answer["options"].get("weak_progress_bytes", {"blocking": None, "requested": None})  # none are
    return ((found["blocking"], found["requested"]),
            [one["traced_ns"] + one["delay_ns"]["median"] for one in answer["ranks"]],
            answer["options"].get("starts_wait", False),
            sorted((one["call"], one["bytes"], one["starting"], one["completing"])
                   for one in answer["options"].get("served_transfers", [])),
            nonblocking(answer["options"].get("nonblocking_collectives", {"kinds": [], "others_in_calls": False})))


def nonblocking(found):
    kinds = [(one["call"], one["members"], one["bytes"], one["in_calls"], one["algorithm"], one["first_waits"], one["sends_wait"])
             for one in found["kinds"]]
    return sorted(kinds), found["others_in_calls"]


def expected(path, words):
    """Returns the oracle's values for the same, and how many sends in trees wait."""
    with open(path, encoding="ascii") as file:
        matching = Matching(read_trace(file))
    found, starts = [], []
    words = [*words, "--carried=shown"]  # the oracle's, for which it is no default
    try:
        if "--predict" in words:
            runs = [run for run, _ in oracle_predict.run_times(matching, words, carried=found, starts=starts)]
        else:
            _, settings = oracle.parse_arguments([*words, "-"])
            runs = [traced + delay for traced, delay, _ in oracle.rank_delays(matching, settings, carried=found, starts=starts)]
    except OracleError as error:
        return str(error)
    sends = found[0].sends
    return ((sends.limits[True], sends.limits[False]), [float(run) for run in runs], starts[0], found[0].served.shown(),
            found[0].moved.shown(), sends.in_trees)


def agree(got, want):
    """Returns whether they agree within 1e-6 ns and the precision of floating-point times."""
    if isinstance(got, str) or isinstance(want, str):
        return "deadlock" in want and "ranks wait for each other" in got
    return got[0] == want[0] and got[2:5] == want[2:5] and all(abs(a - b) <= 1e-6 + 1e-12 * abs(b) for a, b in zip(got[1], want[1]))


def case(seed, folder):
    """Returns (a trace, a command line). Modes, programs with collectives or windows, and tables of algorithms
    alternate."""
    path, table = os.path.join(folder, f"{seed}.txt"), os.path.join(folder, f"{seed}.collectives")
    kind = KINDS[seed // 2 % len(KINDS)]
    with open(path, "w", encoding="ascii") as file:
        file.write(kind(seed).text())
    if seed in INSERTED:
        return path, insert(seed, path)
    has_trees = kind is WithTrees
    limits = LIMITS[seed % 5 if not has_trees or seed % 5 % 2 else 0]  # what is synchronous is not carried
    words = [*(PERTURB if seed % 2 else PREDICT), *limits, f"--hypothesis=scale even factor={FACTORS[seed % 7 % 4]}"]
    if not has_trees:
        return path, [*words, *(["--collectives=measured"] if kind is not WithMoved or seed % 3 else [])]
    if seed % 11 % 3:
        with open(table, "w", encoding="ascii") as file:
            file.write(randomcollectives.make(seed))
        words.append("--collectives=table=" + table)
        words += ["--collectives=expand"] * (seed % 11 % 3 == 2)
    return path, words


def insert(seed, path):
    """Returns a command line that inserts messages, at begins of a region that is added to the trace."""
    draw = random.Random(f"insert {seed}")
    with open(path, encoding="ascii") as file:
        text = made("randomtrace_regions.py", "--seed", str(seed), "--cuts", text=file.read())
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    ranks, to = draw.choice(["", " ranks=0"]), draw.choice(["+1", "-1", "1"])
    return [*(PERTURB if seed % 2 else PREDICT), f"--hypothesis=insert cut{ranks} bytes=70001 to={to}", "--collectives=measured"]


def main():
    seeds = [int(word) for word in sys.argv[1:]] or range(int(os.environ.get("WEAK_PROGRESS_SEEDS", "0"))) or SEEDS
    failed, kinds, held, starts, served, moved = 0, set(), set(), set(), set(), set()
    print(f"1..{len(seeds) + 5 * (len(sys.argv) == 1)}")
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
                held.add(("--predict" in words, want[5] > 0))
                served.update(("--predict" in words, *one[2:]) for one in got[3])
                moved.update(("--predict" in words, one[3], one[6]) for one in got[4][0])
                starts.add(("--predict" in words, want[2]))
            print(f"{'ok' if right else 'not ok'} {n} - seed {seed}: carried sends are those of the oracle", flush=True)
    if len(sys.argv) == 1:
        failed += len(kinds) < 4 or len(held) < 4 or len(starts) < 4 or len(served) < 4 or len(moved) < 6
        print(f"{'ok' if len(kinds) == 4 else 'not ok'} {n + 1} - none, blocking ones, those of requests, both: {sorted(kinds)}")
        print(f"{'ok' if len(held) == 4 else 'not ok'} {n + 2} - both modes, with sends in trees that wait, and without: {sorted(held)}")
        print(f"{'ok' if len(starts) == 4 else 'not ok'} {n + 3} - both modes, with Win_starts that wait, and without: {sorted(starts)}")
        print(f"{'ok' if len(served) == 4 else 'not ok'} {n + 4} - both modes, transfers that wait when started, when completed: {sorted(served)}")
        print(f"{'ok' if len(moved) == 6 else 'not ok'} {n + 5} - both modes, collectives moved in calls, sends waiting or not, or not so: {sorted(moved)}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
