# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs whose larger sends wait until their receiver is inside MPI, some with collectives, some with windows
whose Win_starts wait for Posts (tests/oracle/test-oracle-weak-progress.py)."""

import random

SIZES = [1, 300, 1024, 5000, 70000]


class Program:
    """The lines of a text trace, for each rank in the order of time. Ranks work and send in turn, in an order without
    deadlock."""

    MAX_RANKS = 4
    SLIPS = [0, 0, 0.04, 0.3]  # how many of those that should wait do not

    def __init__(self, seed):
        self.draw = random.Random(f"carried {seed}")
        self.ranks, self.request = self.draw.randint(2, self.MAX_RANKS), 0
        self.now = [100] * self.ranks
        self.lines = [[f"{rank} 0 100 Init"] for rank in range(self.ranks)]
        self.limits = {"Send": self.draw.choice([99, 299, 4095]), "Wait": self.draw.choice([1023, 4999, 10**9])}
        self.slips = self.draw.choice(self.SLIPS)
        for _ in range(self.draw.randint(60, 150)):
            self.draw.choice(self.kinds())()
        end = max(self.now) + 1000
        for rank in range(self.ranks):
            self.lines[rank].append(f"{rank} {end} {end + 10} Finalize")

    def kinds(self):
        return [self.message, self.message, self.message, self.late, self.barrier]

    def text(self):
        return "\n".join(["#mpgtext 1", f"#ranks {self.ranks}", "#clocks shared", *self.headers(), *sum(self.lines, []), ""])

    def headers(self):
        return []

    def call(self, rank, enter, leave, words):
        self.lines[rank].append(f"{rank} {enter} {leave} {words}")
        self.now[rank] = leave

    def work(self, rank):
        """Returns when the rank's next call begins."""
        begin, end = self.now[rank] + 7, self.now[rank] + 7 + self.draw.randint(0, 20000)
        if self.draw.random() < 0.7:
            self.lines[rank] += [f'{rank} {begin} {begin} Region_begin name="even"',
                                 f'{rank} {end} {end} Region_end name="even"']
        return end + 7

    def end_of(self, call, size, begin, comes):
        """Returns when a send of that size ends, in a call that begins at BEGIN, if its receiver COMES into a call
        then."""
        waits = size > self.limits[call] and self.draw.random() >= self.slips
        return max(begin, comes if waits else 0) + self.draw.randint(20, 40)

    def message(self, carrier=None):
        """Adds a message. Before its receive the receiver makes a call, CARRIER(rank, time), or none."""
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


class WithTrees(Program):
    """Also with rooted collectives and scans, whose members may have been in a call just before."""

    MAX_RANKS = 7
    SLIPS = [0, 0, 0, 0.02]

    def __init__(self, seed):
        self.in_call = random.Random(f"in a call {seed}").choice([0, 4095, 10**9, 10**9])
        super().__init__(seed)

    def kinds(self):
        return [self.message, self.late, self.barrier, *[self.rooted] * 5, self.scan, self.later]

    def begin(self):
        """Returns when each member arrives, and the largest size for which nobody waits, because a call makes progress
        for it."""
        if self.draw.random() < 0.4:
            for rank in range(self.ranks):
                begin = self.work(rank)
                self.call(rank, begin, begin + self.draw.randint(0, 20000), f"Iprobe from={(rank + 1) % self.ranks} tag=77 found=0")
            return [now + 7 for now in self.now], max(self.in_call, self.limits["Send"])
        if self.draw.random() < 0.8:
            self.barrier()
        return [self.work(rank) for rank in range(self.ranks)], self.limits["Send"]

    def ends(self, enters, waits, needs):
        """Returns when each member leaves: after all have arrived on whom it depends and, if it waits, after the last
        one."""
        for rank, enter in enumerate(enters):
            some = [enters[one] for one in needs(rank)]
            some += [max(enters)] if waits and self.draw.random() >= self.slips else []
            yield rank, enter, max([enter, *some]) + self.draw.randint(20, 2000)

    def rooted(self):
        root, size = self.draw.randrange(self.ranks), self.draw.choice(SIZES)
        name = self.draw.choice(["Bcast", "Scatter", "Reduce", "Gather", "Bcast", "Reduce", "Scatterv", "Gatherv"])
        down = name in ("Bcast", "Scatter", "Scatterv")
        enters, most = self.begin()
        if name not in ("Bcast", "Reduce") and size <= most < size * self.ranks:
            size = 1
        for rank, enter, leave in self.ends(enters, size > most, lambda rank: [root] if down else
                                            range(self.ranks) if rank == root else []):
            sizes = ",".join([str(size)] * self.ranks) if name == "Scatterv" and rank == root else size
            self.call(rank, enter, leave, f"{name} root={root} bytes={sizes}")

    def scan(self):
        size, (enters, most) = self.draw.choice(SIZES), self.begin()
        name = self.draw.choice(["Scan", "Exscan"])
        for rank, enter, leave in self.ends(enters, size > most, range):
            self.call(rank, enter, leave, f"{name} bytes={size}")

    def later(self):
        """Adds a nonblocking collective."""
        root, size, (enters, _) = self.draw.randrange(self.ranks), self.draw.choice(SIZES), self.begin()
        name, down = self.draw.choice([("Ibcast", True), ("Ireduce", False)])
        self.request += 1
        for rank, enter in enumerate(enters):
            self.call(rank, enter, enter + 20, f"{name} root={root} bytes={size} request={self.request}")
        begins = [self.work(rank) for rank in range(self.ranks)]
        for rank, begin in enumerate(begins):
            needs = [enters[root]] if down else enters if rank == root else []
            self.call(rank, begin, max([begin, *needs]) + 40, f"Wait requests={self.request}")


class WithStarts(Program):
    """Also with epochs that targets post: a Win_start waits for all Posts, for none, or sometimes."""

    def __init__(self, seed):
        self.waits = random.Random(f"starts {seed}").choice([0, 0.5, 0.93, 0.93, 1, 1])
        super().__init__(seed)

    def headers(self):
        return [f"#comm 0 = {' '.join(map(str, range(self.ranks)))}", "#window 0 = 0 0", "#window 1 = 0 1"]

    def kinds(self):
        return [self.message, self.late, self.barrier, *[self.epoch] * 5]

    def epoch(self):
        """Adds an epoch: some ranks post for some, possibly for themselves."""
        win, members = f"win={self.draw.randrange(2)}", range(self.ranks)
        targets, origins = (self.draw.sample(members, self.draw.randint(1, self.ranks)) for _ in range(2))
        posted = {}
        for target in targets:
            posted[target] = self.work(target)
            group = ",".join(map(str, origins))
            self.call(target, posted[target], posted[target] + self.draw.randint(5, 30), f"Win_post {win} group={group}")
        completed = max(self.access(origin, win, targets, posted) for origin in origins)
        for target in targets:
            begin = self.work(target)
            name = self.draw.choice(["Win_wait", "Win_test"])
            self.call(target, begin, max(begin, completed + 700) + self.draw.randint(20, 60), f"{name} {win}")

    def access(self, rank, win, targets, posted):
        """Returns when the rank's Win_complete begins."""
        begin, last = self.work(rank), max(posted.values())
        waits = self.draw.random() < self.waits
        group = ",".join(map(str, targets))
        self.call(rank, begin, max(begin, last if waits else 0) + self.draw.randint(5, 400), f"Win_start {win} group={group}")
        for _ in range(self.draw.randrange(3)):
            put = self.work(rank)
            self.call(rank, put, put + 9, f"Put {win} to={self.draw.choice(targets)} bytes={self.draw.choice(SIZES)}")
        begin = self.work(rank)
        self.call(rank, begin, max(begin, last + 600) + self.draw.randint(20, 60), f"Win_complete {win}")
        return begin
