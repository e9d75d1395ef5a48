#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a trace of ranks that repeat nearly the same work, between the same calls, on cores that interrupt them:
classes of compute intervals with many members, in a short or a long run."""

import argparse
import random

CALLS = ["Barrier comm=0", "Allreduce comm=0 bytes=8", "Sendrecv"]


class Loop:
    """The ranks of the program, step by step."""

    def __init__(self, seed, ranks, intervals):
        self.random = random.Random(f"classes {seed}")
        self.ranks = ranks
        self.steps = max(1, intervals // ranks)
        self.calls = [self.random.choice(CALLS) for _ in range(self.random.choice([1, 1, 2, 3]))]
        self.typical = self.random.choice([40, 1000, 20000, 700000])
        self.spread = self.random.choice([0, 0.001, 0.05, 0.5])
        self.drift = self.random.choice([0, 0, 1, -0.7])
        self.second = self.random.choice([1, 1, 3])
        self.often = self.random.choice([0.003, 0.03, 0.3])
        self.lasts = self.random.choice([500, 6000, 90000])

    def work(self, step):
        """Returns the length of one interval in ns, with its interruptions."""
        work = self.typical * (1 + self.drift * step / self.steps)
        work *= self.random.choice([1, self.second]) * self.random.lognormvariate(0, self.spread)
        while self.random.random() < self.often:
            work += self.lasts * self.random.lognormvariate(0, 0.3)
        return int(work)

    def lines(self):
        yield "#mpgtext 1"
        yield f"#ranks {self.ranks}"
        yield "#clocks shared"
        now = [100000] * self.ranks
        for rank in range(self.ranks):
            yield f"{rank} {now[rank] - 50000} {now[rank]} Init"
        for step in range(self.steps):
            call = self.calls[step % len(self.calls)]
            enter = [time + self.work(step) for time in now]
            for rank in range(self.ranks):
                left, right = (rank - 1) % self.ranks, (rank + 1) % self.ranks
                after = max(enter) if call != "Sendrecv" else max(enter[left] + 600, enter[rank])
                words = f"Sendrecv comm=0 to={right} bytes=64 from={left} recvbytes=64" if call == "Sendrecv" else call
                now[rank] = after + self.random.randint(100, 900)
                yield f"{rank} {enter[rank]} {now[rank]} {words}"
        for rank in range(self.ranks):
            begin = now[rank] + self.work(self.steps)
            yield f"{rank} {begin} {begin + 1000} Finalize"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--intervals", type=int, default=1200)
    options = parser.parse_args()
    for line in Loop(options.seed, options.ranks, options.intervals).lines():
        print(line)


if __name__ == "__main__":
    main()
