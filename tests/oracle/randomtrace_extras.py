#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds to a text trace what the tracer records besides calls: call sites, CPU time, local calls, marks of regions,
aggregated calls, its own overhead; and repeated polls. Reads standard input."""

import argparse
import random
import sys

NAMES = ["Comm_rank", "Comm_size"]
TESTS = ["Test", "Testall", "Testany", "Testsome"]
ASKS = ["Iprobe", "Improbe", "Parrived"]
TRACER = ["#fact {rank} overhead_call_ns {call}", "#fact {rank} overhead_sum_ns {sum}"]


class Extras:
    """Writes a trace again, line by line."""

    def __init__(self, seed, options):
        self.random = random.Random(f"extras {seed}")
        self.options = options
        self.last = {}
        self.regions = {}
        self.polls = random.Random(f"polls {seed}")
        self.nested = random.Random(f"nested {seed}")
        self.medians = random.Random(f"medians {seed}")
        self.open = {}
        self.asked = {}

    def header(self, ranks):
        if self.options.cpu:
            yield "#values cpu_ns"
        for rank in range(ranks):
            if self.options.tracer:
                for line in TRACER:
                    yield line.format(rank=rank, call=self.random.choice([0, 7.5, 61.3]),
                                      sum=self.random.choice([1.25, 12.125]))
                if self.medians.random() < 0.5:
                    yield f"#fact {rank} overhead_call_median_ns {self.medians.choice([3.5, 80.25])}"
        for site in range(1, self.options.sites + 1):
            yield f"#site {site} = ?+0x{16 * site:x}"

    def event(self, text, since):
        """Returns a line with its call site, and the CPU time since the event before."""
        if self.options.sites and "calls=" not in text:
            site = self.random.randint(0, self.options.sites)
            text += f" site={site}" if site else ""
        return text + self.values(since)

    def values(self, since):
        if not self.options.cpu:
            return ""
        share = 1 if self.options.cpu == "all" else self.random.choice([0.9, 1, 1])
        return f" values={int(since * share)}"

    def between(self, rank, begin, end):
        """Generates some events between two calls, as (enter, leave, words)."""
        if not self.options.tracer or self.random.random() < 0.6:
            return
        times = sorted(self.random.randint(begin, end)
                       for _ in range(2 * self.random.randint(1, 3)))
        for enter, leave in zip(times[::2], times[1::2]):
            kind = self.random.randrange(4)
            if kind == 0:
                n = self.random.randint(1, 5)
                yield (leave, leave, f"{self.random.choice(NAMES)} calls={n} "
                       f"time={10 * n} least=10 most=10")
            elif kind == 1:
                yield self.mark(rank, leave)
            elif kind == 2:
                yield enter, leave, self.random.choice(NAMES)
            else:
                yield enter, leave, "Flush"

    def regions_between(self, rank, begin, end):
        """Generates marks of nested regions, in three of ten intervals."""
        if not self.options.regions or self.nested.random() < 0.7:
            return
        inside = self.open.setdefault(rank, [])
        for time in sorted(self.nested.randint(begin, end)
                           for _ in range(self.nested.randint(1, 3))):
            if inside and (len(inside) > 2 or self.nested.random() < 0.5):
                yield time, time, f'Region_end name="{inside.pop()}"'
            else:
                inside.append(self.nested.choice(["work", "inner", "other"]))
                yield time, time, f'Region_begin name="{inside[-1]}"'

    def mark(self, rank, time):
        if self.options.regions:  # they are within each other
            return time, time, "Comm_rank"
        if self.regions.get(rank):
            self.regions[rank] = False
            return time, time, 'Region_end name="work"'
        self.regions[rank] = True
        return time, time, 'Region_begin name="work"'

    def ask_again(self, rank, begin, end):
        """Repeats the previous call, which found nothing, some times."""
        words = self.asked.get(rank)
        if not words or not self.options.polls:
            return
        n = self.polls.choice([0, 1, 2, 5])
        times = sorted(self.polls.randint(begin, end) for _ in range(2 * n))
        for enter, leave in zip(times[::2], times[1::2]):
            yield enter, leave, words

    def remember(self, rank, text):
        """Remembers TEXT, a call with its site, if it found nothing."""
        words = text.split()
        tested = words[0] in TESTS and "done=" in words
        asked = words[0] in ASKS and "found=0" in words
        self.asked[rank] = None
        if tested or asked:
            self.asked[rank] = " ".join(
                word for word in words if not word.startswith("values="))

    def call(self, line):
        rank, enter, leave, words = line.split(" ", 3)
        begin = self.last.get(rank)
        if begin is not None:
            for a, b, again in self.ask_again(rank, begin, int(enter)):
                yield f"{rank} {a} {b} {again}" + self.values(a - begin)
                begin = b
            for some in (self.between, self.regions_between):
                for other in some(rank, begin, int(enter)):
                    yield (f"{rank} {other[0]} {other[1]} "
                           + self.event(other[2], other[0] - begin))
                    begin = other[1]
        since = int(enter) - begin if begin is not None else 0
        text = self.event(words, since)
        yield f"{rank} {enter} {leave} {text}"
        self.remember(rank, text)
        self.last[rank] = int(leave)

    def lines(self, lines):
        ranks, waiting = 0, True
        for line in lines:
            if line.startswith("#ranks"):
                ranks = int(line.split()[1])
            elif ranks and waiting:
                yield from self.header(ranks)
                waiting = False
            if line.startswith("#"):
                yield line
            else:
                yield from self.call(line)


def add(parser):
    """Adds the options to PARSER, which may be another script's."""
    parser.add_argument("--sites", type=int, default=0)
    parser.add_argument("--tracer", action="store_true")
    parser.add_argument("--polls", action="store_true")
    parser.add_argument("--regions", action="store_true")
    parser.add_argument("--cpu", choices=["some", "all"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    add(parser)
    options = parser.parse_args()
    lines = (line.rstrip("\n") for line in sys.stdin)
    for line in Extras(options.seed, options).lines(lines):
        print(line)


if __name__ == "__main__":
    main()
