# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests calls complete in predict mode (docs/MODEL.md, section 5, Choice): the rule of section 6, applied to
times."""

from collections import defaultdict

from oracle_choice import ROUNDING, Choice
from oracle_exact import Fraction

ZERO = Fraction(0)


class Nodes:
    """The part of a graph's interface that Choice uses, for nodes with times."""

    def __init__(self, values):
        self.values = values
        self.edges = {v: [(u,) for u in before] for v, before in values.before.items()}
        self.bounds = defaultdict(list)
        self.sources = set()

    def delay(self, v, times):
        return self.values.rule[v](times)


class Places:
    """The part of the builder's interface that Choice uses. A call's enter is part of its time."""

    def __init__(self, times):
        self.times = times
        self.trace, self.settings = times.trace, times.settings
        self.graph = Nodes(times.values)
        self.started, self.received = times.sent, times.received
        self.synchronous = times.limits.synchronous
        self.was_synchronous = times.limits.was_synchronous
        self.comparable = self.trace.has_clocks()
        self.first = {}
        for (rank, _), enter in self.trace.first.items():
            self.first[rank] = min(enter, self.first.get(rank, enter))

    def enter(self, call):
        return ZERO

    def leave(self, call):
        if self.comparable:
            return self.trace.aligned(call.rank, call.leave)
        return call.leave - self.first[call.rank]

    def flight(self, message):
        latency, transfer = self.times.target.message(message)
        return max(ZERO, latency + transfer)


class Chosen(Choice):
    """Evaluates the nodes of Times."""

    def __init__(self, times):
        self.times = times
        super().__init__(Places(times), times.matching)

    def clear(self):
        super().clear()
        self.times.done = self.done

    def delay(self, v):
        call = self.calls.get(v)
        if call and self.complete(call):
            return self.delays[call.S]
        return self.graph.delay(v, self.delays)

    # Choosing

    def arrival(self, message):
        return self.delays[message.V]

    def raised(self, call, messages):
        return {}

    def time(self, message):
        return self.delays[message.A]

    def bound_arrivals(self, call, posted, choosing, fit):
        pass

    def go_by(self, request, message):
        self.delays[request.V] = self.delays[message.A]
        self.holds[request] = message

    def choose(self, call):
        self.finished = []
        vanishes = super().choose(call)
        self.times.early[call] = [
            message for message in self.given[call]
            if message in self.finished and message.receive.completed_by is not call]
        return vanishes

    def finish(self, messages):
        super().finish(messages)
        self.finished += messages

    def exchange_arrivals(self, p, q, at):
        self.delays[p.V], self.delays[q.V] = at[q], at[p]

    def find_answers(self, call):
        if call.S in self.delays:
            super().find_answers(call)

    def cause(self, message):
        """Returns when the message left; for one that waits for its receiver, when it would have left."""
        if not self.builder.synchronous(message):
            return self.delays["I", *message.key]
        return self.delays["H", *message.key] - self.times.target.message(message)[0]
