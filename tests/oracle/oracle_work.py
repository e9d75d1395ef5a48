# SPDX-License-Identifier: GPL-3.0-or-later
"""Computation on the target (docs/MODEL.md, section 5): how much of an interval is work, and how long the target takes
for it."""

from oracle_draws import NOISE
from oracle_exact import Fraction
from oracle_intervals import Interval
from oracle_noise import Noise
from oracle_places import Hosts

ZERO = Fraction(0)


def first_interval(trace, thread, call, between):
    """Returns the interval with which a thread begins: it starts at the latest node, before the thread's first call, of
    the thread that called MPI_Init."""
    begin = trace.first[call.rank, thread]
    calls = [one for one in trace.calls[call.rank] if one.thread == trace.calls[call.rank][0].thread]
    nodes = [(one.leave, one.order, 1, one.E, one) for one in calls]
    nodes += [(one.enter, one.order, 0, one.S, one) for one in calls[1:]]
    time, *_, node, before = max(one for one in nodes
                                 if one[0] <= begin and one[1] < call.order)
    interval = Interval(trace, before, call, node, time, between)
    interval.thread, interval.is_main = thread, False
    return interval


def intervals_of(trace):
    """Generates every interval of the trace, thread by thread."""
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
    """The work of one replica."""

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
        self.covered_until = {}
        self.same = self.is_same() and not trace.has_cpu()
        self.find_classes(self.intervals, False)

    # The source's noise

    def work(self, interval):
        """Returns the interval without the source's noise."""
        if not self.source or self.same or self.settings.noise:
            return interval.recorded()
        return self.source_work(interval, interval.recorded())

    @staticmethod
    def key(interval):
        return interval.rank, interval.thread, interval.call.index

    def on_target(self, interval, work):
        """Returns how long the target takes for the interval's work, which takes WORK on the source."""
        rho = self.settings.ratios(interval.begin, interval.call.enter, interval.between)
        if not self.settings.hypotheses:
            return rho * work
        grows, more = self.settings.hypotheses(self.key(interval), interval.cpu is not None)
        return max(0, (rho + grows) * work + more)

    # Answers

    def time(self, interval, begin, covered):
        """Returns how long the target takes for the interval, from BEGIN on. To be called in the order of the thread's
        calls. COVERED: for detours that began up to this long before, the costs of the previous call already include
        them."""
        if interval.polls(self.settings) and interval.call.name == "Win_sync":
            return self.on_target(interval, interval.recorded())
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
