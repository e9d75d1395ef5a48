# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages in the oracle's graph: arrivals, completions, changed protocols, and what calls cost their own ranks
(docs/MODEL.md, sections 3 and 4)."""

import enum
import math
from collections import defaultdict

from oracle_exact import Fraction

ZERO = Fraction(0)


class Brought(enum.Enum):
    """What an arrival brings to a call's end: a message, the same message again, or an answer."""

    FIRST = 1
    AGAIN = 2
    BACK = 3


class Messages:
    """Mixin of Builder: adds messages to the graph."""

    def sort_messages(self, matching):
        """Determines which messages each call starts and completes, and which calls take part in messages."""
        self.started, self.received = defaultdict(list), defaultdict(list)
        self.probed = defaultdict(list)
        self.touched = set()
        self.absolute_calls = {call for calls in self.trace.calls for call in calls if call.exchange}
        self.carriers = list(self.carried.edges(self.was_synchronous)) if self.carried else []
        self.blocked = {message.send.call for message, _ in self.carriers if message.send.blocking}
        for message in matching.messages:
            self.started[message.send.call].append(message)
            self.received[message.receive.completed_by].append(message)
            for probe in message.receive.probes:
                self.probed[probe].append(message)
            if self.changes(message) and message.send.completed_by and not self.grows(message):
                self.touched.add(message.send.completed_by)
                if message.send.blocking:
                    self.absolute_calls.add(message.send.call)
        for call, messages in self.received.items():
            messages.sort(key=self.order_in_call)

    def synchronous(self, message):
        """Returns whether the message is synchronous on the target, by its new size if that has an absolute time."""
        return message.is_synchronous(self.target_limit, self.sizes.size[message] if self.clock else None)

    def was_synchronous(self, message):
        if message.is_inserted:  # all of it is in absolute times
            return not self.synchronous(message)
        return message.is_synchronous(self.source_limit)

    def changes(self, message):
        return self.synchronous(message) != self.was_synchronous(message)

    def grows(self, message):
        """Returns whether the message becomes synchronous on the target only because of its new size."""
        return (self.synchronous(message) and not self.was_synchronous(message)
                and not message.is_synchronous(self.target_limit))

    def start(self, message):
        """Returns when the message could begin to fly on the traced machine: when the receive is posted, if its
        envelope arrived before."""
        begin = self.enter(message.send.call)
        if self.was_synchronous(message) and self.trace.has_clocks():
            begin = max(begin, self.enter(message.receive.call) - self.envelope(message))
        return begin

    def envelope(self, message):
        """Returns l0, the flight of a synchronous message's envelope."""
        return min(self.floor(0, message.send.call, message.receive.call),
                   self.flight(message))

    def flight(self, message):
        return self.floor(message.bytes, message.send.call, message.receive.call)

    def order_in_call(self, message):
        place = message.receive.place
        if not self.trace.has_clocks():
            return (place,)
        return self.start(message) + self.flight(message), place

    # What calls cost

    def overheads(self, call, costs):
        """Returns the overheads that the messages of a call cause its own rank."""
        overheads = []
        for message in self.started[call]:
            changes_to_eager = self.changes(message) and not self.synchronous(message)
            waits = self.synchronous(message) or self.was_synchronous(message)
            if not (message.send.blocking and waits) or changes_to_eager:
                stands_in = not waits or call in self.absolute_calls
                overheads.append(costs.of(message).send_overheads(message, stands_in))
        overheads += [self.receive_overheads(message, costs)
                      for message in self.received[call]]
        return [one for one in overheads if one]

    def overhead(self, call):
        """Returns their sum, relative to the source; for a call in absolute times the complete sum."""
        overheads = self.overheads(call, self.costs)
        total = sum(one.target for one in overheads)
        if call in self.absolute_calls:
            return total
        if self.costs.source:
            return total - sum(one.source for one in overheads)
        return total - self.call_floors.floor(call) if overheads else ZERO

    def own_floor(self, call):
        """Returns the least duration of the call on the traced machine without waiting."""
        least = self.call_floors.floor(call)
        overheads = self.overheads(call, self.floor_costs)
        typical = ZERO
        if self.floor_costs.source:
            typical = sum(one.typical for one in overheads)
        return min(least, typical) if typical > 0 or self.awaits(call) else least

    def awaits(self, call):
        """Returns whether the call is a send that waits for its receiver on both machines, or one that a call of the
        receiver carries."""
        return call in self.blocked or self.shown and call in self.shown.transfers or any(
            message.send.blocking and self.synchronous(message) and self.was_synchronous(message)
            for message in self.started[call])

    def receive_overheads(self, message, costs):
        messages = self.received[message.receive.completed_by]
        before = messages[:messages.index(message)]
        sender = message.send.call.rank
        return costs.of(message).receive_overheads(
            message, any(other.send.call.rank == sender for other in before))

    def behind(self, message):
        """Returns the overheads of the receives that its call completes after this one."""
        messages = self.received[message.receive.completed_by]
        later = messages[messages.index(message) + 1:]
        total = ZERO
        for one in [self.receive_overheads(other, self.costs) for other in later]:
            if one and message.receive.completed_by.exchange:
                total += one.target
            elif one:
                total += one.target - (one.least if one.source is None else one.source)
        return total

    # Edges

    def add_message(self, message):
        send, post = message.send.call, message.receive.call
        begin = self.start(message) if self.clock else self.enter(send)
        arrival = begin + self.flight(message)
        if self.changes(message):
            self.add_changed(message, arrival)
        else:
            self.add_arrival(message, begin, arrival)
        synchronous = self.synchronous(message) or self.was_synchronous(message)
        self.add_completion(message, arrival,
                            synchronous or not message.receive.probes)
        for n, probe in enumerate(message.receive.probes):
            self.add_probe(message, probe, arrival, synchronous, n == 0)

    def add_arrival(self, message, begin, arrival):
        send, post = message.send.call, message.receive.call
        latency, transfer = self.resized_costs(message)
        sending, posting = map(self.settings.posting, (message.send, message.receive))
        self.graph.edge(send.S, message.A, sending + latency + transfer,
                        self.clock_slack(begin - self.enter(send)))
        self.graph.late[send.S, message.A] = max(ZERO, sending)
        if self.synchronous(message):
            there = begin + self.envelope(message)
            self.graph.edge(post.S, message.A, posting + transfer,
                            self.clock_slack(there - self.enter(post)))
            self.graph.late[post.S, message.A] = max(ZERO, posting)
            self.add_acknowledgement(message, arrival)

    def resized_costs(self, message):
        """Returns (lambda, tau) for its new size, plus what the new size costs more on the traced machine."""
        size_bytes = self.sizes.size[message]
        latency, transfer = self.costs.of(message).message(message, size_bytes)
        if size_bytes != message.bytes:
            transfer += (size_bytes - message.bytes) * self.settings.source_byte
        return latency, transfer

    def add_changed(self, message, arrival):
        """Adds a message whose protocol changes, with absolute times as on the target."""
        send, post = message.send.call, message.receive.call
        flight, envelope, back = self.whole_flights(message)
        self.graph.whole.add(message.A)
        self.graph.absolute[message.A] = send.S
        transfer = max(0, flight - envelope)
        if self.synchronous(message):
            flight = envelope + transfer
        sending, posting = map(self.settings.posting, (message.send, message.receive))
        self.graph.edge(send.S, message.A,
                        self.enter(send) + sending + flight - arrival)
        end = message.send.completed_by
        if self.grows(message):
            self.graph.edge(send.S, message.A, sending + sum(self.resized_costs(message)))
        if self.synchronous(message):
            self.graph.edge(post.S, message.A,
                            self.enter(post) + posting + transfer - arrival)
            if end:
                put = arrival + back - self.leave(end)
                delta = put + self.settings.answering(message)
                if self.grows(message):
                    self.graph.edge_without_slack(message.A, end.E, delta)
                else:
                    self.graph.edge(message.A, end.E, delta)
                self.graph.carry(message.A, end.E, delta, "messages", put=put,
                                 all_of_it=True)

    def whole_flights(self, message):
        """Returns X_T(d; u), X_T(0; u) and X_T(0; u')."""
        costs = self.costs.of(message)
        send, post = message.send.call, message.receive.call
        if costs.flies():
            u = costs.u(message)
            return (costs.absolute(self.sizes.size[message], u), costs.absolute(0, u),
                    costs.absolute(0, costs.u_back(message)))
        size_bytes = self.sizes.size[message]
        return (self.floor(size_bytes, send, post) + sum(costs.message(message, size_bytes)),
                self.floor(0, send, post) + costs.message(message)[0],
                self.floor(0, post, send) + costs.acknowledgement(message))

    def least(self, message, end):
        """Returns the bound: what reaches an end is at least D(A) without lambda and tau, plus this."""
        if self.changes(message):
            return -math.inf
        if not self.trace.has_clocks():
            return -self.flight(message)
        return -max(ZERO, self.leave(end) - self.start(message))

    def too_late(self, message, end, arrival):
        """Returns by how much the receiving call left before t(A), if D(A) is absolute."""
        return max(ZERO, arrival - self.leave(end)) if self.changes(message) else ZERO

    def add_probe(self, message, probe, arrival, synchronous, first):
        """Adds the edge of a probe: it finds an eager message, or a synchronous message's envelope."""
        kappa, send = self.settings.kappa(probe), message.send.call
        self.graph.ends[probe.E] = self.leave(probe)
        if not synchronous:
            self.graph.carry_arrival(
                message, probe.E, self.too_late(message, probe, arrival), "messages",
                self.clock_slack(self.leave(probe) - arrival),
                self.least(message, probe), kappa,
                Brought.FIRST if first else Brought.AGAIN, message.V)
            if self.clock:
                self.may_have_waited_for(message, probe, self.flight(message))
            return
        self.may_have_waited(probe, self.enter(send))
        floor = self.floor(0, send, probe)
        slack = self.leave(probe) - self.enter(send) - floor
        delta = (self.settings.posting(message.send)
                 + self.costs.of(message).message(message)[0] + kappa)
        self.graph.edge(send.S, probe.E, delta, self.clock_slack(slack))
        self.graph.carry(send.S, probe.E, delta, "messages")

    def add_completion(self, message, arrival, is_first):
        self.graph.edge(message.A, message.V, ZERO)
        end = message.receive.completed_by
        self.graph.ends[end.E] = self.leave(end)
        self.graph.carry_arrival(
            message, end.E,
            self.behind(message) + self.too_late(message, end, arrival), "messages",
            self.clock_slack(self.leave(end) - arrival), self.least(message, end),
            self.settings.kappa(end), Brought.FIRST if is_first else Brought.AGAIN,
            message.V)
        if self.clock:
            self.may_have_waited_for(message, end, self.flight(message))

    def add_carried(self):
        """A sender is done when its receiver is in a call that makes progress for it."""
        for message, call in self.carriers:
            end = message.send.completed_by
            slack = self.clock_slack(self.leave(end) - self.enter(call))
            later = max(ZERO, -slack) if message.is_inserted else ZERO
            self.graph.edge(call.S, end.E, later, slack)
            self.graph.carry(call.S, end.E, later, "messages", put=later)
            self.may_have_waited(end, self.enter(call))
        for end, call in self.shown.calls if self.shown else []:
            slack = self.clock_slack(self.leave(end) - self.enter(call))
            self.graph.edge(call.S, end.E, ZERO, slack)
            self.graph.carry(call.S, end.E, ZERO, "messages")
            self.may_have_waited(end, self.enter(call))

    def may_have_waited_for(self, message, end, usual):
        """Notes that END may have waited for this message, or for the answer to one."""
        begun = self.enter(message.send.call)
        if self.was_synchronous(message):
            begun = max(begun, self.enter(message.receive.call))
        self.may_have_waited(end, begun, self.leave(end) - self.start(message), usual)

    def add_acknowledgement(self, message, arrival):
        end = message.send.completed_by
        if end:
            floor = self.floor(0, message.receive.call, end)
            slack = self.leave(end) - arrival - floor
            back = self.costs.of(message).acknowledgement(message)
            self.graph.carry_arrival(
                message, end.E, back, "messages", self.clock_slack(slack),
                self.least(message, end), self.settings.answering(message),
                Brought.BACK)
            if self.clock:
                self.may_have_waited_for(message, end, self.flight(message) + floor)
