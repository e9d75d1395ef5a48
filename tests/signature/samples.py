#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints synthetic sample lines of results files, drawn from known distributions. samples.py KIND KEY=VALUE...:
numbers; one of them is the seed."""
import math
import random
import sys

DEFAULT = {"seed": 1, "n": 20000}


def ftq(o):
    """Quanta of 1 ms (QUANTUM ns), which lose an exponential time of mean 300 ns, and STEAL ns every PERIOD ns."""
    quantum, lost, step = o.get("quantum", 1e6), [], o.get("period", 0)
    for _ in range(int(o["n"])):
        lost.append(random.expovariate(1 / 300))
    for k in range(int(o["n"] * quantum / step) if step else 0):
        i = int(k * step // quantum)
        first = min(o["steal"], (i + 1) * quantum - k * step)
        lost[i] += first
        if i + 1 < len(lost):
            lost[i + 1] += o["steal"] - first
    for i, x in enumerate(lost):
        print(f"{i * quantum:.1f} {23000 - x / 43:.0f} {x:.1f}")


def fwq(o):
    """Work of 1 ms (QUANTUM ns), plus a gamma distribution with shape 2.385 and scale 700 ns."""
    now, quantum = 0, o.get("quantum", 1e6)
    for i in range(int(o["n"])):
        duration = quantum + (random.gammavariate(2.385, 700) if i else 0)
        print(f"{now:.1f} {duration:.1f}")
        now += duration + 50


FAMILIES = {
    "exponential": lambda: 150 + random.expovariate(1 / 2385),
    "gamma": lambda: random.gammavariate(2.385, 900),
    "lognormal": lambda: random.lognormvariate(7.385, 0.6),
    "weibull": lambda: random.weibullvariate(2385, 1.7),
}


def detour(o):
    """Detours: durations of a FAMILY (its number), exponential gaps with mean 1 ms (GAP ns)."""
    draw, now = list(FAMILIES.values())[int(o["family"])], 0
    for _ in range(int(o["n"])):
        now += random.expovariate(1 / o.get("gap", 1e6)) + 1
        duration = draw()
        print(f"{now:.1f} {duration:.1f}")
        now += duration


def one_way():
    return 300 + random.gammavariate(2, 20)


def round_trips(o):
    """Round trips: each way takes 300 ns plus a gamma distribution with shape 2 and scale 20 ns. The other clock is
    ahead by OFFSET ns, varying by up to WANDER ns between exchanges."""
    for i in range(int(o["n"])):
        there, back = one_way(), one_way()
        error = o.get("offset", 0) + o.get("wander", 0) * math.sin(i / 50)
        print(f"{8 << i % 2} {there + back:.1f} {there + error:.1f} {back - error:.1f}")


def transfers(o):
    """Transfers: every second exchange is empty; 64 KiB take 5000 ns plus a gamma distribution with shape 3 and scale
    100 ns; the acknowledgement is a one-way time as above."""
    for i in range(int(o["n"])):
        back = one_way()
        there = 5000 + random.gammavariate(3, 100) if i % 2 else one_way()
        shown = there + o.get("offset", 0)
        print(f"{65536 * (i % 2)} 1 {there + back:.1f} {there / 2:.1f} {shown:.1f}")


KINDS = {"ftq": ftq, "fwq": fwq, "detour": detour, "pingpong": round_trips,
         "bandwidth": transfers}
options = dict(DEFAULT, **{k: float(v) for k, v in (a.split("=") for a in sys.argv[2:])})
random.seed(int(options["seed"]))
KINDS[sys.argv[1]](options)
