#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Give the calls of every rank of a text trace to several threads. From standard input.

What was one thread's order is the order of enter times over threads, by which matching
goes: the program stays valid, and less of it is ordered."""

import argparse
import random
import sys


class Threads:
    """Which thread has the turn on each rank."""

    def __init__(self, seed, threads):
        self.random = random.Random(f"threads {seed}")
        self.threads = threads
        self.turn = {}
        self.left = {}
        self.most = {}

    def next_turn(self, rank):
        """One that was there before, or the next new one."""
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=3)
    options = parser.parse_args()
    threads = Threads(options.seed, options.threads)
    lines = [line.rstrip("\n") for line in sys.stdin]
    for line, after in zip(lines, lines[1:] + [""]):
        if line.startswith("#"):
            print(line)
        elif not ("Finalize" in after and line.split()[1] == after.split()[1]):
            print(threads.line(line))  # whose enter is not another thread's, too


if __name__ == "__main__":
    main()
