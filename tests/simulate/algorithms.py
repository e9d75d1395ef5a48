# SPDX-License-Identifier: GPL-3.0-or-later
"""Collectives with awkward numbers of members, roots and enter times: expand_case compared with algorithms_members.py,
message by message (TAP)."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from oracle_plans import LISTED, TREES  # noqa: E402
from algorithms_members import (  # noqa: E402
    World, Wrong, barrier_doubling, blockwise, bruck, bruck_alltoall, butterfly, dissemination,
    doubling, down, gather_doubling, gather_uneven, halving, linear_alltoall, neighbor, pairwise,
    pipeline, power_of_two, rabenseifner, reducing_ring, ring_allreduce, ring_pass, run, scan_chain, scan_doubling,
    scatter_doubling, up)

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 27)


class Case:
    def __init__(self, operation, algorithm, p, root=0, size=1000.0, eager=-1.0, waiting=1,
                 radix=2, segment=0, lanes=2, blocks=None):
        self.operation, self.algorithm, self.p, self.root = operation, algorithm, p, root
        self.bytes, self.eager, self.waiting = size, eager, waiting
        self.radix, self.segment, self.lanes, self.blocks = radix, segment, lanes, blocks
        self.sizes = {}
        self.segments = []

    def line(self):
        text = "%s %s %d %d %d %d %r %r %d %d" % (
            self.operation, self.algorithm, self.radix, self.segment, self.p, self.root,
            self.bytes, self.eager, self.waiting, self.lanes)
        return text + "".join(" %r" % b for b in self.blocks or [])

    def block(self, me):
        return self.blocks[me] / (self.p - 1) if self.blocks else self.bytes

    # each: the data with which a member begins, its program, and the data with which it must end
    def program(self):
        p, root, a = self.p, self.root, self.algorithm
        everyone = set(range(p))
        op = self.operation
        vector = {"": self.bytes}
        each = {i: self.blocks[i] if self.blocks else self.bytes for i in range(p)}
        if op == "barrier":
            self.sizes = {"": 0.0}
            if a in ("linear", "binomial"):
                def body(w, me):
                    data = yield from up(w, me, self, a, {"": {me}})
                    data = yield from down(w, me, self, a, data, False)
                    return data
            else:
                kind = dissemination if a == "dissemination" else barrier_doubling

                def body(w, me):
                    return (yield from kind(w, me, self, {"": {me}}))
            return body, lambda me, got: got[""] == everyone
        if op == "bcast":
            if self.segment and self.bytes > self.segment:
                rest = self.bytes
                while rest > 0:
                    self.segments.append(min(rest, float(self.segment)))
                    rest -= self.segment
                whole = {i: {root} for i in range(len(self.segments))}
                return (lambda w, me: pipeline(w, me, self, whole if me == root else {}, True),
                        lambda me, got: got == whole)
            if a in ("scatter_allgather", "scatter_ring"):
                self.sizes = {i: self.bytes / p for i in range(p)}
                whole = {i: {root} for i in range(p)}

                def body(w, me):
                    got = yield from down(w, me, self, "binomial", whole if me == root else None,
                                          True)
                    mine = {me: got[me]}
                    if a == "scatter_ring":
                        return (yield from ring_pass(w, me, p, mine, self.sizes, me, False))
                    return (yield from gather_uneven(w, me, self, mine, root))
                return body, lambda me, got: got == whole
            self.sizes = vector
            return (lambda w, me: down(w, me, self, a, {"": {root}}, False),
                    lambda me, got: got[""] == {root})
        if op in ("scatter", "scatterv"):
            self.sizes = each
            whole = {i: {root} for i in range(p)}
            return (lambda w, me: down(w, me, self, a, whole if me == root else None, True),
                    lambda me, got: me in got)
        if op in ("gather", "gatherv"):
            self.sizes = each
            return (lambda w, me: up(w, me, self, a, {me: {me}}),
                    lambda me, got: me != root or set(got) == everyone)
        if op == "reduce":
            if self.segment and self.bytes > self.segment:
                rest = self.bytes
                while rest > 0:
                    self.segments.append(min(rest, float(self.segment)))
                    rest -= self.segment
                n = range(len(self.segments))
                return (lambda w, me: pipeline(w, me, self, {i: {me} for i in n}, False),
                        lambda me, got: me != root or all(got[i] == everyone for i in n))
            if a == "rabenseifner":
                power = power_of_two(p)
                self.sizes = {i: self.bytes / power for i in range(power)}
                return (lambda w, me: rabenseifner(w, me, self, {i: {me} for i in range(power)},
                                                   root),
                        lambda me, got: me != root or all(v == everyone for v in got.values())
                        and len(got) == power)
            self.sizes = vector
            return (lambda w, me: up(w, me, self, a, {"": {me}}),
                    lambda me, got: me != root or got[""] == everyone)
        if op == "allreduce":
            if a == "rabenseifner":
                power = power_of_two(p)
                self.sizes = {i: self.bytes / power for i in range(power)}
                return (lambda w, me: rabenseifner(w, me, self, {i: {me} for i in range(power)},
                                                   None),
                        lambda me, got: all(v == everyone for v in got.values())
                        and len(got) == power)
            if a == "ring":
                self.sizes = {i: self.bytes / p for i in range(p)}
                return (lambda w, me: ring_allreduce(w, me, self, {i: {me} for i in range(p)}),
                        lambda me, got: all(v == everyone for v in got.values()) and len(got) == p)
            self.sizes = vector
            if a == "two":
                def body(w, me):
                    data = yield from up(w, me, self, "binomial", {"": {me}})
                    return (yield from down(w, me, self, "binomial", data, False))
                return body, lambda me, got: got[""] == everyone
            return (lambda w, me: doubling(w, me, self, {"": {me}}),
                    lambda me, got: got[""] == everyone)
        if op in ("allgather", "allgatherv"):
            self.sizes = each
            ends = lambda me, got: set(got) == everyone
            if a == "two":
                def body(w, me):
                    data = yield from up(w, me, self, "linear", {me: {me}})
                    return (yield from down(w, me, self, "binomial", data, False))
                return body, ends
            if a == "ring":
                return (lambda w, me: ring_pass(w, me, p, {me: {me}}, each, me, False), ends)
            kind = {"bruck": bruck, "recursive_doubling": gather_doubling, "neighbor": neighbor}[a]
            return (lambda w, me: kind(w, me, self, {me: {me}})), ends
        if op in ("alltoall", "alltoallv"):
            kind = {"linear": linear_alltoall, "pairwise": pairwise, "bruck": bruck_alltoall}[a]
            return (lambda w, me: kind(w, me, self, None),
                    lambda me, got: got == {(i, me) for i in everyone})
        if op in ("reduce_scatter", "reduce_scatter_block"):
            self.sizes = {i: self.bytes / p for i in range(p)}
            data = lambda me: {i: {me} for i in range(p)}
            ends = lambda me, got: got[me] == everyone
            if a == "two":
                def body(w, me):
                    got = yield from up(w, me, self, "binomial", data(me))
                    return (yield from down(w, me, self, "linear", got, True))
                return body, ends
            kind = {"recursive_halving": halving, "recursive_doubling": scatter_doubling,
                    "butterfly": butterfly, "ring": reducing_ring, "pairwise": blockwise}[a]
            return (lambda w, me: kind(w, me, self, data(me))), ends
        self.sizes = vector
        kind = scan_doubling if a == "recursive_doubling" else scan_chain
        return (lambda w, me: kind(w, me, self, {"": {me}}),
                lambda me, got: got[""] == set(range(me + 1)))


def cases():
    rooted = ("bcast", "scatter", "scatterv", "gather", "gatherv", "reduce")
    for operation, algorithms in LISTED.items():
        for algorithm in algorithms:
            for p in SIZES:
                for eager in (-1.0, 0.0, 300.0, 2000.0):
                    root = (5 * p + 3) // 2 % p if operation in rooted else 0
                    blocks = None
                    if operation.endswith("v"):
                        blocks = [211.0 * ((i * 5 + 2) % 7) for i in range(p)]
                    yield Case(operation, algorithm, p, root, 1777.0 + 2.5 * p, eager,
                               int(eager != 300), radix=2 + p % 3 if algorithm == "knomial" else 2,
                               blocks=blocks)
    for operation in ("bcast", "reduce"):
        for p in SIZES:
            for eager in (-1.0, 100.0, 5000.0):
                yield Case(operation, "chain", p, p // 2, 2385.0, eager, segment=500)
                yield Case(operation, "chain", p, p // 2, 100.0, eager, segment=500)


def check(case, lines):
    """Compares CASE with the program's lines; returns the number of lines used."""
    program, ends = case.program()
    want, sent = [[0.0] * case.lanes for _ in range(case.p)], None
    for lane in range(case.lanes):
        world = World(case.p, case.eager, case.waiting, lane)
        result = run(world, program)
        for i in range(case.p):
            if not ends(i, result[i]):
                raise Wrong("member %d does not end with what it should" % i)
            want[i][lane] = world.time[i]
        sent = world.sent
    tree = case.p > 1 and not case.segments and (
        case.operation in ("scatter", "scatterv", "gather", "gatherv") or
        case.algorithm in TREES and
        case.operation in ("bcast", "reduce", "scan", "exscan"))
    for line in lines[:2 if tree else 1]:
        words = line.split()
        at = words.index("sent")
        leave, bytes_sent = [float(x) for x in words[1:at]], [float(x) for x in words[at + 1:]]
        flat = [t for member in want for t in member]
        if len(leave) != len(flat) or any(abs(a - b) > 1e-7 for a, b in zip(leave, flat)):
            raise Wrong("leaves %s, but message by message %s" % (leave, flat))
        if any(abs(a - b) > 1e-7 for a, b in zip(bytes_sent, sent)):
            raise Wrong("sent %s, but message by message %s" % (bytes_sent, sent))
    return 2 if tree else 1


def main():
    everything = list(cases())
    answer = subprocess.run([sys.argv[1]], input="".join(c.line() + "\n" for c in everything),
                            capture_output=True, text=True)
    lines = answer.stdout.splitlines()
    wrong, groups = {}, []
    if answer.returncode != 0:
        print("# %s" % answer.stderr.strip())
    for case in everything:
        group = "%s %s" % (case.operation, case.algorithm)
        if group not in groups:
            groups.append(group)
        try:
            lines = lines[check(case, lines):]
        except Wrong as error:
            wrong.setdefault(group, "%s: %s" % (case.line(), error))
            lines = lines[1:]
        except (IndexError, ValueError):
            wrong.setdefault(group, "%s: no answer" % case.line())
    for i, group in enumerate(groups):
        print("%s %d - %s is what its messages make it" %
              ("not ok" if group in wrong else "ok", i + 1, group))
        if group in wrong:
            print("# %s" % wrong[group][:600])
    print("%s %d - and nothing else was answered" % ("not ok" if lines else "ok", len(groups) + 1))
    print("1..%d" % (len(groups) + 1))


if __name__ == "__main__":
    main()
