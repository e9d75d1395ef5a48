# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs in text form (mpgtext(5)) together with their known content: who sends what to whom, in which calls,
and which calls form a collective. Independent of mpgkit."""

import random

ROOTED = {"Bcast", "Reduce", "Gather", "Scatter"}


class Message:
    """A message. SEND, RECEIVE: (rank, call) that start the send and post the receive; SENT, RECEIVED: those that
    complete them."""

    def __init__(self, send, receive, sent, received, size):
        self.send, self.receive, self.sent, self.received, self.size = send, receive, sent, received, size


class Program:
    """A random program. LINES: its calls; MESSAGES; COLLECTIVES: (name, root or None, bytes, {rank: call})."""

    def __init__(self, seed, ranks=None, phases=12):
        self.random = random.Random(seed)
        self.ranks = ranks or self.random.randint(2, 6)
        self.now = [100] * self.ranks
        self.calls = [1] * self.ranks  # 0 is MPI_Init
        self.requests = [0] * self.ranks
        self.region = [None] * self.ranks
        self.lines, self.messages, self.collectives, self.regions = [], [], [], []
        for _ in range(phases):
            self.random.choice([self.blocking, self.nonblocking, self.nonblocking, self.collective, self.mark])()
        self.end = max(self.now) + 1000
        for rank in range(self.ranks):
            self.close(rank)

    def size(self):
        return self.random.choice([0, 1, 8, 77, 1000, 4096, 65536, 1234567])

    def call(self, rank, words, took=None):
        """Adds a call of RANK; returns (rank, number of the call)."""
        enter = self.now[rank] + self.random.randint(1, 900)
        leave = enter + (self.random.randint(1, 300) if took is None else took)
        self.lines.append(f"{rank} {enter} {leave} {words}")
        self.now[rank] = leave
        self.calls[rank] += 1
        return rank, self.calls[rank] - 1

    def request(self, rank):
        self.requests[rank] += 1
        return self.requests[rank]

    def blocking(self):
        a, b = self.random.sample(range(self.ranks), 2)
        size, tag = self.size(), self.random.randint(0, 3)
        send = self.call(a, f"Send to={b} tag={tag} bytes={size}")
        self.now[b] = max(self.now[b], self.now[a])
        receive = self.call(b, f"Recv from={a} tag={tag} bytes={size}")
        self.messages.append(Message(send, receive, send, receive, size))

    def nonblocking(self):
        """Nonblocking messages between several ranks, completed by a Waitall, or by a Wait each."""
        started, pending = [], {rank: [] for rank in range(self.ranks)}
        for _ in range(self.random.randint(1, 6)):
            a, b = self.random.randrange(self.ranks), self.random.randrange(self.ranks)
            size, tag = self.size(), self.random.randint(0, 3)
            to, at = self.request(a), self.request(b)
            receive = self.call(b, f"Irecv from={a} tag={tag} bytes={size} request={at}")
            send = self.call(a, f"Isend to={b} tag={tag} bytes={size} request={to}")
            pending[a].append(to)
            pending[b].append(at)
            started.append((send, receive, to, at, size))
        done = {}
        late = max(self.now)
        for rank, requests in pending.items():
            self.now[rank] = late
            self.random.shuffle(requests)
            if requests and self.random.random() < 0.5:
                where = self.call(rank, "Waitall requests=" + ",".join(map(str, requests)))
                done.update({(rank, r): where for r in requests})
            else:
                done.update({(rank, r): self.call(rank, f"Wait requests={r}") for r in requests})
        for send, receive, to, at, size in started:
            self.messages.append(Message(send, receive, done[send[0], to], done[receive[0], at], size))

    def collective(self):
        name = self.random.choice(["Barrier", "Allreduce", "Bcast", "Reduce", "Gather", "Scatter", "Alltoall"])
        root = self.random.randrange(self.ranks) if name in ROOTED else None
        size = 0 if name == "Barrier" else self.size()
        words = name + ("" if root is None else f" root={root}") + ("" if name == "Barrier" else f" bytes={size}")
        late = max(self.now) + 1000
        calls = {}
        for rank in range(self.ranks):
            self.now[rank] += self.random.randint(0, 500)
            calls[rank] = self.call(rank, words, late - self.now[rank] + 1000)
        self.collectives.append((name, root, size, calls))

    def close(self, rank):
        if self.region[rank]:
            name, begin = self.region[rank]
            self.now[rank] += 3
            self.lines.append(f"{rank} {self.now[rank]} {self.now[rank]} Region_end name=\"{name}\"")
            self.regions.append((rank, name, begin, self.now[rank]))
            self.region[rank] = None

    def mark(self):
        """Some ranks leave their region, or enter one."""
        for rank in range(self.ranks):
            if self.region[rank]:
                self.close(rank)
            elif self.random.random() < 0.7:
                self.now[rank] += 7
                self.region[rank] = self.random.choice(["solve", "halo"]), self.now[rank]
                self.lines.append(f"{rank} {self.now[rank]} {self.now[rank]} Region_begin name=\"{self.region[rank][0]}\"")

    def text(self):
        head = ["#mpgtext 1", f"#ranks {self.ranks}", "#clocks shared"]
        head += [f"{rank} 0 100 Init" for rank in range(self.ranks)]
        return "\n".join(head + self.lines + [f"{r} {self.end} {self.end + 10} Finalize" for r in range(self.ranks)]) + "\n"
