#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Like randomtrace_open.py, but masters take several messages that have arrived, and work on them before they take
more: before, between or after their own sends."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import randomtrace_open  # noqa: E402


class Looping(randomtrace_open.Master):
    """Receives in pools; the work is in equal parts, in unequal parts, or at once."""

    def run(self):
        while self.left() > 0:
            self.compute()
            receives = self.post_pool()
            self.compute(20000)
            while receives:
                receives = self.take(receives)

    def post_pool(self):
        """Posts receives from any source, or from the sources whose messages will come."""
        left = self.coming + self.waiting
        some = self.rng.sample(left, min(len(left), self.rng.randint(2, 7)))
        is_open = self.rng.random() < .4
        receives = []
        for message in some:
            receive = self.post(*(self.pattern() if is_open else (message.source, message.tag)))
            receives.append(receive)
            self.call(self.irecv(receive))
        return receives

    def irecv(self, receive):
        args = self.args(receive)
        return lambda: f"Irecv {args()} request={receive.number}"

    def take(self, receives):
        """Completes some receives; returns the others."""
        name = self.rng.choice(["Waitsome", "Waitsome", "Testsome"])
        at = self.wait(receives) if name == "Waitsome" else self.now
        self.arrive(self.now)
        done = [one for one in receives if one.message and one.message.arrives <= max(at, self.now)]
        numbers = [",".join(str(one.number) for one in some) for some in (receives, done)]
        self.call(f"{name} requests={numbers[0]} done={numbers[1]}", at)
        self.work_on(len(done))
        return [one for one in receives if one not in done]

    def work_on(self, count):
        """Work after a completion: intervals and calls."""
        if count == 0:
            self.compute()
            return
        way = self.rng.choice(["none", "before", "after", "first", "last", "amid", "any"])
        each, calls = self.rng.randint(2000, 9000), self.rng.randint(1, 2) * count
        if way in ("first", "last", "amid"):
            calls = self.rng.randint(1, 4)
        dominant = {"first": 0, "last": calls, "amid": self.rng.randint(0, calls)}.get(way)
        for place in range(0 if way == "none" else calls + 1):
            work = self.rng.randint(1, 90)
            if way == "any" or way == "before" and place < calls or way == "after" and place:
                work += each + self.rng.randint(0, 300)
            self.now += work + (count * each if place == dominant else 0)
            if place < calls:
                self.step_answer()
        self.now += each * count if way == "none" else 0


def main():
    randomtrace_open.main(Looping)


if __name__ == "__main__":
    main()
