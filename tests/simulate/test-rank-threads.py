#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks with threads (TAP): harmonic numbers for exponential losses, replayed records of a thread's own core by hand, and ranks
of one thread as before. MPGSIM names the program."""

import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import finish, ok  # noqa: E402

MPGSIM = os.environ["MPGSIM"]
FOLDER = tempfile.TemporaryDirectory()
MS = 1000000


def path(name):
    return os.path.join(FOLDER.name, name)


def trace(ranks, works, visits, length_ns, longest_ns=None, facts=True, name="t.txt"):
    """Writes a trace of RANKS that visit a region VISITS times, LENGTH_NS each, then enter a barrier of their own. WORKS: work of
    each thread in a visit; LONGEST_NS: of the slowest of a visit."""
    threads = len(works)
    region = f"omp parallel f+0x1 ({threads} threads)"
    lines = ["#mpgtext 1", f"#ranks {ranks}", *(f"#comm {r} = {r}" for r in range(ranks))]
    for r in range(ranks):
        lines.append(f"#fact {r} clocks shared")
        if facts:
            longest_ns = longest_ns or max(works)
            lines.append(f"#fact {r} parallel_region {threads} {visits} {visits * length_ns} {visits * longest_ns} {region}")
            lines += [f"#fact {r} parallel_thread {k} {visits * w} 0 0 {region}" for k, w in enumerate(works)]
    for r in range(ranks):
        at = 1000
        lines.append(f"{r} 0 {at} Init")
        for _ in range(visits):
            lines.append(f'{r} {at} {at} Region_begin name="{region}"')
            at += length_ns
            lines += [f'{r} {at} {at} Region_end name="{region}"', f"{r} {at} {at} Barrier comm={r}"]
        lines.append(f"{r} {at} {at} Finalize")
    with open(path(name), "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return path(name)


def signature(noisy, cores, together=False):
    """Writes the signature of a node whose core NOISY loses 1 ms of each 10 ms; other cores lose nothing."""
    span_ns = 1600 * MS
    start = [5.0 * MS + 10 * MS * i for i in range(160)]
    noise = [{"core": c, "cores_at_once": cores if together else 1, "threshold_ns": 100, "span_ns": span_ns,
              "detours": {"start_ns": start if c == noisy else [], "duration_ns": [1.0 * MS] * len(start) if c == noisy else []}}
             for c in range(cores)]
    with open(path("x.sig"), "w", encoding="ascii") as file:
        json.dump({"format": "mpgkit-signature", "version": [2, 0], "header": {"host": "nowhere"}, "noise": noise}, file)
    return path("x.sig")


def run(*words):
    done = subprocess.run([MPGSIM, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def simulated(*words):
    """Returns the run times of a simulation: mean, least and largest of all replicas, ns."""
    status, out, err = run("--perturb", "--replicas=16", "--json", *words)
    if status != 0:
        return (math.nan, math.nan, math.nan), err
    found = json.loads(out)["run_time_ns"]
    return (found["mean"], found["least"], found["largest"]), ""


# n threads of equal work lose the maximum of n exponential losses: mean m H(n), variance m^2 (1 + 1/4 + ... + 1/n^2).
VISITS, MEAN = 1000, 10000
for n in (1, 2, 3, 8):
    (mean, _, _), err = simulated(f"--noise=exp:{MEAN}ns", trace(1, [MS] * n, VISITS, MS))
    lost = (mean - VISITS * MS) / VISITS
    want = MEAN * sum(1 / k for k in range(1, n + 1))
    sd = MEAN * math.sqrt(sum(1 / k ** 2 for k in range(1, n + 1)) / VISITS / 16)
    ok(f"{n} threads with exponential losses: the harmonic number", abs(lost - want) < 4 * sd, (lost, want, sd, err))
# Thread 1 has 15 us less to do: P(x1 - s > x0) = exp(-s / m) / 2, and the mean of the maximum is m (1 + exp(-s / m) / 2).
(mean, _, _), err = simulated(f"--noise=exp:{MEAN}ns", trace(1, [MS, MS - 15000], VISITS, MS))
lost, want = (mean - VISITS * MS) / VISITS, MEAN * (1 + math.exp(-1.5) / 2)
ok("a thread with less work loses beyond its slack only", abs(lost - want) < 4 * MEAN * math.sqrt(1.25 / VISITS / 16),
   (lost, want, err))
(_, least, most), err = simulated("--noise=const:10us", trace(1, [MS, MS // 2], 10, MS))
ok("constant losses are those of the slowest thread", least == most == 10 * MS + 11 * 10000, (least, most, err))

FIXED = "--models=measurement=fixed"
# 99 ms of work take 110 ms on the noisy core, wherever they begin: eleven periods.
for together in (False, True):
    (_, least, most), err = simulated(FIXED, f"--signature={signature(1, 2, together)}", trace(1, [99 * MS] * 2, 8, 99 * MS))
    ok(f"a visit ends with the thread on the noisy core{', cores measured together' if together else ''}",
       abs(least - 880 * MS) < 10 and abs(most - 880 * MS) < 10, (least, most, err))
    (_, least, most), err = simulated(FIXED, f"--signature={signature(1, 2, together)}",
                                      trace(1, [99 * MS, 49 * MS], 8, 99 * MS))
    ok("... unless it has half the work", abs(least - 792 * MS) < 10 and abs(most - 792 * MS) < 10, (least, most, err))
    (_, least, most), err = simulated(FIXED, f"--signature={signature(1, 2, together)}",
                                      trace(1, [45 * MS] * 2, 5, 99 * MS, 45 * MS))
    # 45 ms take 50, or less by what has passed of the detour in which they begin, as one visit in five or two do; the other 54,
    # of the rank's own core, take 54.
    ok("begin and end of a region are the rank's own", 518 * MS < least <= most < 520 * MS + 10, (least, most, err))
(_, least, most), err = simulated(FIXED, f"--signature={signature(0, 2)}", trace(1, [49 * MS, 99 * MS], 8, 99 * MS))
ok("thread 0 has the rank's core", abs(least - 792 * MS) < 10 and abs(most - 792 * MS) < 10, (least, most, err))

# Cores 0, 1 are rank 0's and 2, 3 rank 1's.
for noisy in range(4):
    status, out, err = run("--perturb", "--replicas=2", "--per-rank", FIXED, f"--signature={signature(noisy, 4)}",
                           trace(2, [99 * MS] * 2, 8, 99 * MS))
    delays = [float(line.split("\t")[2]) for line in out.splitlines()[1:]]
    want = [88 * MS if noisy // 2 == r else 0 for r in range(2)]
    ok(f"core {noisy} is that of a thread of rank {noisy // 2}", status == 0 and len(delays) == 2 and
       all(abs(d - w) < 10 for d, w in zip(delays, want)), (delays, want, err))

# One thread: the same answer with and without the facts, byte for byte.
for words in (("--noise=exp:10us",), (f"--signature={signature(0, 2)}",)):
    answers = [run("--perturb", "--replicas=16", "--json", *words, trace(2, [MS], 100, MS, facts=facts))[1]
               for facts in (True, False)]
    ok(f"ranks of one thread answer as before: {words[0].split('=')[0]}", answers[0] == answers[1] != "", answers)
notes = [[a["text"] for a in json.loads(run("--perturb", "--replicas=2", "--json", "--noise=exp:1us", name)[1])["assumptions"]
          if a["topic"] == "parallel"] for name in (trace(2, [MS, MS // 2], 3, MS, name="two.txt"), trace(2, [MS], 3, MS))]
ok("an assumption says what is taken of threads", notes[0] == [
    "regions of up to 2 threads on 2 of 2 ranks end with the slowest thread, as the work was shared in all visits together; each "
    "thread meets the noise of its own core"], str(notes))
ok("... only of several", notes[1] == [], str(notes))
finish()
