# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of the traced machine that the oracle derives from the trace: least durations of calls, least times of
messages, and which sends waited for their receiver (docs/MODEL.md, sections 3 and 4)."""

import math
from collections import Counter, defaultdict

from oracle_exact import Fraction
from oracle_matching import COMPLETIONS, STANDARD_SENDS

ZERO = Fraction(0)
ENOUGH_WAITED = 8


def size_class(size_bytes):
    """Returns floor(log2(bytes + 1))."""
    return (int(size_bytes) + 1).bit_length() - 1


def class_of(number, log2):
    """Returns the class of a natural number: 2^LOG2 classes an octave; smaller numbers have a class each."""
    if number < 1 << log2:
        return number
    octave = number.bit_length() - 1
    return (octave - log2 + 1 << log2) + (number >> octave - log2) - (1 << log2)


def rounded(value):
    """Rounds halves up; not below 0."""
    return max(0, math.floor(value + Fraction(1, 2)))


class CallFloors:
    """The least duration seen for each (host, call name, size class)."""

    MAX_OF_WAITS = 1000

    def __init__(self, trace, places=None):
        self.trace, self.least, self.limited = trace, {}, set()
        self.hosts = places.nodes if places else trace.hosts
        for calls in trace.calls:
            for call in calls:
                key = self.key(call)
                self.least[key] = min(call.duration,
                                      self.least.get(key, call.duration))

    def key(self, call):
        if call.name in COMPLETIONS:
            return self.hosts[call.rank], call.name, 0
        return self.hosts[call.rank], call.name, size_class(call.own_bytes())

    def limit_waits(self, waited):
        """If all calls of a class waited, their durations do not count as costs."""
        self.limited = set(self.least) - {self.key(call) for calls in self.trace.calls
                                          for call in calls if call not in waited}

    def floor(self, call):
        least = self.least[self.key(call)]
        if self.key(call) in self.limited:
            return min(least, self.MAX_OF_WAITS)
        return least


class Flights:
    """The flights of the messages of one size class between two hosts."""

    MAX_BINS = 32

    def __init__(self):
        self.sizes, self.bounds, self.whole = [], [], []

    def point(self):
        """Returns (bytes, ns, is_bound): the mean size, and the usual flight or, as a bound, the least time since both
        sides were ready."""
        return Fraction(sum(self.sizes), len(self.sizes)), self.time(), not self.whole

    def time(self):
        """Returns the mean of the bin that contains the lower median of complete flights, one of the lowest bins."""
        if not self.whole:
            return max(ZERO, min(self.bounds))
        bins = {}
        for flight in map(rounded, self.whole):
            bins.setdefault(class_of(flight, 3), []).append(flight)
        lowest, below = sorted(bins)[:self.MAX_BINS], 0
        for index in lowest:
            below += len(bins[index])
            if 2 * below >= len(self.whole):
                break
        return Fraction(sum(bins[index]), len(bins[index]))


class MessageFloors:
    """l(d): the usual time of a message of d bytes on the traced machine. Slack needs it only if clocks are comparable;
    so does a message that becomes faster, in order not to arrive before it left."""

    def __init__(self, matching, settings):
        self.trace = matching.trace
        self.latency = settings.source_latency
        self.byte = settings.source_byte
        self.stated = self.latency is not None or self.byte is not None
        self.settings = settings
        self.replaced = None not in (settings.latency, settings.byte)
        self.flights, self.found, self.curves = {}, {}, {}
        if self.trace.has_clocks() and not self.stated:
            self.observe(matching)
            for (pair, _), flights in self.flights.items():
                self.curves.setdefault(pair, []).append(flights.point())
            for pair, points in self.curves.items():
                whole = [point for point in points if not point[2]]
                self.curves[pair] = sorted(whole or points)

    def observe(self, matching):
        ended = defaultdict(list)
        for message in matching.messages:
            ended[message.receive.completed_by].append(message)
        for end, messages in ended.items():
            last, most = max((self.sent(one), one.bytes) for one in messages)
            is_seen = (last > self.trace.aligned(end.rank, end.enter)
                       and most == max(one.bytes for one in messages) and not end.off)
            for one in messages:
                self.add(one, end, is_seen and (self.sent(one), one.bytes) == (last, most))

    def sent(self, message):
        return self.trace.aligned(message.send.call.rank, message.send.call.enter)

    def add(self, message, end, is_whole):
        flight = self.trace.aligned(end.rank, end.leave) - self.sent(message)
        key = self.host_pair(message.send.call, end), class_of(message.bytes, 2)
        cell = self.flights.setdefault(key, Flights())
        cell.sizes.append(message.bytes)
        cell.bounds.append(min(flight, end.duration))
        if is_whole:
            cell.whole.append(flight)

    def host_pair(self, a, b):
        places = self.settings.source_places
        if not places:
            return self.trace.host_pair(a, b)
        return frozenset((places.nodes[a.rank], places.nodes[b.rank]))

    def paths(self, a, b):
        """Returns the paths of target and source between two calls' ranks, as far as known."""
        if not self.settings.signature or not self.settings.source:
            return None, None
        both = self.settings.paths(a.rank, b.rank)
        target, path = both or (self.settings.target_path(), self.settings.source_path())
        return target, path and path.latency and path

    def without_overheads(self, size_bytes, seen, target, path):
        """Returns the time that messages waited for their ranks' own calls, as far as it can be determined."""
        if (not path or not target or self.replaced
                or not (path.send_overhead and path.receive_overhead)
                or not (target.send_overhead and target.receive_overhead)):
            return seen
        own = sum(median(sizes, size_bytes)
                  for sizes in (path.send_overhead, path.receive_overhead))
        return min(seen, max(path.flight(None, size_bytes, 0.5), seen - own))

    def __call__(self, size_bytes, sender, receiver):
        """Returns l(size_bytes) between the hosts of two calls."""
        key = size_bytes, sender.rank, receiver.rank
        if key not in self.found:
            self.found[key] = self.find(size_bytes, sender, receiver)
        return self.found[key]

    def find(self, size_bytes, sender, receiver):
        if self.stated:
            return (self.latency or ZERO) + size_bytes * (self.byte or ZERO)
        curve = self.curves.get(self.host_pair(sender, receiver))
        target, path = self.paths(sender, receiver)
        if curve:
            usual = along(curve, size_bytes, path and (lambda size: path.flight(None, size, 0.5)))
            return self.without_overheads(size_bytes, usual, target, path)
        return path.flight(None, size_bytes, 0.5) if path else ZERO


def along(curve, size_bytes, measured):
    """Interpolates linearly between the points of a curve. MEASURED: the source's median at a size, if known."""
    points = [(size, min(time, measured(size)) if is_bound and measured else time)
              for size, time, is_bound in curve]
    for before, after in zip(points, points[1:]):
        if before[0] <= size_bytes <= after[0]:
            return line(before, after, size_bytes)
    end, *others = points if size_bytes < points[0][0] else points[::-1]
    if size_bytes == end[0]:
        return end[1]
    if measured:
        return max(0, end[1] + measured(size_bytes) - measured(end[0]))
    if others:
        slope = max(0, min((end[1] - others[0][1]) / (end[0] - others[0][0]), end[1] / end[0]))
    else:
        slope = end[1] / end[0] if size_bytes < end[0] else 0
    return max(0, end[1] + (size_bytes - end[0]) * slope)


def line(a, b, size_bytes):
    return a[1] + (b[1] - a[1]) * (size_bytes - a[0]) / (b[0] - a[0])


def median(sizes, size_bytes):
    """Returns the median over all launches."""
    return sizes(None, size_bytes, 0.5)


def limit_shown(matching, target_limit):
    """Returns the traced machine's eager limit, as far as the trace contradicts the target's; None: unlimited. A send
    that left before its receive was posted was eager; a blocking one that left after the receive was posted meanwhile
    had waited."""
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
    """Returns the eager limits of target and source; None: unlimited."""
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
