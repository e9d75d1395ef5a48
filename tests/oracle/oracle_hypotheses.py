# SPDX-License-Identifier: GPL-3.0-or-later
"""The effect of hypotheses on computation (docs/MODEL.md, section 10)."""

import math
import re
import shlex
from collections import defaultdict

from oracle_dropped import Select, rank_set
from oracle_exact import Fraction
from oracle_inserted import Exchange, inserted
from oracle_matching import Matching
from oracle_resized import Resize
from oracle_trace import OracleError

HALF = Fraction(1, 2)
UNITS = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}


class Part:
    """A part of an interval, between two successive marks or calls."""

    def __init__(self, regions, length, work):
        self.visit = regions[-1] if regions else None
        self.region = self.visit and self.visit[0]
        self.names = [name for name, *_ in regions]
        self.length, self.work = length, work


def parts_of(trace, rank, begin, end, between, has_own, visits, count):
    """Returns the parts of an interval, and the visits of regions that begin in it. VISITS: the thread's open visits;
    COUNT: number of visits of each region so far; both are updated."""
    parts, begun, since, log = [], [], begin, []
    each = trace.cost_of_call(rank)
    summed = trace.fact(rank, "overhead_sum_ns", each)

    def finish(time, cpu):
        events = sum(1 for what, _ in log if what == "event")
        sums = sum(n for what, n in log if what == "sum")
        flushed = sum(n for what, n in log if what == "flush")
        took = math.floor((1 + events) * each + sums * summed + HALF)
        left = max(0, time - since - flushed)
        off = sum(n for what, n in log if what == "off")
        length = max(0, left - min(took, left) - off)
        work = length
        if cpu is not None:
            tracer = trace.fact(rank, "overhead_cpu_ns")
            used = sum(n for what, n in log if what == "event" and n is not None) + cpu
            used -= math.floor((1 + events) * tracer + sums * trace.fact(rank, "overhead_sum_ns", each)
                               + HALF)
            work = min(length, max(0, used))
        parts.append(Part(list(visits), Fraction(length), Fraction(work)))

    for what, *item in between.log:
        if what != "mark":
            log.append((what, *item))
            continue
        time, name, cpu = item
        finish(time, cpu)
        since, log[:] = max(since, time), []
        if name is None:
            if visits:
                visits.pop()
        else:
            visits.append((name, count[name]))
            begun.append((name, count[name], [one for one, _ in visits]))
            count[name] += 1
    finish(end, between.cpu[-1] if has_own and between.cpu else None)
    return parts, begun


class Line:
    """One hypothesis."""

    def __init__(self, text):
        self.verb, self.region, *words = shlex.split(text)
        self.args = dict(word.split("=") for word in words)
        self.factor = Fraction(self.args.get("factor", 1))
        number, unit = re.fullmatch(r"([0-9.]+)(ns|us|ms|s)", self.args.get("time", "0ns")).groups()
        self.time = Fraction(number) * UNITS[unit]

    def is_about(self, region, rank):
        return region == self.region and ("ranks" not in self.args or rank in rank_set(self.args["ranks"]))

    def scales(self, region, rank):
        return self.verb == "scale" and self.is_about(region, rank)

    def inserted(self, region, rank):
        """Returns the time inserted into a visit of REGION that begins on RANK."""
        return self.time if self.verb == "insert" and self.is_about(region, rank) else Fraction(0)

    def changes(self, region, rank):
        """Returns whether the hypothesis changes existing computation there."""
        return self.scales(region, rank) or (
            self.verb == "balance" and region == self.region and rank in self.members)


class Hypotheses:
    """The hypotheses about computation, for a trace with listed intervals. drops, resizes: those about messages."""

    def __init__(self, lines, ratios):
        words = [shlex.split(line) for line in lines]
        self.drops = [Select(line[1:]) for line in words if line[0] == "drop"]
        self.resizes = [Resize(line[1:]) for line in words if line[0] == "resize"]
        self.exchanges = [Exchange(i, line[1], given) for i, line in enumerate(words) if line[0] == "insert"
                          for given in [dict(word.split("=") for word in line[2:])] if "bytes" in given]
        about = {one.i for one in self.exchanges}
        self.lines = [Line(line) for i, (line, words) in enumerate(zip(lines, words))
                      if words[0] not in ("drop", "resize") and i not in about]
        self.ratios = ratios
        self.found = None

    def __bool__(self):
        return bool(self.lines or self.drops or self.resizes or self.exchanges)

    def insert(self, matching):
        """Returns the matching of the trace with inserted messages, if there are any."""
        return Matching(inserted(matching.trace, self.exchanges)) if self.exchanges else matching

    def of(self, trace, intervals):
        """Stores parts and begun visits in `found` by (rank, thread, number of the call at the end). INTERVALS: (rank,
        thread, begin, end, between, has_own, key), in the order of each thread."""
        self.found, visits = {}, defaultdict(list)
        counts = defaultdict(lambda: defaultdict(int))
        for rank, thread, begin, end, between, has_own, key in intervals:
            self.found[key] = rank, thread, parts_of(
                trace, rank, begin, end, between, has_own, visits[rank, thread], counts[rank, thread])
        for line in self.lines:
            if line.verb == "balance":
                line.members = set(trace.comms[int(line.args["comm"])] if "comm" in line.args else range(trace.ranks))
            if line.verb != "insert" and not any(
                    part.length for rank, _, (parts, _) in self.found.values() for part in parts
                    if line.changes(part.region, rank)):
                raise OracleError("no computation in the region")
            if line.verb == "insert" and not any(
                    line.is_about(name, rank) for rank, _, (_, begun) in self.found.values() for name, *_ in begun):
                raise OracleError("no rank enters the region")
            if line.verb == "balance":
                self.balance(line)

    def balance(self, line):
        """Determines the work of each visit, and the work that replaces it."""
        line.work, line.mean = defaultdict(Fraction), {}
        line.total = by_total = line.args.get("by") == "total"
        for rank, thread, (parts, begun) in self.found.values():
            for name, k, _ in begun:
                if name == line.region and rank in line.members and not by_total:
                    line.work[rank, thread, k] += 0
            for part in parts:
                if part.region == line.region and rank in line.members:
                    line.work[(rank,) if by_total else (rank, thread, part.visit[1])] += part.work
        if by_total:
            if any(not line.work[rank,] for rank in line.members):
                raise OracleError("no computation in the region")
            mean = sum(line.work[rank,] for rank in line.members) / len(line.members)
            line.mean = {(rank,): mean for rank in line.members}
            return
        for thread in {thread for _, thread, _ in line.work}:
            numbers = {rank: {k for r, t, k in line.work if (r, t) == (rank, thread)}
                       for rank in line.members}
            if len({len(some) for some in numbers.values()}) > 1:
                raise OracleError("visits differ")
            for k in next(iter(numbers.values())):
                mean = sum(line.work[rank, thread, k] for rank in line.members) / len(line.members)
                line.mean.update({(rank, thread, k): mean for rank in line.members})

    def scaled(self, region, rank):
        factor = Fraction(1)
        for line in self.lines:
            if line.scales(region, rank):
                factor *= line.factor
        return factor

    def __call__(self, key, by_work=False):
        """Returns by how much the interval's rho grows, and the additional time on the target."""
        rank, thread, (parts, begun) = self.found[key]
        rho, more = Fraction(0), Fraction(0)
        whole = sum(part.work if by_work else part.length for part in parts)
        for part in parts:
            in_force, factor = self.ratios.in_force(part.names), self.scaled(part.region, rank)
            size = part.work if by_work else part.length
            rho += in_force * (factor - 1) * size / whole if whole else 0
            more += in_force * factor * self.gain(part, rank, thread) * part.work
        for name, k, names in begun:
            more += (self.ratios.in_force(names) * self.scaled(name, rank)
                     * sum(line.inserted(name, rank) for line in self.lines))
            for line in self.balancing(name, rank):
                if not line.total and not line.work[rank, thread, k]:
                    more += (self.ratios.in_force(names) * self.scaled(name, rank)
                             * line.mean[rank, thread, k])
        return rho, more

    def balancing(self, name, rank):
        return [line for line in self.lines if line.verb == "balance" and line.region == name
                and rank in line.members]

    def gain(self, part, rank, thread):
        gain = Fraction(0)
        for line in self.balancing(part.region, rank):
            at = (rank,) if line.total else (rank, thread, part.visit[1])
            if line.work[at]:
                gain += line.mean[at] / line.work[at] - 1
        return gain
