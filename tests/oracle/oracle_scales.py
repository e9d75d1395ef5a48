# SPDX-License-Identifier: GPL-3.0-or-later
"""Which collectives are near to measured ones, and the factor for the messages of all others (docs/MODEL.md, section 3,
Collectives)."""

import math
from types import SimpleNamespace

from oracle_exact import Fraction
from oracle_expand import Expansion, after

ZERO = Fraction(0)
WHOLE = {"Barrier", "Allreduce", "Allgather", "Alltoall", "Reduce_scatter"}
SCALED = {**{name: name.lower() for name in WHOLE | {"Bcast", "Reduce", "Gather", "Scatter", "Scan"}},
          "Gatherv": "gather", "Scatterv": "scatter", "Allgatherv": "allgather", "Alltoallv": "alltoallv",
          "Alltoallw": "alltoallv", "Exscan": "scan"}


class Terms:
    """The arguments of a call of p members with this number of bytes, of each block, from or to member 0."""

    def __init__(self, p, size_bytes):
        self.p, self.size_bytes = p, size_bytes

    def own_bytes(self):
        return self.size_bytes

    def number(self, _):
        return 0

    def numbers(self, _):
        return [self.size_bytes] * self.p


def at_once(name, p, size_bytes):
    """Returns a group of p members that call at the same time."""
    return [SimpleNamespace(name=name, blocking=True, index=0, terms=Terms(p, size_bytes), call=SimpleNamespace(rank=rank, index=0))
            for rank in range(p)]


class Typical:
    """The messages of one path, all with their median times."""

    def __init__(self, signature, path, limit, reduces):
        self.signature, self.path, self.limit, self.reduces = signature, path, limit, reduces

    def is_synchronous(self, wire):
        return self.limit is not None and wire.bytes > self.limit

    def median(self, sizes, size_bytes, slope=None):
        value = sizes(None, size_bytes, 0.5)
        beyond = max(0, size_bytes - sizes.sizes[-1])
        if slope is None:
            slope = sizes.slope() if len(sizes.sizes) > 1 else 0.0
        return value + beyond * slope

    def one_way(self, size_bytes):
        """Returns X_T(d; 1/2), or None."""
        if self.path.latency:
            return self.median(self.path.latency, size_bytes, self.path.slope())
        return self.median(self.path.transfer, size_bytes) if self.path.transfer else None

    def flight(self, wire):
        empty, whole = self.one_way(0), self.one_way(wire.bytes)
        return (ZERO, ZERO) if empty is None else (empty, max(0.0, whole - empty))

    def gap(self, wire):
        return self.median(self.path.streaming, wire.bytes) if self.path.streaming else ZERO

    def sends(self, wire, eager):
        sizes = self.path.send_overhead or (eager and self.path.sender)
        return sizes(None, wire.bytes, 0.5) if sizes else ZERO

    def receives(self, wire):
        return self.path.receive_overhead(None, wire.bytes, 0.5) if self.path.receive_overhead else ZERO

    def done(self, wire, met, arrived):
        limit = self.path.eager_limit
        if not self.path.sender or (limit is not None and wire.bytes <= limit):
            return arrived
        return after(met, max(0.0, self.median(self.path.sender, wire.bytes) - wire.flight(self)[0]))

    def call(self, part, number):
        return ZERO

    def reduction(self, size_bytes):
        return self.signature.reduction(size_bytes) if self.reduces else ZERO


class Scales:
    """The factors of a target and, unless it is None, of a source."""

    def __init__(self, table, limit, target, source):
        self.table, self.limit, self.target, self.source = table, limit, target, source
        self.reduces = bool(target and target.reductions and (not source or source.reductions))
        self.known = {}

    def processes(self, operation):
        both = self.target.processes(operation)
        return both & self.source.processes(operation) if self.source else both

    def is_near(self, group):
        call = group[0].name.lower(), len(group), group[0].terms.own_bytes()
        return all(machine.has_near(*call) for machine in (self.target, self.source) if machine)

    def of(self, group):
        """Returns (s_T, s_S)."""
        operation, p = SCALED.get(group[0].name), len(group)
        if operation == "alltoallv" and not self.processes(operation):
            operation = "alltoall"
        if not operation or not self.processes(operation):
            return 1, 1
        known = self.processes(operation)
        near = max((q for q in known if q <= p), default=None) or min(known)
        target = self.at(self.target, operation, near, mean_block(group))
        return target, self.at(self.source, operation, near, mean_block(group)) if self.source else target

    def at(self, machine, operation, p, size_bytes):
        sizes = machine.collectives[operation, p]
        last = len(sizes.sizes) - 1
        i = max((i for i, size in enumerate(sizes.sizes) if size <= size_bytes), default=0)
        low = self.scale(machine, operation, p, i)
        if size_bytes <= sizes.sizes[i] or i == last:
            return low
        part = (size_bytes - sizes.sizes[i]) / (sizes.sizes[i + 1] - sizes.sizes[i])
        return low + (self.scale(machine, operation, p, i + 1) - low) * part

    def scale(self, machine, operation, p, i):
        key = machine is self.target, operation, p, i
        if key not in self.known:
            self.known[key] = self.find(machine, operation, p, i)
        return self.known[key]

    def find(self, machine, operation, p, i):
        """Returns the factor at the i-th size, on the path where it is nearest to 1."""
        sizes = machine.collectives[operation, p]
        measured = sizes.quantities[i].at(None, 0.5)
        expansion = Expansion(self.table, at_once(operation.capitalize(), p, sizes.sizes[i]))
        found = []
        for path in machine.paths.values():
            costs = Typical(machine, path, self.limit, self.reduces)
            took = max(time for time, _ in expansion.leaves([ZERO] * p, costs))
            if took > 0 and measured > 0:
                found.append(float(measured / took))
        return min(found, key=lambda scale: abs(math.log(scale)), default=1)


def mean_block(group):
    """Returns the size by which tables choose."""
    name, p = group[0].name, len(group)
    if name in ("Alltoallv", "Alltoallw"):
        return Fraction(sum(sum(sizes) - sizes[j] for j, sizes in enumerate(part.terms.numbers("bytes") for part in group)),
                        p * (p - 1))
    if name == "Scatterv":
        return Fraction(sum(group[group[0].terms.number("root")].terms.numbers("bytes")), p)
    if name in ("Gatherv", "Allgatherv"):
        return Fraction(sum(part.terms.own_bytes() for part in group), p)
    return 0 if name == "Barrier" else group[0].terms.own_bytes()
