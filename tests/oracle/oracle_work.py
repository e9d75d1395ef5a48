# SPDX-License-Identifier: GPL-3.0-or-later
"""Computation on the target (docs/MODEL.md section 5): what of an interval is work,
and how long the target takes for it."""

import itertools
from collections import defaultdict

from oracle_draws import NOISE
from oracle_exact import Fraction
from oracle_noise import ENOUGH, Noise, Removal, Sketch, middle_of
from oracle_places import Hosts
from oracle_replay import Detours, LossTable

ZERO = Fraction(0)
TESTS = {"Test", "Testall", "Testany", "Testsome"}
ASKS = {"Iprobe", "Improbe", "Parrived", "Win_test"}


def found_nothing(call):
    if call.name in TESTS:
        return "done" in call.args and not call.numbers("done")
    return call.name in ASKS and call.args.get("found") == "0"


def without_longest(record, part):
    """The record without as many of its longest detours as last no more than this part
    of its span in all, equally long ones together, in which a process's clock stops."""
    most = part * record.span
    kept = sorted(zip(record.starts, record.durations), key=lambda one: -one[1])
    for duration, some in itertools.groupby(list(kept), key=lambda one: one[1]):
        n = len(list(some))
        if n * duration > most:
            break
        most -= n * duration
        kept = kept[n:]
    return on_cpu_clock(record, {duration for _, duration in kept})


def on_cpu_clock(record, durations):
    """The record by a clock that runs in detours of these durations only."""
    detours, stopped = [], 0
    for start, duration in zip(record.starts, record.durations):
        if duration in durations:
            detours.append((start - stopped, duration))
        else:
            stopped += duration
    return Detours(record.span - stopped, detours)


class Interval:
    """From a node of the call before, traced time begin, to the enter of a call.

    follows: whether the two are a thread's, one after the other."""

    def __init__(self, trace, before, call, node, begin, between):
        self.before, self.call, self.node = before, call, node
        self.rank = before.rank
        self.begin, self.between = begin, between
        self.thread = before.thread if call.name == "Finalize" else call.thread
        self.since = begin - trace.calls[self.rank][0].leave
        self.length = trace.computation(self.rank, call.enter - begin, between)
        self.cpu = trace.cpu(call) if between is call.between else None
        self.is_main = self.thread == trace.calls[self.rank][0].thread
        self.follows = between is call.between and before.thread == call.thread

    def polls(self, settings):
        """Whether it is waiting, not work."""
        return (settings.polling == "wait" and self.follows and found_nothing(self.before)
                and self.call.name == self.before.name
                and self.call.site == self.before.site
                and self.length <= settings.polling_interval)

    def recorded(self):
        """c, or the CPU time if it is known and less."""
        return self.length if self.cpu is None else min(self.length, max(0, self.cpu))


def first_interval(trace, thread, call, between):
    """What a thread goes on from: its rank's latest node before anything of it."""
    begin = trace.first[call.rank, thread]
    nodes = [(one.leave, one.index, 1, one.E, one) for one in trace.calls[call.rank]]
    nodes += [(one.enter, one.index, 0, one.S, one) for one in trace.calls[call.rank][1:]]
    time, *_, node, before = max(one for one in nodes
                                 if one[0] <= begin and one[1] < call.index)
    interval = Interval(trace, before, call, node, time, between)
    interval.is_main = False
    return interval


def intervals_of(trace):
    """Every interval of the trace, thread by thread."""
    for calls in trace.threads():
        rank, thread = calls[0].rank, calls[0].thread
        if thread != trace.calls[rank][0].thread:
            yield first_interval(trace, thread, calls[0], calls[0].between)
        for before, call in zip(calls, calls[1:]):
            yield Interval(trace, before, call, before.E, before.leave, call.between)
        last, final = calls[-1], trace.calls[rank][-1]
        if last is not final:
            yield Interval(trace, last, final, last.E, last.leave,
                           trace.after_last(rank, thread))
    for rank, thread in trace.first:  # those that call nothing
        if not any(call.thread == thread for call in trace.calls[rank]):
            yield first_interval(trace, thread, trace.calls[rank][-1],
                                 trace.after_last(rank, thread))


class Work(Noise):
    """Of one replica."""

    def __init__(self, trace, settings):
        self.trace, self.settings = trace, settings
        self.intervals = list(intervals_of(trace))
        if settings.hypotheses:
            settings.hypotheses.of(trace, (
                (one.rank, one.thread, one.begin, one.call.enter, one.between,
                 one.between is one.call.between, self.key(one)) for one in self.intervals))
        hosts = settings.hosts()
        self.target = (self.drawn(settings.signature, hosts) if settings.drawn_noise()
                       else self.cores(settings.signature, hosts))
        self.source = settings.signature and self.cores(settings.source, settings.were())
        self.tables, self.removals = {}, {}
        self.covered_until = {}
        self.same = (self.source and self.target and settings.ratios.are_one()
                     and settings.signature.cores == settings.source.cores
                     and not trace.has_cpu())
        self.by_cpu = {}
        if self.source and not self.same and not settings.noise and not self.source.quanta:
            self.find_cpu()
            self.groups, self.pools, self.least = self.alikes()

    # The source's noise

    def find_cpu(self):
        """by_cpu: of ranks whose core's intervals all have a CPU time, the record without
        what interrupts a process."""
        ranks = defaultdict(list)
        for rank in range(self.trace.ranks):
            ranks[id(self.source.place(rank)[0])].append(rank)
        for some in ranks.values():
            theirs = [one for one in self.intervals if one.rank in some]
            if any(one.cpu is None for one in theirs):
                continue
            whole = sum(one.length for one in theirs)
            lacks = 1 - sum(one.recorded() for one in theirs) / whole if whole else 0.0
            record = without_longest(self.source.composed(some[0]), lacks)
            for rank in some:
                self.by_cpu[rank] = record

    def measure(self, interval):
        """y as likes have it."""
        return interval.recorded() if interval.rank in self.by_cpu else interval.length

    def alikes(self):
        groups, pools, least = defaultdict(list), defaultdict(list), {}
        for one in self.intervals:
            groups[self.kinds(one.before, one.call)[0]].append(self.measure(one))
        for key, intervals in groups.items():
            least[key] = min(intervals)
            if len(intervals) < ENOUGH:
                least[key[:3]] = min(least[key], least.get(key[:3], least[key]))
                pools[key[:3]] += [middle_of(y) for y in intervals]
        return groups, pools, least

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

    def work(self, interval):
        """The interval without the source's noise."""
        if not self.source or self.same or self.settings.noise:
            return interval.recorded()
        y = interval.recorded()
        alike = not self.source.quanta and self.alike(interval.before, interval.call)
        if alike:
            return self.removal(*alike, interval.rank)(self.measure(interval))
        clock = self.source.clock(interval.rank)
        begin = self.source.phase(interval.rank) + interval.since
        return clock.u(begin + y) - clock.u(begin)

    @staticmethod
    def key(interval):
        return interval.rank, interval.thread, interval.call.index

    def on_target(self, interval, work):
        """What becomes of the interval's work, which takes so long on the source, there."""
        rho = self.settings.ratios(interval.begin, interval.call.enter, interval.between)
        if not self.settings.hypotheses:
            return rho * work
        grows, more = self.settings.hypotheses(self.key(interval), interval.cpu is not None)
        return max(0, (rho + grows) * work + more)

    # Answers

    def time(self, interval, begin, covered):
        """How long the target takes for the interval, from begin on.

        To be asked in the order of the thread's calls.
        covered: detours that began so long before it are in what the call before costs."""
        if interval.polls(self.settings):
            return ZERO
        call, work = interval.call, self.on_target(interval, self.work(interval))
        if self.settings.noise:
            u = self.settings.draw(call.rank, call.index, NOISE)
            return max(ZERO, work + self.settings.noise(call.rank, u))
        if not self.target or self.same:
            return work
        return self.time_for((call.rank, interval.thread),
                             self.target.clock(call.rank),
                             self.target.phase(call.rank) + float(begin), float(work),
                             covered)
