# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages in the oracle's graph: arrivals, completions, protocols that change, and
what calls cost their own ranks (docs/MODEL.md sections 3 and 4)."""

import enum
import math
from collections import defaultdict

from oracle_exact import Fraction

ZERO = Fraction(0)


class Brought(enum.Enum):
    """What an arrival brings to a call's end: itself, itself once more, an answer."""

    FIRST = 1
    AGAIN = 2
    BACK = 3


class Messages:
    """A mixin of Builder."""

    def sort_messages(self, matching):
        """Which messages each call starts and completes; which calls are touched."""
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
        """By its new size, if there is an absolute time for it."""
        return message.is_synchronous(self.target_limit, self.sizes.size[message] if self.clock else None)

    def was_synchronous(self, message):
        if message.is_inserted:  # all of it is in absolute times
            return not self.synchronous(message)
        return message.is_synchronous(self.source_limit)

    def changes(self, message):
        return self.synchronous(message) != self.was_synchronous(message)

    def grows(self, message):
        """It is synchronous on the target by its new size alone."""
        return (self.synchronous(message) and not self.was_synchronous(message)
                and not message.is_synchronous(self.target_limit))

    def start(self, message):
        """When it could begin to fly, on the traced machine: its envelope, if it has one,
        is there when the receive is posted."""
        begin = self.enter(message.send.call)
        if self.was_synchronous(message) and self.trace.has_clocks():
            begin = max(begin, self.enter(message.receive.call) - self.envelope(message))
        return begin

    def envelope(self, message):
        """l0 of a synchronous message."""
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
        """Of each message that a call starts or completes, to its own rank."""
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
        """Of all of them, what is more on the target; absolute: all."""
        overheads = self.overheads(call, self.costs)
        total = sum(one.target for one in overheads)
        if call in self.absolute_calls:
            return total
        if self.costs.source:
            return total - sum(one.source for one in overheads)
        return total - self.call_floors.floor(call) if overheads else ZERO

    def own_floor(self, call):
        """What the call takes at least on the traced machine, if it does not wait."""
        least = self.call_floors.floor(call)
        overheads = self.overheads(call, self.floor_costs)
        typical = ZERO
        if self.floor_costs.source:
            typical = sum(one.typical for one in overheads)
        return min(least, typical) if typical > 0 or self.awaits(call) else least

    def awaits(self, call):
        """Whether it is a send that waits for its receiver, on both machines, or that a call of that carries."""
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
        """Of the receives that its call completes after it."""
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
        """(lambda, tau) of its new size, and what that costs more on the traced machine."""
        size_bytes = self.sizes.size[message]
        latency, transfer = self.costs.of(message).message(message, size_bytes)
        if size_bytes != message.bytes:
            transfer += (size_bytes - message.bytes) * self.settings.source_byte
        return latency, transfer

    def add_changed(self, message, arrival):
        """In absolute times, as on the target."""
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
        """X_T(d; u), X_T(0; u) and X_T(0; u')."""
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
        """What comes to an end is no less than D(A) without lambda and tau, plus this."""
        if self.changes(message):
            return -math.inf
        if not self.trace.has_clocks():
            return -self.flight(message)
        return -max(ZERO, self.leave(end) - self.start(message))

    def too_late(self, message, end, arrival):
        """How long before t(A) a call left that received it, if D(A) is absolute."""
        return max(ZERO, arrival - self.leave(end)) if self.changes(message) else ZERO

    def add_probe(self, message, probe, arrival, synchronous, first):
        """The whole of an eager message, of a synchronous one its envelope."""
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
        """Who sends is done once its receiver is in a call that sees to it."""
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
        """A message, or the answer to one."""
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
