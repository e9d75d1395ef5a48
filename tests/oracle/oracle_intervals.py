# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute intervals, and what in the source's noise record interrupts a process in them (docs/NOISE.md, CPU time)."""

import itertools

from oracle_replay import Detours

TESTS = {"Test", "Testall", "Testany", "Testsome"}
ROUNDING = 1e-6  # of what a signature says as a decimal number
ASKS = {"Iprobe", "Improbe", "Parrived", "Win_test"}


def found_nothing(call):
    if call.name in TESTS:
        return "done" in call.args and not call.numbers("done")
    return call.name in ASKS and call.args.get("found") == "0"


def without_longest(record, part):
    """Returns the record without its longest detours, in which a process's clock stops: as many as take at most this
    part of its span; detours of equal length are treated alike."""
    most = part * record.span * (1 + ROUNDING)
    kept = sorted(zip(record.starts, record.durations), key=lambda one: -one[1])
    for duration, some in itertools.groupby(list(kept), key=lambda one: one[1]):
        n = len(list(some))
        if n * duration > most:
            break
        most -= n * duration
        kept = kept[n:]
    return on_cpu_clock(record, {duration for _, duration in kept})


def on_cpu_clock(record, durations):
    """Returns the record by a clock that runs only in detours of these durations."""
    detours, stopped = [], 0
    for start, duration in zip(record.starts, record.durations):
        if duration in durations:
            detours.append((start - stopped, duration))
        else:
            stopped += duration
    return Detours(record.span - stopped, detours)


class Interval:
    """The interval from a node of the previous call, traced time BEGIN, to the enter of a call. FOLLOWS: whether the
    two calls are successive calls of one thread."""

    def __init__(self, trace, before, call, node, begin, between):
        self.before, self.call, self.node = before, call, node
        self.rank = before.rank
        self.begin, self.between = begin, between
        self.thread = before.thread if call.name == "Finalize" else call.thread
        self.since = begin - trace.calls[self.rank][0].leave
        self.length = trace.computation(self.rank, call.enter - begin, between)
        self.off = trace.off(self.rank, call.enter - begin, between)
        self.cpu = trace.cpu(call) if between is call.between else None
        self.is_main = self.thread == trace.calls[self.rank][0].thread
        self.follows = between is call.between and before.thread == call.thread

    def polls(self, settings):
        """Returns whether the interval is polling, which counts as waiting and not as work."""
        return (settings.polling == "wait" and self.follows
                and (found_nothing(self.before) or self.before.name == "Win_sync")
                and self.call.name == self.before.name
                and self.call.site == self.before.site
                and self.length <= settings.polling_interval)

    @property
    def on(self):
        """Returns the length without the time off the CPU."""
        return self.length - self.off

    def recorded(self):
        """Returns this, or the CPU time if it is known and smaller."""
        return self.on if self.cpu is None else min(self.on, max(0, self.cpu))
