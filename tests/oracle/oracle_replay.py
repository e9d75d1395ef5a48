# SPDX-License-Identifier: GPL-3.0-or-later
"""Replay of recorded detours: clocks that give the work done until a time, and the loss of work of a given length to a
record (docs/MODEL.md, section 3). A clock has span, its length in ns, and work, the work done in it; u(t): work done
from 0 to t; when(y): first time at which the work y is done, where a detour does not count if at most ROUNDING_NS of
the work are left at its begin; detour(t): how long ago the detour at t began and how long it continues, or None. Times
beyond the span repeat it."""

import bisect
import itertools
import math

from oracle_signature import unpacked

PARTS = 16
BINS = 64
ROUNDING_NS = 1e-3


def split(y, work):
    """Splits work y into whole records and the rest. Work that ends with a record belongs to that record."""
    turns = math.floor(y / work)
    rest = y - turns * work
    if rest <= ROUNDING_NS and turns > 0:
        return turns - 1, rest + work
    return turns, rest


class Detours:
    """A complete record, or the longest detours of a truncated one."""

    def __init__(self, span, detours):
        self.span = span
        self.starts = [start for start, _ in detours]
        self.durations = [duration for _, duration in detours]
        self.lost_before = list(itertools.accumulate(self.durations, initial=0.0))
        self.work_before = [start - lost for start, lost
                            in zip(self.starts, self.lost_before)]
        self.work = span - self.lost_before[-1]

    def u(self, t):
        turns = math.floor(t / self.span)
        t -= turns * self.span
        i = bisect.bisect_right(self.starts, t) - 1
        if i < 0:
            return turns * self.work + t
        if t <= self.starts[i] + self.durations[i]:  # the same all through a detour
            return turns * self.work + self.work_before[i]
        return turns * self.work + t - self.lost_before[i + 1]

    def when(self, y):
        turns, y = split(y, self.work)
        return turns * self.span + y + self.lost_before[
            bisect.bisect_left(self.work_before, y - ROUNDING_NS)]

    def quiet(self, t):
        """Returns for how long after t nothing interrupts, within the record."""
        t -= math.floor(t / self.span) * self.span
        i = bisect.bisect_right(self.starts, t)
        if i > 0 and t < self.starts[i - 1] + self.durations[i - 1]:
            return 0.0
        return (self.starts + [self.span])[i] - t

    def detour(self, t):
        t -= math.floor(t / self.span) * self.span
        i = bisect.bisect_left(self.starts, t) - 1
        if i < 0 or t >= self.starts[i] + self.durations[i]:
            return None
        return t - self.starts[i], self.starts[i] + self.durations[i] - t

    @property
    def lost(self):
        return self.lost_before[-1] / self.span


class InParts:
    """A truncated record: the longest detours, and blocks of the others."""

    def __init__(self, longest, others):
        self.longest = longest
        self.others = others
        self.span = longest.span
        self.work = others.u(longest.work)

    def u(self, t):
        return self.others.u(self.longest.u(t))

    def when(self, y):
        return self.longest.when(self.others.when(y))

    def quiet(self, t):
        return min(self.longest.quiet(t), self.others.quiet(self.longest.u(t)))

    def detour(self, t):
        stopped = self.longest.u(t)
        inner = self.longest.detour(t) or self.others.detour(stopped)
        if not inner or self.longest.detour(t):
            return inner
        since, left = inner
        return since, self.longest.when(stopped + left) - t


class Resampled:
    """Sixteen equal parts of a record in another order; some are repeated."""

    def __init__(self, clock, picked):
        self.clock = clock
        self.span = clock.span
        self.part = clock.span / PARTS
        self.starts = [k * self.part for k in picked]
        ends = [self.span if k == PARTS - 1 else (k + 1) * self.part for k in picked]
        self.began = [clock.u(start) for start in self.starts]
        self.before = list(itertools.accumulate(
            (clock.u(end) - clock.u(start)
             for start, end in zip(self.starts, ends)), initial=0.0))
        self.work = self.before[-1]

    def u(self, t):
        turns = math.floor(t / self.span)
        t -= turns * self.span
        k = min(PARTS - 1, int(t / self.part))
        within = self.clock.u(self.starts[k] + t - k * self.part) - self.began[k]
        return turns * self.work + self.before[k] + within

    def when(self, y):
        turns, y = split(y, self.work)
        for k, (before, after) in enumerate(itertools.pairwise(self.before)):
            if after > before and y <= after + ROUNDING_NS:
                break
        inner = self.clock.when(self.began[k] + min(y, after) - before)
        within = min(max(0.0, inner - self.starts[k]), self.part)
        return turns * self.span + k * self.part + within

    def quiet(self, t):
        t -= math.floor(t / self.span) * self.span
        k = min(PARTS - 1, int(t / self.part))
        t -= k * self.part
        return min(self.clock.quiet(self.starts[k] + t), self.part - t)

    def detour(self, t):
        t -= math.floor(t / self.span) * self.span
        k = min(PARTS - 1, int(t / self.part))
        t -= k * self.part
        inner = self.clock.detour(self.starts[k] + t)
        return inner and (min(inner[0], t), min(inner[1], self.part - t))

    @property
    def lost(self):
        return (self.span - self.work) / self.span


def composed(clock):
    """Returns all detours of a record over one span, divided where replay divides them."""
    if isinstance(clock, Detours):
        return clock
    longest, others, pieces = clock.longest, clock.others, []
    stops = list(zip(longest.starts, longest.durations))
    pieces += stops
    turn = 0
    while turn * others.span < longest.work:
        for start, duration in zip(others.starts, others.durations):
            begin = turn * others.span + start
            while duration > 0 and begin < longest.work:
                t = begin + longest.lost_before[
                    bisect.bisect_right(longest.work_before, begin)]
                ahead = bisect.bisect_right(longest.starts, t)
                end = longest.starts[ahead] if ahead < len(stops) else longest.span
                piece = min(duration, end - t)
                pieces.append((t, piece))
                begin, duration = begin + piece, duration - piece
        turn += 1
    return Detours(longest.span, sorted(pieces))


def time_for(clock, begin, work):
    """Returns how long work takes that begins at BEGIN."""
    quiet = clock.quiet(begin)
    if work <= quiet:
        return work
    if quiet <= 0 and work <= ROUNDING_NS:  # in a detour, whether or not work precedes it
        return 0.0
    return max(0.0, clock.when(clock.u(begin) + work) - begin)


def read_detours(given):
    """Returns [(start, duration)] of a signature's detours."""
    if "start_ns" in given:
        return list(zip(given["start_ns"], given["duration_ns"]))
    parts, now, detours = given.get("parts_of_ns", 1), 0, []
    numbers = unpacked(given["packed"]) if given["n"] else []
    for gap, duration in zip(numbers[::2], numbers[1::2]):
        detours.append(((now + gap) / parts, duration / parts))
        now += gap + duration
    return detours


def read_record(core):
    """Returns the clock of a core's record, or None."""
    if not core.get("span_ns"):
        return None
    given = core.get("detours", {"n": 0})
    longest = Detours(core["span_ns"], read_detours(given))
    if "blocks" not in given:
        return longest
    return InParts(longest, read_blocks(given))


def read_blocks(given):
    """Reads the blocks, one after the other, on the clock that stops during the longest detours."""
    parts = given.get("parts_of_ns", 1)
    numbers = iter(unpacked(given["blocks"]["packed"]))
    least = given.get("least_ns", 0)
    now, detours = 0, []
    for _ in range(given["blocks"]["n"]):
        n = next(numbers)
        next(numbers)
        for _ in range(n):
            gap, duration = next(numbers), next(numbers)
            now += gap
            if not (least and duration / parts >= least):
                detours.append((now / parts, duration / parts))
                now += duration
    return Detours(now / parts, detours)


# --- what work loses -------------------------------------------------------

def bin_of(value, bins=BINS):
    return math.floor(bins * math.log2(value + 1))


def bound_of(number, bins=BINS):
    return 2.0 ** (number / bins) - 1


class Losses:
    """The distribution of the loss of work of a given length that begins at a random time."""

    def __init__(self, record, work):
        self.mass = {}
        self.record = record
        self.quiet_starts(work)
        self.starts_in_detours(work)

    def put(self, number, mass):
        self.mass[number] = self.mass.get(number, 0.0) + mass

    def lost_until(self, work):
        """Returns the loss to all detours before which less than WORK is done, periodically continued."""
        record = self.record
        turns = math.floor(work / record.work)
        at = bisect.bisect_left(record.work_before, work - turns * record.work)
        return turns * record.lost_before[-1] + record.lost_before[at]

    def quiet_starts(self, work):
        record = self.record
        edges = {0.0, record.work}
        for before in record.work_before:
            edges.add(before)
            edges.add((before - work) % record.work)
        for low, high in itertools.pairwise(sorted(edges)):
            middle = (low + high) / 2
            loss = self.lost_until(middle + work) - self.lost_until(middle)
            self.put(bin_of(max(0.0, loss)), (high - low) / record.span)

    def starts_in_detours(self, work):
        """Work that begins in a detour loses each length from A to A + the detour's duration alike. Between two ends of such
        ranges, the number of ranges is constant."""
        record, ends = self.record, []
        for i, (before, duration) in enumerate(zip(record.work_before,
                                                   record.durations)):
            a = max(0.0, self.lost_until(before + work) - record.lost_before[i + 1])
            ends += [(a, 1), (a + duration, -1)]
        low, ranges = 0.0, 0
        for end, change in sorted(ends):
            if ranges and low < end:
                self.spread(low, end, ranges / record.span)
            low, ranges = end, ranges + change

    def spread(self, low, end, density):
        """Puts a mass of DENSITY x length into each bin between LOW and END."""
        while low < end:
            number = bin_of(low)
            high = min(end, bound_of(number + 1))
            if high <= low:
                number, high = number + 1, min(end, bound_of(number + 2))
            self.put(number, (high - low) * density)
            low = high
