#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads within ranks (TAP): efficiencies of the thread level and imbalance of parallel regions, from made facts; values by
hand. MPGTRACE names the program."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import finish, ok  # noqa: E402

MPGTRACE = os.environ["MPGTRACE"]
FOLDER = tempfile.TemporaryDirectory()
SWEEP = "omp parallel sweep+0x1f (2 threads)"
COLLECT = "omp parallel collect+0x2 (3 threads)"

# Rank 0 computes 100 ms, 60 of them in SWEEP; rank 1 computes 100 ms, 20 in SWEEP and 10 in COLLECT.
FACTS = f"""
#fact 0 parallel_region 2 10 65000000 55000000 {SWEEP}
#fact 0 parallel_thread 0 50000000 3000000 5000000 {SWEEP}
#fact 0 parallel_thread 1 30000000 33000000 0 {SWEEP}
#fact 1 parallel_region 2 4 20000000 20000000 {SWEEP}
#fact 1 parallel_thread 0 12000000 7000000 0 {SWEEP}
#fact 1 parallel_thread 1 20000000 0 0 {SWEEP}
#fact 1 parallel_region 3 1 10000000 8000000 {COLLECT}
#fact 1 parallel_thread 0 8000000 1000000 0 {COLLECT}
#fact 1 parallel_thread 1 2000000 7000000 0 {COLLECT}
#fact 1 parallel_thread 2 2000000 7000000 0 {COLLECT}"""
CALLS = f"""
0 0 1000000 Init
0 1000000 1000000 Region_begin name="{SWEEP}"
0 51000000 56000000 Barrier comm=0
0 66000000 66000000 Region_end name="{SWEEP}"
0 106000000 106000000 Finalize
1 0 1000000 Init
1 55000000 56000000 Barrier comm=0
1 102000000 106000000 Finalize
"""


def run(facts, *words):
    path = os.path.join(FOLDER.name, "t.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("#mpgtext 1\n#ranks 2\n#comm 0 = 0 1\n#fact 0 clocks shared\n#fact 1 clocks shared" + facts + CALLS)
    done = subprocess.run([MPGTRACE, *words, path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def near(a, b):
    return abs(a - b) <= 1e-12 * max(1, abs(b))


# In ms. Rank 0: S 40, P 60 (65 less 5 in MPI), W 80, L 55; rank 1: S 70, P 20 and 10, W 32 and 12, L 20 and 8; N 2 and 3.
WORK = 40 + 80 + 70 + 32 + 12
LONGEST = 40 + 2 * 55 + 70 + 2 * 20 + 3 * 8
PARALLEL = 40 + 2 * 60 + 70 + 2 * 20 + 3 * 10
ALL = 2 * 100 + 3 * 100
status, out, err = run(FACTS, "efficiency", "--json")
found = json.loads(out)["traces"][0] if status == 0 else {}
for key, value in (("thread", WORK / ALL), ("thread_serial", PARALLEL / ALL), ("thread_load_balance", WORK / LONGEST),
                   ("thread_begin_end", LONGEST / PARALLEL), ("hybrid", WORK / ALL * 100 / 105), ("rank_threads", 3)):
    ok(f"efficiency of the thread level: {key}", key in found and near(found[key], value), (found.get(key), value, err))
status, text, err = run(FACTS, "efficiency")
ok("the text has both lines", "Hybrid efficiency     0.45 = parallel efficiency 0.95 x thread efficiency 0.47\n"
   "Thread efficiency     0.47 = serial parts 0.60 x load balance 0.82 x begin and end 0.95 (up to 3 threads a rank)\n" in text,
   text + err)

status, out, err = run(FACTS, "waits", "--json")
found = json.loads(out).get("parallel_regions") if status == 0 else err
ok("waits: regions of all ranks together, the one that loses most first", found == [
    {"name": SWEEP, "threads": 2, "ranks": 2, "visits": 14, "time_ns": 80e6, "work_ns": 112e6, "longest_ns": 75e6,
     "wait_ns": 43e6, "lost_ns": 38e6, "most": 1.25, "most_rank": 0, "most_thread": 0},
    {"name": COLLECT, "threads": 3, "ranks": 1, "visits": 1, "time_ns": 10e6, "work_ns": 12e6, "longest_ns": 8e6,
     "wait_ns": 15e6, "lost_ns": 12e6, "most": 2, "most_rank": 1, "most_thread": 0}], found)
status, text, err = run(FACTS, "waits")
ok("... as a table", "14       80 ms       43 ms       38 ms     1.25 x     0       0" in text, text + err)

for words in (("efficiency",), ("efficiency", "--json"), ("waits",), ("waits", "--json")):
    status, out, err = run("", *words)
    ok(f"without threads {' '.join(words)} says nothing of them", status == 0 and "hread eff" not in out and
       "parallel_regions" not in out and "rank_threads" not in out and "parallel region " not in out, out + err)

# A trace that was cut: the last region is not complete, and left out.
status, out, err = run(FACTS.rsplit("\n", 1)[0], "waits", "--json")
ok("a region without all of its threads is left out",
   status == 0 and [r["name"] for r in json.loads(out)["parallel_regions"]] == [SWEEP], out + err)
for what, fact in (("no number", f"parallel_region 2 x 5 5 {SWEEP}"), ("no name", "parallel_region 2 1 5 5 "),
                   ("no thread", f"parallel_region 0 1 5 5 {SWEEP}"), ("too many", f"parallel_region 99999 1 5 5 {SWEEP}"),
                   ("longer than the region", f"parallel_region 2 1 5 6 {SWEEP}"),
                   ("negative", f"parallel_region 2 1 -5 5 {SWEEP}"), ("a thread without region", f"parallel_thread 0 1 1 1 {SWEEP}")):
    status, out, err = run(f"\n#fact 0 {fact}", "waits")
    ok(f"a damaged fact is one line: {what}", status == 1 and err.count("\n") == 1 and "is damaged" in err, (status, err))
finish()
