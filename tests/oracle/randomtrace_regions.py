#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add to a text trace, from standard input, a region "even" that each rank's first thread enters equally
often, anywhere between its calls; sometimes another one is within it, or nothing."""

import argparse
import random
import sys


def marks(draw, gaps, visits):
    """(place in the rank's lines, time, words), of so many visits; gaps: (place, begin, end)."""
    ends = sorted((place, draw.randint(begin, end)) for place, begin, end in
                  (draw.choice(gaps) for _ in range(2 * visits)))
    for begin, end in zip(ends[::2], ends[1::2]):
        end = begin if draw.random() < 0.2 else end
        yield *begin, 'Region_begin name="even"'
        if draw.random() < 0.3:
            yield *begin, 'Region_begin name="within"'
            yield *draw.choice([begin, end]), "Region_end name=\"within\""
        yield *end, 'Region_end name="even"'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    draw = random.Random(f"regions {parser.parse_args().seed}")
    lines = [line.rstrip("\n") for line in sys.stdin]
    events, visits = {}, draw.randint(1, 6)
    for n, line in enumerate(lines):
        if not line.startswith("#"):
            rank, enter, leave, _ = line.split(" ", 3)
            events.setdefault(rank, []).append((n, int(enter), int(leave)))
    before = {}
    for rank, some in events.items():
        if "." in rank:
            continue
        gaps = [(n, a[2], enter) for a, (n, enter, _) in zip(some, some[1:]) if a[2] <= enter]
        for place, time, words in marks(draw, gaps, visits):
            before.setdefault(place, []).append(f"{rank} {time} {time} {words}")
    for n, line in enumerate(lines):
        print(*before.get(n, []), line, sep="\n")


if __name__ == "__main__":
    main()
