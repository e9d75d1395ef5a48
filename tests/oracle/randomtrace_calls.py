# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs with a library that makes progress in its own calls only: one-sided transfers that wait for a call of
their target, and nonblocking collectives that proceed in waves (tests/oracle/test-oracle-weak-progress.py)."""

import math
import random

from oracle_moved import Messages, Waves
from oracle_plans import NONBLOCKING, Choice, NonblockingMaker
from randomtrace_weak_progress import SIZES, Program


class WithTransfers(Program):
    """Transfers under MPI_Win_lock_all: for some kinds the call that starts waits, for others the one that
    completes."""

    MOVES = [("Put", 8), ("Put", 1024), ("Accumulate", 8), ("Accumulate", 1024), ("Fetch_and_op", 8), ("Get", 300),
             ("Raccumulate", 8), ("Rput", 300)]

    def __init__(self, seed):
        draw = random.Random(f"transfers {seed}")
        self.moves = draw.sample(self.MOVES, 3)
        self.starting = set(draw.sample(self.moves, draw.randint(0, 2)))
        self.completing = set(draw.sample(self.moves, draw.randint(0, 2)))
        self.under_way = {}
        super().__init__(seed)

    def headers(self):
        return [f"#comm 0 = {' '.join(map(str, range(self.ranks)))}", "#window 0 = 0 0"]

    def kinds(self):
        return [self.message, self.late, self.barrier, *[self.transfer] * 5, self.flush, self.fence]

    def serve(self, rank, begin, until):
        """The target makes a call that makes progress for transfers, and is in it UNTIL somebody arrives."""
        word = self.draw.choice(["Iprobe from=%d tag=77 found=0" % (1 if rank == 0 else 0), "Win_flush_local_all win=0",
                                 "Win_unlock_all win=0"])
        self.call(rank, begin, max(begin + self.draw.choice([0, 30, 9000]), until), word)

    def transfer(self):
        a, b = self.draw.sample(range(self.ranks), 2)
        kind = self.draw.choice(self.moves)
        begin, comes = self.work(a), self.work(b)
        waits = kind in self.starting and self.draw.random() >= self.slips
        size = f"bytes={kind[1]}"
        if kind[0] in ("Fetch_and_op", "Get"):
            size = f"bytes={kind[1] if kind[0] == 'Fetch_and_op' else 0} recvbytes={0 if kind[0] == 'Fetch_and_op' else kind[1]}"
        request = ""
        if kind[0][0] == "R":
            self.request += 1
            request = f" request={self.request}"
        else:
            self.under_way.setdefault(a, {})[b] = kind
        self.call(a, begin, max(begin, comes if waits else 0) + self.draw.randint(5, 30), f"{kind[0]} win=0 to={b} {size}{request}")
        if request:
            there = self.work(a)
            self.call(a, there, there + 9, f"{self.draw.choice(['Wait', 'Waitall'])} requests={self.request}")
        if kind in self.completing and not waits and not request and self.draw.random() < 0.7:
            self.flush(a, {b: comes})
        else:
            self.serve(b, comes, begin)

    def flush(self, a=None, coming={}):
        """COMING: when targets that have worked arrive."""
        a = self.draw.randrange(self.ranks) if a is None else a
        under_way = self.under_way.pop(a, {})
        begin, until = self.work(a), 0
        for b, kind in under_way.items():
            comes = coming[b] if b in coming else self.work(b)
            self.serve(b, comes, begin)
            if kind in self.completing and self.draw.random() >= self.slips:
                until = max(until, comes)
        self.call(a, begin, max(begin, until) + self.draw.randint(5, 30), self.draw.choice(["Win_flush_all win=0", "Win_unlock_all win=0"]))

    def fence(self):
        self.under_way = {}
        enters = [self.work(rank) for rank in range(self.ranks)]
        for rank, enter in enumerate(enters):
            self.call(rank, enter, max(enters) + 100 + rank, "Win_fence win=0")


class Posted:
    """A posted collective, with the attributes that makers of plans use."""

    def __init__(self, name, root, size):
        self.name, self.terms, self.root, self.size = name, self, root, size
        self.args = {"root": root}

    def own_bytes(self):
        return self.size

    def number(self, _):
        return self.root

    def numbers(self, _):
        return [self.size]


class WithMoved(Program):
    """Each operation has one algorithm; occasionally a call does not wait although it should."""

    MAX_RANKS = 7
    NAMES = ["Barrier", "Bcast", "Scatter", "Gather", "Reduce", "Allreduce", "Allgather", "Alltoall", "Reduce_scatter", "Scan"]

    def __init__(self, seed):
        draw = random.Random(f"moved {seed}")
        self.names = draw.sample(self.NAMES, 2)
        self.sizes = draw.sample(SIZES, 2)
        self.calls = draw.random() < 0.7
        self.least = draw.choice([0, 1000, 10**9])
        self.ways = {name: (draw.choice(sorted(NONBLOCKING[name.lower()])), draw.random() < 0.2) for name in self.names}
        super().__init__(seed)

    def kinds(self):
        return [self.message, self.late, self.barrier, *[self.collective] * 6]

    def collective(self):
        name, size = self.draw.choice(self.names), self.draw.choice(self.sizes)
        root = self.draw.randrange(self.ranks) if name in ("Bcast", "Scatter", "Gather", "Reduce") else 0
        self.request += 1
        words = {"Barrier": ""}.get(name, f" bytes={size}") + (f" root={root}" if name in ("Bcast", "Scatter", "Gather", "Reduce") else "")
        posts, passages = [], [[] for _ in range(self.ranks)]
        for rank in range(self.ranks):
            posts.append(self.work(rank))
            self.call(rank, posts[rank], posts[rank] + 10, f"I{name.lower()} request={self.request}{words}")
            for _ in range(self.draw.choice([0, 0, 0, 1, 2])):
                begin = self.work(rank)
                passages[rank].append((begin, begin + 40))
                self.call(rank, begin, begin + 40, f"Iprobe from={(rank + 1) % self.ranks} tag=77 found=0")
        begins = [self.work(rank) for rank in range(self.ranks)]
        posted = Posted(name, root, 0 if name == "Barrier" else size)
        ends, at_once = (self.ends_of(posted, posts, passages, begins, calls) for calls in (self.calls, False))
        for rank, (begin, end) in enumerate(zip(begins, ends)):
            if self.draw.random() < self.slips:
                end = at_once[rank]
            self.call(rank, begin, max(begin, end) + self.draw.randint(5, 30), f"Wait requests={self.request}")

    def ends_of(self, posted, posts, passages, begins, calls):
        """Returns when each member, whose Wait begins then, has everything that it needs."""
        algorithm, waits = self.ways[posted.name]
        plan = NonblockingMaker(Choice(algorithm, []), [posted] * self.ranks, 0).make()

        def sees(v, x, _):
            rank = (v + posted.root) % self.ranks
            some = [begin for begin, end in [*passages[rank], (begins[rank], math.inf)] if end >= x]
            return max(x, some[0]) if calls else x

        carried = calls and posted.size > self.least
        begun = [posts[(v + posted.root) % self.ranks] for v in range(self.ranks)]
        waves = Waves(plan, Messages(plan), begun, sees, carried, lambda size: False)
        return [waves.last((rank - posted.root) % self.ranks, waits and calls) for rank in range(self.ranks)]
