# SPDX-License-Identifier: GPL-3.0-or-later
"""Which messages receives and probes with MPI_ANY_SOURCE or MPI_ANY_TAG take (docs/MODEL.md, section 6, Open
receives)."""

from collections import defaultdict

from oracle_exact import Fraction
from oracle_matching import MATCHED_PROBES

TICK = 1
ROUNDING = Fraction(1, 1000)
PROBES = {"Probe", "Iprobe"} | MATCHED_PROBES


def opened(terms, what):
    return what in terms.args.get("any", "").split(",")


class Fit:
    """The messages that a receive or a probe can take."""

    def __init__(self, terms, key):
        """KEY: that of the message that it took in the trace; an open source or tag is ignored."""
        self.comm, self.source, _, self.tag = key[:4]
        self.any_source, self.any_tag = opened(terms, "source"), opened(terms, "tag")

    def matches(self, message):
        return (message.key[0] == self.comm
                and (self.any_source or message.key[1] == self.source)
                and (self.any_tag or message.key[3] == self.tag))

    def same(self):
        return (self.comm, None if self.any_source else self.source,
                None if self.any_tag else self.tag)


class OpenReceives:
    """Mixin of Choice, whose attributes delays, holds, done, is_void and others it uses."""

    def find_open(self, matching):
        self.followed = {message for message in matching.messages
                         if isinstance(message.key[0], int) and self.is_eager(message)
                         and self.is_alone(message.receive.call.rank)
                         and not self.by_completion}
        self.to_rank = defaultdict(list)
        for message in self.followed:
            self.to_rank[message.receive.call.rank].append(message)
        self.found = {probe: message for message in matching.messages
                      for probe in message.receive.probes}
        self.chosen_at = defaultdict(list)
        self.waiting = set()
        if self.by_completion:
            return
        for message in matching.messages:
            if (isinstance(message.key[0], int) and self.is_open(message)
                    and self.is_alone(message.receive.call.rank)):
                self.chosen_at[message.receive.completed_by].append(message)
        for call in self.calls.values():
            if (call.name in PROBES and call.args.get("from") != "null"
                    and self.is_alone(call.rank)):
                if opened(call, "source") or call.args.get("found") == "0":
                    self.waiting.add(call)
        self.waiting |= set(self.chosen_at)
        for call, messages in self.given.items():
            more = [message for message in messages if self.is_open(message)
                    and message.receive.completed_by is not call]
            self.chosen_at[call] += more
            if self.chosen_at[call]:
                self.waiting.add(call)

    def clear_open(self):
        self.stays, self.taken, self.passes = set(), set(), set()
        self.bound = defaultdict(Fraction)
        self.sight = {}

    def is_open(self, message):
        terms = message.receive.terms
        return terms.name not in MATCHED_PROBES and opened(terms, "source")

    # Who may take what

    def sent(self, message):
        return message.V in self.delays

    def is_there(self, message):
        return self.sent(message) and message not in self.taken

    def posted(self, rank):
        """Returns the messages of the receives that are posted and not complete, in order."""
        messages = [message for message in self.to_rank[rank]
                    if message.receive.terms.name not in MATCHED_PROBES
                    and message.receive.call.S in self.delays
                    and message.receive.completed_by.E not in self.delays
                    and self.sent(message)]
        return sorted(messages, key=lambda message: (
            message.receive.call.index, message.receive.position))

    def first_ones(self, rank, fit, messages):
        """Returns the first message of each source that fits."""
        first = {}
        for message in messages:
            place = message.send.call.index, message.send.index
            source = message.send.call.rank
            if fit.matches(message) and (source not in first or place < first[source][0]):
                first[source] = place, message
        return [message for _, message in first.values()]

    def time(self, message):
        """Returns T(A) of the message."""
        return max(self.traced_arrival(message) + self.bound[message]
                   + self.delays[message.A], self.cause(message))

    def first_to_arrive(self, rank, fit, own, without, ready=None):
        """READY: arrival of its own message, if that overtakes others and has arrived by then."""
        there = [message for message in self.to_rank[rank]
                 if self.is_there(message) and message not in without]
        ones = self.first_ones(rank, fit, there)
        least = min(map(self.time, ones), default=None)
        equal = [message for message in ones if self.time(message) <= least + ROUNDING]
        if own in equal or (own in ones and own in self.passes and ready is not None and self.time(own) <= ready + ROUNDING):
            return own
        return min(equal, key=lambda message: message.send.call.rank, default=None)

    # The trace's bounds

    def raise_to(self, message, time):
        late = time + TICK - self.traced_arrival(message)
        self.bound[message] = max(self.bound[message], late)

    def trace_has_taken(self, message):
        terms = message.receive.terms
        if terms.name in MATCHED_PROBES and terms.E in self.delays:
            return True
        return message.receive.completed_by.E in self.delays

    def bound_others(self, call, fit, own, without, found_nothing, here):
        """HERE: the call posts the receive, or is the probe."""
        there = [message for message in self.to_rank[call.rank]
                 if self.sent(message) and not self.trace_has_taken(message)
                 and message not in without]
        for message in self.first_ones(call.rank, fit, there):
            if message is own:
                continue
            came = own and self.traced_arrival(own) + self.bound[own]
            if own and here and came <= self.builder.enter(call):
                if self.traced_arrival(message) + self.bound[message] < came + TICK:
                    self.passes.add(own)
            elif own:
                self.raise_to(message, came)
            if found_nothing:
                self.raise_to(message, self.builder.enter(call))

    def bound_arrivals(self, call, posted, choosing, fit):
        without = []
        completed_nothing = call in self.given and not any(
            message.receive.completed_by is call for message in self.given[call])
        for message in posted:
            if self.is_open(message):
                self.bound_others(call, Fit(message.receive.terms, message.key), message,
                                  without, completed_nothing and message in choosing,
                                  message.receive.call is call)
            without.append(message)
        if fit:
            own = self.found.get(call)
            self.bound_others(call, fit, own, without, own is None, True)

    # Choosing

    def go_by(self, request, message):
        """Lets the request's receive take that message."""
        delays, graph = self.delays, self.graph
        if request is message:
            delays[request.V] = delays[request.A]
            graph.exchanged.pop(request.V, None)
            graph.starts.pop(request.V, None)
            self.holds.pop(request, None)
            return
        self.holds[request] = message
        later = (self.traced_arrival(message) + self.bound[message]
                 - self.traced_arrival(request))
        delays[request.V] = self.time(message) - self.traced_arrival(request)
        graph.starts[request.V] = self.cause(message)
        graph.exchanged[request.V] = graph.without(message.A, delays) + later

    def held(self, request):
        return self.holds.get(request, request)

    def stay(self, request):
        self.stays.add(request)
        self.taken.add(self.held(request))

    def looks_for(self, call):
        """Returns the messages that a probe with a choice can find; None: it has no choice."""
        if call not in self.waiting or call.name not in PROBES:
            return None
        if call in self.found:
            message = self.found[call]
            return Fit(call, message.key) if message in self.followed else None
        named = call.args.get("from"), call.args.get("tag")
        return Fit(call, (call.number("comm"),
                          *(None if word is None else int(word)
                            for word in (named[0], None, named[1]))))

    def decide(self, call):
        """Decides what the call's open receives take; returns whether the call is not made."""
        choosing = [message for message in self.chosen_at.get(call, [])
                    if message in self.followed and self.sent(message)]
        fit = self.looks_for(call)
        if not choosing and not fit:
            return self.find_named(call) if call.name in PROBES else False
        posted = self.posted(call.rank)
        if not fit:
            last = max(posted.index(message) for message in choosing)
            posted = posted[:last + 1]
        self.bound_arrivals(call, posted, choosing, fit)
        without = set()
        for request in posted:
            if request in self.stays:
                continue
            taken = request
            if self.is_open(request):
                taken = self.first_to_arrive(
                    call.rank, Fit(request.receive.terms, request.key), request, without,
                    self.now(call) if request.receive.call is call else None)
            if taken is None:
                self.is_void |= request in choosing
                continue
            without.add(taken)
            if request in choosing:
                self.go_by(request, taken)
        if not fit:
            return False
        return self.find(call, fit, without) if call in self.found else (
            self.find_nothing(call, fit, without))

    def now(self, call):
        return self.builder.enter(call) + self.delays[call.S]

    def find_nothing(self, call, fit, without):
        seen = call.rank, fit.same()
        if seen in self.sight and self.is_there(self.sight[seen]):
            if self.sight[seen] not in without:
                self.saved += 1
                return True
        message = self.first_to_arrive(call.rank, fit, None, without)
        if message and self.time(message) <= self.now(call) + ROUNDING:
            self.sight[seen] = message
            self.early += 1
        return False

    def seen(self, call, fit):
        message = self.sight.pop((call.rank, fit.same()), None)
        return message if message and self.is_there(message) else None

    def find(self, call, fit, without):
        request = self.found[call]
        seen = self.seen(call, fit)
        if request in self.stays:
            return False
        if seen in without:
            seen = None
        message = seen or self.first_to_arrive(call.rank, fit, request, without, self.now(call))
        if message is None:
            self.is_void = True
            return False
        self.go_by(request, message)
        self.stay(request)
        self.is_other |= message is not request
        return seen is message

    def find_named(self, call):
        """Handles a probe that names its source and found a message."""
        request = self.found.get(call)
        if request not in self.followed or request in self.stays:
            return False
        seen = self.seen(call, Fit(call, request.key))
        if not self.is_there(request):
            self.is_void = True
        elif call.name in MATCHED_PROBES:
            self.go_by(request, request)
            self.stay(request)
        return seen is request

    def take_completed(self, call):
        """Marks the messages as taken that the call's completed receives hold."""
        for request in self.builder.received[call]:
            message = self.held(request)
            if message in self.followed and message in self.taken:
                self.is_void |= request not in self.stays
            self.taken.add(message)
