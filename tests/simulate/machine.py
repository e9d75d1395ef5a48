# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine of docs/MODEL.md, section 13, simulated by itself: who serves whom when, what is on its way, who has which processor,
barriers. Written from that page alone, for programs of these operations:

    ("work", ns)  ("send", to, bytes)  ("receive", from)  ("get", owner, bytes)  ("put", owner, bytes)  ("flush",)  ("barrier",)

A machine is a dictionary of mpgtarget(5)'s keys: times in ns, words, numbers; Map is a list of processors."""

import heapq
import math


def links(topology, p):
    """L, at least 1."""
    side = math.sqrt(p)
    return max(1, {"full": p * (p - 1) / 2, "bus": 1, "ring": p, "mesh": 2 * side * (side - 1), "torus": 2 * p,
                   "hypercube": p * math.log2(p) / 2, "fattree": p}[topology])


def distance(topology, p, i, j):
    """h between two processors of P."""
    w = math.ceil(math.sqrt(p))

    def around(a, b, n):
        return min(abs(a - b), n - abs(a - b))
    if topology in ("full", "bus"):
        return 1
    return {"ring": around(i, j, p), "mesh": abs(i % w - j % w) + abs(i // w - j // w),
            "torus": around(i % w, j % w, w) + around(i // w, j // w, math.ceil(p / w)),
            "hypercube": bin(i ^ j).count("1"), "fattree": 2 * (i ^ j).bit_length()}[topology]


def joined(program):
    """PROGRAM, whose work between two calls is one interval."""
    ops = []
    for op in program:
        if op[0] == "work" and ops and ops[-1][0] == "work":
            ops[-1] = ("work", ops[-1][1] + op[1])
        else:
            ops.append(op)
    return ops


class Rank:
    """What one is at: mode call, wait, work, done."""

    def __init__(self):
        self.mode, self.task, self.queue, self.serving, self.over = "call", None, [], False, None
        self.end, self.turn, self.replies, self.awaited = 0.0, 0, [], 0
        self.sent, self.taken, self.service, self.holds = {}, {}, 0.0, False


class Machine:
    """One run; at() has when ranks are done."""

    def __init__(self, programs, m):
        self.m, self.n, self.programs = m, len(programs), [joined(p) for p in programs]
        self.where = m.get("Map", list(range(self.n)))
        self.number = max(m.get("Processors", self.n), 1)
        self.shares = self.number < self.n
        self.rank = [Rank() for _ in programs]
        self.events, self.count, self.now, self.flying = [], 0, 0.0, 0
        self.mail, self.readers, self.come, self.finish = {}, {}, {}, [None] * self.n
        self.ready, self.holder, self.last = [[] for _ in range(self.number)], [None] * self.number, [None] * self.number

    # At one time, first what leaves the network, then replies, requests that arrive, services that end, what gets into
    # the network, processors that are given, and ranks that go on; of one kind by rank.
    ORDER = ["land", "reply", "ask", "served", "inject", "granted", "arrive", "worked", "wake", "go"]

    def put(self, time, rank, what, *words):
        """WHAT happens then, about RANK."""
        self.count += 1
        heapq.heappush(self.events, (time, self.ORDER.index(what.__name__), rank, self.count, what, words))

    # --- costs ---

    def near(self, a, b):
        size = self.m["ClusterSize"]
        return size > 1 and self.where[a] // size == self.where[b] // size

    def send_ns(self, a, b):
        return self.m["MsgBuildTime"] + self.m["ClusterStartup" if self.near(a, b) else "CommStartupTime"]

    def way(self, a, b, size):
        """Links' time and bytes' time."""
        one = self.where[a] == self.where[b]
        h = 0 if one or self.near(a, b) else distance(self.m["Topology"], self.number, self.where[a], self.where[b])
        return h * self.m["HopTime"], size * self.m["ClusterByte" if self.near(a, b) else "ByteTransferTime"]

    def fly(self, a, b, size, there, *words):
        """From now on; THERE happens when it is there."""
        self.put(self.now, a, self.inject, a, b, size, there, words)

    def inject(self, a, b, size, there, words):
        hops, tau = self.way(a, b, size)
        far = self.where[a] != self.where[b] and not self.near(a, b)
        if far:
            tau *= 1 + self.m["Contention"] * self.flying / links(self.m["Topology"], self.number)
            self.flying += 1
            self.put(self.now + hops + tau, b, self.land)
        self.put(self.now + hops + tau, b, there, *words)

    def land(self):
        self.flying -= 1

    # --- requests ---

    def ask(self, owner, origin, back):
        r = self.rank[owner]
        r.queue.append((origin, back))
        self.serve(owner)

    def serve(self, i):
        r = self.rank[i]
        interrupted = r.mode == "work" and self.m["Policy"] == "interrupt"
        if not r.queue or r.serving or r.over is not None or not (r.mode in ("wait", "done", "check") or interrupted):
            return
        origin, back = r.queue.pop(0)
        took = self.m["ServiceTime"] + self.send_ns(i, origin) + (self.m["InterruptTime"] if interrupted else 0)
        r.serving, r.service = True, r.service + took
        if interrupted:
            self.work_until(i, r.end + took)
        self.put(self.now + took, i, self.served, i, origin, back)

    def served(self, i, origin, back):
        r = self.rank[i]
        r.serving = False
        self.fly(i, origin, back, self.reply, origin)
        if r.over is not None:
            over, r.over = r.over, None
            self.resume(i, over)
        elif r.mode == "check" and not r.queue:
            self.resume(i, self.now)
        else:
            self.serve(i)

    def reply(self, origin):
        r = self.rank[origin]
        r.replies.append(self.now)
        if r.awaited and len(r.replies) == r.awaited:
            r.awaited = 0
            self.wake(origin, self.now, "flush")

    # --- ranks ---

    def work_until(self, i, end):
        r = self.rank[i]
        r.end, r.turn = end, r.turn + 1
        self.put(end, i, self.worked, i, r.turn)

    def worked(self, i, turn):
        if self.rank[i].turn == turn:
            self.resume(i, self.now)

    def wake(self, i, at, what):
        """What rank I waits for is there."""
        r = self.rank[i]
        if r.serving:
            r.over = what
            return
        if not self.shares:
            self.resume(i, at)
            return
        r.mode = "call"
        self.want(i)

    def resume(self, i, value):
        self.rank[i].mode = "call"
        self.go(i, value)

    def go(self, i, value=None):
        """Rank I's program goes on to where it has to wait."""
        try:
            self.rank[i].task.send(value)
        except StopIteration:
            self.finish[i] = self.now
            self.rank[i].mode = "done"
            self.leave(i)
            self.serve(i)

    # --- processors ---

    def want(self, i):
        p = self.where[i]
        self.ready[p].append(i)
        if self.holder[p] is None:
            self.give(p)

    def give(self, p):
        if not self.ready[p]:
            return
        i = self.ready[p].pop(0)
        self.holder[p] = i
        switch = self.m["SwitchTime"] if self.last[p] not in (None, i) else 0
        self.put(self.now + switch, i, self.granted, i)

    def granted(self, i):
        self.go(i, self.now if self.rank[i].task.gi_frame.f_lasti > 0 else None)

    def leave(self, i):
        if not self.shares:
            return
        p = self.where[i]
        self.holder[p], self.last[p] = None, i
        self.give(p)

    # --- what they do; each yield ends when it is resumed ---

    def until(self, i, time):
        """Busy, without serving."""
        self.put(time, i, self.go, i, time)
        yield

    def wait(self, i):
        """Until woken: (when what it waits for was there, how it was woken)."""
        self.rank[i].mode = "wait"
        self.serve(i)
        self.leave(i)
        began = yield
        return began

    def work(self, i, c):
        r, m = self.rank[i], self.m
        if m["Policy"] != "poll":
            r.mode = "work"
            self.work_until(i, self.now + c)
            self.serve(i)
            yield
            return
        pieces = math.ceil(c / m["PollInterval"])
        for k in range(pieces):
            piece = m["PollInterval"] if k + 1 < pieces else c - (pieces - 1) * m["PollInterval"]
            yield from self.until(i, self.now + piece + m["PollTime"])
            if r.queue:
                r.mode = "check"
                self.serve(i)
                yield

    def receive(self, i, source):
        r = self.rank[i]
        key = (source, i, r.taken.get(source, 0))
        r.taken[source] = key[2] + 1
        if key not in self.mail:
            self.readers[key] = i
            yield from self.wait(i)
        yield from self.until(i, self.now + self.m["ServiceTime"])

    def arrive(self, key):
        self.mail[key] = self.now
        if key in self.readers:
            self.wake(self.readers.pop(key), self.now, "receive")

    def flush(self, i, n):
        r, service = self.rank[i], self.m["ServiceTime"]
        at = self.now
        if n == 0:
            return
        if len(r.replies) < n:
            r.awaited = n
            yield from self.wait(i)
        for there in sorted(r.replies):
            at = max(at, there) + service
        r.replies = []
        yield from self.until(i, max(at, self.now))

    def barrier(self, i, k):
        come = self.come.setdefault(k, {})
        come[i] = self.now
        if len(come) == self.n:
            for j, end in enumerate(self.meet([come[j] for j in range(self.n)])):
                self.put(end, j, self.wake, j, end, "barrier")
        yield from self.wait(i)

    def message(self, a, b):
        if not self.m["BarrierByMsgs"]:
            return 0, 0
        hops, tau = self.way(a, b, self.m["BarrierMsgSize"])
        return self.m["ClusterStartup" if self.near(a, b) else "CommStartupTime"], hops + tau

    def meet(self, come):
        m, n = self.m, self.n
        if n == 1:
            return come
        if m["BarrierAlgorithm"] == "log":
            distance_, at = 1, come
            while distance_ < n:
                sent = [at[i] + m["EntryTime"] + self.message(i, (i + distance_) % n)[0] for i in range(n)]
                at = [max(sent[i], sent[i - distance_] + self.message((i - distance_) % n, i)[1]) for i in range(n)]
                distance_ *= 2
            return at
        there = [come[i] + m["EntryTime"] + (sum(self.message(i, 0)) if i else 0) for i in range(n)]
        k = 1
        while m["CheckTime"] and come[0] + m["EntryTime"] + k * m["CheckTime"] < max(there):
            k += 1
        low = (come[0] + m["EntryTime"] + k * m["CheckTime"] if m["CheckTime"] else max(there)) + m["ModelTime"]
        ends, sent = [0.0] * n, 0
        for i in range(1, n):
            startup, flight = self.message(0, i)
            sent += startup
            released, at = low + sent + flight, come[i] + m["EntryTime"]
            if m["ExitCheckTime"]:
                at += max(0, math.ceil((released - at) / m["ExitCheckTime"] - 1e-12)) * m["ExitCheckTime"]
            ends[i] = (at if m["ExitCheckTime"] else max(at, released)) + m["ExitTime"]
        ends[0] = low + sent + m["ExitTime"]
        return ends

    def run_rank(self, i):
        barriers = asked = 0
        r, m = self.rank[i], self.m
        for op, *words in self.programs[i]:
            if op == "work":
                yield from self.work(i, words[0] * m["MipsRatio"])
            elif op == "send":
                yield from self.until(i, self.now + self.send_ns(i, words[0]))
                key = (i, words[0], r.sent.get(words[0], 0))
                r.sent[words[0]] = key[2] + 1
                self.fly(i, words[0], words[1], self.arrive, key)
            elif op in ("get", "put"):
                yield from self.until(i, self.now + self.send_ns(i, words[0]))
                size = words[1] if op == "put" else m["RequestSize"]
                self.fly(i, words[0], size, self.ask, words[0], i, words[1] if op == "get" else m["RequestSize"])
                asked += 1
            elif op == "flush":
                yield from self.flush(i, asked)
                asked = 0
            elif op == "barrier":
                barriers += 1
                yield from self.barrier(i, barriers)
            else:
                yield from self.receive(i, words[0])

    def run(self):
        """When each rank is done, ns."""
        for i, r in enumerate(self.rank):
            r.task = self.run_rank(i)
        for i in range(self.n):
            if self.shares:
                self.want(i)
            else:
                self.put(0.0, i, self.go, i)
        while self.events:
            self.now, _, _, _, what, words = heapq.heappop(self.events)
            what(*words)
        assert all(x is not None for x in self.finish), "ranks wait for each other"
        return self.finish
