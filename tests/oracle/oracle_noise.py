# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operating system takes from computation: the source's noise removed where
it is, the target's put in (docs/MODEL.md section 3)."""

import math
from collections import Counter, defaultdict

from oracle_draws import PART, PHASE, Draws
from oracle_exact import Fraction
from oracle_intervals import Interval, records_by_cpu
from oracle_quanta import CoreQuanta, Quanta
from oracle_renewal import CoreRenewal, Renewal
from oracle_replay import (PARTS, ROUNDING_NS, LossTable, Resampled, bin_of,
                           bound_of, composed, read_detours, read_record, time_for)
from oracle_trace import OracleError

ZERO = Fraction(0)
ENOUGH = 8
MOST_BINS = 128
FINEST = 1024
MEASUREMENTS = 32


class Cores:
    """A signature's recorded cores, those of a measurement, and who runs on which."""

    quanta = False

    def __init__(self, signature, trace, settings, mode, cores=None):
        self.mode = mode
        self.settings = settings
        self.draw = Draws(settings.seed, settings.replica)
        self.hosts = defaultdict(list)
        self.all = cores or [core for core in signature.cores if core.get("span_ns")]
        for core in self.all:
            self.hosts[core.get("host", "")].append(core)
        self.records = {id(core): read_record(core) for core in self.all
                        if not self.quanta}
        self.composites = {}
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

    def composed(self, rank):
        """The whole record's detours over one span."""
        core = self.place(rank)[0]
        if id(core) not in self.composites:
            self.composites[id(core)] = composed(self.records[id(core)])
        return self.composites[id(core)]

    def clock(self, rank):
        whole = self.whole(rank)
        if self.picked is None:
            return whole
        again = Resampled(whole, self.picked)
        return again if again.work > 0 else whole


class Drawn(Cores):
    """Cores whose detours are drawn."""

    def __init__(self, signature, trace, settings, mode, model):
        super().__init__(signature, trace, settings, mode)
        self.core = {id(core): CoreRenewal(core, read_detours(core.get("detours", {"n": 0})),
                                           model)
                     for core in self.all}
        self.clocks = {}

    def phase(self, rank):
        return 0.0

    def clock(self, rank):
        core, lowest, _ = self.place(rank)
        key = id(core), lowest
        if key not in self.clocks:
            self.clocks[key] = Renewal(self.core[id(core)], self.draw, lowest)
        return self.clocks[key]


class InQuanta(Cores):
    """Cores of which only what quanta lost is known, or taken."""

    quanta = True

    def __init__(self, signature, trace, settings, mode):
        super().__init__(signature, trace, settings, mode,
                         [core for core in signature.cores if "ftq" in core])
        self.core = {id(core): CoreQuanta(core) for core in self.all}
        self.clocks = {}

    def phase(self, rank):
        return self.clock(rank).phase

    def clock(self, rank):
        if rank not in self.clocks:
            core, lowest, _ = self.place(rank)
            self.clocks[rank] = Quanta(self.core[id(core)], self.draw, lowest)
        return self.clocks[rank]


class Sketch:
    """Alike intervals: how many are how long."""

    def __init__(self, intervals, least):
        self.n = len(intervals)
        self.least = least
        self.bins = FINEST
        while self.bins > 1 and len(self.count(intervals)) > MOST_BINS:
            self.bins //= 2
        self.counts = dict(sorted(self.count(intervals).items()))

    def count(self, intervals):
        return Counter(bin_of(y, self.bins) for y in intervals)

    def bounds(self, number):
        return bound_of(number, self.bins), bound_of(number + 1, self.bins)

    def median(self):
        below = 0
        for number, n in self.counts.items():
            if below + n >= self.n / 2:
                least, most = self.bounds(number)
                return least + (most - least) * (self.n / 2 - below) / n
            below += n
        raise AssertionError


class Removal:
    """The source's noise taken out of alike intervals.

    again: what the record loses as drawn this time, over what it loses.
    """

    def __init__(self, sketch, table, phi, again):
        self.sketch, self.again = sketch, again
        self.kept = 1 - phi * again
        median = sketch.median()
        self.work = max(0.0, median - table.quantile(0.5, median))
        self.mean = table.integral(1.0, self.work)
        longest = 1.02 * (self.work + table.quantile(1.0, self.work))
        self.counts = {number: n for number, n in sketch.counts.items()
                       if sketch.bounds(number)[0] <= longest}
        self.allowed = {}
        self.fit(table)
        self.floor = max(0.0, self.linear(sketch.least))

    def fit(self, table):
        """What each ranked bin may have lost; how much of the spread is removed."""
        total, below, points = sum(self.counts.values()), 0, []
        for number, n in self.counts.items():
            a, b = below / total, (below + n) / total
            below += n
            v = min(max((a + b) / 2, 0.5 / total), 1 - 0.5 / total)
            s = 2 * math.sqrt(v * (1 - v) / total)
            self.allowed[number] = (table.quantile(max(0.0, a - s), self.work),
                                    table.quantile(min(1.0, b + s), self.work))
            middle = sum(self.sketch.bounds(number)) / 2
            share = (table.integral(b, self.work) - table.integral(a, self.work)) / (b - a)
            points.append((n / total, share, self.lost(number, middle), middle))
        self.centre = sum(p * e for p, _, e, _ in points)
        self.beta = self.beta_of(points, total)

    def beta_of(self, points, total):
        """So that the variance that is left is that of y less that of noise."""
        middle = sum(p * y for p, _, _, y in points)
        mean = sum(p * share for p, share, _, _ in points)
        v = sum(p * (share - mean) ** 2 for p, share, _, _ in points)
        w = sum(p * (e - self.centre) ** 2 for p, _, e, _ in points)
        c = sum(p * (e - self.centre) * (y - middle) for p, _, e, y in points)
        if v <= 0 or w <= 0:
            return 1.0
        k = sum(p * (share - mean) ** 4 for p, share, _, _ in points) / v ** 2
        c *= 1 - math.sqrt(max(0.0, k - 1) / total)
        if c <= 0 or c ** 2 <= v * w:
            return 1.0
        return min(1.0, v / (c + math.sqrt(c ** 2 - v * w)))

    def lost(self, number, y):
        low, high = self.allowed[number]
        return min(max(y - self.work, low), high)

    def linear(self, y):
        number, removed = bin_of(y, self.sketch.bins), self.mean
        if number in self.allowed:
            removed = self.centre + self.beta * (self.lost(number, y) - self.centre)
        return self.work + self.kept * (y - removed * self.again - self.work)

    def __call__(self, y):
        return min(y, max(self.linear(y), min(y, self.floor)))


def middle_of(y):
    """The middle of its finest bin."""
    number = bin_of(y, FINEST)
    return (bound_of(number, FINEST) + bound_of(number + 1, FINEST)) / 2


class Noise:
    """Of one replica."""

    def __init__(self, trace, settings):
        self.trace, self.settings = trace, settings
        hosts = settings.hosts()
        self.target = (self.drawn(settings.signature, hosts) if settings.drawn_noise()
                       else self.cores(settings.signature, hosts))
        self.source = settings.signature and self.cores(settings.source, settings.were())
        self.tables, self.removals = {}, {}
        if settings.hypotheses:
            settings.hypotheses.of(trace, (
                (rank, call.thread, before.leave, call.enter, call.between, True,
                 (rank, call.thread, call.index))
                for rank, calls in enumerate(trace.calls) for before, call in zip(calls, calls[1:])))
        self.begin_again()
        self.same = (self.source and self.target and settings.ratios.are_one()
                     and settings.signature.cores == settings.source.cores)
        if self.source and not self.same and not self.source.quanta:
            self.before = {call: Interval(trace, before, call, None, before.leave, call.between)
                           for calls in trace.calls for before, call in zip(calls, calls[1:])}
            self.find_alikes(self.before.values(), True)

    def begin_again(self):
        """Before the replica is gone through once more."""
        self.covered_until = {}
        self.lost_in = {}

    def cores(self, signature, hosts=None):
        if not signature:
            return None
        recorded = [core for core in signature.cores if core.get("span_ns")]
        measured = any("ftq" in core for core in signature.cores)
        if not measured and self.settings.noise_model == "ecdf":
            return None
        model = self.settings.noise_model
        if measured and (model == "ecdf" or not (recorded or model == "replay")):
            return InQuanta(signature, hosts or self.trace, self.settings,
                            self.settings.cosched or "none")
        if not recorded:
            return None
        mode = self.settings.cosched or (
            "node" if all(core.get("together") for core in recorded) else "none")
        return Cores(signature, hosts or self.trace, self.settings, mode)

    def drawn(self, signature, hosts=None):
        if not any(core.get("span_ns") for core in signature.cores):
            raise OracleError("no records of detours to draw from")
        return Drawn(signature, hosts or self.trace, self.settings,
                     self.settings.cosched or "none", self.settings.noise_model)

    # Alikes

    @staticmethod
    def kinds(before, call):
        pair = call.rank, before.name, call.name
        return (*pair, before.site, call.site), pair

    def measure(self, interval):
        """y as likes have it: CPU time, of ranks that are told by it."""
        return interval.recorded() if interval.rank in self.by_cpu else interval.length

    def find_alikes(self, intervals, is_noise):
        """is_noise: as for records_by_cpu()."""
        self.by_cpu = records_by_cpu(intervals, self.source, is_noise)
        self.groups, self.pools, self.least = defaultdict(list), defaultdict(list), {}
        for one in intervals:
            self.groups[self.kinds(one.before, one.call)[0]].append(self.measure(one))
        for key, times in self.groups.items():
            self.least[key] = min(times)
            if len(times) < ENOUGH:
                self.least[key[:3]] = min(self.least[key], self.least.get(key[:3], self.least[key]))
                self.pools[key[:3]] += [middle_of(y) for y in times]

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
            whole = self.source.composed(rank)
            record = self.by_cpu.get(rank, whole)
            if id(record) not in self.tables:
                self.tables[id(record)] = LossTable(record)
            again = self.source.clock(rank).lost / whole.lost if whole.lost > 0 else 1.0
            self.removals[key] = Removal(Sketch(intervals, self.least[key]),
                                         self.tables[id(record)], record.lost, again)
        return self.removals[key]

    def work(self, before, call):
        """The interval without the source's noise."""
        interval = self.trace.interval(before, call)
        if not self.source:
            return interval
        alike = not self.source.quanta and self.alike(before, call)
        if alike:
            return self.removal(*alike, call.rank)(self.measure(self.before[call]))
        clock = self.source.clock(call.rank)
        begin = self.source.phase(call.rank) + self.since(before)
        return clock.u(begin + interval) - clock.u(begin)

    def since(self, call):
        return call.leave - self.trace.calls[call.rank][0].leave

    # Answers

    def delta(self, before, call, covered):
        """What the interval between two calls grows by: a number, or a function of
        the delay at its begin, to be asked in the order of the rank's calls.

        covered: detours that began so long before it are in what before costs."""
        rho = self.settings.ratios(before.leave, call.enter, call.between)
        interval, more = self.trace.interval(before, call), ZERO
        if self.settings.hypotheses:
            grows, more = self.settings.hypotheses((call.rank, call.thread, call.index))
            rho += grows
        if self.settings.noise or self.same or not (self.target or self.source):
            extra = self.settings.noise(call.rank) if self.settings.noise else ZERO
            return extra + max((rho - 1) * interval + more, -interval)
        work = max(0.0, float(rho * Fraction(self.work(before, call)) + more))
        if not self.target:
            return work - interval
        clock, begin = self.target.clock(call.rank), self.since(before)
        begin += self.target.phase(call.rank)
        return lambda delay: self.time_for(call.rank, clock, begin + float(delay), work,
                                           covered) - interval

    def call_loss(self, call, work):
        """What noise takes from a call's own work, as a function of the delay at its
        begin, to be asked once and in the order of the rank's calls; or None. work:
        a function."""
        if not self.settings.call_noise_of_target or (
                self.source and self.settings.signature.cores == self.settings.source.cores):
            return None
        if not self.target:
            raise OracleError("there is no noise in it")
        clock = self.target.clock(call.rank)
        phase = self.target.phase(call.rank)
        since = call.enter - self.trace.calls[call.rank][0].leave

        def loss(delay):
            own = float(work())
            begin = phase + max(0.0, float(since + delay))
            self.lost_in[call] = self.time_for(call.rank, clock, begin, own, 0.0) - own
            return self.lost_in[call]

        return loss

    def time_for(self, rank, clock, begin, work, covered):
        until = self.covered_until.get(rank, 0.0)
        detour = clock.detour(begin)
        if begin >= until and detour and (
                ROUNDING_NS < detour[0] <= covered + ROUNDING_NS):
            until = self.covered_until[rank] = begin + detour[1]
        free = until - begin
        if free <= 0:
            return time_on(clock, begin, work)
        return work if work <= free else free + time_on(clock, until, work - free)


def time_on(clock, begin, work):
    if isinstance(clock, (Renewal, Quanta)):
        return clock.time_for(begin, work)
    return time_for(clock, begin, work)
