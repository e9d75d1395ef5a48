# SPDX-License-Identifier: GPL-3.0-or-later
"""The oracle's input: a complete text trace (mpgtext(5)), and how much of the time between two calls is computation
(docs/MODEL.md, section 1)."""

import math
from collections import defaultdict

from oracle_exact import Fraction

STARTS = {"Init", "Init_thread"}
INVOLVE_NOBODY = set("""
    Comm_rank Comm_size Comm_group Comm_compare Comm_get_attr Comm_set_errhandler Comm_set_name Pcontrol
    Initialized Finalized Query_thread Get_processor_name Get_version Get_library_version Wtime Wtick Get_address Get_count
    Get_elements Cart_coords Cart_get Cart_rank Cart_shift Cartdim_get Dims_create Topo_test Error_string Error_class
    Group_excl Group_free Group_incl Group_rank Group_size Group_translate_ranks Op_create Op_free Pack Pack_size Unpack
    Type_commit Type_contiguous Type_create_hvector Type_create_indexed_block Type_create_resized Type_create_struct
    Type_create_subarray Type_dup Type_extent Type_free Type_get_extent Type_hindexed Type_hvector Type_indexed Type_size
    Type_struct Type_vector""".split())
MARKS = {"Region_begin", "Region_end"}


class OracleError(Exception):
    """The trace or an argument is invalid."""


# --- the trace -------------------------------------------------------------

def mark_region(regions, name):
    """Begins a region or, without a name, ends the one that began last, if there is any."""
    if name is not None:
        regions.append(name)
    elif regions:
        regions.pop()


class Between:
    """What was recorded between the previous call and this one."""

    def __init__(self):
        self.events = 0
        self.summed = 0
        self.flushed = 0
        self.off = 0  # how long the thread was off its CPU
        self.cpu = []
        self.regions, self.marks = [], []
        self.log = []  # of all of these in their order: (what, number), marks with name and CPU time

    def lose(self, time):
        """Notes time off the CPU."""
        self.off += time
        self.log.append(("off", time))

    def follow(self):
        """Returns a new record for what follows the call that ends this one."""
        after = Between()
        after.regions = list(self.regions)
        for _, name in self.marks:
            mark_region(after.regions, name)
        return after


class Call:
    """One MPI call of one rank: its times on that rank's clock, and its arguments."""

    def __init__(self, rank, index, enter, leave, name, args, thread=0):
        self.between = Between()
        self.rank = rank
        self.thread = thread
        self.index = index
        self.enter = enter
        self.leave = leave
        self.name = name
        self.args = args
        self.exchange = None  # of one that hypotheses insert: by which, to whom, from whom, and how many before
        self.place = None

    @property
    def order(self):
        """Returns its place among its rank's calls."""
        return self.index if self.place is None else self.place

    @property
    def duration(self):
        return self.leave - self.enter

    @property
    def site(self):
        """Returns its call site; 0: not recorded."""
        return int(self.args.get("site", 0))

    @property
    def S(self):
        return ("S", self.rank, self.index)

    @property
    def E(self):
        return ("E", self.rank, self.index)

    @property
    def off(self):
        """Returns how long the thread was off its CPU in the call."""
        return int(self.args.get("off_call", 0))

    def is_local(self):
        """Returns whether the call counts as computation of its traced time."""
        return "failed" in self.args or self.name == "Unknown"

    def number(self, key, default=None):
        if key not in self.args:
            if default is None:
                raise self.error(f"no {key}=")
            return default
        return int(self.args[key])

    def numbers(self, key):
        text = self.args.get(key, "")
        return [int(part) for part in text.split(",") if part]

    def own_bytes(self):
        """Returns the bytes that this rank contributes; a list counts as its sum."""
        return sum(self.numbers("bytes"))

    def error(self, what):
        return OracleError(
            f"rank {self.rank}, call {self.index} (MPI_{self.name}): {what}")


class Trace:
    """All calls, communicators (as ranks of the world) and clock offsets."""

    def __init__(self):
        self.ranks = 0
        self.calls = []
        self.comms = {}
        self.shared_clock = False
        self.neighbors = {}
        self.offsets = defaultdict(list)
        self.on_clock_0 = {}
        self.hosts = defaultdict(str)
        self.facts = []
        self.values = []
        self.pending = defaultdict(Between)
        self.first = {}
        self.windows = {}
        self.counted = defaultdict(list)
        self.intervals, self.classes = {}, {}

    def has_clocks(self):
        return self.shared_clock or all(
            self.offsets[rank] for rank in range(1, self.ranks))

    def threads(self):
        """Generates the calls of every thread; on each rank the thread that called MPI_Init is the first."""
        for calls in self.calls:
            for thread in sorted({call.thread for call in calls}):
                yield [call for call in calls if call.thread == thread]

    def after_last(self, rank, thread):
        """Returns what was recorded of a thread after its last call."""
        return self.pending[rank, thread]

    def has_cpu(self):
        """Returns whether any rank has CPU times."""
        return any("cpu_ns" in value_names(self, rank) for rank in range(self.ranks))

    def host_pair(self, a, b):
        return frozenset((self.hosts[a.rank], self.hosts[b.rank]))

    def fact(self, rank, name, otherwise=0):
        """Returns a header line about the tracer's overhead, in ns."""
        return Fraction(self.facts[rank].get(name, otherwise))

    def cost_of_call(self, rank):
        """Returns the tracer's overhead of a call, measured during the run or else at its start."""
        return self.fact(rank, "overhead_call_median_ns", self.fact(rank, "overhead_call_ns"))

    def interval(self, before, call):
        """Returns the computation between two calls, without the tracer's overhead."""
        if (before, call) not in self.intervals:
            self.intervals[before, call] = self.computation(
                call.rank, call.enter - before.leave, call.between)
        return self.intervals[before, call]

    def computation(self, rank, time, between):
        """Returns the part of the time that is not the tracer's."""
        each = self.cost_of_call(rank)
        tracer = (1 + between.events) * each
        tracer += between.summed * self.fact(rank, "overhead_sum_ns", each)
        tracer = math.floor(tracer + Fraction(1, 2))
        return max(0, time - between.flushed - tracer)

    def off(self, rank, time, between):
        """Returns how much of computation() was off the CPU."""
        return min(between.off, self.computation(rank, time, between))

    def tells_off_cpu(self):
        """Returns whether all ranks recorded time off the CPU."""
        return all("off_cpu" in facts for facts in self.facts)

    def cpu(self, call):
        """Returns the CPU time of the interval that the call ends, or None."""
        between = call.between
        if not between.cpu or None in between.cpu:
            return None
        each = self.fact(call.rank, "overhead_cpu_ns")
        tracer = (1 + between.events) * each
        tracer += between.summed * self.fact(call.rank, "overhead_sum_ns")
        return sum(between.cpu) - math.floor(tracer + Fraction(1, 2))

    def aligned(self, rank, time):
        """Converts a time of the rank's clock to rank 0's clock, once the whole trace is read."""
        if (rank, time) not in self.on_clock_0:
            self.on_clock_0[rank, time] = self.align(rank, time)
        return self.on_clock_0[rank, time]

    def align(self, rank, time):
        points = sorted(self.offsets[rank])
        if self.shared_clock or not points:
            return Fraction(time)
        if time <= points[0][0]:
            return Fraction(time + points[0][1])
        for (t0, o0), (t1, o1) in zip(points, points[1:]):
            if t0 <= time <= t1 and t0 < t1:
                return time + o0 + Fraction((o1 - o0) * (time - t0), t1 - t0)
        return Fraction(time + points[-1][1])


def read_trace(lines):
    lines = iter(lines)
    if next(lines, "").split() != ["#mpgtext", "1"]:
        raise OracleError("not a text trace: the first line is not '#mpgtext 1'")
    trace = Trace()
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0].startswith("#"):
            read_directive(trace, words)
        else:
            read_call(trace, words)
    for rank, calls in enumerate(trace.calls):
        number_calls(trace.counted[rank])
        calls.sort(key=lambda call: call.index)
        check_rank(rank, calls)
    return trace


def number_calls(counted):
    """Numbers the calls of all threads in the order of their enter times. COUNTED: (enter, thread, call or None)."""
    def order(one):
        enter, thread, call = one
        return enter, call is not None and call.name == "Finalize", thread
    for number, (*_, call) in enumerate(sorted(counted, key=order)):
        if call:
            call.index = number


def read_directive(trace, words):
    if words[0] == "#values":
        trace.values = words[1:]
    elif words[0] == "#ranks":
        trace.ranks = int(words[1])
        trace.calls = [[] for _ in range(trace.ranks)]
        trace.facts = [{} for _ in range(trace.ranks)]
        trace.comms.setdefault(0, list(range(trace.ranks)))
    elif words[0] == "#comm":
        if "|" in words:
            raise OracleError("inter-communicators are not read")
        trace.comms[int(words[1])] = [int(word) for word in words[words.index("=") + 1:]]
    elif words[0] == "#window":
        trace.windows[int(words[1])] = int(words[3])
    elif words[0] == "#topology":
        rank, comm, end = int(words[1]), int(words[2]), words.index(">")
        trace.neighbors[comm, rank] = [
            [None if word == "null" else int(word) for word in part]
            for part in (words[4:end], words[end + 1:])]
    elif words[:2] == ["#clocks", "shared"]:
        trace.shared_clock = True
    elif words[0] == "#fact":
        trace.facts[int(words[1])][words[2]] = words[3]
    elif words[0] == "#host":
        trace.hosts[int(words[1])] = words[2]
    elif words[0] == "#clock":
        trace.offsets[int(words[1])].append((int(words[2]), int(words[3])))


def read_call(trace, words):
    place, enter, leave, name = words[0], int(words[1]), int(words[2]), words[3]
    rank, thread = (int(part) for part in (place + ".0").split(".")[:2])
    if name.endswith("_c"):  # but for the type of its counts the same
        name = name[:-2]
    args = {"comm": "0", "tag": "0", "recvtag": "0"}
    args.update(word.split("=", 1) for word in words[4:])
    between = trace.pending[rank, thread]
    trace.first.setdefault((rank, thread), enter)
    between.lose(int(args.get("off", 0)))
    if name == "Flush":
        between.flushed += leave - enter
        between.log.append(("flush", leave - enter))
    elif "calls" in args:
        between.summed += int(args["calls"])
        between.log.append(("sum", int(args["calls"])))
    elif name in MARKS or name in INVOLVE_NOBODY:
        between.events += 1
        between.lose(int(args.get("off_call", 0)))
        between.cpu.append(cpu_of(trace, rank, args))
        if name in MARKS:
            region = args["name"].strip('"') if name == "Region_begin" else None
            between.marks.append((enter, region))
            between.log.append(("mark", enter, region, between.cpu[-1]))
        else:
            between.log.append(("event", between.cpu[-1]))
        if name in INVOLVE_NOBODY:
            trace.counted[rank].append((enter, thread, None))
    else:
        index = len(trace.counted[rank])
        call = Call(rank, index, enter, leave, name, args, thread)
        last = next((other for other in reversed(trace.calls[rank])
                     if other.thread == thread), None)
        if leave < enter or (last and enter < last.leave):
            raise call.error("times decrease")
        call.between = between
        trace.pending[rank, thread] = between.follow()
        call.between.cpu.append(cpu_of(trace, rank, args))
        trace.counted[rank].append((enter, thread, call))
        trace.calls[rank].append(call)


def value_names(trace, rank):
    return trace.facts[rank].get("values", ",".join(trace.values)).split(",")


def cpu_of(trace, rank, args):
    """Returns the value cpu_ns of an event, or None."""
    names = value_names(trace, rank)
    if "values" not in args or "cpu_ns" not in names:
        return None
    return int(args["values"].split(",")[names.index("cpu_ns")])


def check_rank(rank, calls):
    if not calls or calls[0].name not in STARTS:
        raise OracleError(f"rank {rank}: the first call is not MPI_Init")
    if calls[-1].name != "Finalize":
        raise OracleError(f"rank {rank}: the last call is not MPI_Finalize")
