#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often mpgsim's 95 % intervals contain the true value: synthetic measurements, a signature that sigmake makes of
them, and mpgsim's predictions with it (docs/MEASURING.md).

interval_coverage.py [RUNS [FIRST [LAUNCHES,... [KIND,... [EXCHANGES]]]]]

Prints a line for each kind of measurement, number of launches and program."""

import math
import os
import random
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from answers import answer  # noqa: E402
from chains import (make_signature, ring_time, runs, write_launch, write_ping_pong, write_program, write_ring)  # noqa: E402

EXCHANGES = 500
TYPICAL, SPREAD = 800.0, 0.4  # of a message: lognormal
KINDS = {"independent": (0.0, 0.0), "launches 3 %": (0.03, 0.0), "launches 10 %": (0.1, 0.0), "AR(0.9)": (0.0, 0.9)}
CHAIN, RANKS, STEPS, CALLS = 200, 8, 25, 20
LONG = 4  # measurements, of whose medians the mean is as sure as 0.1 %


class Series:
    """Successive times of one way, in ns."""

    def __init__(self, rng, keep, factor=1.0):
        self.rng, self.keep, self.factor = rng, keep, factor
        self.z = rng.gauss(0, 1)

    def __call__(self):
        self.z = self.keep * self.z + math.sqrt(1 - self.keep ** 2) * self.rng.gauss(0, 1)
        return self.factor * TYPICAL * math.exp(SPREAD * self.z)


def measure(folder, rng, launches, kind, exchanges):
    spread, keep = KINDS[kind]
    for launch in range(launches):
        factor = 1 + spread * rng.gauss(0, 1)
        there, back = Series(rng, keep, factor), Series(rng, keep, factor)
        write_launch(folder, launch, [there() for _ in range(exchanges)], [back() for _ in range(exchanges)])
    make_signature(folder, f"{folder}.sig")
    for launch in range(launches):
        os.remove(f"{folder}/pingpong-launch{launch}-node.samples")


def write_programs():
    write_ping_pong("chain", CHAIN // 2)
    write_ring("ring", RANKS, STEPS)
    write_program("barriers", RANKS, [(rank, "Barrier comm=0") for _ in range(CALLS) for rank in range(RANKS)])
    write_program("alltoalls", RANKS,
                  [(rank, "Alltoall comm=0 bytes=64") for _ in range(CALLS) for rank in range(RANKS)])
    return "chain", "ring", "barriers", "alltoalls"


def chain_time(rng, keep):
    return sum(series() for series in (Series(rng, keep), Series(rng, keep)) for _ in range(CHAIN // 2))


def ring_of_series(rng, keep):
    series = [Series(rng, keep) for _ in range(RANKS)]
    turn = iter(range(RANKS * STEPS))
    return ring_time(RANKS, STEPS, lambda: series[next(turn) % RANKS]())


def truths(programs, kind):
    """Returns the true medians: for chains and rings by simulation here, for collectives as the mean of what long
    measurements give."""
    keep, rng = KINDS[kind][1], random.Random(17)
    made = {"chain": chain_time, "ring": ring_of_series}
    found = {name: statistics.median(make(rng, keep) for _ in range(3000)) for name, make in made.items() if name in programs}
    several = {name: [] for name in programs if name not in found}
    for _ in range(LONG if several else 0):
        measure("long", rng, 1, "independent", 50000)
        for name, medians in several.items():
            medians.append(statistics.median(runs(name, "long.sig", 4096)))
    return {**found, **{name: statistics.mean(medians) for name, medians in several.items()}}


def cover(programs, truth, kind, launches, first, number, exchanges=EXCHANGES):
    """Returns for each program how many of NUMBER intervals contain the true value, lie below and above it, and their
    mean width relative to it."""
    counts = {name: [0, 0, 0] for name in programs}
    widths = dict.fromkeys(programs, 0.0)
    for i in range(first, first + number):
        measure("made", random.Random(f"{kind} {launches} {i}"), launches, kind, exchanges)
        for name in programs:
            found = answer("--predict", "--source=none", "--signature=made.sig", f"--seed={i + 1}", name)
            low, high = found["run_time_ns"]["median_confidence_95"]
            counts[name][1 if high < truth[name] else 2 if low > truth[name] else 0] += 1
            widths[name] += (high - low) / truth[name] / number
    return counts, widths


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    several = [int(n) for n in sys.argv[3].split(",")] if len(sys.argv) > 3 else [3, 5, 10]
    kinds = sys.argv[4].split(",") if len(sys.argv) > 4 else list(KINDS)
    exchanges = int(sys.argv[5]) if len(sys.argv) > 5 else EXCHANGES
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        programs = write_programs()
        for kind in kinds:
            truth = truths(programs, kind)
            for launches in several:
                counts, widths = cover(programs, truth, kind, launches, first, number, exchanges)
                print(f"{kind:14s} {launches:2d} launches: " +
                      ", ".join(f"{name} {100 * counts[name][0] / number:.1f} % ({counts[name][1]} below, "
                                f"{counts[name][2]} above; {100 * widths[name]:.1f} % wide)" for name in programs), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
