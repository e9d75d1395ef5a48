#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The effect of mpgsim --tasks=by-arrival using one distribution of tasks to workers for all replicas: its predictions
of random programs, with noise in each computation of the workers, compared with list scheduling of each replica in
Python.

MPGSIM=build/simulate/mpgsim tasks_noise.py [PROGRAMS [REPLICAS]]"""

import os
import random
import statistics
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."), os.path.dirname(os.path.abspath(__file__))]
sys.dont_write_bytecode = True
from answers import answer  # noqa: E402
from workers import Program, Run  # noqa: E402

LATENCY_NS = 2385
TASK_NS = 200500  # the mean task of a Program


def compare(seed, workers, each, part, replicas):
    """Returns by how much, in percent, mpgsim's median exceeds that of list scheduling; the half width of its interval;
    and the excess that mpgsim states."""
    program = Program(seed, workers, 1, "result", tasks=(each * workers, each * workers + 1))
    with open("n.txt", "w", encoding="ascii") as out:
        out.write(Run(program, lambda: LATENCY_NS).text())
    rng = random.Random(seed)

    def noise(rank):  # half of it before a task is received, half while it is computed
        return rng.expovariate(2 / part / TASK_NS) if rank else 0

    anew = statistics.median(max(Run(program, lambda: LATENCY_NS, noise=noise).run_ns) for _ in range(replicas))
    whole = answer("--predict", "--byte=0", f"--latency={LATENCY_NS}ns", "--tasks=by-arrival", f"--replicas={replicas}",
                   f"--noise=exp:{part * TASK_NS / 2}ns@1-{workers}", "n.txt")
    found = whole["run_time_ns"]
    low, high = found["median_confidence_95"]
    said = whole["tasks"]["anew_percent"]
    return 100 * (found["median"] / anew - 1), 50 * (high - low) / found["median"], 100 * said / (100 - said)


def main():
    programs, replicas = [int(text) for text in sys.argv[1:3]] + [10, 400][len(sys.argv) - 1:]
    os.chdir(tempfile.mkdtemp())
    print("workers  tasks each  noise   mpgsim longer by (mean, worst program)   its interval   as it says")
    for workers in (3, 7, 15):
        for each in (5, 20, 80):
            for part in (0.01, 0.05, 0.1, 0.2):
                found = [compare(seed, workers, each, part, replicas) for seed in range(programs)]
                longer = [f[0] for f in found]
                print(f"{workers:7}  {each:10}  {100 * part:3.0f} %   {statistics.mean(longer):6.2f} %  "
                      f"{max(longer, key=abs):6.2f} %   +-{statistics.mean(f[1] for f in found):.2f} %       "
                      f"{statistics.mean(f[2] for f in found):.2f} %", flush=True)


main()
