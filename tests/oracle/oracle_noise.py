# SPDX-License-Identifier: GPL-3.0-or-later
"""The operating system's noise: the source's is removed from computation where it is known, the target's is added
(docs/MODEL.md, section 3)."""

from collections import defaultdict

from oracle_draws import PART, PHASE, REMOVED, Draws
from oracle_exact import Fraction
from oracle_intervals import Interval, without_longest
from oracle_quanta import CoreQuanta, Quanta
from oracle_removal import Laws, Windows
from oracle_renewal import CoreRenewal, Renewal
from oracle_replay import (PARTS, ROUNDING_NS, Resampled, composed, read_detours,
                           read_record, time_for)
from oracle_trace import OracleError

ZERO = Fraction(0)
MEASUREMENTS = 32


class Cores:
    """A signature's recorded cores, those of one measurement, and which ranks run on which core."""

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
        self.phases = {}
        self.ranks_of = defaultdict(list)
        for rank in range(trace.ranks):
            self.ranks_of[trace.hosts[rank]].append(rank)
        self.picked = None
        if settings.measurement != "fixed":
            again = Draws(settings.seed, settings.replica // 2 % MEASUREMENTS)
            self.picked = [int(PARTS * again(0, 0, PART, place))
                           for place in range(PARTS)]

    def place(self, rank):
        """Returns (core, lowest rank with the same phase, first core of the host)."""
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
        if rank not in self.phases:
            self.phases[rank] = self.find_phase(*self.place(rank))
        return self.phases[rank]

    def find_phase(self, core, lowest, first):
        clock = self.measured(self.records[id(first)])
        begin = clock.when(self.draw(lowest, 0, PHASE) * clock.work)
        if core is first:
            return begin
        begin = (begin + first.get("offset_ns", 0) - core.get("offset_ns", 0)) % core["span_ns"]
        detour = self.measured(self.records[id(core)]).detour(begin)
        return begin + detour[1] if detour else begin

    def whole(self, rank):
        return self.records[id(self.place(rank)[0])]

    def whole_lost(self, rank):
        """Returns the part of the time that is lost in the rank's whole record."""
        return self.composed_of(self.place(rank)[0]).lost

    def composed_of(self, core):
        """Returns the detours of the whole record, over one span."""
        if id(core) not in self.composites:
            self.composites[id(core)] = composed(self.records[id(core)])
        return self.composites[id(core)]

    def clock(self, rank):
        return self.measured(self.whole(rank))

    def measured(self, whole):
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
    """Cores of which only the losses of quanta are known or used."""

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


class Classes:
    """Classes of intervals: those of all ranks between the same two calls at the same call sites, with the time that
    the source's noise took from them."""

    def __init__(self, trace, source, intervals, is_noise):
        """IS_NOISE: what CPU times lack may be at most what noise takes."""
        intervals = list(intervals)
        records = [source.composed_of(core) for core in source.all]
        self.by_cpu = self.goes_by_cpu(
            intervals, is_noise and sum(record.lost for record in records) / len(records))
        if self.by_cpu or trace.tells_off_cpu():
            records = [without_longest(record, core.get("fraction_off_cpu", self.off(intervals)))
                       for record, core in zip(records, source.all)]
        self.find(intervals, Laws(records))

    @staticmethod
    def goes_by_cpu(intervals, most):
        """Returns whether the classes use CPU times. MOST: False, or the largest part that these may lack."""
        if any(one.cpu is None for one in intervals):
            return False
        whole = sum(one.length for one in intervals)
        lacks = 1 - sum(one.recorded() for one in intervals) / whole if whole else 0.0
        return most is False or lacks <= most

    def off(self, intervals):
        """Returns the part of all intervals that was off the CPU."""
        whole = sum(one.length for one in intervals)
        return 1 - sum(map(self.measure, intervals)) / whole if whole else 0.0

    def measure(self, interval):
        """Returns y, the measured length of an interval."""
        return interval.recorded() if self.by_cpu else interval.on

    @staticmethod
    def key(interval):
        before, call = interval.before, interval.call
        return before.name, call.name, before.site, call.site

    def find(self, intervals, laws):
        some = defaultdict(list)
        for one in intervals:
            some[self.key(one)].append(one)
        self.windows = {key: Windows(them, self.measure) for key, them in some.items()}
        lost = whole = 0.0
        for windows in self.windows.values():
            windows.fit(laws)
            for removal in filter(None, windows.removals):
                part, of = removal.sums()
                lost, whole = lost + part, whole + of
        self.part = min(lost / whole, laws.lost) if whole > 0 else laws.lost

    def loss(self, interval, u):
        """Returns the loss of an interval. U: its draw."""
        y, removal = self.measure(interval), None
        if not interval.before.exchange and not interval.call.exchange:
            removal = self.windows[self.key(interval)].removal(interval)
        return removal.loss(y, u) if removal else self.part * y


class Noise:
    """The noise of one replica."""

    def __init__(self, trace, settings):
        self.trace, self.settings = trace, settings
        hosts = settings.hosts()
        self.target = (self.drawn(settings.signature, hosts) if settings.drawn_noise()
                       else self.cores(settings.signature, hosts))
        self.source = settings.signature and self.cores(settings.source, settings.were())
        if settings.hypotheses:
            settings.hypotheses.of(trace, (
                (rank, call.thread, before.leave, call.enter, call.between, True,
                 (rank, call.thread, call.index))
                for rank, calls in enumerate(trace.calls) for before, call in zip(calls, calls[1:])))
        self.begin_again()
        if settings.call_noise_of_target and not self.target:
            raise OracleError("there is no noise in it")
        self.same = self.is_same()
        self.before = {call: Interval(trace, before, call, None, before.leave, call.between)
                       for calls in trace.calls for before, call in zip(calls, calls[1:])}
        self.find_classes(self.before.values(), True)

    def begin_again(self):
        """Resets the state before the replica is evaluated again."""
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

    def source_work(self, interval, y):
        """Returns y of the interval without the source's noise."""
        rank, clock = interval.rank, self.source.clock(interval.rank)
        if self.source.quanta:
            begin = self.source.phase(rank) + interval.since
            return clock.u(begin + y) - clock.u(begin)
        whole = self.source.whole_lost(rank)
        again = clock.lost / whole if whole > 0 else 1.0
        u = self.source.draw(rank, interval.call.index, REMOVED)
        return max(0.0, self.classes.measure(interval) - again * self.classes.loss(interval, u))

    def find_classes(self, intervals, is_noise):
        """Determines the classes, once for all replicas."""
        if self.source and not self.same and not self.settings.noise and not self.source.quanta:
            key = self.settings.source, is_noise
            if key not in self.trace.classes:
                self.trace.classes[key] = Classes(self.trace, self.source, intervals, is_noise)
            self.classes = self.trace.classes[key]

    def since(self, call):
        return call.leave - self.trace.calls[call.rank][0].leave

    def is_same(self):
        """Returns whether both machines have the same noise, and the trace contains all of it."""
        return (self.source and self.target and self.settings.ratios.are_one()
                and self.settings.signature.cores == self.settings.source.cores
                and not self.trace.tells_off_cpu())

    # Answers

    def delta(self, before, call, covered):
        """Returns by how much the interval between two calls grows: a number, or a function of the delay at its begin,
        to be called in the order of the rank's calls. COVERED: for detours that began up to this long before, the costs
        of the previous call already include them."""
        rho = self.settings.ratios(before.leave, call.enter, call.between)
        one, more = self.before[call], ZERO
        if one.polls(self.settings):
            return ZERO
        interval, off = one.length, one.off if self.settings.removes_off() else 0
        y = interval - off
        if self.settings.hypotheses:
            grows, more = self.settings.hypotheses((call.rank, call.thread, call.index))
            rho += grows
        if self.settings.noise or self.same or not (self.target or self.source):
            extra = self.settings.noise(call.rank) if self.settings.noise else ZERO
            return extra + max((rho - 1) * y + more, -y) - off
        work = self.source_work(one, y) if self.source else y
        work = max(0.0, float(rho * Fraction(work) + more))
        if not self.target:
            return work - interval
        clock, begin = self.target.clock(call.rank), self.since(before)
        begin += self.target.phase(call.rank)
        return lambda delay: self.time_for(call.rank, clock, begin + float(delay), work,
                                           covered) - interval

    def call_loss(self, call, work):
        """Returns what noise takes from a call's own work, as a function of the delay at its begin, to be called once
        and in the order of the rank's calls; or None. WORK: a function."""
        if not self.settings.call_noise_of_target or (
                self.source and self.settings.signature.cores == self.settings.source.cores):
            return None
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
