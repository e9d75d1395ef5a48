#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages that share ports, memory and links, for tests: an event simulator and a max-min allocation written from docs/MODEL.md
(section 5, Sharing), random programs, and the answer of mpgsim, which MPGSIM names."""

import json
import math
import os
import subprocess

MPGSIM = os.environ["MPGSIM"]


def shares(flows, capacity):
    """Max-min fair rates of FLOWS, (bound, resources) each: all rates of the unfrozen flows grow alike until a constraint is
    tight. A flow's bound is a constraint of this flow alone."""
    rates = {}
    limits = [(bound, {i}) for i, (bound, _) in enumerate(flows) if bound < math.inf]
    for resource in {r for _, crossed in flows for r in crossed}:
        users = {i for i, (_, crossed) in enumerate(flows) if resource in crossed}
        limits.append((capacity(resource), users))
    while len(rates) < len(flows):
        levels = [((limit - sum(rates[i] for i in users & set(rates))) / len(users - set(rates)), users)
                  for limit, users in limits if users - set(rates)]
        level = min(value for value, _ in levels)
        frozen = set().union(*(users for value, users in levels if value <= level * (1 + 1e-12)))
        for i in frozen - set(rates):
            rates[i] = max(level, 0)
    return [rates[i] for i in range(len(flows))]


def digits(number, sizes):
    """The digits of NUMBER in the mixed radix SIZES, the lowest first."""
    found = []
    for size in sizes:
        number, digit = divmod(number, size)
        found.append(digit)
    return found


class Net:
    """A topology with sizes, as mpgtarget(5) writes it; BANDWIDTHS, bytes a second, has one for each level."""

    def __init__(self, topology, bandwidths):
        self.text, (self.kind, rest) = topology, topology.split(":", 1)
        self.sizes = [int(size) for size in rest.split(":")[0].split("x")]
        self.ups = [int(size) for size in rest.split(":")[1].split("x")] if self.kind == "fattree" else []
        self.levels = {"fattree": len(self.ups), "torus": len(self.sizes), "dragonfly": 2}[self.kind]
        self.bandwidths = (bandwidths * self.levels)[:self.levels]
        self.hosts = math.prod(self.sizes)

    def route(self, a, b):
        """The links between two hosts: (level, from, to), the level from 0."""
        return {"fattree": self.fattree, "torus": self.torus, "dragonfly": self.dragonfly}[self.kind](a, b)

    def limit(self, link):
        return self.bandwidths[link[0]]

    def hops(self, a, b):
        own = 0 if self.kind == "torus" or a == b else 2
        return own + len(self.route(a, b))

    def fattree(self, a, b):
        """A switch of level l is named by the digits of its hosts from l on, and the parents chosen below it."""
        of_a, of_b, port = digits(a, self.sizes), digits(b, self.sizes), digits(b, self.ups)
        top = max((i for i in range(len(self.sizes)) if of_a[i] != of_b[i]), default=0)
        up = [(tuple(of_a[level + 1:]), tuple(port[:level])) for level in range(top + 1)]
        down = [(tuple(of_b[level + 1:]), tuple(port[:level])) for level in range(top + 1)]
        return [(level, up[level], up[level + 1]) for level in range(top)] + \
               [(level, down[level + 1], down[level]) for level in reversed(range(top))]

    def torus(self, a, b):
        at, to, links = digits(a, self.sizes), digits(b, self.sizes), []
        for i, size in enumerate(self.sizes):
            step = 1 if (to[i] - at[i]) % size <= (at[i] - to[i]) % size else -1
            while at[i] != to[i]:
                before = tuple(at)
                at[i] = (at[i] + step) % size
                links.append((i, before, (*at, step)))
        return links

    def dragonfly(self, a, b):
        groups, routers, hosts = self.sizes
        (g, r), (h, s) = divmod(a // hosts, routers), divmod(b // hosts, routers)

        def gate(group, other):
            others = [x for x in range(groups) if x != group]
            return others.index(other) // math.ceil(len(others) / routers)
        links = []
        if g != h:
            links += [(0, (g, r), (g, gate(g, h)))] if r != gate(g, h) else []
            links.append((1, g, h))
            g, r = h, gate(h, g)
        return links + ([(0, (g, r), (g, s))] if r != s else [])


class Run:
    """PROGRAMS are lists of ("work", ns), ("send", to, bytes), ("receive", source); at() has when ranks are done."""

    def __init__(self, programs, m):
        self.programs, self.m, n = programs, m, len(programs)
        self.net = m.get("net")
        self.at, self.free, self.place = [0.0] * n, [0.0] * n, [0] * n
        self.sent, self.taken, self.arrived = {}, {}, {}
        self.flows, self.begins, self.delayed = [], [], 0  # flows: [left, bound, resources, rate, message]
        self.credit = {(way, h): m["bucket"] for way in ("out", "in") for h in range(n)} if m["port"] and m["bucket"] else {}

    def host(self, rank):
        return rank // self.m["cluster"]

    def crossed(self, a, b):
        if self.host(a) == self.host(b):
            return [("memory", self.host(a))] if self.m["memory"] else []
        links = [("link", link) for link in self.net.route(self.host(a), self.host(b))] if self.net else []
        return ([("out", self.host(a)), ("in", self.host(b))] if self.m["port"] else []) + links

    def limit(self, resource):
        if resource[0] == "link":
            return self.net.limit(resource[1]) * (1 - self.m.get("background", 0)) / 1e9
        return (self.m["memory"] if resource[0] == "memory" else self.m["port"]) / 1e9

    def capacity(self, resource):
        """Infinite while the resource's bucket has credit, unless a flow would take any rate."""
        dry = self.credit.get(resource, 0) <= 1e-6 * self.m["bucket"]
        return self.limit(resource) if dry or any(f[1] == math.inf and resource in f[2] for f in self.flows) else math.inf

    def filling(self, resource):
        return self.limit(resource) - sum(f[3] for f in self.flows if resource in f[2])

    def send(self, r, to, size):
        near, m = self.host(r) == self.host(to), self.m
        overhead = m["near_send"] if near and m["cluster"] > 1 else m["send"]
        byte = m["near_byte"] if near and m["cluster"] > 1 else m["byte"]
        begin = max(self.at[r], self.free[r])
        self.free[r] = begin + overhead
        self.at[r] += overhead
        key = (r, to, self.sent.get((r, to), 0))
        self.sent[r, to] = key[2] + 1
        hops = 0 if near else self.net.hops(self.host(r), self.host(to)) if self.net else 1
        later = hops * m["hop"] + m["service"]
        self.begins.append((self.free[r], key, size, byte, self.crossed(r, to), later))

    def go(self, now):
        """All ranks as far as they can go by NOW."""
        for r, program in enumerate(self.programs):
            while self.place[r] < len(program) and self.at[r] <= now:
                op = program[self.place[r]]
                if op[0] == "work":
                    self.at[r] += op[1]
                elif op[0] == "send":
                    self.send(r, op[1], op[2])
                else:
                    key = (op[1], r, self.taken.get((op[1], r), 0))
                    if key not in self.arrived:
                        break
                    self.taken[op[1], r] = key[2] + 1
                    self.at[r] = max(self.at[r] + self.m["service"], self.arrived[key])
                self.place[r] += 1

    def run(self):
        now = 0.0
        while True:
            self.go(now)
            self.begins.sort()
            due = [x for x in self.begins if x[0] <= now]
            self.begins = [x for x in self.begins if x[0] > now]
            for begin, key, size, byte, crossed, later in due:
                if size and crossed:
                    takes = size * byte
                    if self.m["bucket"] and crossed[0][0] == "out": # it takes 1 ns, else it would find no bucket
                        takes = max(takes, 1)
                    self.flows.append([size, size / takes if takes else math.inf, crossed, 0, key, later, begin + takes])
                else:
                    self.arrived[key] = begin + size * byte + later
            if due:
                continue
            for flow, rate in zip(self.flows, shares([(f[1], f[2]) for f in self.flows], self.capacity)):
                flow[3] = rate
            ends = [now + f[0] / f[3] for f in self.flows]
            waits = [x for r, x in enumerate(self.at) if x > now and self.place[r] < len(self.programs[r])]
            dry = [now + x / -self.filling(r) for r, x in self.credit.items()
                   if x > 1e-6 * self.m["bucket"] and self.filling(r) < -1e-6 * self.limit(r)]
            then = min(ends + [x[0] for x in self.begins] + waits + dry, default=None)
            if then is None:
                return self.at
            for resource in self.credit:
                self.credit[resource] = min(max(self.credit[resource] + self.filling(resource) * (then - now), 0), self.m["bucket"])
            for flow, end in zip(self.flows, ends):
                flow[0] -= flow[3] * (then - now)
                if end <= then + 1e-7:
                    self.arrived[flow[4]] = end + flow[5]
                    self.delayed += end > flow[6] + 1e-6
            self.flows = [f for f, end in zip(self.flows, ends) if end > then + 1e-7]
            now = then


def text(programs):
    """As mpgtext(5)."""
    lines = ["#mpgtext 1", f"#ranks {len(programs)}", "#clocks shared",
             "#comm 0 = " + " ".join(map(str, range(len(programs))))]
    for r, program in enumerate(programs):
        time, sizes = 1000, {}
        lines.append(f"{r} 0 1000 Init")
        for op in program:
            if op[0] == "work":
                time += op[1]
            elif op[0] == "send":
                lines.append(f"{r} {time} {time} Send comm=0 to={op[1]} tag=3 bytes={op[2]}")
            else:
                size = [o[2] for o in programs[op[1]] if o[0] == "send" and o[1] == r][sizes.get(op[1], 0)]
                sizes[op[1]] = sizes.get(op[1], 0) + 1
                lines.append(f"{r} {time} {time} Recv comm=0 from={op[1]} tag=3 bytes={size}")
        lines.append(f"{r} {time} {time + 10} Finalize")
    return "\n".join(lines) + "\n"


def answer(folder, trace, *arguments):
    path = os.path.join(folder, "a.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write(trace)
    done = subprocess.run([MPGSIM, "--json", "--cache=fresh", "--target=ideal", *arguments, path], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        return None, done.stderr.decode().strip()
    x = json.loads(done.stdout)["extrapolation"]
    return [rank["run_ns"] for rank in x["ranks"]], x


def near(got, want, rel=1e-9):
    return got is not None and all(abs(a - b) <= 1e-6 + rel * abs(b) for a, b in zip(got, want))


def pattern(draw, n):
    """Programs whose messages can be received in the order in which they are made."""
    programs = [[] for _ in range(n)]
    for _ in range(draw.randint(10, 80)):
        a, b = draw.randrange(n), draw.randrange(n)
        if draw.random() < 0.2:
            programs[a].append(("work", draw.randint(1, 40000)))
        elif a != b:
            programs[a].append(("send", b, draw.choice([0, 1, 517, 8000, 40001, 40001, 200003])))
            if draw.random() < 0.7:
                programs[b].append(("receive", a))
            else:
                programs[b].append(("later", a))
    for program in programs: # some messages are received at the end
        late = [("receive", op[1]) for op in program if op[0] == "later"]
        program[:] = [op for op in program if op[0] != "later"] + late
    return programs
