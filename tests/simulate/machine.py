# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine of docs/MACHINES.md, simulated independently of mpgsim: which rank serves which request when, messages in
flight, processors shared by ranks, barriers. Written only from that page, for programs of these operations: ("work",
ns) ("send", to, bytes) ("receive", from) ("get", owner, bytes) ("put", owner, bytes) ("flush",) ("barrier",) ("ssend",
to, bytes) ("isend", to, bytes) ("issend", to, bytes) ("sent",) ("post", from) ("received",). "sent" waits for the last
isend or issend, "received" for the receive that was posted last. A machine is a dictionary of mpgtarget(5)'s keys:
times in ns, words, numbers; Map is a list of processors; EagerLimit is mpgsim's --eager-limit."""

import heapq
import inspect
import math


def links(topology, p):
    """Returns L, the number of links, at least 1."""
    side = math.sqrt(p)
    return max(1, {"full": p * (p - 1) / 2, "bus": 1, "ring": p, "mesh": 2 * side * (side - 1), "torus": 2 * p,
                   "hypercube": p * math.log2(p) / 2, "fattree": p}[topology])


def distance(topology, p, i, j):
    """Returns h, the number of links between two of P processors."""
    w = math.ceil(math.sqrt(p))

    def around(a, b, n):
        return min(abs(a - b), n - abs(a - b))
    if topology in ("full", "bus"):
        return 1
    return {"ring": around(i, j, p), "mesh": abs(i % w - j % w) + abs(i // w - j // w),
            "torus": around(i % w, j % w, w) + around(i // w, j // w, math.ceil(p / w)),
            "hypercube": bin(i ^ j).count("1"), "fattree": 2 * (i ^ j).bit_length()}[topology]


def joined(program):
    """Returns PROGRAM with the work between two calls joined to one interval."""
    ops = []
    for op in program:
        if op[0] == "work" and ops and ops[-1][0] == "work":
            ops[-1] = ("work", ops[-1][1] + op[1])
        else:
            ops.append(op)
    return ops


class Rank:
    """The state of a rank; mode: call, wait, work, done."""

    def __init__(self):
        self.mode, self.task, self.queue, self.serving, self.over = "call", None, [], False, None
        self.end, self.turn, self.replies, self.awaited = 0.0, 0, [], 0
        self.sent, self.taken, self.service = {}, {}, 0.0
        self.holds = self.wants = self.switching = False
        self.woken = None  # what it waits for has arrived, by this message to it


class Machine:
    """One run; at() returns when ranks are done. SHAKE: a random.Random that delays each event by up to 1e-7 ns, so
    that simultaneous events occur in a random order."""

    def __init__(self, programs, m, shake=None):
        self.shake = shake
        self.m, self.n, self.programs = m, len(programs), [joined(p) for p in programs]
        self.where = m.get("Map", list(range(self.n)))
        self.number = max(m.get("Processors", self.n), 1)
        self.shares = self.number < self.n
        self.rank = [Rank() for _ in programs]
        self.events, self.count, self.now, self.flying = [], 0, 0.0, 0
        self.mail, self.readers, self.come, self.finish = {}, {}, {}, [None] * self.n
        self.posted, self.asking, self.done = set(), {}, {}
        self.ready, self.holder, self.last = [[] for _ in range(self.number)], [None] * self.number, [None] * self.number

    # At one time, first what leaves the network, then replies, requests that arrive, services that end, what gets into
    # the network, processors that are given, and ranks that go on; of one kind by rank.
    ORDER = ["land", "reply", "ask", "served", "inject", "granted", "arrive", "bring", "come_alone", "completed",
             "worked", "wake", "go"]

    def put(self, time, rank, what, *words):
        """Schedules the event WHAT of RANK at that time."""
        self.count += 1
        time += self.shake.random() * 1e-7 if self.shake else 0
        heapq.heappush(self.events, (time, self.ORDER.index(what.__name__), rank, self.count, what, words))

    # --- costs ---

    def near(self, a, b):
        size = self.m["ClusterSize"]
        return size > 1 and self.where[a] // size == self.where[b] // size

    def cost(self, a, b, far, near):
        """Returns the cost between two ranks: FAR, or NEAR, which is 0 without clusters, also for a rank's own
        memory."""
        if a == b:
            return self.m[near] if self.m["ClusterSize"] > 1 else 0
        return self.m[near if self.near(a, b) else far]

    def send_ns(self, a, b):
        return self.m["MsgBuildTime"] + self.cost(a, b, "CommStartupTime", "ClusterStartup")

    def way(self, a, b, size):
        """Returns the time of the links and the time of the bytes."""
        one = self.where[a] == self.where[b]
        h = 0 if one or self.near(a, b) else distance(self.m["Topology"], self.number, self.where[a], self.where[b])
        return h * self.m["HopTime"], size * self.cost(a, b, "ByteTransferTime", "ClusterByte")

    def fly(self, a, b, size, there, *words):
        """Sends a message now; THERE happens when it arrives."""
        self.put(self.now, a, self.inject, a, b, size, there, words)

    def inject(self, a, b, size, there, words, lead=None):
        """Puts the message into the network: it takes LEAD, or the time of its links, and the time of its bytes."""
        hops, tau = self.way(a, b, size)
        hops, alone = (hops, False) if lead is None else (lead, True)
        far = self.where[a] != self.where[b] and not self.near(a, b)
        if far:
            tau *= 1 + self.m["Contention"] * self.flying / links(self.m["Topology"], self.number)
            self.flying += 1
            self.put(self.now + hops + tau, b, self.land)
        self.put(max(self.now, self.now + hops + tau), b, there, *words, *([self.now + tau] if alone else []))

    def land(self):
        self.flying -= 1

    # --- requests ---

    def ask(self, owner, origin, then, *words):
        """Rank OWNER has to serve ORIGIN's request; THEN happens afterwards."""
        self.rank[owner].queue.append((origin, then, words))
        self.serve(owner)

    def serve(self, i):
        r = self.rank[i]
        interrupted = r.mode == "work" and self.m["Policy"] == "interrupt"
        if not r.queue or r.serving or r.over is not None or not (r.mode in ("wait", "done", "check") or interrupted):
            return
        if r.woken is not None:
            return
        if self.shares and (not r.holds or r.switching):
            self.want(i)
            return
        origin, then, words = r.queue.pop(0)
        took = self.m["ServiceTime"] + self.send_ns(i, origin) + (self.m["InterruptTime"] if interrupted else 0)
        r.serving, r.service = True, r.service + took
        if interrupted:
            self.work_until(i, r.end + took)
        self.put(self.now + took, i, self.served, i, then, words)

    def served(self, i, then, words):
        r = self.rank[i]
        r.serving = False
        then(*words)
        if r.over is not None:
            over, r.over = r.over, None
            self.resume(i, over)
        elif r.mode == "check" and not r.queue:
            self.resume(i, self.now)
        elif r.queue:
            self.serve(i)
        elif self.shares and r.mode in ("wait", "done"):
            self.leave(i)

    def answer(self, owner, origin, back):
        self.fly(owner, origin, back, self.reply, origin)

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
        """Wakes rank I, because what it waits for has arrived."""
        r = self.rank[i]
        if r.serving:
            r.over = what
            return
        if not self.shares:
            self.resume(i, at)
            return
        r.woken = what
        if r.holds and not r.switching:
            self.resume(i, at)
        else:
            self.want(i)

    def resume(self, i, value):
        self.rank[i].mode, self.rank[i].woken = "call", None
        self.go(i, value)

    def go(self, i, value=None):
        """Continues rank I's program until it waits."""
        try:
            self.rank[i].task.send(value)
        except StopIteration:
            self.finish[i] = self.now
            self.rank[i].mode = "done"
            self.leave(i)
            self.serve(i)

    # --- processors ---

    def want(self, i):
        p, r = self.where[i], self.rank[i]
        if r.holds or r.wants:
            return
        r.wants = True
        self.ready[p].append(i)
        if self.holder[p] is None:
            self.give(p)

    def give(self, p):
        if not self.ready[p]:
            return
        i = self.ready[p].pop(0)
        self.holder[p] = i
        self.rank[i].wants, self.rank[i].holds, self.rank[i].switching = False, True, True
        switch = self.m["SwitchTime"] if self.last[p] not in (None, i) else 0
        self.put(self.now + switch, i, self.granted, i)

    def granted(self, i):
        r = self.rank[i]
        r.switching = False
        if r.mode not in ("wait", "done") or r.woken is not None:
            self.resume(i, None if inspect.getgeneratorstate(r.task) == inspect.GEN_CREATED else self.now)
            return
        self.serve(i)
        if not r.serving:
            self.leave(i)

    def leave(self, i):
        p = self.where[i]
        if not self.shares or self.holder[p] != i:
            return
        self.holder[p], self.last[p], self.rank[i].holds = None, i, False
        self.give(p)

    # --- what they do; each yield ends when it is resumed ---

    def until(self, i, time):
        """Lets the rank be busy until TIME, without serving requests."""
        self.put(time, i, self.go, i, time)
        yield

    def wait(self, i):
        """Waits until woken; returns (when what it waited for arrived, how it was woken)."""
        self.rank[i].mode = "wait"
        self.leave(i)
        self.serve(i)
        began = yield
        return began

    def work(self, i, c):
        r, m = self.rank[i], self.m
        while self.shares and m.get("Quantum", 0) and c > m["Quantum"]:
            c -= m["Quantum"]
            yield from self.until(i, self.now + m["Quantum"])
            if self.ready[self.where[i]]:
                self.leave(i)
                self.want(i)
                yield
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

    def receive(self, i, key):
        """Receives the message KEY, whose receive has been posted."""
        entered = self.now
        if key not in self.mail:
            self.readers[key] = i
            yield from self.wait(i)
        began = self.now if self.shares or self.m["Policy"] != "offload" else entered
        yield from self.until(i, max(began + self.m["ServiceTime"], self.mail[key]))

    def arrive(self, key):
        self.bring(key, self.now + self.m["ServiceTime"])

    def bring(self, key, at):
        """The message has been received at AT, if nothing comes in between."""
        self.mail[key] = at
        if key in self.readers:
            self.wake(self.readers.pop(key), self.now, "receive")

    def post(self, i, source):
        """Posts a receive for the next message from SOURCE."""
        r = self.rank[i]
        key = (source, i, r.taken.get(source, 0))
        r.taken[source] = key[2] + 1
        self.posted.add(key)
        if key in self.asking:
            self.match(key)
        return key

    # A message that waits for its receiver, of SIZE bytes: a request, then its bytes.

    def invite(self, key, size, large):
        """The sender asks for its receiver from now on."""
        self.asking[key] = self.now, size, large
        if key in self.posted:
            self.match(key)

    def match(self, key):
        """Both sender and receiver are ready."""
        (a, b, _), (sent, size, large), m = key, self.asking[key], self.m
        hops, tau = self.way(a, b, size)
        if a != b and m["Policy"] != "offload":
            there = sent + self.send_ns(a, b) + hops + self.way(a, b, m["RequestSize"])[1]
            self.put(max(self.now, there), b, self.ask, b, a, self.met, key)
            return
        h = max(self.now, sent + self.send_ns(a, b) + hops + m["ServiceTime"])
        if not large:
            self.put(h + self.send_ns(a, b) + hops + m["ServiceTime"], a, self.completed, key)
        if m["Contention"] and self.where[a] != self.where[b] and not self.near(a, b):
            self.put(h, a, self.inject, a, b, size, self.come_alone, (key, large), -m["ServiceTime"])
            return
        if h + tau - m["ServiceTime"] <= self.now:
            self.bring(key, h + tau)
        else:
            self.put(h + tau - m["ServiceTime"], b, self.bring, key, h + tau)
        if large:
            self.put(h + tau, a, self.completed, key)

    def come_alone(self, key, large, at=None):
        """The bytes have arrived; the receive ends at AT."""
        at = self.now + self.m["ServiceTime"] if at is None else at
        self.bring(key, at)
        if large:
            self.put(at, key[0], self.completed, key)

    def met(self, key):
        """The receiver has served the message now."""
        (a, b, _), (_, size, large) = key, self.asking[key]
        if not large:
            self.put(self.now + self.send_ns(a, b) + self.way(a, b, 0)[0] + self.m["ServiceTime"], a, self.completed, key)
        self.fly(a, b, size, self.come_alone, key, large)

    def completed(self, key):
        """The sender is done."""
        self.done[key] = self.now
        if ("sent", key) in self.readers:
            self.wake(self.readers.pop(("sent", key)), self.now, "sent")

    def send(self, i, op, to, size):
        """Sends a message; returns its key."""
        r = self.rank[i]
        key = (i, to, r.sent.get(to, 0))
        r.sent[to] = key[2] + 1
        large = size > self.m.get("EagerLimit", math.inf)
        if op in ("ssend", "issend") or large:
            self.invite(key, size, large)
        else:
            self.put(self.now + self.send_ns(i, to), i, self.inject, i, to, size, self.arrive, (key,))
            self.done[key] = self.now
        if op in ("isend", "issend") or key in self.done:
            yield from self.until(i, self.now + self.send_ns(i, to))
        return key

    def sent(self, i, key):
        if key not in self.done:
            self.readers[("sent", key)] = i
            yield from self.wait(i)
        yield from self.until(i, self.now)

    def flush(self, i, n):
        r, service = self.rank[i], self.m["ServiceTime"]
        at = self.now
        if n == 0:
            return
        if len(r.replies) < n:
            r.awaited = n
            yield from self.wait(i)
            at = self.now if self.shares else at  # takes them once it has its processor
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
            elif op in ("send", "ssend"):
                key = yield from self.send(i, op, *words)
                yield from self.sent(i, key)
            elif op in ("isend", "issend"):
                away = yield from self.send(i, op, *words)
            elif op == "sent":
                yield from self.sent(i, away)
            elif op == "post":
                key = self.post(i, words[0])
            elif op in ("receive", "received"):
                if op == "receive":
                    key = self.post(i, words[0])
                yield from self.receive(i, key)
            elif op in ("get", "put") and m["Policy"] == "offload":
                asked += words[1]
            elif op in ("get", "put"):
                size = words[1] if op == "put" else m["RequestSize"]
                if words[0] == i:
                    yield from self.until(i, self.now + self.send_ns(i, i) + self.way(i, i, words[1])[1])
                    continue
                yield from self.until(i, self.now + self.send_ns(i, words[0]))
                self.fly(i, words[0], size, self.ask, words[0], i, self.answer, words[0], i,
                         words[1] if op == "get" else m["RequestSize"])
                asked += 1
            elif op == "flush" and m["Policy"] == "offload":
                if asked:  # a message of all bytes there, one of none back, of the farthest ranks
                    one = m["MsgBuildTime"] + m["CommStartupTime"] + m["HopTime"] + m["ServiceTime"]
                    yield from self.until(i, self.now + 2 * one + asked * m["ByteTransferTime"])
                asked = 0
            elif op == "flush":
                yield from self.flush(i, asked)
                asked = 0
            elif op == "barrier":
                barriers += 1
                yield from self.barrier(i, barriers)

    def run(self):
        """Returns when each rank is done, in ns."""
        for i, r in enumerate(self.rank):
            r.task = self.run_rank(i)
        for i in range(self.n):
            if self.shares:
                self.want(i)
            else:
                self.put(0.0, i, self.go, i)
        while self.events:
            at, _, _, _, what, words = heapq.heappop(self.events)
            self.now = max(self.now, at)
            what(*words)
        assert all(x is not None for x in self.finish), "ranks wait for each other"
        return self.finish
