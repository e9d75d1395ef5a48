#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim with a signature's times of one-sided operations (docs/MODEL.md, section 3, One-sided operations), by hand, in both modes
(TAP). MPGSIM names the program."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import finish, ok  # noqa: E402

MPGSIM = os.environ["MPGSIM"]
LATENCY, BYTE = 2000.0, 1.5  # ns of a message, and of a byte
# Time of the starting call and of the completing call: at 0 bytes, and for each byte.
TIMES = {"put": ((50, .1), (200, .2)), "get": ((30, 0), (400, .4)), "accumulate": ((70, .3), (600, .5)),
         "fetch_and_op": ((20, 0), (300, 0)), "lock": ((90, 0), (500, .6)), "fence": ((50, .1), (700, .7))}


def always(value):
    return {"n": 2, "mean": value, "quantiles": [value, value]}


def path(kind, factor, operations):
    """A path class; its times of OPERATIONS are those above times FACTOR."""
    made = {"path": kind, "one_way": "made up",
            "latency": [{"size_bytes": d, "one_way_ns": always(factor * (LATENCY + BYTE * d))} for d in (0, 10000)]}
    if operations:
        made["one_sided"] = {
            name: {key: [{"size_bytes": d, key + "_ns": always(factor * (TIMES[name][k][0] + TIMES[name][k][1] * d))}
                         for d in (0, 10000)] for k, key in enumerate(("call", "complete"))} for name in operations}
    return made


def signature(name, *paths):
    with open(name, "w", encoding="ascii") as file:
        json.dump({"format": "mpgkit-signature", "version": [4, 5], "header": {"host": "a"}, "network": list(paths)}, file)
    return name


def trace(name, calls, ranks=2):
    """CALLS of (rank, duration, text) follow one another, 100 ns apart; returns the file's name."""
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", "#comm 0 = " + " ".join(map(str, range(ranks))), "#window 0 = 0 0"]
    lines += [f"{r} 0 1000 Init" for r in range(ranks)]
    now = [1000] * ranks
    for rank, duration, text in calls:
        now[rank] += 100
        lines.append(f"{rank} {now[rank]} {now[rank] + duration} {text}")
        now[rank] += duration
    lines += [f"{r} {now[r]} {now[r]} Finalize" for r in range(ranks)]
    lines[6:] = sorted(lines[6:], key=lambda line: [int(x) for x in line.split()[:2]])
    with open(name, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return name


def answer(*arguments):
    done = subprocess.run([MPGSIM, "--cache=fresh", "--json", *arguments], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr.decode()}


def predicted(*arguments):
    """The predicted run time of rank 0, ns."""
    x = answer("--predict", "--source=none", *arguments)
    return round(x["run_time_ns"]["median"], 3) if "run_time_ns" in x else x


def call(kind, d):
    return TIMES[kind][0][0] + TIMES[kind][0][1] * d


def complete(kind, d):
    return TIMES[kind][1][0] + TIMES[kind][1][1] * d


# Calls with their costs, between which 100 ns of work lie: the traced durations, 3000 ns, do not count.
CASES = {
    "put and flush": ([(0, 3000, "Put win=0 to=1 bytes=1000"), (0, 3000, "Win_flush win=0 to=1")],
                      200 + call("put", 1000) + complete("put", 1000)),
    "two puts and a flush of all": ([(0, 3000, "Put win=0 to=1 bytes=1000"), (0, 3000, "Put win=0 to=1 bytes=500"),
                                     (0, 3000, "Win_flush_all win=0")],
                                    300 + call("put", 1000) + call("put", 500) + complete("put", 1500)),
    "get and flush": ([(0, 3000, "Get win=0 to=1 recvbytes=2000"), (0, 3000, "Win_flush win=0 to=1")],
                      200 + call("get", 2000) + complete("get", 2000)),
    "Rget and Wait": ([(0, 3000, "Rget win=0 to=1 bytes=0 recvbytes=2000 request=1"), (0, 3000, "Wait requests=1")],
                      200 + call("get", 2000) + complete("get", 2000)),
    "accumulate and flush": ([(0, 3000, "Accumulate win=0 to=1 bytes=800"), (0, 3000, "Win_flush win=0 to=1")],
                             200 + call("accumulate", 800) + complete("accumulate", 800)),
    "Fetch_and_op and flush": ([(0, 3000, "Fetch_and_op win=0 to=1 bytes=8 recvbytes=8"), (0, 3000, "Win_flush win=0 to=1")],
                               200 + call("fetch_and_op", 8) + complete("fetch_and_op", 8)),
    "the last kind decides": ([(0, 3000, "Put win=0 to=1 bytes=100"), (0, 3000, "Get win=0 to=1 recvbytes=200"),
                               (0, 3000, "Win_flush win=0 to=1")],
                              300 + call("put", 100) + call("get", 200) + complete("get", 300)),
    "lock, put and unlock": ([(0, 3000, "Win_lock win=0 to=1"), (0, 3000, "Put win=0 to=1 bytes=1000"),
                              (0, 3000, "Win_unlock win=0 to=1")],
                             300 + call("lock", 0) + call("put", 1000) + complete("lock", 1000)),
    "lock, get and unlock": ([(0, 3000, "Win_lock win=0 to=1"), (0, 3000, "Get win=0 to=1 recvbytes=1000"),
                              (0, 3000, "Win_unlock win=0 to=1")],
                             300 + call("lock", 0) + call("get", 1000) + complete("get", 1000)),
    "lock and unlock": ([(0, 3000, "Win_lock win=0 to=1"), (0, 3000, "Win_unlock win=0 to=1")],
                        200 + call("lock", 0) + complete("lock", 0)),
    "put between fences": ([(0, 3000, "Win_fence win=0"), (1, 3000, "Win_fence win=0"), (0, 3000, "Put win=0 to=1 bytes=1000"),
                            (0, 3000, "Win_fence win=0"), (1, 3000, "Win_fence win=0")],
                           300 + call("put", 1000) + complete("fence", 0) + complete("fence", 1000)),
}


def predict():
    x = signature("x.sig", path("node", 1, list(TIMES)))
    plain = signature("plain.sig", path("node", 1, []))
    for name, (calls, ns) in CASES.items():
        got = predicted("--signature", x, trace("t.txt", calls))
        ok(name, got == round(ns, 3), f"{got}, not {ns}")
    calls = CASES["get and flush"][0]
    t = trace("t.txt", calls)
    round_trip = 200 + 3000 + 2 * LATENCY + BYTE * 2000
    ok("without such times: a get takes its traced time, its flush a round trip", predicted("--signature", plain, t) == round_trip,
       predicted("--signature", plain, t))
    ok("--without=one-sided: the same", predicted("--signature", x, "--without=one-sided", t) == round_trip)
    ok("latency given: the same", predicted("--signature", x, "--latency=const:2000ns", t) == round_trip,
       predicted("--signature", x, "--latency=const:2000ns", t))
    ns = 200 + 30 + 3 * 400 + 2 * .4 * 2000
    ok("--latency=x3 --byte=x2", predicted("--signature", x, "--latency=x3", "--byte=x2", t) == ns,
       predicted("--signature", x, "--latency=x3", "--byte=x2", t))
    t = trace("t.txt", CASES["put and flush"][0])
    ns = 200 + 50 + 2 * .1 * 1000 + 3 * 200 + 2 * .2 * 1000
    ok("... of a put, both calls' bytes", predicted("--signature", x, "--latency=x3", "--byte=x2", t) == ns,
       predicted("--signature", x, "--latency=x3", "--byte=x2", t))
    four = trace("t4.txt", [(r, 3000, text) for text in ("Win_fence win=0", "Win_fence win=0") for r in range(4)], 4)
    ok("a fence of four takes two rounds", predicted("--signature", x, four) == 200 + 2 * 2 * complete("fence", 0),
       predicted("--signature", x, four))
    some = signature("some.sig", path("node", 1, ["put"]))
    t = trace("t.txt", CASES["lock, put and unlock"][0])
    got, ns = predicted("--signature", some, t), 300 + 3000 + call("put", 1000) + 2 * LATENCY + BYTE * 1000
    ok("no time of locks: a round trip", got == ns, f"{got}, not {ns}")
    two = signature("two.sig", path("node", 1, list(TIMES)), path("between nodes", 10, list(TIMES)))
    t = trace("t.txt", [(0, 3000, "Get win=0 to=1 recvbytes=2000"), (0, 3000, "Win_flush win=0 to=1"),
                        (0, 3000, "Get win=0 to=2 recvbytes=2000"), (0, 3000, "Win_flush win=0 to=2"),
                        (0, 3000, "Get win=0 to=1 recvbytes=2000"), (0, 3000, "Win_flush_all win=0")], 4)
    one = call("get", 2000) + complete("get", 2000)
    got, ns = predicted("--signature", two, "--map=block:2", t), 600 + one + 10 * one + call("get", 2000) + 10 * complete("get", 2000)
    ok("by the path to the target; a flush of all by the farthest", got == ns, f"{got}, not {ns}")
    t = trace("t.txt", CASES["get and flush"][0])
    status = subprocess.run([MPGSIM, "--predict", "--source=none", "--signature", x, t], check=False, stdout=subprocess.PIPE)
    ok("the answer says so", b"operations, locks, unlocks, flushes and fences take the signature's times" in b" ".join(status.stdout.split()),
       status.stdout)


def perturb():
    """A target twice as slow as the source, and one three times as slow: each call grows by the difference."""
    source = signature("s.sig", path("node", 2, list(TIMES)))
    target = signature("t.sig", path("node", 3, list(TIMES)))
    for name, (calls, ns) in CASES.items():
        t = trace("t.txt", calls)
        x = answer("--perturb", "--absorb=none", "--source", source, "--signature", target, t)
        work = 100 * sum(rank == 0 for rank, _, _ in calls)
        got = round(x["ranks"][0]["delay_ns"]["median"], 3) if "ranks" in x else x
        ok(f"perturb: {name}", got == round(ns - work, 3), f"{got}, not {ns - work}")
    t = trace("t.txt", CASES["put and flush"][0])
    x = answer("--perturb", "--absorb=none", "--source=none", "--signature", target, t)
    ok("perturb without a source: the target less its least", x["ranks"][0]["delay_ns"]["median"] == 0, x["ranks"][0])
    x = answer("--perturb", "--absorb=none", "--source", source, "--signature", signature("p.sig", path("node", 3, [])), t)
    ok("perturb: a target without such times: a round trip", x["ranks"][0]["delay_ns"]["median"] == LATENCY + BYTE * 1000,
       x["ranks"][0])


def attributed():
    """The costs by where they come from add up to the whole, as without these times."""
    x = signature("x.sig", path("node", 1, list(TIMES)))
    t = trace("t.txt", [call for calls, _ in CASES.values() for call in calls])
    whole = predicted("--signature", x, t)
    for how in ("rank", "call"):
        a = answer("--predict", "--source=none", "--signature", x, f"--where={how}", t)
        ok(f"--where={how} has the same run time", "run_time_ns" in a and round(a["run_time_ns"]["median"], 3) == whole, a.get("failed"))
    a = answer("--predict", "--source=none", "--signature", x, "--target", "machine.par", t)
    ok("as a target of the same costs: the same", "run_time_ns" in a or "machines" in a or "rows" in a, str(a)[:300])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("machine.par", "w", encoding="ascii"):
            pass
        predict()
        perturb()
        attributed()
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
