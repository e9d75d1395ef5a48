#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds to a text trace, from standard input, a region "even" that each rank's first thread enters equally often,
anywhere between its calls, sometimes with another region inside, or with nothing. With --cuts also a region "cut" that
all ranks enter at the same times."""

import argparse
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from oracle_matching import COLLECTIVES  # noqa: E402


def marks(draw, gaps, visits):
    """Generates (place in the rank's lines, time, words) for some visits. GAPS: (place, begin, end)."""
    ends = sorted((place, draw.randint(begin, end)) for place, begin, end in
                  (draw.choice(gaps) for _ in range(2 * visits)))
    for begin, end in zip(ends[::2], ends[1::2]):
        end = begin if draw.random() < 0.2 else end
        yield *begin, 'Region_begin name="even"'
        if draw.random() < 0.3:
            yield *begin, 'Region_begin name="within"'
            yield *draw.choice([begin, end]), "Region_end name=\"within\""
        yield *end, 'Region_end name="even"'


def cuts(draw, gaps, offsets):
    """Generates (rank, place, time, words) for some times at which no rank is in a call, if there are any: each rank
    then marks a region. GAPS: by rank; OFFSETS: of the ranks' clocks."""
    last = min(offsets.get(rank, 0) + some[-1][2] for rank, some in gaps.items())
    first = max(offsets.get(rank, 0) + some[0][1] for rank, some in gaps.items())
    tried = [draw.randint(first, max(first, last)) for _ in range(400)]
    found = [(at, within) for at in tried
             for within in [{rank: one for rank, some in gaps.items() for one in some
                             if one[1] < at - offsets.get(rank, 0) < one[2]}] if len(within) == len(gaps)]
    for at, within in sorted(found[:draw.randint(1, 5)], key=lambda one: one[0]):
        for rank, (place, *_) in within.items():
            yield rank, place, at - offsets.get(rank, 0)


def before_collectives(draw, lines, ranks):
    """Generates the same before some of the blocking collectives of all ranks."""
    found = {rank: [] for rank in ranks}
    for place, line in enumerate(lines):
        words = line.split()
        if words and words[0] in found and words[3] in COLLECTIVES and "comm=0" in words:
            found[words[0]].append((place, int(words[1])))
    least = min(map(len, found.values()))
    for n in sorted(draw.sample(range(least), min(least, draw.randint(1, 5)))):
        for rank, some in found.items():
            yield rank, *some[n]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cuts", action="store_true")
    options = parser.parse_args()
    draw = random.Random(f"regions {options.seed}")
    lines = [line.rstrip("\n") for line in sys.stdin]
    events, visits, all_gaps, offsets = {}, draw.randint(1, 6), {}, {}
    for n, line in enumerate(lines):
        if not line.startswith("#"):
            rank, enter, leave, _ = line.split(" ", 3)
            events.setdefault(rank, []).append((n, int(enter), int(leave)))
        elif line.startswith("#clock "):
            _, rank, _, offset = line.split()
            offsets.setdefault(rank, int(offset))
    before = {}
    for rank, some in events.items():
        if "." in rank:
            continue
        gaps = [(n, a[2], enter) for a, (n, enter, _) in zip(some, some[1:]) if a[2] <= enter]
        for place, time, words in marks(draw, gaps, visits):
            before.setdefault(place, []).append((time, f"{rank} {time} {time} {words}"))
        all_gaps[rank] = gaps
    if options.cuts and all(all_gaps.values()):
        cut = random.Random(f"cuts {options.seed}")
        for rank, place, time in [*before_collectives(cut, lines, all_gaps)] or cuts(cut, all_gaps, offsets):
            for words in ('Region_begin name="cut"', 'Region_end name="cut"'):
                before.setdefault(place, []).append((time, f"{rank} {time} {time} {words}"))
    for n, line in enumerate(lines):
        print(*[text for _, text in sorted(before.get(n, []), key=lambda one: one[0])], line, sep="\n")


if __name__ == "__main__":
    main()
