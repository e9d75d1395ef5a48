#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --predict --where: shares of the critical paths of all replicas, and by how much the run grows with each
parameter (TAP; docs/MODEL.md, section 8): by hand, compared with --where=path of one replica, and with the difference
of two runs; identical output with any number of threads; programs whose ranks stay independent for long."""

import csv
import io
import math
import os
import random
import subprocess
import tempfile

from answers import MPGSIM, REFERENCE, answer, finish, make, make_random, ok, run, unlike_difference, write
from path_rules import WORDS, expect, is_critical, near, predicted, rows_of, shares, times_add_up


def check_chain():
    # a slow link: the second message is large
    write("chain.txt", 3, ["0 0 0 Init", "0 1000 1000 Send comm=0 to=1 tag=1 bytes=8", "0 2000 2000 Finalize",
                           "1 0 0 Init", "1 1000 3000 Recv comm=0 from=0 tag=1 bytes=8",
                           "1 4000 4000 Send comm=0 to=2 tag=1 bytes=40000", "1 5000 5000 Finalize",
                           "2 0 0 Init", "2 4000 6000 Recv comm=0 from=1 tag=1 bytes=40000", "2 6500 6500 Finalize"])
    found = predicted("--latency=const:2385.5ns", "--byte=const:0.25ns", f"--where={WORDS}", "--replicas=40", "chain.txt")
    end = 1000 + 2385.5 + 2 + 1000 + 2385.5 + 10000 + 500
    expect("a chain: its slow link, by pair", shares(found, "pair", "from", "to"),
           {(None, None): {"share": 2500 / end, "per_compute": 2500, "per_latency": 0},
            (0, 1): {"share": 2387.5 / end, "per_latency": 1, "per_byte": 8},
            (1, 2): {"share": 12385.5 / end, "time_ns": 12385.5, "per_latency": 1, "per_byte": 40000}})
    expect("by rank: who waits for it", shares(found, "rank", "rank"),
           {0: {"time_ns": 1000, "per_latency": 0}, 1: {"time_ns": 3387.5, "bytes_ns": 2}, 2: {"time_ns": 12885.5, "bytes_ns": 10000}})
    total = found["where"]["total"]["path"]
    ok("all of it is the run", near(total["time_ns"], end, end) and total["share"] == 1, total)
    ok("draws that are alike leave no doubt", all(r["path"]["share_low"] == r["path"]["share_high"] == r["path"]["share"]
                                                  for r in rows_of(found, "rank")), rows_of(found, "rank"))


def check_tree():
    # 1 and 2 to 0, of which 2 is noisy: it is the later one
    write("tree.txt", 3, ["0 0 0 Init", "0 100 100 Irecv comm=0 from=1 tag=1 bytes=0 request=1",
                          "0 100 100 Irecv comm=0 from=2 tag=1 bytes=0 request=2", "0 100 2100 Waitall requests=1,2",
                          "0 12150 12150 Finalize", "1 0 0 Init", "1 2000 2000 Send comm=0 to=0 tag=1 bytes=0",
                          "1 2000 2000 Finalize", "2 0 0 Init", "2 1000 1000 Send comm=0 to=0 tag=1 bytes=0", "2 1000 1000 Finalize"])
    found = predicted("--latency=const:100ns", f"--where={WORDS}", "tree.txt")
    expect("a tree: its slow rank", shares(found, "rank", "rank"), {0: {"time_ns": 10150}, 1: {"time_ns": 2000}})
    found = predicted("--latency=const:100ns", "--noise=const:4770ns@2", f"--where={WORDS}", "tree.txt")
    expect("the one that is noisy", shares(found, "rank", "rank"),
           {0: {"time_ns": 10150}, 2: {"share": 5770 / 15920, "per_noise": 4770, "per_compute": 1000}})
    expect("and its call", shares(found, "call", "call"),
           {"MPI_Send": {"time_ns": 5770}, "MPI_Waitall": {"time_ns": 100}, "MPI_Finalize": {"time_ns": 10050}})


def check_stencil():
    lines = []
    for rank in range(4):
        lines.append(f"{rank} 0 0 Init")
        for step in range(3):
            at, end = 9100 * step + (9000 if rank == 2 else 1000), 9100 * (step + 1)
            lines += [f"{rank} {at} {at} Irecv comm=0 from={(rank + 1) % 4} tag={step} bytes=0 request={2 * step + 1}",
                      f"{rank} {at} {at} Isend comm=0 to={(rank + 3) % 4} tag={step} bytes=0 request={2 * step + 2}",
                      f"{rank} {at} {end} Waitall requests={2 * step + 1},{2 * step + 2}"]
        lines.append(f"{rank} {end} {end} Finalize")
    write("stencil.txt", 4, lines)
    found = predicted("--latency=const:385ns", f"--where={WORDS}", "stencil.txt")
    expect("a stencil: the slow rank is named, its share exact", shares(found, "rank", "rank"),
           {1: {"share": 385 / 27385, "per_latency": 1}, 2: {"share": 27000 / 27385, "per_compute": 27000}})
    expect("and who waits for it", shares(found, "pair", "from", "to"), {(None, None): {"time_ns": 27000}, (2, 1): {"time_ns": 385}})


def check_mixture():
    # which of two is the later is drawn: half of the replicas each, more or less, and where it is neither there is nothing
    write("half.txt", 3, ["0 0 0 Init", "0 10 10 Irecv comm=0 from=1 tag=1 bytes=0 request=1",
                          "0 10 10 Irecv comm=0 from=2 tag=1 bytes=0 request=2", "0 10 2100 Waitall requests=1,2",
                          "0 902100 902100 Finalize", "1 0 0 Init", "1 1000 1000 Send comm=0 to=0 tag=1 bytes=0",
                          "1 1000 1000 Finalize", "2 0 0 Init", "2 1000 1000 Send comm=0 to=0 tag=1 bytes=0", "2 1000 1000 Finalize"])
    found = predicted("--latency=const:100ns", "--noise=exp:5us@1-2", "--replicas=4096", "--where=rank", "half.txt")
    path = shares(found, "rank", "rank")
    ok("two of a kind: each in half of the replicas", abs(path[1]["per_compute"] / 1000 - 0.5) < 0.04 and
       near(path[1]["per_compute"] + path[2]["per_compute"], 1000, 1000), path)
    ok("the interval holds what is left of a half", all(path[r]["share_low"] < 0.5 - path[0]["share"] / 2 < path[r]["share_high"]
                                                        for r in (1, 2) if 0 in path), path)


def write_broadcast(name, late, begin):
    """Writes a broadcast from 0 to 1 to 2 to 3; rank LATE arrives at BEGIN, and 3 ends 10 ns after all."""
    lines = []
    for rank in range(4):
        at = begin if rank == late else 1000 + 100 * rank
        lines += [f"{rank} 0 0 Init", f"{rank} {at} 6000 Bcast comm=0 root=0 bytes=10",
                  f"{rank} {6010 if rank == 3 else 6000} 6010 Finalize"]
    write(name, 4, lines)


def check_expanded():
    with open("chain.table", "w", encoding="ascii") as out:
        out.write("#mpgcollectives 1\nbcast 1 0 chain\n")
    given = ["--latency=const:55.5ns", "--byte=const:0.5ns", "--collectives=expand", "--collectives=table=chain.table", f"--where={WORDS}"]
    write_broadcast("late.txt", 2, 5000)
    found = predicted(*given, "late.txt")
    expect("a broadcast down a chain: who comes late is named", shares(found, "rank", "rank"),
           {2: {"share": 5000 / 5070.5, "per_compute": 5000, "per_latency": 0},
            3: {"time_ns": 70.5, "latency_ns": 55.5, "bytes_ns": 5, "per_latency": 1, "per_byte": 10, "per_compute": 10}})
    expect("it is no pair's", shares(found, "pair", "from", "to"), {(None, None): {"time_ns": 5070.5, "per_byte": 10}})
    found = predicted(*given, "--eager-limit=-1", "late.txt")
    expect("whose messages meet: it is asked already, and waits for its answer", shares(found, "rank", "rank"),
           {2: {"time_ns": 5121, "latency_ns": 111, "per_latency": 2, "per_byte": 20, "per_compute": 5000}})
    write_broadcast("root.txt", 0, 5770)
    found = predicted(*given, "root.txt")
    expect("its root, if that is late", shares(found, "rank", "rank"),
           {0: {"time_ns": 5770, "per_compute": 5770}, 3: {"time_ns": 191.5, "per_latency": 3, "per_byte": 30}})


def check_algorithms():
    """Checks tables of all algorithms, for several numbers of ranks."""
    base = {"latency": 2385.25, "byte": 1.5, "compute": 1.0, "noise": 770.0}
    wrong, other, unlike = [], [], []
    for seed in range(1, 13):
        make_random(seed, 40, 2 + seed % 8)
        make("random.algorithms", "randomcollectives.py", "--seed", seed)
        given = ["--without=choice", "--lenient", "--collectives=expand", "--collectives=table=random.algorithms"]
        for more in (["--latency=exp:2us", "--byte=exp:0.3ns", "--noise=exp:3us", "--call-noise=exp:200ns"], REFERENCE):
            for limit in ([], ["--eager-limit=200"]):
                fault = times_add_up(predicted(*given, *more, *limit, "--replicas=37", f"--where={WORDS}", "random.txt"))
                wrong += [(seed, more, limit, fault)] if fault else []
                fault = is_critical(*given, *more, *limit, "random.txt")
                other += [(seed, more, limit, fault)] if fault else []
        fault = unlike_difference(predicted, arguments_of, base, ["--replicas=5", *given[2:], f"--eager-limit={seed % 3 * 200 - 1}"], 16)
        unlike += [(seed, fault)] if fault else []
    ok("all algorithms of collectives: rows add up", not wrong, wrong[:3])
    ok("of one replica they are those of --where=path", not other, other[:3])
    ok("derivatives are the difference of two runs", not unlike, unlike[:3])
    one = run("--json", "--predict", "--threads=1", *given, *REFERENCE, "--replicas=70", f"--where={WORDS}", "random.txt")
    ok("the same bytes with 3 threads", one[0] == 0 and one ==
       run("--json", "--predict", "--threads=3", *given, *REFERENCE, "--replicas=70", f"--where={WORDS}", "random.txt"), one[2])
    plain, asked = (predicted(*given, *REFERENCE, *w, "random.txt") for w in ([], [f"--where={WORDS}"]))
    ok("the answer is the one without", all(plain[k] == asked[k] for k in ("run_time_ns", "ranks")))


def arguments_of(v):
    return ["--without=choice", "--lenient", f"--latency=const:{v['latency']!r}ns", f"--byte=const:{v['byte']!r}ns",
            f"--compute-ratio={v['compute']!r}", f"--noise=exp:{v['noise']!r}ns"]


def check_random():
    base = {"latency": 2385.25, "byte": 1.5, "compute": 1.0, "noise": 770.0}
    options = [["--latency=exp:2us", "--byte=const:1.5ns", "--noise=exp:3us", "--call-noise=exp:200ns"],
               ["--latency=const:2385.25ns", "--noise=const:77ns", "--eager-limit=-1", "--byte=exp:0.3ns"], REFERENCE,
               ["--latency=const:10us", "--compute-ratio=0.7", "--call-noise=normal:200ns,400ns"],
               ["--collectives=expand", "--latency=exp:2us", "--byte=exp:0.3ns", "--noise=exp:3us", "--call-noise=exp:200ns"],
               ["--collectives=expand", "--eager-limit=-1", "--latency=exp:2us", "--noise=exp:3us"], [*REFERENCE, "--collectives=expand"],
               [*REFERENCE, "--collectives=expand", "--eager-limit=100"]]
    wrong, other, unlike, cases = [], [], [], 0
    for seed in range(1, 7):
        make_random(seed)
        for given in options:
            given = ["--without=choice", "--lenient", *given]
            cases += 1
            fault = times_add_up(predicted(*given, "--replicas=37", f"--where={WORDS}", "random.txt"))
            if fault:
                wrong.append((seed, given, fault))
            fault = is_critical(*given, "random.txt")
            if fault:
                other.append((seed, given, fault))
        for extra in (["--replicas=5"], ["--replicas=5", "--eager-limit=-1", "--call-noise=const:31ns"],
                      ["--replicas=5", "--collectives=expand"],
                      ["--replicas=5", "--collectives=expand", "--eager-limit=-1", "--call-noise=const:31ns"]):
            fault = unlike_difference(predicted, arguments_of, base, extra, 16)
            if fault:
                unlike.append((seed, extra, fault))
    ok("random programs: rows add up to the mean run, and to all derivatives", cases == 48 and not wrong, wrong[:3])
    ok("of one replica they are those of --where=path", not other, other[:3])
    ok("derivatives are the difference of two runs", not unlike, unlike[:3])


def make_long(name, ranks, rounds, waits):
    """Writes rounds of work; if WAITS, each rank then waits for one of its neighbours."""
    draw, lines = random.Random(7), []
    for rank in range(ranks):
        at, lines = 1000, lines + [f"{rank} 0 0 Init"]
        for k in range(rounds):
            at += draw.randrange(100, 5000)
            if waits:
                begin, at = at, 10000 * (k + 1)
                lines.append(f"{rank} {begin} {at} Sendrecv comm=0 to={(rank + 1) % ranks} from={(rank - 1) % ranks} "
                             "tag=1 recvtag=1 bytes=8 recvbytes=8")
            else:
                lines.append(f"{rank} {at} {at + 10} Comm_rank")
                at += 10
        lines.append(f"{rank} {at + 10} {at + 10} Finalize")
    write(name, ranks, lines)


def peak(*arguments):
    """Returns the peak memory of a run, in the system's unit."""
    child = subprocess.Popen([MPGSIM, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss if child.returncode == 0 else math.inf


def check_long():
    # more than one window of recorded steps (a window has 32768)
    make_long("long.txt", 5, 9000, True)
    given = ["--latency=exp:2us", "--noise=exp:3us", "--replicas=37", f"--where={WORDS}", "long.txt"]
    one = run("--json", "--predict", "--threads=1", *given)
    ok("a long program: rows add up", one[0] == 0 and times_add_up(predicted(*given)) is None, one[2])
    for threads in (2, 3):
        ok(f"the same bytes with {threads} threads", run("--json", "--predict", f"--threads={threads}", *given) == one)
    fault = is_critical("--latency=exp:2us", "--noise=exp:3us", "long.txt")
    ok("of one replica as --where=path has it", fault is None, fault)
    make_long("apart.txt", 2, 30000, False)
    given = ["--latency=const:1us", "--noise=exp:3us", "--replicas=40", f"--where={WORDS}", "apart.txt"]
    ok("ranks that have nothing in common", times_add_up(predicted(*given)) is None)
    fault = is_critical("--latency=const:1us", "--noise=exp:3us", "apart.txt")
    ok("as --where=path has them", fault is None, fault)
    if os.environ.get("MPGKIT_SANITIZERS") == "yes": # sanitizers keep freed memory
        return
    make_long("longer.txt", 5, 36000, True)
    given = ["--predict", "--latency=exp:2us", "--noise=exp:3us", "--replicas=16", "--threads=1", "--where=callsite"]
    less, more = peak(*given, "long.txt"), peak(*given, "longer.txt")
    ok("memory does not grow with the trace", more < 1.3 * less, (less, more))


def check_forms():
    given = ["--predict", "--latency=const:2385.5ns", "--byte=const:0.25ns", "chain.txt"]
    text = run("--where=rank,pair", *given)[1]
    ok("text: the tables, and what adds up to all", text.count("The critical path, by ") == 2 and "  72.36 %" not in text and
       text.count("  100.00 %") == 2 and "Where time goes, by pair" not in text, text)
    rows = list(csv.DictReader(io.StringIO(run("--where=rank", "--csv", "--replicas=40", *given)[1])))
    ok("CSV has them", [float(r["path_ns"]) for r in rows] == [1000, 3387.5, 12885.5] and rows[0]["path_share_low"] != "" and
       near(sum(float(r["path_share"]) for r in rows), 1), rows)
    rows = list(csv.DictReader(io.StringIO(run("--where=rank", "--csv", "--replicas=9", *given)[1])))
    ok("of few replicas there is no interval", [r["path_share_low"] for r in rows] == ["", "", ""], rows)


def check_target():
    # a sender takes 200 to build and start a message, a receiver 50 for it; 10 for the link, 0.25 a byte
    with open("machine.target", "w", encoding="ascii") as out:
        out.write("#mpgtarget 1\nPolicy = offload\nBarrierAlgorithm = rounds\nMsgBuildTime = 120ns\nCommStartupTime = 80ns\n"
                  "ServiceTime = 50ns\nHopTime = 10ns\nByteTransferTime = 0.25ns\n")
    given = ["--target=machine.target", "--target=work=wall"]
    found = answer(*given, f"--where={WORDS}", "--where=path", "chain.txt")
    run_ns = found["run_time_ns"]["median"]
    path = shares(found, "rank", "rank")
    ok("a target of parameters: its path", times_add_up(found) is None and found["critical_path"]["run_ns"] == run_ns and
       sum(p["per_latency"] for p in path.values()) == 2, path)
    ok("latencies and bytes are the file's", near(sum(p["latency_ns"] for p in path.values()), 2 * (200 + 10 + 50)) and
       near(sum(p["bytes_ns"] for p in path.values()), 0.25 * sum(p["per_byte"] for p in path.values())), path)
    wrong = []
    for seed in (1, 3):
        make_random(seed)
        drawn = [*given, "--lenient", "--noise=exp:3us", "--target=CommStartupTime=exp:2us", "--replicas=19"]
        found, other = answer(*drawn, f"--where={WORDS}", "random.txt"), answer(*drawn, "random.txt")
        if times_add_up(found) or not near(found["run_time_ns"]["mean"], other["run_time_ns"]["mean"], 1e3):
            wrong.append((seed, times_add_up(found), found["run_time_ns"], other["run_time_ns"]))
    ok("the run is the one in the order of simulated time, and its rows add up to it", not wrong, wrong)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_chain()
        check_tree()
        check_stencil()
        check_mixture()
        check_random()
        check_expanded()
        check_algorithms()
        check_long()
        check_forms()
        check_target()
        os.chdir("/")
    finish()


main()
