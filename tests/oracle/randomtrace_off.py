#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds to a text trace how long threads were off their CPUs, between calls and in them. Reads standard input."""

import argparse
import random
import sys

PARTS = [0.01, 0.1, 0.5, 0.95, 1]


class Off:
    """Writes a trace again, line by line."""

    def __init__(self, seed, facts):
        self.random = random.Random(f"off {seed}")
        self.facts = facts
        self.often = self.random.choice([0.02, 0.1, 0.5])
        self.last = {}

    def header(self, ranks):
        for rank in range(ranks):
            if self.facts == "all" or self.facts == "some" and self.random.random() < 0.5:
                yield f"#fact {rank} off_cpu {self.random.choice(['rseq', 'clock'])}"

    def lost(self, time):
        """Returns the time lost in a stretch; in half of the cases almost nothing or almost all of it."""
        if time <= 0 or self.random.random() > self.often:
            return 0
        return min(time, int(time * self.random.choice(PARTS) * self.random.random()) + self.random.choice([0, 1, 700]))

    def event(self, line):
        stream, enter, leave, _ = line.split(" ", 3)
        before = self.lost(int(enter) - self.last.get(stream, int(enter)))
        within = self.lost(int(leave) - int(enter))
        self.last[stream] = int(leave)
        return line + (f" off={before}" if before else "") + (f" off_call={within}" if within else "")

    def lines(self, lines):
        ranks = 0
        for line in lines:
            if ranks and not line.startswith("#values"):
                yield from self.header(ranks)
                ranks = 0
            yield line if not line or line.startswith("#") else self.event(line)
            if line.startswith("#ranks"):
                ranks = int(line.split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--facts", choices=["all", "some", "none"], default="all")
    options = parser.parse_args()
    for line in Off(options.seed, options.facts).lines(line.rstrip("\n") for line in sys.stdin):
        print(line)


if __name__ == "__main__":
    main()
