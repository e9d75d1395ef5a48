# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait states of a traced run by docs/MODEL.md, section 9, from a table of everything that can wait for something;
complete traces, exact numbers."""

from collections import defaultdict

import oracle_matching
from oracle_exact import Fraction
from oracle_matching import (
    CONSTRUCTORS, FROM_ROOT, NEIGHBORS, NONBLOCKING, NONBLOCKING_COLLECTIVES, NONBLOCKING_NEIGHBORS,
    PERSISTENT_COLLECTIVES, PERSISTENT_NEIGHBORS, PREFIXES, Half, Matching, Part, RankMatcher, Together)
from oracle_trace import mark_region
from oracle_windows import MEETINGS as WINDOW_MEETINGS
from oracle_windows import MOVES, MOVES_WITH_REQUEST, WINDOW_CALLS

KINDS = ["late_sender", "late_receiver", "wait_at_barrier", "wait_at_nxn", "late_broadcast", "early_reduce",
         "early_scan"]
MATTERS = ["point_to_point", "collective", "synchronization", "one_sided", "other"]
BARRIERS = {"Barrier"} | CONSTRUCTORS | WINDOW_MEETINGS
LEAST = Fraction(1, 1000)
COMPLETED = defaultdict(list)


class Completions(RankMatcher):
    """Notes which requests a call completes. A cancelled request matches nothing."""

    def match(self, calls):
        self.cancelled = {int(request) for call in calls for request in call.numbers("cancelled")}
        super().match(calls)

    def match_call(self, call):
        if call.name not in ("Comm_free", "Cancel"):
            super().match_call(call)

    def begin(self, call):
        if call.name in NONBLOCKING and call.number("request", -1) in self.cancelled:
            self.keep(call.number("request"), Half(call, call, False))
        else:
            super().begin(call)

    def complete(self, call):
        done = call.numbers("done") if "done" in call.args else call.numbers("requests")
        for request in done:
            COMPLETED[call].append(self.requests.get(request))
        super().complete(call)


def match(trace):
    COMPLETED.clear()
    usual, oracle_matching.RankMatcher = oracle_matching.RankMatcher, Completions
    try:
        return Matching(trace)
    finally:
        oracle_matching.RankMatcher = usual


class Waits:
    """sums[what][who]: [calls, waited, time, waits by kind]."""

    def __init__(self, trace, eager_limit):
        self.trace, self.eager_limit = trace, eager_limit
        self.matching = match(trace)
        if eager_limit == "found":
            self.eager_limit = self.find_limit()
        self.until = defaultdict(list)
        for message in self.matching.messages:
            self.add_message(message)
        for _, group in self.matching.groups:
            self.add_collective(group)
        self.sums = {what: defaultdict(lambda: [0, 0, Fraction(0), [Fraction(0)] * len(KINDS)])
                     for what in ("matter", "call", "region", "rank")}
        self.total = sum(calls[-1].enter - calls[0].leave for calls in trace.calls)
        for calls in trace.calls:
            for call in calls[1:-1]:
                self.count(call)

    def find_limit(self):
        """Returns the largest size of a standard send that ended before its receive was posted."""
        return max((message.bytes for message in self.matching.messages
                    if message.send.terms.name in oracle_matching.STANDARD_SENDS and message.send.completed_by
                    and self.leave(message.send.completed_by) < self.enter(message.receive.call)), default=-1)

    def enter(self, call):
        return self.trace.aligned(call.rank, call.enter)

    def leave(self, call):
        return self.trace.aligned(call.rank, call.leave)

    def wait(self, call, kind, until):
        if call is not None:
            self.until[call].append((until, -KINDS.index(kind)))

    def add_message(self, message):
        send, receive = message.send, message.receive
        begun = self.enter(send.call)
        for probe in receive.probes:
            self.wait(probe, "late_sender", begun)
        self.wait(receive.completed_by, "late_sender", begun)
        if message.is_synchronous(self.eager_limit):
            self.wait(send.completed_by, "late_receiver", self.enter(receive.call))

    def add_collective(self, group):
        name = group[0].name
        times = [self.enter(part.call) for part in group]
        for j, part in enumerate(group):
            others = times[:j] + times[j + 1:]
            if name in PREFIXES:
                self.wait(part.completed_by, "early_scan", max(times[:j + 1]))
            elif name in FROM_ROOT:
                root = group[0].terms.number("root")
                if j != root:
                    self.wait(part.completed_by, "late_broadcast", times[root])
            elif "root" in part.terms.args:
                if j == part.terms.number("root") and others:
                    self.wait(part.completed_by, "early_reduce", min(others))
            else:
                kind = "wait_at_barrier" if name in BARRIERS else "wait_at_nxn"
                self.wait(part.completed_by, kind, max(times))

    def matter_of_request(self, request):
        if isinstance(request, Part):
            return 2 if request.name in BARRIERS else 1
        if isinstance(request, Together):
            return 0 if request.call.name == "Isendrecv" else 1
        return 0 if isinstance(request, Half) else 3

    def matter(self, call):
        name = call.name
        if COMPLETED[call]:
            return MATTERS[min(map(self.matter_of_request, COMPLETED[call]))]
        if name in MOVES | MOVES_WITH_REQUEST:
            return "one_sided"
        if name in BARRIERS | WINDOW_CALLS or name in ("Ibarrier", "Barrier_init"):
            return "synchronization"
        if name in (oracle_matching.COLLECTIVES | set(NONBLOCKING_COLLECTIVES) | set(PERSISTENT_COLLECTIVES) | NEIGHBORS
                    | NONBLOCKING_NEIGHBORS | set(PERSISTENT_NEIGHBORS)):
            return "collective"
        return "other" if name in ("Unknown", "Comm_free") else "point_to_point"

    def count(self, call):
        took = self.leave(call) - self.enter(call)
        waits, waited = [Fraction(0)] * len(KINDS), 0
        if self.until[call]:
            until, kind = max(self.until[call])
            time = min(until - self.enter(call), took)
            if time > LEAST:
                waits[-kind], waited = time, 1
        regions = list(call.between.regions)
        for _, name in call.between.marks:
            mark_region(regions, name)
        who = {"matter": self.matter(call), "call": "MPI_" + call.name,
               "region": regions[-1] if regions else None, "rank": call.rank}
        for what, key in who.items():
            row = self.sums[what][key]
            row[0] += 1
            row[1] += waited
            row[2] += took
            row[3] = [a + b for a, b in zip(row[3], waits)]
