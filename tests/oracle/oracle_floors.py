# SPDX-License-Identifier: GPL-3.0-or-later
"""What the oracle reads off the traced machine: the least duration of calls, the
least time of messages, and which sends waited for their receiver (docs/MODEL.md
sections 3 and 4)."""

from collections import Counter

from oracle_exact import Fraction
from oracle_matching import COMPLETIONS, STANDARD_SENDS

ZERO = Fraction(0)
ENOUGH_WAITED = 8


def size_class(size_bytes):
    """floor(log2(bytes + 1))"""
    return (int(size_bytes) + 1).bit_length() - 1


class CallFloors:
    """The least duration seen for (call name, size class), over all ranks."""

    MOST_OF_WAITS = 1000

    def __init__(self, trace):
        self.trace, self.least, self.limited = trace, {}, set()
        for calls in trace.calls:
            for call in calls:
                key = self.key(call)
                self.least[key] = min(call.duration,
                                      self.least.get(key, call.duration))

    @staticmethod
    def key(call):
        if call.name in COMPLETIONS:
            return call.name, 0
        return call.name, size_class(call.own_bytes())

    def limit_waits(self, waited):
        """Where all calls are among those that waited their durations are no costs."""
        self.limited = set(self.least) - {self.key(call) for calls in self.trace.calls
                                          for call in calls if call not in waited}

    def floor(self, call):
        least = self.least[self.key(call)]
        if self.key(call) in self.limited:
            return min(least, self.MOST_OF_WAITS)
        return least

    def exceeds_least(self, call):
        return call.duration > self.least[self.key(call)]


class MessageFloors:
    """l(d): the least time of a message of d bytes on the traced machine.

    Slack needs it under clock only; a message that becomes faster needs it
    wherever clocks are comparable, to arrive no earlier than it left.
    """

    def __init__(self, matching, call_floors, settings):
        self.trace = matching.trace
        self.latency = settings.source_latency
        self.byte = settings.source_byte
        self.stated = self.latency is not None or self.byte is not None
        self.settings = settings
        self.replaced = None not in (settings.latency, settings.byte)
        self.least, self.found = {}, {}
        if self.trace.has_clocks() and not self.stated:
            for message in matching.messages:
                if call_floors.exceeds_least(message.receive.completed_by):
                    self.observe(message)

    def observe(self, message):
        send, end = message.send.call, message.receive.completed_by
        begun = self.trace.aligned(send.rank, send.enter)
        if self.settings.hypotheses:
            begun = max(begun, self.trace.aligned(end.rank, end.enter))
        flight = max(ZERO, self.trace.aligned(end.rank, end.leave) - begun)
        key = self.host_pair(send, end), size_class(message.bytes)
        self.least[key] = min(flight, self.least.get(key, flight))

    def host_pair(self, a, b):
        places = self.settings.source_places
        if not places:
            return self.trace.host_pair(a, b)
        return frozenset((places.nodes[a.rank], places.nodes[b.rank]))

    def paths(self, a, b):
        """Of the target and of the source, between two calls' ranks, as far as known."""
        if not self.settings.signature or not self.settings.source:
            return None, None
        both = self.settings.paths(a.rank, b.rank)
        target, path = both or (self.settings.target_path(), self.settings.source_path())
        return target, path and path.latency and path

    def without_overheads(self, size_bytes, seen, target, path):
        """What messages waited for calls of the ranks' own, as far as it can be."""
        if (not path or not target or self.replaced
                or not (path.send_overhead and path.receive_overhead)
                or not (target.send_overhead and target.receive_overhead)):
            return seen
        own = sum(median(sizes, size_bytes)
                  for sizes in (path.send_overhead, path.receive_overhead))
        return min(seen, max(path.flight(None, size_bytes, 0.5), seen - own))

    def __call__(self, size_bytes, sender, receiver):
        """l(size_bytes) between the hosts of two calls."""
        key = size_bytes, sender.rank, receiver.rank
        if key not in self.found:
            self.found[key] = self.find(size_bytes, sender, receiver)
        return self.found[key]

    def find(self, size_bytes, sender, receiver):
        if self.stated:
            return (self.latency or ZERO) + size_bytes * (self.byte or ZERO)
        pair = self.host_pair(sender, receiver)
        target, path = self.paths(sender, receiver)
        for smaller in range(size_class(size_bytes), -1, -1):
            if (pair, smaller) in self.least:
                return self.without_overheads(size_bytes, self.least[pair, smaller],
                                              target, path)
        return path.flight(None, size_bytes, 0) if path else ZERO


def median(sizes, size_bytes):
    """Of all launches."""
    return sizes(None, size_bytes, 0.5)


def limit_shown(matching, target_limit):
    """The traced machine's eager limit as far as the trace contradicts the target's.

    None is unlimited.  A send that left before its receive was posted was eager;
    a blocking one that left after it, posted meanwhile, waited.
    """
    trace = matching.trace
    left, waited = -1, Counter()
    for message in matching.messages:
        if message.send.terms.name not in STANDARD_SENDS:
            continue
        begin, end, post = (message.send.call, message.send.completed_by,
                            message.receive.call)
        posted = trace.aligned(post.rank, post.enter)
        if end and trace.aligned(end.rank, end.leave) < posted:
            left = max(left, message.bytes)
        elif begin.name == "Send" and trace.aligned(begin.rank, begin.enter) < posted:
            waited[message.bytes] += 1
    least = min((size for size, n in waited.items()
                 if size > left and n >= ENOUGH_WAITED), default=None)
    limit = None if target_limit is None else max(target_limit, left)
    if least is None:
        return limit
    return least - 1 if limit is None else min(limit, least - 1)


def eager_limits(matching, settings, clock):
    """Those of target and source; None is unlimited."""
    target, source = settings.target_limit(), settings.source_limit()
    if target is None:
        target = source
    if target is None and clock and settings.hypotheses:
        target = limit_shown(matching, None)
        return target, target
    if not clock:
        return target, target
    if source is None:
        alone = settings.eager_limit is not None
        source = target if alone or target is None else limit_shown(matching, target)
    return target, source
