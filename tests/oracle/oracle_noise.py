# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operating system takes from computation: the source's noise removed where
it is, the target's put in (docs/MODEL.md section 3)."""

import math
from collections import Counter, defaultdict
from fractions import Fraction

from oracle_draws import PART, PHASE, Draws
from oracle_replay import (PARTS, LossTable, Resampled, bin_of, bound_of, read_record,
                           time_for)

ZERO = Fraction(0)
ENOUGH = 8
MOST_BINS = 128
FINEST = 1024
MEASUREMENTS = 32


class Cores:
    """A signature's recorded cores, those of a measurement, and who runs on which."""

    def __init__(self, signature, trace, settings, mode):
        self.mode = mode
        self.settings = settings
        self.draw = Draws(settings.seed, settings.replica)
        self.hosts = defaultdict(list)
        self.all = [core for core in signature.cores if core.get("span_ns")]
        for core in self.all:
            self.hosts[core.get("host", "")].append(core)
        self.records = {id(core): read_record(core) for core in self.all}
        self.local = {}
        self.ranks_of = defaultdict(list)
        for rank in range(trace.ranks):
            self.ranks_of[trace.hosts[rank]].append(rank)
        self.picked = None
        if settings.measurement != "fixed":
            again = Draws(settings.seed, settings.replica // 2 % MEASUREMENTS)
            self.picked = [int(PARTS * again(0, 0, PART, place))
                           for place in range(PARTS)]

    def place(self, rank):
        """(core, lowest rank with this phase, first core of the host)"""
        if self.mode == "none":
            core = self.all[rank % len(self.all)]
            return core, rank, core
        for h, ranks in enumerate(self.ranks_of.values()):
            if rank in ranks:
                names = list(self.hosts)
                cores = self.hosts[names[h % len(names)]]
                local = ranks.index(rank)
                lowest = ranks[local // len(cores) * len(cores)]
                if self.mode == "job":
                    lowest = 0
                return cores[local % len(cores)], lowest, cores[0]
        raise AssertionError

    def phase(self, rank):
        core, lowest, first = self.place(rank)
        begin = self.draw(lowest, 0, PHASE) * first["span_ns"]
        begin += first.get("offset_ns", 0) - core.get("offset_ns", 0)
        return begin % core["span_ns"]

    def whole(self, rank):
        return self.records[id(self.place(rank)[0])]

    def clock(self, rank):
        whole = self.whole(rank)
        return whole if self.picked is None else Resampled(whole, self.picked)


class Sketch:
    """Alike intervals: how many are how long."""

    def __init__(self, intervals):
        self.n = len(intervals)
        self.least = min(intervals)
        self.bins = FINEST
        while self.bins > 1 and len(self.count(intervals)) > MOST_BINS:
            self.bins //= 2
        below, self.shares = 0, {}
        for number, members in sorted(self.count(intervals).items()):
            self.shares[number] = (below / self.n, (below + members) / self.n)
            below += members

    def count(self, intervals):
        return Counter(bin_of(y, self.bins) for y in intervals)

    def bounds(self, number):
        return bound_of(number, self.bins), bound_of(number + 1, self.bins)

    def median(self):
        for number, (low, high) in self.shares.items():
            if high >= 0.5:
                least, most = self.bounds(number)
                return least + (most - least) * (0.5 - low) / (high - low)
        raise AssertionError


class Removal:
    """The source's noise taken out of alike intervals."""

    def __init__(self, sketch, table, phi, again):
        self.sketch, self.phi, self.again = sketch, phi, again
        median = sketch.median()
        self.work = max(0.0, median - table.quantile(0.5, median))
        mean = table.integral(1.0, self.work)
        lost, middle, share = {}, {}, {}
        for number, (low, high) in sketch.shares.items():
            share[number] = high - low
            lost[number] = (table.integral(high, self.work)
                            - table.integral(low, self.work)) / (high - low)
            middle[number] = sum(sketch.bounds(number)) / 2
        beta = self.beta(share, lost, middle, mean)
        self.removed = {number: mean + beta * (lost[number] - mean) for number in lost}
        self.floor = max(0.0, self.linear(sketch.least))

    def beta(self, share, lost, middle, mean):
        """How much of the spread is removed: work that varies by itself has more."""
        centre = sum(share[b] * middle[b] for b in share)
        v = sum(share[b] * (lost[b] - mean) ** 2 for b in share)
        if v <= 0:
            return 1.0
        c = sum(share[b] * (lost[b] - mean) * (middle[b] - centre) for b in share)
        k4 = sum(share[b] * (lost[b] - mean) ** 4 for b in share) / v ** 2
        kappa = c / v * (1 - math.sqrt(max(0.0, k4 - 1) / self.sketch.n))
        return kappa - math.sqrt(kappa ** 2 - 1) if kappa > 1 else 1.0

    def linear(self, y):
        removed = self.removed[bin_of(y, self.sketch.bins)]
        if self.phi > 0:
            removed *= self.again / self.phi
        return self.work + (1 - self.again) * (y - removed - self.work)

    def __call__(self, y):
        return min(y, max(self.linear(y), min(y, self.floor)))


class Noise:
    """Of one replica."""

    def __init__(self, trace, settings):
        self.trace, self.settings = trace, settings
        self.target = self.cores(settings.signature)
        self.source = settings.signature and self.cores(settings.source)
        self.tables, self.removals = {}, {}
        self.same = (self.source and self.target and settings.compute_ratio == 1
                     and settings.signature.cores == settings.source.cores)
        if self.source and not self.same:
            self.groups, self.pools = self.alikes()

    def cores(self, signature):
        if not signature or not any(core.get("span_ns") for core in signature.cores):
            return None
        mode = self.settings.cosched or (
            "node" if all(core.get("together") for core in signature.cores) else "none")
        return Cores(signature, self.trace, self.settings, mode)

    # Alikes

    @staticmethod
    def kinds(before, call):
        pair = call.rank, before.name, call.name
        return (*pair, before.site, call.site), pair

    def alikes(self):
        groups, pools = defaultdict(list), defaultdict(list)
        for calls in self.trace.calls:
            for before, call in zip(calls, calls[1:]):
                groups[self.kinds(before, call)[0]].append(
                    self.trace.interval(before, call))
        for key, intervals in groups.items():
            if len(intervals) < ENOUGH:
                pools[key[:3]] += intervals
        return groups, pools

    def alike(self, before, call):
        """(key, intervals) of those to compare with, or None."""
        group, pool = self.kinds(before, call)
        if len(self.groups[group]) >= ENOUGH:
            return group, self.groups[group]
        if len(self.pools[pool]) >= ENOUGH:
            return pool, self.pools[pool]
        return None

    def removal(self, key, intervals, rank):
        if key not in self.removals:
            record = self.source.whole(rank)
            if id(record) not in self.tables:
                self.tables[id(record)] = LossTable(record)
            self.removals[key] = Removal(
                Sketch(intervals), self.tables[id(record)], record.lost,
                self.source.clock(rank).lost)
        return self.removals[key]

    def work(self, before, call):
        """The interval without the source's noise."""
        interval = self.trace.interval(before, call)
        if not self.source:
            return interval
        alike = self.alike(before, call)
        if alike:
            return self.removal(*alike, call.rank)(interval)
        clock = self.source.clock(call.rank)
        begin = self.source.phase(call.rank) + self.since(before)
        return clock.u(begin + interval) - clock.u(begin)

    def since(self, call):
        return call.leave - self.trace.calls[call.rank][0].leave

    # Answers

    def delta(self, before, call):
        """What the interval between two calls grows by: a number, or a function of
        the delay at its begin."""
        rho = self.settings.compute_ratio
        interval = self.trace.interval(before, call)
        if self.settings.noise or self.same or not (self.target or self.source):
            extra = self.settings.noise(call.rank) if self.settings.noise else ZERO
            return extra + (rho - 1) * interval
        work = float(rho * Fraction(self.work(before, call)))
        if not self.target:
            return work - interval
        clock, begin = self.target.clock(call.rank), self.since(before)
        begin += self.target.phase(call.rank)
        return lambda delay: time_for(clock, begin + float(delay), work) - interval
