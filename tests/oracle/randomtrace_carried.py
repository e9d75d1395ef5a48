# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs whose larger sends wait until their receiver is in a call (tests/oracle/test-oracle-carried.py)."""

import random

SIZES = [1, 300, 1024, 5000, 70000]


class Program:
    """Lines of a text trace, rank by rank in the order of time; ranks work and send by turns, in an order without deadlock."""

    def __init__(self, seed):
        self.draw = random.Random(f"carried {seed}")
        self.ranks, self.request = self.draw.randint(2, 4), 0
        self.now = [100] * self.ranks
        self.lines = [[f"{rank} 0 100 Init"] for rank in range(self.ranks)]
        self.limits = {"Send": self.draw.choice([99, 299, 4095]), "Wait": self.draw.choice([1023, 4999, 10**9])}
        self.slips = self.draw.choice([0, 0, 0.04, 0.3])
        for _ in range(self.draw.randint(60, 150)):
            self.draw.choice([self.message, self.message, self.message, self.late, self.barrier])()
        end = max(self.now) + 1000
        for rank in range(self.ranks):
            self.lines[rank].append(f"{rank} {end} {end + 10} Finalize")

    def text(self):
        return "\n".join(["#mpgtext 1", f"#ranks {self.ranks}", "#clocks shared", *sum(self.lines, []), ""])

    def call(self, rank, enter, leave, words):
        self.lines[rank].append(f"{rank} {enter} {leave} {words}")
        self.now[rank] = leave

    def work(self, rank):
        """When the rank's next call begins."""
        begin, end = self.now[rank] + 7, self.now[rank] + 7 + self.draw.randint(0, 20000)
        if self.draw.random() < 0.7:
            self.lines[rank] += [f'{rank} {begin} {begin} Region_begin name="even"',
                                 f'{rank} {end} {end} Region_end name="even"']
        return end + 7

    def end_of(self, call, size, begin, comes):
        """When a send of that size ends in a call from BEGIN on, whose receiver is in a call when it COMES."""
        waits = size > self.limits[call] and self.draw.random() >= self.slips
        return max(begin, comes if waits else 0) + self.draw.randint(20, 40)

    def message(self, carrier=None):
        """One message; the receiver makes a call before it receives, CARRIER(rank, time), or none."""
        a, b = self.draw.sample(range(self.ranks), 2)
        size, sent, comes = self.draw.choice(SIZES), self.work(a), self.work(b)
        self.request += 1
        posts = self.draw.random() < 0.3
        if carrier:
            self.call(b, comes, comes + 50, "Iprobe from=%d tag=77 found=0" % a)
        if self.draw.random() < 0.5:
            self.call(a, sent, self.end_of("Send", size, sent, comes), f"Send to={b} bytes={size}")
        else:
            self.call(a, sent, sent + 15, f"Isend to={b} bytes={size} request={self.request}")
            begin = self.work(a)
            self.call(a, begin, self.end_of("Wait", size, begin, comes), f"Wait requests={self.request}")
        there = self.work(b) if carrier else comes
        if posts:
            self.call(b, there, there + 10, f"Irecv from={a} bytes={size} request={self.request}")
            there = self.work(b)
            self.call(b, there, max(there, sent + 2000) + 30, f"Wait requests={self.request}")
        else:
            self.call(b, there, max(there, sent + 2000) + 30, f"Recv from={a} bytes={size}")

    def late(self):
        self.message(carrier=True)

    def barrier(self):
        enters = [self.work(rank) for rank in range(self.ranks)]
        for rank, enter in enumerate(enters):
            self.call(rank, enter, max(enters) + 100 + rank, "Barrier")
