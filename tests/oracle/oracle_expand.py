# SPDX-License-Identifier: GPL-3.0-or-later
"""When the members of an expanded collective leave it. Its messages are like those between two ranks (docs/MODEL.md,
sections 4 and 5)."""

from collections import Counter

from oracle_exact import Fraction
from oracle_plans import Maker, NonblockingMaker, root_of
from oracle_trace import OracleError

ZERO = Fraction(0)
ROUND = 2 ** 8


class Wire:
    """A message between two members, with the attributes that costs use. Times are pairs (time, the members on whose
    arrival it depends, as bits)."""

    k = None  # it has no place in a row of samples

    def __init__(self, source, dest):
        self.call, self.receiver = source.call, dest.call.rank
        self.source, self.dest = source, dest
        self.bytes = self.index = None
        self.leaves = self.posted = None
        self.flown = None

    @property
    def send(self):
        return self

    def flight(self, costs):
        """Returns its flight, determined once."""
        if self.flown is None:
            self.flown = costs.flight(self)
        return self.flown


class Member:
    """The progress of a member: when its step began, what it did itself in this step, when the messages arrived for
    which it waits, and from when on it may send again."""

    def __init__(self, enter):
        self.now, self.free = enter, enter
        self.local, self.came = enter, []
        self.at, self.begun = 0, False
        self.sent, self.received = [], []
        self.count = Counter()

    def next_one(self, way, other):
        """Returns the number of the next message to, or from, another member."""
        self.count[way, other] += 1
        return self.count[way, other]


def later(*times):
    mask = 0
    for _, one in times:
        mask |= one
    return max(time for time, _ in times), mask


def after(time, more):
    return time[0] + more, time[1]


class Expansion:
    """The plan of one collective, and its ends. COSTS: what its messages take (PredictedWires)."""

    def __init__(self, table, group, carried=None, moved=None):
        """CARRIED: which sends wait for their receiver (oracle_weak_progress.py); MOVED: how nonblocking ones proceed
        (oracle_moved.py); or None."""
        self.group, self.root = group, root_of(group)
        self.p = len(group)
        if moved and not group[0].blocking:
            self.plan, carried = NonblockingMaker(moved.way_of(group, 0)[1].choice, group, 0).make(), None
        else:
            self.plan = Maker(table, group).make()
        self.held = carried.held(self) if carried else set()
        self.asked = self.of = self.found = None

    def member(self, v):
        return (v + self.root) % self.p

    def leaves(self, enters, costs):
        """Returns [(time, bits of members)] by member, for these enter times."""
        if (self.asked, self.of) != (enters, costs):
            self.asked, self.of, self.found = list(enters), costs, self.find_leaves(enters, costs)
        return self.found

    def find_leaves(self, enters, costs):
        states = [Member((enters[self.member(v)], 1 << self.member(v)))
                  for v in range(self.p)]
        wires, waiting = {"come": [state.now for state in states]}, list(range(self.p))
        while waiting:
            v = waiting.pop()
            while self.advance(v, states[v], wires, costs, waiting):
                pass
        ends = [None] * self.p
        for v, state in enumerate(states):
            if state.at < len(self.plan.steps[v]):
                raise OracleError("an expanded collective that does not end")
            ends[self.member(v)] = state.now
        return ends

    def wire(self, wires, a, b, n):
        """Returns the n-th message from a to b."""
        if (a, b, n) not in wires:
            wires[a, b, n] = Wire(self.group[self.member(a)], self.group[self.member(b)])
        return wires[a, b, n]

    def begin(self, v, state, wires, costs, waiting):
        step = self.plan.steps[v][state.at]
        state.begun, state.sent, state.received = True, [], []
        state.local, state.came = state.now, []
        for a in step.receives:
            wire = self.wire(wires, a, v, state.next_one("from", a))
            wire.posted = state.now
            state.received.append(wire)
        for b, size, number_of_round in step.sends:
            wire = self.wire(wires, v, b, state.next_one("to", b))
            wire.bytes = size
            wire.index = wire.source.index + ROUND * number_of_round
            synchronous = costs.is_synchronous(wire)
            wire.leaves = later(state.local, state.free)
            state.free = after(wire.leaves, costs.gap(wire))
            if not synchronous or step.posted:
                state.local = after(state.local, costs.sends(wire, not synchronous))
            if (v, b) in self.held and state.count["to", b] == 1:
                state.came.append(wires["come"][b])
            state.sent.append(wire)
        waiting += step.receives + [b for b, *_ in step.sends]

    def advance(self, v, state, wires, costs, waiting):
        """Advances member v by a step; returns whether it completed the step."""
        if state.at == len(self.plan.steps[v]):
            return False
        if not state.begun:
            self.begin(v, state, wires, costs, waiting)
        step = self.plan.steps[v][state.at]
        if any(wire.leaves is None for wire in state.received) or any(
                costs.is_synchronous(wire) and wire.posted is None for wire in state.sent):
            return False
        kappa = costs.call(self.group[self.member(v)], state.at)
        local, waited = state.local, []
        for wire in state.received:
            cost = costs.receives(wire)
            local = after(local, cost)
            waited = [after(time, cost) for time in waited] + [self.arrival(wire, costs)]
        waited += [self.done(wire, costs) for wire in state.sent if costs.is_synchronous(wire)]
        now = later(state.now, after(local, kappa), *(after(time, max(ZERO, kappa)) for time in waited), *state.came)
        if step.reduces is not None:
            now = after(now, costs.reduction(step.reduces))
        state.now, state.at, state.begun = now, state.at + 1, False
        return True

    @staticmethod
    def meeting(wire, costs):
        latency, _ = wire.flight(costs)
        return later(after(wire.leaves, latency), wire.posted)

    def arrival(self, wire, costs):
        latency, transfer = wire.flight(costs)
        if not costs.is_synchronous(wire):
            return after(wire.leaves, latency + transfer)
        return after(self.meeting(wire, costs), transfer)

    def done(self, wire, costs):
        return costs.done(wire, self.meeting(wire, costs), self.arrival(wire, costs))

    def needs(self, costs):
        """Returns for every member those on whose arrival its leaving depends."""
        if not self.plan.is_tree:
            return [list(range(self.p))] * self.p
        ends = self.leaves([ZERO] * self.p, costs)
        return [[j for j in range(self.p) if mask >> j & 1] for _, mask in ends]


class PredictedWires:
    """Times of messages on the target (section 5), multiplied by the scale."""

    def __init__(self, target, limit, latency_given, scale=1):
        self.target, self.limit, self.scale = target, limit, scale
        self.is_answered = latency_given

    def is_synchronous(self, wire):
        return self.limit is not None and wire.bytes > self.limit

    def flight(self, wire):
        return tuple(self.scale * part for part in self.target.message(wire))

    def gap(self, wire):
        return self.scale * self.target.gap(wire)

    def sends(self, wire, eager):
        return self.scale * (self.target.sends(wire, eager) or ZERO)

    def receives(self, wire):
        return self.scale * (self.target.receives(wire, False) or ZERO)

    def done(self, wire, met, arrived):
        if self.is_answered:
            return after(arrived, self.scale * self.target.way_back(wire))
        waiting = self.target.waiting(wire)
        if waiting is None:
            return arrived
        return after(met, max(ZERO, self.scale * waiting - wire.flight(self)[0]))

    def call(self, part, number):
        return self.target.kappa(part, number)

    def reduction(self, size_bytes):
        signature = self.target.signature
        return self.scale * signature.reduction(size_bytes) if signature else ZERO


class PerturbedWires:
    """Times of messages on the traced machine and, if DRAWN, how much more they take (section 4)."""

    def __init__(self, builder, drawn, scales=(1, 1)):
        """SCALES: of the target, and of the source."""
        self.costs, self.floor, self.settings = builder.costs, builder.floor, builder.settings
        self.usual = builder.floor_costs
        self.limit, self.drawn = builder.target_limit, drawn
        self.perturbed = drawn and not self.settings.is_base
        self.scale = scales[not self.perturbed]

    def is_synchronous(self, wire):
        return self.limit is not None and wire.bytes > self.limit

    def flight(self, wire):
        least, whole = (self.floor(size, wire.call, wire.dest.call)
                        for size in (0, wire.bytes))
        costs = self.costs.of(wire)
        latency, transfer = costs.message(wire) if self.drawn else (ZERO, ZERO)
        return (self.scale * max(ZERO, least + latency),
                self.scale * max(ZERO, max(ZERO, whole - least) + transfer))

    def gap(self, wire):
        return ZERO

    def sends(self, wire, eager):
        return self.overhead(*(costs.of(wire).send_overheads(wire, eager)
                               for costs in (self.usual, self.costs)))

    def receives(self, wire):
        return self.overhead(*(costs.of(wire).receive_overheads(wire, False)
                               for costs in (self.usual, self.costs)))

    def overhead(self, usual, drawn):
        usual = usual.typical if usual and usual.typical is not None else ZERO
        if not self.drawn or drawn is None:
            return self.scale * usual
        return self.scale * max(ZERO, usual + drawn.target
                                - (drawn.least if drawn.source is None else drawn.source))

    def done(self, wire, met, arrived):
        back = self.costs.of(wire).acknowledgement(wire) if self.drawn else ZERO
        return after(arrived, self.scale * max(ZERO, self.floor(0, wire.dest.call, wire.call) + back))

    def call(self, part, number):
        return self.settings.call_noise(part.call.rank) if self.drawn else ZERO

    def reduction(self, size_bytes):
        target, source = self.settings.signature, self.settings.source
        if not target or not target.reductions or (source and not source.reductions):
            return ZERO
        machine = target if self.perturbed or not source else source
        return self.scale * machine.reduction(size_bytes)
