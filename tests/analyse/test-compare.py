#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace compare on synthetic traces (TAP): quantities by hand, matching of two versions' call sites, significance,
wrong command lines. The environment variable MPGTRACE names the program."""

import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile

from tap import finish, ok

MPGTRACE = os.path.abspath(os.environ.get("MPGTRACE", "./mpgtrace"))


def is_same(name, found, wanted):
    ok(name, found == wanted, f"{found} instead of {wanted}")


class Program:
    """A program whose ranks make calls one after the other. A call site is a function, a file and a line."""

    def __init__(self, ranks=2, about=()):
        self.ranks, self.lines, self.modules, self.sites = ranks, [], {}, []
        self.about = list(about)
        self.at = {r: 1000 for r in range(ranks)}

    def site(self, place):
        if place is None:
            return ""
        function, file, line = place
        module = self.modules.setdefault((function, file), len(self.modules))
        if (module, line) not in self.sites:
            self.sites.append((module, line))
        return f" site={self.sites.index((module, line))}"

    def call(self, rank, work, time, text, place=None):
        begin = self.at[rank] + work
        self.at[rank] = begin + time
        self.lines.append(f"{rank} {begin} {begin + time} {text}{self.site(place)}")

    def everywhere(self, work, time, text, place=None):
        for rank in range(self.ranks):
            self.call(rank, work, time, text, place)

    def mark(self, rank, text):
        self.lines.append(f"{rank} {self.at[rank]} {self.at[rank]} {text}")

    def write(self, path, work=0):
        head = ["#mpgtext 1", f"#ranks {self.ranks}", "#clocks shared", *self.about]
        head += [f'#module {i} = - "python:{function}:/src/{file}"' for (function, file), i in self.modules.items()]
        head += [f"#site {i} = {module}+{line:#x}" for i, (module, line) in enumerate(self.sites)]
        ends = [f"{r} {self.at[r] + work} {self.at[r] + work + 10} Finalize" for r in range(self.ranks)]
        begins = [f"{r} 0 1000 Init" for r in range(self.ranks)]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(head + begins + self.lines + ends) + "\n")
        return path


def run(*words):
    return subprocess.run([MPGTRACE, "compare", *words], capture_output=True, text=True, check=False)


def answer(*words):
    done = run("--json", *words)
    ok(f"compare --json {' '.join(words)}", done.returncode == 0 and not done.stderr, done.stderr)
    return json.loads(done.stdout)


def find(rows, kind, call=None, place=None):
    found = [r for r in rows if r["kind"] == kind and (call is None or r["call"] == "MPI_" + call) and
             (place is None or [place] in (r["before_place"], r["after_place"]))]
    return found[0] if len(found) == 1 else None


def values(row):
    return row and (row["before"], row["after"], row["change"], row["matched"])


def test_quantities():
    """Rank 0 computes for 4000 of 5000, rank 1 for 2000. Rank 1 lost 300 of its work to another process. Recording
    takes 20 a call."""
    program = Program(about=["#fact 0 overhead_call_ns 20", "#fact 1 overhead_call_ns 20"])
    program.call(0, 4020, 100, "Barrier")
    program.call(1, 2320, 1800, "Barrier off=300")
    program.write("one.txt", 880)
    ok("one trace may be on both sides", run("one.txt", "one.txt").returncode == 0)
    other = Program()
    other.everywhere(3000, 500, "Barrier")
    other.write("other.txt", 500)
    found = {q["kind"]: q for q in answer("one.txt", "other.txt")["quantities"]}
    for kind, before, after in (
            ("run_time", 5000, 4000), ("computation", (4000 + 860 + 2000 + 860) / 2, 3500), ("mpi", 950, 500),
            ("off_cpu", 150, 0), ("load_balance", (4860 + 2860) / 2 / 4860, 1), ("parallel_efficiency", 3860 / 5000, 3500 / 4000)):
        q = found[kind]
        ok(f"{kind} by hand", math.isclose(q["before"], before) and math.isclose(q["after"], after), f"{q}")
        ok("... its change", math.isclose(q["change"], after - before, abs_tol=1e-12))
    is_same("... chance is not known of one trace each", [q["p"] for q in found.values()], [None] * len(found))


def test_local_calls():
    """MPI_Wtime, recorded or aggregated, does not end a compute interval; its time counts as MPI."""
    program = Program(1)
    program.call(0, 1000, 40, "Wtime", ("f", "a.py", 5))
    program.lines.append(f"0 {program.at[0] + 500} {program.at[0] + 500} Wtime calls=3 time=60 least=20 most=20")
    program.call(0, 1000, 100, "Barrier", ("f", "a.py", 7))
    program.write("local.txt")
    found = answer("local.txt", "local.txt")
    row = find(found["rows"], "computation_before", "Barrier")
    is_same("computation goes on over local calls, without their time", values(row), (1940, 1940, 0, "same"))
    is_same("... and is the rank's", found["quantities"][1]["before"], 1940)
    is_same("... which the local calls do not end", find(found["rows"], "computation_before", "Wtime"), None)


def test_matching():
    """Call sites for each kind of match between two versions."""
    before, after = Program(), Program()
    for program, shift, extra in ((before, 0, 0), (after, 3, 1)):
        new = extra > 0
        program.everywhere(100, 10 + extra, "Barrier", ("stays", "a.py", 20))
        program.everywhere(100, 20, "Barrier", ("moves", "a.py", 40 + shift))
        program.everywhere(100, 30, "Barrier", ("moves", "a.py", 50 + 2 * shift))
        program.everywhere(100, 40, "Barrier", ("renamed", "new.py" if new else "old.py", 60 + shift))
        program.everywhere(100, 50, "Barrier", ("grows", "a.py", 70))
        program.everywhere(100, 55, "Barrier", ("several", "a.py", 80 + shift))
        if new:
            program.everywhere(100, 60, "Barrier", ("grows", "a.py", 75))
            program.everywhere(100, 65, "Barrier", ("several", "a.py", 90))
            program.everywhere(100, 70, "Barrier", ("comes", "a.py", 100))
        else:
            program.everywhere(100, 80, "Barrier", ("goes", "a.py", 110))
    before.write("before.txt")
    after.write("after.txt")
    rows = answer("before.txt", "after.txt")["rows"]
    for name, place, wanted in (
            ("an equal place", "stays (a.py:20)", (10, 11, 1, "same")),
            ("lines moved, in their order", "moves (a.py:40)", (20, 20, 0, "line_moved")),
            ("... both", "moves (a.py:56)", (30, 30, 0, "line_moved")),
            ("another file", "renamed (old.py:60)", (40, 40, 0, "other_file")),
            ("one more place beside an equal one", "grows (a.py:70)", (50, 50, 0, "same")),
            ("... is new", "grows (a.py:75)", (0, 60, 60, "appeared")),
            ("several places that cannot be told apart", "several (a.py)", (55, 120, 65, "several_together")),
            ("appeared", "comes (a.py:100)", (0, 70, 70, "appeared")),
            ("disappeared", "goes (a.py:110)", (80, 0, -80, "disappeared"))):
        is_same(name, values(find(rows, "call", "Barrier", place)), wanted)
    is_same("computation before a call, likewise", values(find(rows, "computation_before", "Barrier", "goes (a.py:110)")),
            (100, 0, -100, "disappeared"))
    is_same("sums over the rows are those of the runs",
            [sum(r[side] for r in rows if r["kind"] == "call") for side in ("before", "after")], [285, 401])
    ok("the largest change first", [abs(r["change"]) for r in rows] == sorted((abs(r["change"]) for r in rows), reverse=True))
    text = run("before.txt", "after.txt").stdout
    whole = run("--all", "before.txt", "after.txt").stdout
    ok("text names the match", "+70 ns" in whole and "MPI_Barrier, comes (a.py:100), only after" in whole, whole)
    ok("... and computation is not MPI's", "computation before MPI_Barrier, goes (a.py:110), only before" in text, text)
    ok("... and has what changed only", "grows" in text and "renamed" not in text, text)
    ok("... unless asked for all", "renamed (new.py:63), other file" in run("--all", "before.txt", "after.txt").stdout)
    deep = run("--all", "--frames=2", "before.txt", "after.txt")
    ok("--frames", deep.returncode == 0 and "stays (a.py:20)" in deep.stdout)


def test_regions():
    before, after = Program(1), Program(1)
    for program, work, name in ((before, 700, "old"), (after, 300, "new")):
        for region in ("sweep", name):
            program.mark(0, f'Region_begin name="{region}"')
            program.call(0, work, 50, "Barrier")
            program.mark(0, f'Region_end name="{region}"')
    before.write("before.txt")
    after.write("after.txt")
    rows = answer("before.txt", "after.txt")["rows"]
    is_same("a region", values(find(rows, "region", place="sweep")), (750, 350, -400, "same"))
    is_same("... that disappeared", values(find(rows, "region", place="old")), (750, 0, -750, "disappeared"))
    is_same("... and one that appeared", values(find(rows, "region", place="new")), (0, 350, 350, "appeared"))
    ok("... in text", "-53.3 %  region sweep\n" in run("before.txt", "after.txt").stdout)


def make(path, work, ranks=2):
    program = Program(ranks)
    program.everywhere(work, 100, "Barrier", ("f", "a.py", 9))
    return program.write(path)


def test_chance():
    """Runs of 1000, 1040, 1020 and 940, 900, 920: as the example of tests/statistics/test-welch.c."""
    before = [make(f"b{i}.txt", w) for i, w in enumerate((900, 940, 920))]
    after = [make(f"a{i}.txt", w) for i, w in enumerate((840, 800, 820))]
    found = answer(*before, "--", *after)
    time = found["quantities"][0]
    t, error = 100 / math.sqrt(800 / 3), math.sqrt(800 / 3)
    p = 1 - (1 + 2 / (4 + t * t)) * t / math.sqrt(4 + t * t)
    ok("the interval of the difference of means", math.isclose(time["change_low"], -100 - 2.776445105197793 * error, rel_tol=1e-9)
       and math.isclose(time["change_high"], -100 + 2.776445105197793 * error, rel_tol=1e-9), f"{time}")
    ok("its p-value", math.isclose(time["p"], p, rel_tol=1e-8) and time["verdict"] == "differs", f"{time}")
    row, barrier = find(found["rows"], "computation_before", "Barrier"), find(found["rows"], "call", "Barrier")
    ok("false discovery rate of two rows", math.isclose(row["false_discovery_rate"], 2 * p, rel_tol=1e-8), f"{row}")
    ok("... and one that does not differ", barrier["p"] == 1 and barrier["verdict"] == "same", f"{barrier}")
    text = run(*before, "--", *after).stdout
    ok("text has them", "-9.8 %     -14.2 to -5.4 %  differs" in text and "Intervals" not in text, text)
    text = run(before[0], "--", *after).stdout
    ok("one trace before: intervals are not known", "Intervals              not known: record each version several times\n" in text, text)
    rows = list(csv.DictReader(io.StringIO(run("--csv", *before, "--", *after).stdout)))
    ok("CSV", [r["kind"] for r in rows[:2]] == ["run_time", "computation"] and float(rows[0]["change"]) == -100
       and rows[0]["unit"] == "ns" and rows[-1]["matched"] == "same" and rows[-1]["before_place"] == "f (a.py:9)", f"{rows}")
    found = answer("--frames=2", before[0], before[1], "--", after[0])
    ok("options before --, means of the runs", found["quantities"][0]["before"] == 1020 and len(found["before"]) == 2)
    is_same("the same traces on both sides", {r["verdict"] for r in answer(*before, "--", *before)["rows"]}, {"same"})


def test_shape():
    before, after = Program(4), Program(4)
    for i in range(40):
        before.everywhere(100, 10 + i, "Barrier", (f"f{i}", "a.py", 9))
        after.everywhere(100, 10 + 2 * i, "Barrier", (f"f{i}", "a.py", 9))
    before.write("before.txt")
    after.write("after.txt")
    done = run("before.txt", "after.txt")
    ok("at most 20 lines", done.stdout.count("\n") <= 20, done.stdout)
    ok("... the rest is counted", "more (--all)" in done.stdout.splitlines()[-1], done.stdout)
    ok("--all has all rows", run("-a", "before.txt", "after.txt").stdout.count("\n") > 80)
    ok("the number of ranks is said", "before.txt (4 ranks)" in done.stdout, done.stdout)
    is_same("... times are means of a rank", find(answer("before.txt", "after.txt")["rows"], "call", "Barrier", "f3 (a.py:9)")["after"],
            16)
    run("-o", "out.txt", "before.txt", "after.txt")
    with open("out.txt", encoding="utf-8") as file:
        is_same("--output", file.read(), done.stdout)


def polled(path, gap, place="a.py", found=None):
    """Rank 0 tests five times without success, GAP apart, then computes 3000; rank 1 sends after 50000."""
    program = Program()
    program.call(0, 1000, 10, "Irecv comm=0 from=1 tag=1 bytes=8 request=1")
    for i in range(5):
        program.call(0, 1000 if i == 0 else gap, 20, "Test requests=1 done=", ("loop", place, 7))
    program.call(0, gap, 20, "Test requests=1 done=1", ("loop", place, 7))
    program.call(0, 3000, 10, "Barrier comm=0")
    program.call(1, 5 * gap, 10, "Send comm=0 to=0 tag=1 bytes=8")
    program.call(1, 100, 20, "Barrier comm=0")
    return program.write(path)


def test_polling():
    found = answer(polled("short.txt", 9000), polled("long.txt", 11000))
    quantities = {q["kind"]: (q["before"], q["after"]) for q in found["quantities"]}
    is_same("intervals of 9 us between equal tests in vain are polling, of 11 us computation", quantities["polling"], (5 * 9000 / 2, 0))
    is_same("... and not computation", quantities["computation"],
            ((5000 + 45000 + 100) / 2, (5000 + 55000 + 55000 + 100) / 2))
    row = find(found["rows"], "computation_before", "Test")
    is_same("... nor before the test, but for the first", row and (row["before"], row["after"]), (500, (1000 + 55000) / 2))
    text = run("short.txt", "long.txt").stdout
    ok("... which is a line of the text", "Polling per rank" in text and "Polling" not in run("long.txt", "long.txt").stdout, text)


def test_efficiencies():
    """Rank 1 computes 4000 after rank 0's 4000 and a message of 500: the run takes 8500, an ideal one 8000."""
    program = Program()
    program.call(0, 4000, 0, "Send comm=0 to=1 tag=1 bytes=8")
    program.call(1, 0, 4500, "Recv comm=0 from=0 tag=1 bytes=8")
    program.call(1, 4000, 0, "Wtime")
    program.at[0] = program.at[1]
    program.write("pipe.txt")
    quantities = {q["kind"]: q["before"] for q in answer("pipe.txt", "pipe.txt")["quantities"]}
    # rank 0 also computes until the end of the run
    wanted = {"load_balance": (8500 + 4000) / 2 / 8500, "serialization": 1, "transfer": 1, "noise": 1, "parallel_efficiency": (8500 + 4000) / 2 / 8500}
    ok("efficiencies by hand", all(math.isclose(quantities[key], value) for key, value in wanted.items()), quantities)
    program = Program()
    program.call(0, 4000, 0, "Send comm=0 to=1 tag=1 bytes=8")
    program.call(0, 0, 4500, "Recv comm=0 from=1 tag=2 bytes=8")
    program.call(1, 0, 4200, "Recv comm=0 from=0 tag=1 bytes=8")
    program.call(1, 4000, 300, "Send comm=0 to=0 tag=2 bytes=8")
    program.write("turns.txt")
    quantities = {q["kind"]: q["before"] for q in answer("turns.txt", "turns.txt")["quantities"]}
    wanted = {"load_balance": 1, "serialization": 0.5, "transfer": 8000 / 8500, "noise": 1,
              "parallel_efficiency": 4000 / 8500}
    ok("... of two ranks in turns", all(math.isclose(quantities[key], value) for key, value in wanted.items()), quantities)
    of_run = json.loads(subprocess.run([MPGTRACE, "efficiency", "--json", "turns.txt"], capture_output=True, text=True,
                                       check=True).stdout)["traces"][0]
    names = {"load_balance": "load_balance", "serialization": "serialization", "transfer": "transfer", "noise": "noise",
             "parallel_efficiency": "parallel"}
    ok("... as mpgtrace efficiency says", all(quantities[key] == of_run[name] for key, name in names.items()), of_run)


def test_recording():
    """Rank 1 was off its CPU for 1, 3 or 12 % of the run: compare says what mpgtrace stat says."""
    for off, verdict in ((100, None), (300, "fair"), (1200, "poor")):
        program = Program(about=[f"#fact {r} {fact}" for r in range(2) for fact in ("mpgkit 0.2.0", "off_cpu rseq")])
        program.everywhere(8000, 1000, "Barrier")
        program.lines[-1] += f" off={off}"
        program.write("off.txt", 990)
        shown = [line.split(maxsplit=1)[1] for line in run("off.txt", "off.txt").stdout.splitlines() if line.startswith("Recording")]
        is_same(f"recording, {off / 100:g} % off the CPU", shown,
                [f"{verdict}: in off.txt rank 1 was off its CPU for {off / 100:.1f} % of its run"] if verdict else [])
        stat = subprocess.run([MPGTRACE, "stat", "off.txt"], capture_output=True, text=True, check=True).stdout
        ok("... as mpgtrace stat says", f"recording   {verdict or 'good'}: " in stat, stat)


def test_errors():
    Program(4).write("four.txt", 100)
    Program(3).write("three.txt", 100)
    make("a.txt", 100)
    with open("empty.txt", "w", encoding="utf-8") as file:
        file.write("#mpgtext 1\n#ranks 1\n")
    for words, status, text in (
            (["a.txt"], 2, "give two traces, or the traces before"), (["a.txt"] * 3, 2, "give two traces, or the traces before"),
            (["--", "a.txt"], 2, "no trace before --"), (["a.txt", "--"], 2, "no trace after --"),
            (["a.txt", "none.txt"], 1, "none.txt: No such file"), (["a.txt", "empty.txt"], 1, "empty.txt: no rank ran"),
            (["four.txt", "three.txt"], 1, "four.txt has 4 ranks, three.txt has 3: versions are compared at equal numbers"),
            (["four.txt", "four.txt", "--", "four.txt", "three.txt"], 1, "four.txt has 4 ranks, three.txt has 3"),
            (["--json", "--csv", "a.txt", "a.txt"], 2, "--csv"), (["-o", "a.txt", "a.txt", "a.txt"], 1, "a.txt")):
        done = run(*words)
        ok(f"compare {' '.join(words)}", done.returncode == status and not done.stdout and text in done.stderr and
           done.stderr.startswith("mpgtrace compare: ") and done.stderr.count("\n") == 1, f"{done.returncode} {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        test_quantities()
        test_local_calls()
        test_matching()
        test_regions()
        test_chance()
        test_shape()
        test_polling()
        test_efficiencies()
        test_recording()
        test_errors()
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
