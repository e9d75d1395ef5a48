#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthetic machines with known noise, and runs on them: a signature of a machine (noise_case.py signature KIND SEED),
or the trace of ranks that compute and meet in a barrier, step by step, on a machine of KIND (noise_case.py trace KIND
SEED WORK). The run's noise comes from another stretch of the same process than any signature's. The work of a step
depends on SEED alone, so the trace of KIND quiet is the same run without noise."""

import argparse
import bisect
import json
import random


def detours(kind, rng, span_ns):
    """Returns starts and durations of detours, in ns, in time order, not overlapping."""
    starts, durations = [], []
    at = 0.0
    big = rng.uniform(0, 50e6)
    tick = rng.uniform(0, 1.25e6)
    while kind != "quiet":
        if kind == "bursts":  # gamma gaps, lognormal lengths: 3.2 %
            at += rng.gammavariate(0.6, 900e3 / 0.6)
            length = rng.lognormvariate(9.9, 0.8)
        elif kind == "ticks":  # each 1.25 ms 7 us, each 50 ms 330 us more: 1.2 %
            at = max(at, tick)
            tick += 1.25e6
            length = 7e3 + rng.uniform(-600, 600)
            if at >= big:
                big += 50e6
                length += 330e3
        elif kind == "heavy":  # each 1.25 ms 47 to 53 us: 4 %
            at = max(at, tick)
            tick += 1.25e6
            length = rng.uniform(47e3, 53e3)
        else:
            raise SystemExit(f"no noise {kind}")
        at, length = float(round(at)), float(round(length))
        if at + length >= span_ns:
            break
        starts.append(at)
        durations.append(length)
        at += length
    return starts, durations


class Core:
    """A core whose work meets noise, detour by detour."""

    def __init__(self, kind, rng, span_ns):
        self.starts, self.durations = detours(kind, rng, span_ns)
        self.ends = [s + d for s, d in zip(self.starts, self.durations)]

    def seen(self, begin, end, least):
        """Returns the time of detours of at least LEAST from BEGIN to END, during which a CPU clock stops."""
        first = bisect.bisect_right(self.ends, begin)
        return sum(min(e, end) - max(s, begin)
                   for s, e, d in zip(self.starts[first:first + 200], self.ends[first:first + 200],
                                      self.durations[first:first + 200])
                   if s < end and d >= least)

    def end(self, at, work):
        i = bisect.bisect_right(self.ends, at)
        while i < len(self.starts) and self.starts[i] < at + work:
            if at < self.starts[i]:
                work -= self.starts[i] - at
            at = self.ends[i]
            i += 1
        return at + work


def signature(kind, seed, cores, span_ns):
    noise = []
    for core in range(cores):
        starts, durations = detours(kind, random.Random(f"record {kind} {seed} {core}"), span_ns)
        noise.append({"core": core, "cores_at_once": cores, "threshold_ns": 100,
                      "span_ns": span_ns, "detours": {"start_ns": starts,
                                                      "duration_ns": durations}})
    print(json.dumps({"format": "mpgkit-signature", "version": [2, 0],
                      "header": {"host": "nowhere"}, "noise": noise}))


def work_of(name, rng, rank):
    """Returns the work of a step in ns: even, a little uneven, very uneven, with rare long steps, or by rank."""
    base = 1e6
    if name == "even":
        return base + rng.uniform(0, 60)
    if name == "rough":
        return base * (1 + 0.07 * abs(rng.gauss(0, 1)))
    if name == "uneven":
        return base * rng.uniform(0.4, 1.6)
    if name == "rare":
        return base * (1.8 if rng.random() < 0.03 else 1)
    if name == "ranks":
        return base * (0.75 + 0.03 * rank) + rng.uniform(0, 60)
    raise SystemExit(f"no work {name}")


def trace(kind, seed, work, ranks, steps, seen):
    span_ns = steps * 4e6
    cores = [Core(kind, random.Random(f"run {kind} {seed} {r}"), span_ns) for r in range(ranks)]
    rngs = [random.Random(f"work {seed} {r}") for r in range(ranks)]
    lines = [f"#mpgtext 1\n#ranks {ranks}\n#clocks shared"]
    cpu = [0] * ranks
    if seen:
        lines[0] = f"#mpgtext 1\n#ranks {ranks}\n#values cpu_ns\n#clocks shared"
    lines[0] += "\n#comm 0 = " + " ".join(map(str, range(ranks)))
    start = 2000
    lines += [f"{r} 0 {start} Init" + (" values=0" if seen else "") for r in range(ranks)]
    began = start
    for _ in range(steps):
        ends = [round(cores[r].end(began, float(round(work_of(work, rngs[r], r)))))
                for r in range(ranks)]
        left = max(ends) + 1300
        for r in range(ranks):
            line = f"{r} {ends[r]} {left} Barrier comm=0"
            if seen:
                cpu[r] = round(ends[r] - began - cores[r].seen(began, ends[r], seen))
                line += f" values={cpu[r]}"
            lines.append(line)
        began = left
    lines += [f"{r} {began} {began + 100} Finalize" + (f" values=0" if seen else "")
              for r in range(ranks)]
    print("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["signature", "quanta", "trace"])
    parser.add_argument("kind")
    parser.add_argument("seed")
    parser.add_argument("work", nargs="?")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seen", type=float, help="detours that a CPU clock sees, ns")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--span", type=float, default=10e9)
    a = parser.parse_args()
    if a.what == "quanta":  # 1 ms each lose 0 to 60 us
        lost = {"n": 9000, "mean": 30e3, "sd": 17e3, "quantiles": [0, 60e3]}
        print(json.dumps({"format": "mpgkit-signature", "version": [2, 0],
                          "header": {"host": "nowhere"},
                          "noise": [{"core": 0, "ftq": {"quantum_ns": 1e6, "lost_ns": lost}}]}))
    elif a.what == "signature":
        signature(a.kind, a.seed, a.cores, a.span)
    else:
        trace(a.kind, a.seed, a.work, a.ranks, a.steps, a.seen)


if __name__ == "__main__":
    main()
