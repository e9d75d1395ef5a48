#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Distributes the calls of every rank of a text trace, from standard input, over several threads. The order of one
thread becomes the order of enter times over all threads, by which matching proceeds, so the program stays valid, and
less of it is ordered. With --overlap calls that may wait begin before other, unrelated calls of their rank, and end
after them."""

import argparse
import random
import re
import sys

WAITS = re.compile("(Wait|Recv|S?send|Send|Probe|Mprobe|Mrecv|Barrier|Bcast|Reduce|All|Gather|Scatter|Scan|Exscan|"
                   "Win_(wait|complete|fence))")
FINER = 2  # so many ticks a nanosecond was: there is room between two calls


class Threads:
    """Chooses the thread whose turn it is on each rank."""

    def __init__(self, seed, threads):
        self.random = random.Random(f"threads {seed}")
        self.threads = threads
        self.turn = {}
        self.left = {}
        self.most = {}

    def next_turn(self, rank):
        """Returns an existing thread, or the next new one."""
        turn = self.random.randrange(min(self.threads, self.most.get(rank, 0) + 2))
        self.most[rank] = max(turn, self.most.get(rank, 0))
        return turn

    def line(self, text):
        rank, enter, leave, words = text.split(" ", 3)
        name = words.split()[0]
        turn = self.turn.setdefault(rank, 0)
        if name.startswith("Init") or name == "Finalize":
            turn = 0
        elif int(enter) > self.left[rank] and self.random.random() < 0.3:
            turn = self.turn[rank] = self.next_turn(rank)
        self.left[rank] = int(enter)
        return f"{rank}{f'.{turn}' * (turn > 0)} {enter} {leave} {words}"


class Event:
    """A line of a rank."""

    def __init__(self, text):
        self.thread, enter, leave, self.words = text.split(" ", 3)
        self.enter, self.leave = FINER * int(enter), FINER * int(leave)
        self.name = self.words.split()[0]
        self.is_end = self.name.startswith("Init") or self.name == "Finalize"
        self.comms = set(re.findall(r"\b(?:comm|newcomm)=(\d+)", self.words))
        self.names = re.search(r"\b(requests?|persistent|win|file)=", self.words)

    def __str__(self):
        return f"{self.thread} {self.enter} {self.leave} {self.words}"

    def bears(self, other):
        """Returns whether this call may begin before another one that began earlier."""
        return not (self.is_end or other.is_end or self.thread == other.thread or self.comms & other.comms or
                    self.names and other.names)


def lengthen(draw, events):
    """Lengthens some calls that may wait until their thread's next call."""
    for i, event in enumerate(events):
        after = [one.enter for one in events[i + 1:] if one.thread == event.thread or one.is_end]
        if WAITS.match(event.name) and after and after[0] - 1 > event.leave and draw.random() < 0.4:
            event.leave = draw.choice([after[0] - 1, draw.randint(event.leave, after[0] - 1)])


def begin_earlier(draw, events):
    """Lets some calls that may wait begin before others that began earlier."""
    for i in range(2, len(events)):
        event, first = events[i], i
        if not WAITS.match(event.name) or draw.random() < 0.3:
            continue
        before = max(one.leave for one in events[:i] if one.thread == event.thread or one.is_end)
        while event.bears(events[first - 1]) and events[first - 1].enter - 1 > max(before, events[first - 2].enter):
            first -= 1
        if first < i:
            at = draw.randint(first, i - 1)
            if events[at].enter - 1 > events[at - 1].enter:
                event.enter = events[at].enter - 1
                events.insert(at, events.pop(i))


def overlap(seed, lines):
    """Returns the lines, with more overlap between each rank's calls."""
    draw, ranks = random.Random(f"overlap {seed}"), {}
    for line in lines:
        if line.startswith("#clock "):
            words = line.split(" ")
            words[2:4] = [str(FINER * int(word)) for word in words[2:4]]
            line = " ".join(words)
        if line.startswith("#"):
            yield line
        elif line:
            ranks.setdefault(line.split(" ")[0].split(".")[0], []).append(Event(line))
    for events in ranks.values():
        lengthen(draw, events)
        begin_earlier(draw, events)
        yield from map(str, events)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--overlap", action="store_true")
    options = parser.parse_args()
    threads = Threads(options.seed, options.threads)
    lines, given = [line.rstrip("\n") for line in sys.stdin], []
    for line, after in zip(lines, lines[1:] + [""]):
        if line.startswith("#"):
            given.append(line)
        elif not ("Finalize" in after and line.split()[1] == after.split()[1]):
            given.append(threads.line(line))  # whose enter is not another thread's, too
    for line in overlap(options.seed, given) if options.overlap else given:
        print(line)


if __name__ == "__main__":
    main()
