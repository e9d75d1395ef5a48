# SPDX-License-Identifier: GPL-3.0-or-later
"""Executes message-passing programs on a machine that is completely known: the flight of each message, the work of each
interval. Executed again with a perturbation, a program grows by the true growth. Shares no rule with mpgsim: a receive
ends when its message has arrived and its rank is in the call, plus the cost of the call; nothing is estimated. Times
are in ns."""

import json
import os
import random
import shlex
import statistics
import subprocess

MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
INIT_NS, LAST_NS = 100, 10


class Program:
    """The calls of each rank: ("work", ns), ("send", to, bytes, flight, own), ("recv", from, own), ("irecv", from,
    own), ("waitall", own), which completes all posted receives. Messages between two ranks match in order, as MPI
    requires, but may overtake each other in flight."""

    def __init__(self, ranks):
        self.calls = [[] for _ in range(ranks)]

    def work(self, rank, ns):
        self.calls[rank].append(("work", ns))

    def send(self, rank, to, size, flight, own=200):
        self.calls[rank].append(("send", to, size, flight, own))

    def receive(self, rank, source, own=300):
        self.calls[rank].append(("recv", source, own))

    def post(self, rank, source, own=100):
        self.calls[rank].append(("irecv", source, own))

    def wait(self, rank, own=300):
        self.calls[rank].append(("waitall", own))


class Nothing:
    """No perturbation."""

    def noise(self, _rank):
        return 0

    def latency(self, _size):
        return 0


class Exponential(Nothing):
    """Exponential noise in every interval."""

    def __init__(self, mean, seed, ranks=None):
        self.mean, self.ranks, self.random = mean, ranks, random.Random(seed)

    def noise(self, rank):
        if self.ranks is not None and rank not in self.ranks:
            return 0
        return self.random.expovariate(1 / self.mean)


class Messages(Nothing):
    """Every message takes longer by a latency, and by a time for each byte."""

    def __init__(self, latency, byte=0):
        self.more, self.byte = latency, byte

    def latency(self, size):
        return self.more + self.byte * size


class Player:
    """One execution. LINES: receives it as mpgtext, unless None."""

    def __init__(self, program, put, lines=None):
        self.program, self.put, self.lines = program, put, lines
        n = len(program.calls)
        self.now, self.at = [INIT_NS] * n, [0] * n
        self.channels, self.posted, self.waiting = {}, [[] for _ in range(n)], {}
        self.requests, self.since = [0] * n, [0] * n

    def play(self):
        """Returns when each rank has entered MPI_Finalize."""
        ready = list(range(len(self.now)))
        while ready:
            rank = ready.pop()
            ready += self.run(rank)
        assert not self.waiting, "deadlock"
        ends = []
        for rank, now in enumerate(self.now):
            now += round(self.put.noise(rank))
            ends.append(now)
            self.line(rank, now, now + LAST_NS, "Finalize")
        return ends

    def line(self, rank, begin, end, words):
        if self.lines is not None:
            self.lines.append(f"{rank} {begin} {end} {words}")

    def enter(self, rank):
        """The interval before a call gets noise."""
        if not self.since[rank]:
            self.now[rank] += round(self.put.noise(rank))
        self.since[rank] = 1

    def done(self, rank, end, words):
        self.line(rank, self.now[rank], end, words)
        self.now[rank], self.since[rank] = end, 0
        self.at[rank] += 1

    def run(self, rank):
        """Continues a rank until it waits; returns the ranks that can continue because of it."""
        woken, calls = [], self.program.calls[rank]
        while self.at[rank] < len(calls):
            kind, *words = calls[self.at[rank]]
            if kind == "work":
                self.now[rank] += words[0]
                self.at[rank] += 1
                continue
            self.enter(rank)
            if kind == "send":
                woken += self.send(rank, *words)
            elif kind == "irecv":
                self.requests[rank] += 1
                self.posted[rank].append((words[0], self.requests[rank]))
                self.done(rank, self.now[rank] + words[1],
                          f"Irecv from={words[0]} tag=0 bytes=99999999 request={self.requests[rank]}")
            elif not self.finish(rank, kind, words):
                return woken
        return woken

    def send(self, rank, to, size, flight, own):
        there = max(self.now[rank], self.now[rank] + round(flight + self.put.latency(size)))
        self.channels.setdefault((rank, to), []).append(there)
        self.done(rank, self.now[rank] + own, f"Send to={to} tag=0 bytes={size}")
        if self.waiting.get(to) == rank:
            del self.waiting[to]
            return [to]
        return []

    def finish(self, rank, kind, words):
        """Tries to complete a call that receives; returns whether it completes."""
        sources = [words[0]] if kind == "recv" else [source for source, _ in self.posted[rank]]
        own = words[-1]
        wanted = {}
        for source in sources:
            wanted[source] = wanted.get(source, 0) + 1
        for source, number in wanted.items():
            if len(self.channels.get((source, rank), [])) < number:
                self.waiting[rank] = source
                return False
        there = [self.channels[source, rank].pop(0) for source in sources]
        end = max([self.now[rank], *there]) + own
        if kind == "recv":
            self.done(rank, end, f"Recv from={words[0]} tag=0 bytes=99999999")
        else:
            requests = ",".join(str(number) for _, number in self.posted[rank])
            self.posted[rank] = []
            self.done(rank, end, f"Waitall requests={requests}")
        return True


def text(program, more=()):
    lines = ["#mpgtext 1", f"#ranks {len(program.calls)}", "#clocks shared", *more]
    lines += [f"{rank} 0 {INIT_NS} Init" for rank in range(len(program.calls))]
    Player(program, Nothing(), lines).play()
    return "\n".join(lines) + "\n"


def joined(*jobs):
    """Returns the trace of independent jobs, (program, host), that run at the same time; ranks of one job follow those
    of the other."""
    whole, hosts = Program(0), []
    for program, host in jobs:
        first = len(whole.calls)
        for rank, calls in enumerate(program.calls):
            hosts.append(f"#host {first + rank} {host}")
            whole.calls.append([(kind, words[0] + first, *words[1:]) if kind in ("send", "recv", "irecv") else (kind, *words)
                                for kind, *words in calls])
    return text(whole, hosts)


def growth(program, puts):
    """Returns the mean growth of the run's time, which is that of its last rank."""
    start = max(Player(program, Nothing()).play())
    return statistics.fmean(max(Player(program, put).play()) for put in puts) - start


def predicted(trace, *words, replicas=100):
    command = [*MPGSIM, "--json", f"--replicas={replicas}", "--cache=fresh", *words, "-"]
    run = subprocess.run(command, input=trace, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    return result["run_time_ns"]["mean"] - result["traced_run_time_ns"], result


# --- programs ---------------------------------------------------------------

def halo(ranks, steps, work, flight, size=lambda: 1024, together=True, seed=1):
    """Neighbours in a ring exchange messages; work() and flight(size) are drawn."""
    random.seed(seed)
    p = Program(ranks)
    for _ in range(steps):
        for rank in range(ranks):
            p.work(rank, work())
            sides = [(rank - 1) % ranks, (rank + 1) % ranks]
            if together:
                for side in sides:
                    p.post(rank, side)
            for side in sides:
                bytes_each = size()
                p.send(rank, side, bytes_each, flight(bytes_each))
            if together:
                p.wait(rank)
            else:
                for side in sides:
                    p.receive(rank, side)
    return p


def ring(ranks, steps, work, flight, size=lambda: 1024, seed=1):
    """A token goes around."""
    random.seed(seed)
    p = Program(ranks)
    for _ in range(steps):
        for rank in range(ranks):
            if rank > 0:
                p.receive(rank, rank - 1)
            p.work(rank, work())
            bytes_each = size()
            p.send(rank, (rank + 1) % ranks, bytes_each, flight(bytes_each))
        p.receive(0, ranks - 1)
    return p


def incast(ranks, steps, work, flight, size=lambda: 1024, together=True, answers=True, seed=1):
    """All ranks send to rank 0, which answers."""
    random.seed(seed)
    p = Program(ranks)
    for _ in range(steps):
        for rank in range(1, ranks):
            p.work(rank, work())
            bytes_each = size()
            p.send(rank, 0, bytes_each, flight(bytes_each))
            if answers:
                p.receive(rank, 0)
        p.work(0, work())
        for rank in range(1, ranks):
            if together:
                p.post(0, rank)
            else:
                p.receive(0, rank)
        if together:
            p.wait(0)
        for rank in range(1, ranks):
            if answers:
                p.send(0, rank, 64, flight(64))
    return p


def workers(ranks, tasks, work, flight, size=lambda: 4096, seed=1):
    """Rank 0 gives each worker in turn a task, after its previous result."""
    random.seed(seed)
    p = Program(ranks)
    for task in range(tasks):
        for rank in range(1, ranks):
            if task > 0:
                p.receive(0, rank)
                p.work(0, 500)
            p.send(0, rank, 64, flight(64))
            p.receive(rank, 0)
            p.work(rank, work())
            bytes_each = size()
            p.send(rank, 0, bytes_each, flight(bytes_each))
    for rank in range(1, ranks):
        p.receive(0, rank)
    return p


def lognormal(median, sigma):
    return lambda _=None: round(random.lognormvariate(0, sigma) * median)
