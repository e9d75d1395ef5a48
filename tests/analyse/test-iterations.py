#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace efficiency --by=iteration on synthetic programs (TAP): the iterations found compared with the program's own
loops, their efficiencies and waits with values computed by hand; memory for traces of different length. MPGTRACE names
the program."""

import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import finish, ok  # noqa: E402

MPGTRACE = os.environ["MPGTRACE"]
FOLDER = tempfile.TemporaryDirectory()


class Program:
    """A program of RANKS ranks: its calls, with or without call sites, and the clock of each rank."""

    def __init__(self, ranks, sites=True, clocks="shared"):
        self.ranks, self.sites, self.clocks = ranks, sites, clocks
        self.now, self.lines, self.used, self.request = [100] * ranks, [], set(), 0

    def call(self, rank, words, site, work=100, took=50):
        enter = self.now[rank] + work
        self.now[rank] = enter + took
        self.used.add(site)
        self.lines.append(f"{rank} {enter} {enter + took} {words}" + (f" site={site}" if self.sites else ""))

    def meet(self, words, site, work=None, took=50):
        """Adds a collective that all ranks leave TOOK after the last one has entered it. WORK: computation of each rank
        before it."""
        work = work or [100] * self.ranks
        last = max(self.now[rank] + work[rank] for rank in range(self.ranks))
        for rank in range(self.ranks):
            self.call(rank, words, site, work[rank], last - self.now[rank] - work[rank] + took)

    def halo(self, site, tag=0):
        """Ranks 0 and 1, 2 and 3, ... exchange messages; the calls have three call sites from SITE on."""
        self.request += 2
        for rank in range(self.ranks):
            self.call(rank, f"Irecv from={rank ^ 1} tag={tag} bytes=8 request={self.request}", site, 10, 5)
            self.call(rank, f"Isend to={rank ^ 1} tag={tag} bytes=8 request={self.request + 1}", site + 1, 10, 5)
        last = max(self.now)
        for rank in range(self.ranks):
            self.call(rank, f"Waitall requests={self.request},{self.request + 1}", site + 2, 0, last - self.now[rank] + 20)

    def write(self, name="t.txt"):
        path = os.path.join(FOLDER.name, name)
        head = ["#mpgtext 1", f"#ranks {self.ranks}", f"#clocks {self.clocks}"]
        if self.sites:
            head += ['#module 0 = - "/x/prog"', *(f"#site {site} = 0+0x{16 * site + 16:x}" for site in sorted(self.used))]
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join([*head, *(f"{rank} 0 100 Init" for rank in range(self.ranks)), *self.lines,
                                  *(f"{rank} {now + 100} {now + 200} Finalize" for rank, now in enumerate(self.now)), ""]))
        return path


def run(*words):
    done = subprocess.run([MPGTRACE, "efficiency", "--by=iteration", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def answer(*words):
    status, out, err = run("--json", *words)
    return json.loads(out)["traces"][0] if status == 0 else {"error": err, "loops": [], "rows": []}


def count(found):
    return found["loops"][0]["iterations"] if found["loops"] else 0


def rows(found, part):
    return [row for row in found["rows"] if row["part"] == part]


def counts(name, program, iterations, *words):
    found = answer(*words, program.write())
    ok(name, count(found) == iterations, [(loop["iterations"], loop["call"], loop["callsite"], loop["share"])
                                          for loop in found["loops"]] or found)
    return found


# ---- numbers of iterations ----

def simple(n, sites=True, ranks=2, start=500):
    p = Program(ranks, sites)
    for site in range(3):
        p.meet("Bcast bytes=8 root=0", site, [start] * ranks)
    for _ in range(n):
        p.halo(10)
        p.meet("Allreduce bytes=8", 20, [1000 + 100 * rank for rank in range(ranks)])
    p.meet("Gather bytes=8 root=0", 30)
    return p


def tenth(sites=True):
    p = simple(0, sites)
    for i in range(100):
        p.halo(10)
        p.meet("Allreduce bytes=8", 20, [1000, 1200])
        if i % 10 == 9:
            p.meet("Allreduce bytes=8", 21)
    return p


def test_counts():
    counts("a loop of 50", simple(50), 50)
    found = counts("... of 4", simple(4), 4)
    ok("... begins with the first call of its body", found["loops"][0]["call"] == "MPI_Irecv", found["loops"])
    counts("... of 3 is no loop", simple(3), 0)
    counts("without callsites: by call, peer and communicator", simple(50, sites=False), 50)
    p = tenth()
    found = counts("an extra Allreduce every 10th time", p, 100)
    ok("... is another loop of 10", 10 in [loop["iterations"] for loop in found["loops"]], found["loops"])
    ok("... which can be asked for", count(answer("--iterations=10", p.write())) == 10)
    ok("... its last call is the last iteration's, not the end's", rows(found, "end")[0]["run_ns"] == 100, rows(found, "end"))
    counts("... without callsites", tenth(sites=False), 100)


def nested(inner, outer, work, sites=True):
    p = simple(0, sites)
    for i in range(outer):
        p.meet("Bcast bytes=8 root=1", 40, [work, work])
        for _ in range(inner(i)):
            p.halo(10)
            p.meet("Allreduce bytes=8", 20, [1000, 1200])
    return p


def test_nested():
    found = counts("nested loops, little work outside: the inner one", nested(lambda _: 20, 10, 100), 200)
    ok("... and the outer one is told", 10 in [loop["iterations"] for loop in found["loops"]], found["loops"])
    found = counts("... much work outside: the outer one", nested(lambda _: 5, 30, 50000), 30)
    counts("... of varying length inside", nested(lambda i: 3 + i * 7 % 5, 30, 50000), 30)
    ok("... one begins with the computation before its first call", rows(found, "median")[0]["mean_compute_ns"] >
       50000, rows(found, "median"))
    p = simple(0)
    for _ in range(40):
        for tag in range(6):
            p.halo(10, tag)
        p.meet("Allreduce bytes=8", 20, [20000, 21000])
    counts("six exchanges in a row at one callsite", p, 40)
    p = simple(0)
    for _ in range(40):
        for tag in range(2):
            p.halo(10, tag)
        for rank in range(2):
            p.now[rank] += 30000
        for tag in range(2):
            p.halo(13, tag)
    counts("... and nothing but such rows", p, 40)


def test_ranks():
    p = simple(0, ranks=4)
    for _ in range(60):
        p.meet("Bcast bytes=8 root=0", 5, [900, 950, 1000, 1100])
        for rank in range(0, 4, 2):  # only some ranks send, from their own call sites
            p.call(rank, f"Send to={rank + 1} tag=3 bytes=8", 50 + rank, 10, 20)
        for rank in range(1, 4, 2):
            p.call(rank, f"Recv from={rank - 1} tag=3 bytes=8", 50 + rank, 10, 30)
    counts("ranks with different sequences", p, 60)
    p = Program(2)
    for i in range(30):  # nothing in common but the number of calls
        p.call(0, f"Send to=1 tag=3 bytes={i}", 1, 1000, 20)
        p.call(1, f"Recv from=0 tag=3 bytes={i}", 2, 1000, 30)
    counts("one sends, one receives", p, 30)
    p = Program(2)
    for i in range(30):
        p.call(0, "Send to=1 tag=3 bytes=8", 1, 1000, 20)
        p.call(0, "Send to=1 tag=3 bytes=8", 3, 1000, 20)
        for _ in range(2):
            p.call(1, "Recv from=0 tag=3 bytes=8", 2, 1000, 30)
    counts("... of two callsites to one: no number in common", p, 0)


def test_cut():
    """The program is killed in its 20th iteration: rank 1 has not entered its last call."""
    p = simple(0)
    for i in range(20):
        p.meet("Allreduce bytes=8", 20, [1000, 1200])
    del p.lines[-1]
    path = p.write()
    with open(path, encoding="ascii") as file:
        lines = [line for line in file if not line.endswith("Finalize\n")]
    with open(path, "w", encoding="ascii") as file:
        file.write("".join(lines))
    found = answer("--lenient", path)
    ok("a killed run: the iterations that all ranks have begun", count(found) == 19, found["loops"])
    ok("... the rest is the end", rows(found, "last")[0]["run_ns"] == 1250 and rows(found, "end")[0]["run_ns"] == 1250,
       found["rows"])


def test_none():
    p = Program(2)
    for site in range(60):
        p.meet("Allreduce bytes=8", site)
    counts("a program that never repeats", p, 0)
    ok("... says so", "Iterations            none found" in run(p.write())[1])
    status, out, _ = run("--csv", p.write())
    ok("... CSV has headings only", status == 0 and len(out.splitlines()) == 1, out)
    bad = []
    for seed in range(20):
        draw, p = random.Random(seed), Program(2)
        for _ in range(300):
            p.meet("Allreduce bytes=8", draw.randrange(20), [draw.randrange(50, 5000)] * 2)
        found = answer(p.write())
        if count(found):
            bad.append((seed, found["loops"]))
    ok("calls at random are no loop", not bad, bad)
    status, _, err = run("--iterations=7", simple(50).write())
    ok("--iterations of another number", status == 1 and "no loop with 7 iterations" in err, err)


# ---- times ----

def test_times():
    p = Program(2)
    p.meet("Bcast bytes=8 root=0", 1, [5000, 5000])
    for i in range(10):
        p.meet("Allreduce bytes=8", 2, [1000 + 10 * i, 400])
    p.meet("Gather bytes=8 root=0", 3, [700, 300])
    found = answer(p.write())
    start, iterations, end = (rows(found, part)[0] for part in ("initialisation", "iterations", "end"))
    each = rows(found, "successive")
    ok("each iteration is a row", [(row["first"], row["last"]) for row in each] == [(i + 1, i + 1) for i in range(10)], each)
    # the first interval, which may contain the program's start, counts as long as the mean of the others, here 1055 and 400
    want = [(1050 + 10 * i, 1000 + 10 * i, 700 + 5 * i) for i in range(10)]
    ok("... run, longest and mean computation",
       [(row["run_ns"], row["max_compute_ns"], row["mean_compute_ns"]) for row in each] == want, each)
    ok("... efficiencies", all(abs(row["load_balance"] - (700 + 5 * i) / (1000 + 10 * i)) < 1e-12 and
                               abs(row["transfer"] - (1000 + 10 * i) / (1050 + 10 * i)) < 1e-12 and
                               row["serialization"] == 1 for i, row in enumerate(each)), each)
    ok("... waits, mean of the ranks", [row["wait_ns"] for row in each] == [300 + 5 * i for i in range(10)], each)
    ok("... who computes most", all((row["most_rank"], row["least_rank"]) == (0, 1) for row in each), each)
    ok("phases", (start["run_ns"], start["max_compute_ns"], iterations["run_ns"], end["run_ns"], end["max_compute_ns"]) ==
       (5050, 5000, sum(x[0] for x in want), 850, 800), [start, iterations, end])
    ok("... add up to the run", sum(x["run_ns"] for x in (start, iterations, end)) == found["run_ns"], found["run_ns"])
    ok("first, median, slowest, last", [rows(found, part)[0]["first"] for part in ("first", "median", "slowest", "last")] ==
       [1, 5, 10, 10], found["rows"])
    ok("iterations get slower: 90 ns of the median, 1090", abs(found["trend"] - 90 / 1090) < 1e-9 and found["trend_low"] > 0)
    text = run(p.write())[1]
    ok("... is said", "iterations get slower: from first to last by +8.3 % of the median iteration" in text, text)
    steep = Program(2)
    for i in range(10):
        steep.meet("Allreduce bytes=8", 2, [1000 * (i + 1), 400])
    found_steep = answer(steep.write())
    wanted = f"by {100 * found_steep['trend']:+.0f} % of the median iteration"
    text = run(steep.write())[1]
    ok("... more than 100 %, without an exponent", found_steep["trend"] > 1 and wanted in text and "e+" not in text, (wanted, text))
    table = list(csv.DictReader(io.StringIO(run("--csv", p.write())[1])))
    ok("CSV has the same rows",
       [(r["part"], float(r["run_ns"])) for r in table] == [(r["part"], r["run_ns"]) for r in found["rows"]], table)


def test_start():
    p = Program(2)
    p.meet("Bcast bytes=8 root=0", 1, [100, 100])
    for i in range(10):
        p.meet("Allreduce bytes=8", 2, [1000 + 50000 * (i == 0), 1000])
    found = answer(p.write())
    ok("long computation before the first call is initialisation", rows(found, "first")[0]["max_compute_ns"] == 1000 and
       rows(found, "initialisation")[0]["max_compute_ns"] == 50100, found["rows"][:4])


def test_folding():
    p = Program(2)
    for i in range(1000):
        p.meet("Allreduce bytes=8", 2, [1000 + 5000 * (i == 777), 1000])
    found = answer(p.write())
    each = rows(found, "successive")
    ok("1000 iterations are 250 rows of 4", [(row["first"], row["last"]) for row in each] ==
       [(4 * i + 1, 4 * i + 4) for i in range(250)], each[:3])
    ok("... times of one iteration", each[194]["run_ns"] == 1050 + 5000 / 4 and each[0]["run_ns"] == 1050, each[194])
    slowest, median = rows(found, "slowest")[0], rows(found, "median")[0]
    ok("... the slowest one is known", (slowest["first"], slowest["run_ns"], slowest["wait_ns"]) == (778, 6050, 2500), slowest)
    ok("... the median", median["run_ns"] == 1050 and median["iterations"] == 999, median)
    ok("... no trend", found["trend"] == 0 and found["trend_low"] == 0 and "none" in run(p.write())[1], found["trend"])
    ok("... at most 10 lines of text", len([line for line in run(p.write())[1].splitlines() if " to " in line[:20]]) == 10)


def test_waits():
    """Times of phases add up to the run's time, their waits to those of mpgtrace waits; without common clocks waits are
    unknown."""
    p = simple(30, ranks=4)
    path = p.write()
    found = answer(path)
    waits = json.loads(subprocess.run([MPGTRACE, "waits", "--json", path], capture_output=True, check=True).stdout)
    total = waits["traced"]["mpi"]["wait_ns"] / 4
    mine = sum(rows(found, part)[0]["wait_ns"] for part in ("initialisation", "iterations", "end"))
    ok("waits are those of mpgtrace waits", abs(mine - total) < 1e-6 and mine > 0, (mine, total))
    ok("... computation of phases is that of the run", abs(found["mean_compute_ns"] -
       sum(rows(found, part)[0]["mean_compute_ns"] for part in ("initialisation", "iterations", "end"))) < 1e-6)
    ok("... of all iterations, too", abs(sum(row["wait_ns"] for row in rows(found, "successive")) -
                                       rows(found, "iterations")[0]["wait_ns"]) < 1e-6)


def peak(path):
    """Returns the peak memory of mpgtrace in KiB, run from an own process so that only it counts."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    return int(subprocess.run([sys.executable, "-c", code, MPGTRACE, "efficiency", "--by=iteration", path], check=True,
                              capture_output=True, text=True).stdout)


def test_memory():
    used = []
    for n in (2000, 20000):
        path = simple(n).write(f"{n}.txt")
        native = os.path.join(FOLDER.name, f"{n}.trace")
        subprocess.run([MPGTRACE, "import", "--text=" + path, "-o", native], check=True)
        used.append(peak(native))
    ok("memory does not grow with the trace", used[1] < 1.05 * used[0] + 512, used)
    print(f"# KiB of 2000 and 20000 iterations: {used}")


test_counts()
test_nested()
test_ranks()
test_cut()
test_none()
test_times()
test_start()
test_folding()
test_waits()
test_memory()
sys.exit(finish())
