# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages that hypotheses insert, as calls of a trace that contains them (docs/MODEL.md, section 10)."""

import copy
from collections import defaultdict

from oracle_dropped import rank_set
from oracle_trace import Between, Call, OracleError

SIZES = {"": 1, "KiB": 2 ** 10, "MiB": 2 ** 20}


class Exchange:
    """One such hypothesis, the i-th of all."""

    def __init__(self, i, region, args):
        self.i, self.region = i, region
        self.to = args["to"]
        self.ranks = rank_set(args["ranks"]) if "ranks" in args else None
        number = args["bytes"].rstrip("KMiB")
        self.bytes = int(number) * SIZES[args["bytes"][len(number):]]

    def receiver(self, rank, size):
        """Returns the rank to which RANK sends, or None."""
        if self.ranks is not None and rank not in self.ranks:
            return None
        to = (rank + int(self.to)) % size if self.to[0] in "+-" else int(self.to)
        return None if to == rank else to

    def senders(self, rank, size):
        return [one for one in range(size) if self.receiver(one, size) == rank]

    def number(self, thread, k):
        return (self.i + 1 << 56) + (thread << 40) + k


class Splitter:
    """The calls of one thread, with the inserted ones."""

    def __init__(self, trace, exchanges, rank, thread):
        self.trace, self.rank, self.thread = trace, rank, thread
        self.exchanges = [(one, one.receiver(rank, trace.ranks), one.senders(rank, trace.ranks)) for one in exchanges]
        self.begun = defaultdict(int)  # of each region
        self.made = defaultdict(int)  # of each hypothesis
        self.next = 0  # the number after the thread's last call

    def split(self, between, end):
        """Returns (calls inserted into an interval, the rest of the interval). END: the call before which the interval
        is, or None."""
        calls, part = [], begin(between.regions)
        for what, *item in between.log:
            at_begin = what == "mark" and item[1] is not None
            here = [one for one in self.exchanges if one[0].region == item[1] and (one[1] is not None or one[2])
                    ] if at_begin else []
            add(part, what, item, counts=not here)
            if at_begin:
                self.begun[item[1]] += 1
            for exchange, to, senders in here:
                calls.append(self.call(exchange, to, senders, item[0], part))
                part = part.follow()
        if end:
            part.cpu.append(between.cpu[-1])
        return calls, part

    def call(self, exchange, to, senders, time, between):
        k = self.made[exchange.i]
        self.made[exchange.i] += 1
        args = {"comm": "0", "tag": "0", "recvtag": "0", "bytes": str(exchange.bytes)}
        call = Call(self.rank, exchange.number(self.thread, k), time, time, "Sendrecv", args, self.thread)
        before = sum((enter, thread) < (time, self.thread) for enter, thread, _ in self.trace.counted[self.rank])
        call.place = max(before, self.next) - 0.5 + sum(self.made.values()) / 1e6
        call.between, call.exchange = between, (exchange, to, senders, k)
        return call


def begin(regions):
    part = Between()
    part.regions = list(regions)
    return part


def add(part, what, item, counts):
    """Adds an entry to a log. COUNTS: it is an event besides the one that ends the interval."""
    part.log.append((what, *item))
    if what == "flush":
        part.flushed += item[0]
    elif what == "sum":
        part.summed += item[0]
    elif what == "off":
        part.off += item[0]
    else:
        part.events += counts
        part.cpu.append(item[-1])
        if what == "mark":
            part.marks.append((item[0], item[1]))


def inserted(trace, exchanges):
    """Returns the trace with the inserted calls."""
    new = copy.copy(trace)
    new.pending, begun, made = copy.copy(trace.pending), {}, 0
    new.calls = []
    for rank, calls in enumerate(trace.calls):
        main, all_calls = calls[0].thread, []
        threads = {thread for one, thread in trace.first if one == rank}
        for thread in sorted(threads):
            splitter = Splitter(trace, exchanges, rank, thread)
            for call in [one for one in calls if one.thread == thread]:
                if call is not calls[0]:
                    more, left = splitter.split(call.between, call)
                    call = copy.copy(call)
                    call.between = left
                    all_calls += more
                all_calls.append(call)
                splitter.next = call.index + 1
            if thread != main:
                more, new.pending[rank, thread] = splitter.split(trace.pending[rank, thread], None)
                all_calls += more
            begun[rank, thread] = splitter.begun
            made += sum(splitter.made.values())
        new.calls.append(sorted(all_calls, key=lambda one: one.order))
    check(trace, exchanges, begun)
    if exchanges and not made:
        raise OracleError("no rank enters the region")
    return new


def check(trace, exchanges, begun):
    for exchange in exchanges:
        for rank in range(trace.ranks):
            to = exchange.receiver(rank, trace.ranks)
            for thread in {thread for one, thread in begun if to is not None and one in (rank, to)}:
                counts = [begun.get((one, thread), {}).get(exchange.region, 0) for one in (rank, to)]
                if counts[0] != counts[1]:
                    raise OracleError("begins differ")
