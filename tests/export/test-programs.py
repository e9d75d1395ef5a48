#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace export --format=goal and ti (TAP): random programs of eager messages and collectives, whose calls take no
time, evaluated here by the rules of GOAL and of SimGrid's actions, take as long as mpgsim predicts; small programs by
hand; refusals."""

import collections
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "properties"), os.path.join(HERE, "..")]
import programs  # noqa: E402
import tap  # noqa: E402

MPGTRACE, MPGSIM = os.environ.get("MPGTRACE", "mpgtrace").split(), os.environ.get("MPGSIM", "mpgsim").split()
CASES = int(os.environ.get("EXPORT_CASES", "25"))
LATENCY = 5000
COLLECTIVES = ("Barrier Bcast Reduce Allreduce Gather Scatter Allgather Alltoall Scan Exscan Reduce_scatter_block "
               "Reduce_scatter Gatherv Scatterv Allgatherv Alltoallv").split()
LISTS = ("Gatherv", "Scatterv", "Allgatherv", "Alltoallv")
ROOTED = ("Bcast", "Reduce", "Gather", "Scatter", "Gatherv", "Scatterv")


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def predicted(path):
    done = run(*MPGSIM, "--predict", "--json", f"--latency=const:{LATENCY}ns", "--collectives=expand", path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["run_time_ns"]["median"]


class Program:
    """A random program in rounds: work, nonblocking and blocking messages, waits in any order, persistent requests,
    collectives on comm 0 or 1; with LATER also nonblocking and persistent collectives, and those of neighbours in a
    ring with one more edge (comm 2)."""

    def __init__(self, seed, world, later=False):
        self.later = later
        self.rng = random.Random(f"program {seed}")
        self.ranks = self.rng.choice([2, 3, 4, 5, 7, 8])
        self.at, self.request, self.lines = [0] * self.ranks, 100, []
        self.part = self.rng.sample(range(self.ranks), self.rng.randint(1, self.ranks))
        if not world and self.part == list(range(self.ranks)):
            self.part.reverse()  # else TI has actions, whose algorithm is SimGrid's
        self.made = [[] for _ in range(self.ranks)]
        for rank in range(self.ranks):
            self.call(rank, "Init")
        for _ in range(self.rng.choice([3, 10, 25])):
            for rank in range(self.ranks):
                self.at[rank] += self.rng.randrange(9000)
            if self.rng.random() < 0.3:
                self.collective(world)
            elif self.rng.random() < 0.3:
                self.neighbors()
            else:
                self.round()
        for rank in range(self.ranks):
            self.call(rank, "Finalize")

    def call(self, rank, text):
        self.lines.append(f"{rank} {self.at[rank]} {self.at[rank]} {text}")

    def collective(self, world):
        comm = self.rng.randrange(2) if world else 1
        members = self.part if comm else range(self.ranks)
        name, root = self.rng.choice(COLLECTIVES), self.rng.randrange(len(members))
        size = self.rng.choice([8, 100, 3000, 20000]) * len(members)
        form = self.rng.choice(["", "I", "init"]) if self.later else ""
        word = name + "_init" if form == "init" else "I" + name.lower() if form else name
        waits = []
        for place, rank in enumerate(members):
            keys = f" root={root}" * (name in ROOTED)
            if name == "Alltoallv" or (name == "Scatterv" and place == root):
                keys += " bytes=" + ",".join(str(self.rng.randrange(size)) for _ in members)
            elif name != "Barrier":
                keys += f" bytes={self.rng.randrange(size) if name in LISTS else size}"
            waits.append((rank, self.start(rank, form, f"{word} comm={comm}{keys}")))
        for rank, request in waits:
            self.wait(rank, request)

    def start(self, rank, form, text):
        """Adds the call, and starts it if it is persistent. Returns its request, or None if it is blocking."""
        self.request += 1
        self.call(rank, text + ("" if not form else f" request={self.request}" if form == "I" else f" persistent={self.request}"))
        if form == "init":
            self.request += 1
            self.call(rank, f"Start persistent={self.request - 1} requests={self.request}")
        if form:
            self.at[rank] += self.rng.randrange(3 * LATENCY)
        return self.request if form else None

    def wait(self, rank, request):
        if request is not None:
            self.call(rank, f"Wait requests={request}")

    def neighbors(self):
        """Each rank sends to the next one, to the one after it, and to the next one again. With lists each edge has its
        own size."""
        name = self.rng.choice(["allgather", "alltoall", "allgatherv", "alltoallv"])
        size, form, waits = self.rng.randrange(5000), self.rng.choice(["", "I", "init"]), []
        for rank in range(self.ranks):
            keys = f" bytes={size if name[-1] != 'v' else self.rng.randrange(5000)}"
            if name == "alltoallv":
                keys = " bytes=" + ",".join(str(self.rng.randrange(5000)) for _ in range(3))
            word = {"": "Neighbor_", "I": "Ineighbor_", "init": "Neighbor_"}[form] + name + "_init" * (form == "init")
            waits.append((rank, self.start(rank, form, f"{word} comm=2{keys}")))
        for rank, request in waits:
            self.wait(rank, request)

    def post(self, rank, text):
        self.request += 1
        self.call(rank, f"{text} request={self.request}")
        self.at[rank] += self.rng.randrange(700)
        return self.request

    def round(self):
        """Each message of a round has a tag of its own; some are received from any source."""
        waits = [[] for _ in range(self.ranks)]
        pairs = [(a, b) for a in range(self.ranks) for b in range(self.ranks) if self.rng.random() < 0.3]
        for tag, (a, b) in enumerate(pairs):
            wildcard = " any=source,tag" * (self.rng.random() < 0.2)
            waits[b].append(self.post(b, f"Irecv from={a} tag={tag} bytes={100 + tag}{wildcard}"))
        for tag, (a, b) in enumerate(pairs):
            if self.rng.random() < 0.5:
                self.call(a, f"Send to={b} tag={tag} bytes={100 + tag}")
            else:
                waits[a].append(self.post(a, f"Isend to={b} tag={tag} bytes={100 + tag}"))
        if self.ranks > 1 and self.rng.random() < 0.3:
            for rank in range(self.ranks):
                there, back = (rank + 1) % self.ranks, (rank - 1) % self.ranks
                self.call(rank, f"Sendrecv to={there} tag=9 bytes=7 from={back} recvtag=9 recvbytes=7")
        for rank in range(self.ranks):
            self.rng.shuffle(waits[rank])
            if waits[rank]:
                self.call(rank, "Waitall requests=" + ",".join(map(str, waits[rank])))

    def __str__(self):
        n = self.ranks
        head = ["#mpgtext 1", f"#ranks {n}", "#comm 1 = " + " ".join(map(str, self.part)),
                "#comm 2 = " + " ".join(map(str, range(n)))]
        for r in range(n):
            near, far = (r + 1) % n, (r + 2) % n
            head.append(f"#topology {r} 2 = {(r - 1) % n} {(r - 2) % n} {(r - 1) % n} > {near} {far} {near}")
        return "\n".join(head + self.lines) + "\n"


# --- GOAL ------------------------------------------------------------------

def goal_time(text):
    """Returns when the last operation ends. Sends of one (from, to, tag) match receives in the order of the file."""
    ops, needs, starts, order, rank = {}, collections.defaultdict(list), collections.defaultdict(list), [], -1
    for line in text.splitlines():
        words = line.split()
        if words[0] == "rank":
            rank = int(words[1])
        elif len(words) == 3 and words[1] in ("requires", "irequires"):
            (needs if words[1] == "requires" else starts)[rank, words[0]].append((rank, words[2]))
        elif len(words) > 2:
            key = rank, words[0].rstrip(":")
            ops[key] = words[1:]
            order.append(key)
    sends, receives = collections.defaultdict(list), collections.defaultdict(list)
    for key in order:
        words = ops[key]
        if words[0] == "send":
            sends[key[0], int(words[3]), words[5]].append(key)
        elif words[0] == "recv":
            receives[int(words[3]), key[0], words[5]].append(key)
    partner = {}
    for channel, list_ in receives.items():
        assert len(list_) == len(sends[channel]), channel
        partner.update(zip(list_, sends[channel]))
    assert sum(map(len, sends.values())) == len(partner)
    begin, end = {}, {}
    while order:
        left = []
        for key in order:
            if any(k not in end for k in needs[key]) or any(k not in begin for k in starts[key]):
                left.append(key)
                continue
            at = max([0] + [end[k] for k in needs[key]] + [begin[k] for k in starts[key]])
            begin[key] = at
            if key in partner:
                if partner[key] not in begin:
                    left.append(key)
                    continue
                at = max(at, begin[partner[key]] + LATENCY)
            end[key] = at + (int(ops[key][1]) if ops[key][0] == "calc" else 0)
        assert len(left) < len(order), "operations wait for each other"
        order = left
    return max(end.values())


# --- SimGrid's actions -----------------------------------------------------

def ti_time(files):
    """Returns when the last rank ends. Messages are eager; a wait is for the oldest request with its sender, receiver
    and tag."""
    arrived = collections.defaultdict(list)
    actions = [[line.split()[1:] for line in open(file, encoding="ascii")] for file in files]
    clock, place = [0] * len(files), [0] * len(files)
    took, posted = collections.defaultdict(int), [collections.defaultdict(list) for _ in files]
    moved = True
    while moved:
        moved = False
        for rank, list_ in enumerate(actions):
            while place[rank] < len(list_) and step(rank, list_[place[rank]], clock, arrived, took, posted[rank]):
                place[rank] += 1
                moved = True
    assert all(place[rank] == len(list_) for rank, list_ in enumerate(actions)), "ranks wait for each other"
    return max(clock)


def step(rank, action, clock, arrived, took, posted):
    """Performs the action if it can complete now; returns whether it did."""
    name = action[0]
    if name == "compute":
        clock[rank] += int(action[1])
    elif name in ("send", "isend"):
        key = rank, int(action[1]), action[2]
        assert action[4] == "6"
        arrived[key].append(clock[rank] + LATENCY)
        if name == "isend":
            posted[key].append(None)
    elif name == "irecv":
        key = int(action[1]), rank, action[2]
        posted[key].append(took[key])
        took[key] += 1
    elif name == "recv":
        key = int(action[1]), rank, action[2]
        if len(arrived[key]) <= took[key]:
            return False
        clock[rank] = max(clock[rank], arrived[key][took[key]])
        took[key] += 1
    elif name == "wait":
        key = int(action[1]), int(action[2]), action[3]
        nth = posted[key][0]
        if nth is not None:
            if len(arrived[key]) <= nth:
                return False
            clock[rank] = max(clock[rank], arrived[key][nth])
        posted[key].pop(0)
    else:
        assert name in ("init", "finalize"), name
    return True


# --- tests -----------------------------------------------------------------

def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def export(name, *words):
    shutil.rmtree("x", ignore_errors=True)
    for old in glob.glob("x.*"):
        os.unlink(old)
    return run(*MPGTRACE, "export", *words, "-o", name, "calls.txt")


def check_times():
    wrong = []
    for seed in range(CASES):
        write("calls.txt", str(Program(seed, True, True)))
        done = export("x.goal")
        theirs = goal_time(open("x.goal", encoding="ascii").read()) if done.returncode == 0 else done.stderr
        if theirs != predicted("calls.txt"):
            wrong.append(f"program {seed}: {theirs}, mpgsim {predicted('calls.txt')}")
    tap.ok(f"GOAL: {CASES} programs with collectives take as long as mpgsim predicts", not wrong, "\n# ".join(wrong[:5]))
    wrong = []
    for seed in range(CASES):
        write("calls.txt", str(Program(seed, False)))
        done = export("x.ti")
        files = open("x.ti", encoding="ascii").read().split() if done.returncode == 0 else []
        theirs = ti_time(files) if files else done.stderr
        if theirs != predicted("calls.txt"):
            wrong.append(f"program {seed}: {theirs}, mpgsim {predicted('calls.txt')}")
    tap.ok(f"TI: {CASES} programs with collectives of a part take as long as mpgsim predicts", not wrong, "\n# ".join(wrong[:5]))


def check_any():
    """Checks that programs of tests/properties are written, or refused with one line; with --lenient all are written,
    except those with threads."""
    wrong, written = [], 0
    for seed in range(CASES):
        draw = random.Random(f"other {seed}")
        write("calls.txt", programs.program(draw, threads=False)[0])
        for name in ("x.goal", "x.ti"):
            done = export(name)
            written += done.returncode == 0
            if done.returncode not in (0, 1) or (done.returncode and done.stderr.count("\n") != 1):
                wrong.append(f"{seed}: {done.returncode} {done.stderr}")
            done = export(name, "--lenient")
            if done.returncode or any(not line.startswith("mpgtrace export: attention: ") for line in done.stderr.splitlines()):
                wrong.append(f"{seed}: {done.stderr}")
    tap.ok("any program is written, or refused in a line", not wrong and written, "\n# ".join(wrong[:5]))


SMALL = """#mpgtext 1
#ranks 2
#fact 0 overhead_call_ns 40
0 0 100 Init
1 0 100 Init
0 150 150 Irecv from=1 tag=5 bytes=64 request=1
0 300 320 Isend to=1 tag=5 bytes=32 request=2
0 400 420 Comm_rank
0 500 900 Waitall requests=2,1
1 200 250 Recv from=0 tag=5 bytes=32
1 250 260 Send to=0 tag=5 bytes=64
0 1000 1100 Allreduce bytes=800
1 1000 1100 Allreduce bytes=800
0 1200 1210 Finalize
1 1200 1210 Finalize
"""


def check_small():
    write("calls.txt", SMALL)
    done = export("x.ti")
    tap.ok("nothing is left out of it", done.returncode == 0 and not done.stderr, done.stderr)
    # 150 - 100 - 40; 300 - 150 - 40; 500 - 320 - 2 x 40, as MPI_Comm_rank is computation; 1000 - 900 - 40; 1200 - 1100 - 40
    tap.ok("TI by hand", open("x/0.ti", encoding="ascii").read().splitlines() ==
           ["0 init", "0 compute 10", "0 irecv 1 0 64 6", "0 compute 110", "0 isend 1 0 32 6", "0 compute 100", "0 wait 0 1 0",
            "0 wait 1 0 0", "0 compute 60", "0 allreduce 800 0 6", "0 compute 60", "0 finalize"],
           open("x/0.ti", encoding="ascii").read().replace("\n", "; "))
    tap.ok("TI: the list has whole names", open("x.ti", encoding="ascii").read() ==
           "".join(f"{os.path.realpath('.')}/x/{rank}.ti\n" for rank in range(2)))
    write("calls.txt", re.sub(".*Allreduce.*\n", "", SMALL))
    export("x.goal")
    text = open("x.goal", encoding="ascii").read()
    tap.ok("GOAL by hand", text.split("rank 1")[0].splitlines() ==
           ["num_ranks 2", "rank 0 {", "l1: calc 10", "l2: recv 64b from 1 tag 0", "l2 requires l1", "l3: calc 110",
            "l3 requires l1", "l4: send 32b to 1 tag 0", "l4 requires l3", "l5: calc 100", "l5 irequires l4", "l6: calc 0",
            "l6 requires l5", "l6 requires l4", "l7: calc 0", "l7 requires l6", "l7 requires l2", "l8: calc 260",
            "l8 requires l7", "}"], text.replace("\n", "; "))


LISTS_OF_SIZES = """#mpgtext 1
#ranks 3
#comm 1 = 0 1 2
#topology 0 1 = 1 2 > 1 2
#topology 1 1 = 0 > 0
#topology 2 1 = 0 > 0
0 0 0 Init
1 0 0 Init
2 0 0 Init
0 100 100 Gatherv root=1 bytes=10
1 100 100 Gatherv root=1 bytes=20
2 100 100 Gatherv root=1 bytes=30
0 150 150 Allgatherv bytes=10
1 150 150 Allgatherv bytes=0
2 150 150 Allgatherv bytes=3000
0 250 250 Scatterv root=2 bytes=100
1 250 250 Scatterv root=2 bytes=70000
2 250 250 Scatterv root=2 bytes=100,70000,5
0 300 300 Ineighbor_alltoallv comm=1 bytes=11,22 request=5
1 300 300 Ineighbor_alltoallv comm=1 bytes=33 request=5
2 300 300 Ineighbor_alltoallv comm=1 bytes=44 request=5
0 400 400 Wait requests=5
1 400 400 Wait requests=5
2 400 400 Wait requests=5
0 10000 10000 Finalize
1 10000 10000 Finalize
2 10000 10000 Finalize
"""


def check_lists():
    """Checks, by hand, collectives whose sizes only other ranks know."""
    write("calls.txt", LISTS_OF_SIZES)
    done = export("x.ti")
    text = open("x/0.ti", encoding="ascii").read()
    tap.ok("TI: collectives with lists, by hand", done.returncode == 0 and not done.stderr and text.splitlines() ==
           ["0 init", "0 compute 100", "0 gatherv 10 10 20 30 1 6 6", "0 compute 50", "0 allgatherv 10 10 0 3000 6 6",
            "0 compute 100", "0 scatterv 100 70000 5 100 2 6 6", "0 compute 50", "0 irecv 1 0 33 6", "0 irecv 2 0 44 6",
            "0 isend 1 0 11 6", "0 isend 2 0 22 6", "0 compute 100", "0 wait 1 0 0", "0 wait 2 0 0", "0 wait 0 1 0",
            "0 wait 0 2 0", "0 compute 9600", "0 finalize"], done.stderr + text.replace("\n", "; "))
    back = run(*MPGTRACE, "print", "x.ti").stdout
    tap.ok("... and back", "2 250 250 Scatterv comm=0 root=2 bytes=100,70000,5\n" in back and
           "1 100 100 Gatherv comm=0 root=1 bytes=20\n" in back, back)
    write("calls.txt", "".join(line for line in LISTS_OF_SIZES.splitlines(True) if not line.startswith("1 150")))
    done = export("x.goal")
    tap.ok("a collective that not all members call", done.returncode == 1 and
           "(MPI_Allgatherv): in GOAL, a collective that not all members call is not written" in done.stderr, done.stderr)


def check_off_cpu():
    """Between calls 1000 ns, of which 300 off the CPU; a call of 100 ns that counts as computation, of which 40 off the
    CPU."""
    write("calls.txt", "#mpgtext 1\n#ranks 1\n0 0 100 Init\n0 1100 1200 Unknown name=\"MPI_X\" off=300 off_call=40\n"
                       "0 1300 1310 Finalize\n")
    done = export("x.ti")
    text = open("x/0.ti", encoding="ascii").read()
    tap.ok("time off the CPU is no computation", text.splitlines() == ["0 init", "0 compute 860", "0 finalize"] and
           "attention: 1 intervals with time off the CPU: it is left out\n" in done.stderr, done.stderr + text)


POLLING = """#mpgtext 1
#ranks 2
0 0 0 Init
1 0 0 Init
0 1000 1000 Irecv from=1 tag=5 bytes=64 request=1
0 2000 2000 Test requests=1 done=
0 5000 5000 Test requests=1 done=
0 9000 9000 Test requests=1
0 9100 9100 Iprobe from=1 found=0
0 9200 9200 Iprobe from=1 found=0
0 99200 99200 Iprobe from=1 found=0
1 1000 1000 Send to=0 tag=5 bytes=64
0 100000 100000 Finalize
1 2000 2000 Finalize
"""


def check_polling():
    """The message arrives at 1000 + 5000. Then 100 to the first Iprobe, 0 to the second, 90000, which is too long for
    polling, and 800: 96900."""
    write("calls.txt", POLLING)
    done = export("x.goal")
    text = open("x.goal", encoding="ascii").read()
    tap.ok("GOAL: no computation between unsuccessful tests of one callsite",
           goal_time(text) == predicted("calls.txt") == 96900 and
           "attention: 3 intervals between unsuccessful tests: left out, as waiting\n" in done.stderr, done.stderr + text)
    write("calls.txt", POLLING.replace("0 5000 5000 Test requests=1 done=", "0 5000 5000 Testall requests=1 done="))
    export("x.goal")
    # 2000, 3000 to the Testall, 4000 to the Test, 100, 0, 90000, 800; the message came before
    tap.ok("GOAL: another call, or an interval above 10 us, is computation", goal_time(open("x.goal", encoding="ascii").read()) ==
           predicted("calls.txt") == 99900)


def check_cpu_time():
    """If the CPU time of an interval is recorded and shorter than the interval, it counts as the computation: 1000 of
    3000, then 500."""
    write("calls.txt", "#mpgtext 1\n#ranks 1\n#values cpu_ns\n0 0 0 Init values=0\n0 3000 3100 Barrier values=1000\n"
                       "0 3600 3600 Finalize values=900\n")
    export("x.ti")
    tap.ok("the CPU time of an interval", open("x/0.ti", encoding="ascii").read().splitlines() ==
           ["0 init", "0 compute 1000", "0 barrier", "0 compute 500", "0 finalize"] and predicted("calls.txt") == 1500)


def check_failed():
    """A failed call counts as computation of its traced time: 1000 + 250 + 50."""
    write("calls.txt", "#mpgtext 1\n#ranks 1\n0 0 0 Init\n0 1000 1250 Send failed=1\n0 1300 1300 Finalize\n")
    done = export("x.ti")
    tap.ok("a failed call", open("x/0.ti", encoding="ascii").read().splitlines() == ["0 init", "0 compute 1300", "0 finalize"] and
           predicted("calls.txt") == 1300 and "attention: 1 failed calls: written as computation of the same duration\n" in done.stderr,
           done.stderr)


# two ranks, each of whose differences between GOAL and mpgsim --predict is in one call
CALLS = """#mpgtext 1
#ranks 2
#comm 1 = 0 1
0 0 0 Init
1 0 0 Init
0 1000 1200 Irecv from=1 tag=5 bytes=64 request=1
1 1000 1300 Send to=0 tag=5 bytes=64
0 1200 9000 Wait requests=1
1 2300 2400 Isend to=0 tag=6 bytes=64 request=1
1 2400 2800 Wait requests=1
0 9000 9000 Recv from=1 tag=6 bytes=64
0 9000 9000 Comm_split newcomm=1
1 9000 9000 Comm_split newcomm=1
0 9500 9500 Finalize
1 20000 20000 Finalize
"""


def check_model():
    """What mpgexport(5) says of the two models. GOAL: rank 1 sends at 1000 and, its Send of no time, 1000 later, and is in the
    constructor at 2000 + 6200; both leave it when the other's message has come. mpgsim: the Send takes its 300, the Isend 100,
    the Wait 400, its own; the constructor's end is the last member's enter and a latency, for both."""
    write("calls.txt", CALLS)
    export("x.goal")
    theirs, ours = goal_time(open("x.goal", encoding="ascii").read()), predicted("calls.txt")
    # rank 1: 1000 + 1000 + 6200 = 8200 into Comm_split; rank 0 has both messages at 7000 and enters there: 12000; 11000 more
    # of rank 1. mpgsim: rank 1 enters at 1300 + 1000 + 100 + 400 + 6200 = 9000, and leaves at 14000
    tap.ok("calls with time of their own, and constructors: GOAL by hand", theirs == 12000 + 11000, str(theirs))
    tap.ok("... mpgsim by hand", ours == 14000 + 11000, str(ours))
    text = re.sub("Comm_split newcomm=1", "Barrier", CALLS)
    for old, new in (("1000 1300 Send", "1000 1000 Send"), ("2300 2400 Isend", "2000 2000 Isend"),
                     ("2400 2800 Wait", "2000 2000 Wait"),
                     ("1000 1200 Irecv", "1000 1000 Irecv"), ("1200 9000 Wait", "1000 1000 Wait"), ("0 9000 9000", "0 1000 1000"),
                     ("0 9500 9500", "0 1500 1500"), ("1 9000 9000", "1 8200 8200"), ("20000 20000", "19200 19200")):
        assert old in text
        text = text.replace(old, new)
    write("calls.txt", text)
    export("x.goal")
    theirs, ours = goal_time(open("x.goal", encoding="ascii").read()), predicted("calls.txt")
    tap.ok("... without these, both by hand", theirs == ours == 12000 + 11000, f"{theirs} {ours}")


def check_refusals():
    def refused(name, text, line, *words, output="x.goal"):
        write("calls.txt", text)
        done = export(output, *words)
        tap.ok(name, done.returncode == 1 and re.fullmatch(line, done.stderr.strip()) and not os.path.exists(output), done.stderr)

    for call in ("Iallreduce bytes=800 request=9", "Allreduce_init bytes=800 persistent=9"):
        refused("TI: " + call, SMALL.replace("Allreduce bytes=800", call, 1),
                r"mpgtrace export: (calls.txt: )?rank 0, call 5 \(MPI_(Iallreduce|Allreduce_init)\): in TI, nonblocking and "
                r"persistent collectives are not written \(--lenient leaves such calls out\)", output="x.ti")
    refused("threads", SMALL + "1.1 50 60 Comm_rank\n",
            r"mpgtrace export: calls.txt: rank 1 has several threads that call MPI, which GOAL cannot hold", "--lenient")
    refused("a rank that died", SMALL.replace("1 1200 1210 Finalize\n", "").replace("0 0 100", "#died 1\n0 0 100"),
            r"mpgtrace export: calls.txt: rank 1 ended without MPI_Finalize: others may wait for it for ever "
            r"\(--lenient writes its recorded calls\)")
    write("calls.txt", SMALL)
    os.mkdir("x.d")
    done = run(*MPGTRACE, "export", "--format=ti", "-o", "x.d", "calls.txt")
    tap.ok("an empty folder becomes TI's", done.returncode == 0 and sorted(os.listdir("x.d")) == ["traces", "traces.ti"], done.stderr)
    done = run(*MPGTRACE, "export", "--format=ti", "-o", "x.d", "calls.txt")
    tap.ok("... and stays", done.returncode == 1 and done.stderr.startswith("mpgtrace export: x.d: exists already"), done.stderr)
    done = run(*MPGTRACE, "export", "--format=goal", "-o", "/dev/full", "calls.txt")
    tap.ok("a full device", done.returncode == 1 and "No space left" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_small()
        check_lists()
        check_off_cpu()
        check_polling()
        check_cpu_time()
        check_failed()
        check_model()
        check_times()
        check_any()
        check_refusals()
        os.chdir("/")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
