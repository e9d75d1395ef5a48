#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of delays, of all replicas, in mpgsim --where in perturb mode (TAP; docs/MODEL.md, section 8): shares known by
hand in a chain, a tree and a stencil; rows that add up to the delay of the longest rank, and to each derivative;
derivatives that equal the difference of two runs; the same with any number of threads."""

import csv
import io
import os
import tempfile

from answers import REFERENCE as MACHINE, answer, finish, make, make_random, ok, run, unlike_difference, write

from path_rules import WORDS, delays_add_up, expect, is_delay, near, rows_of, shares

REFERENCE = ["--perturb", *MACHINE]


def check_chain():
    # no slack: each hop takes 2.385 us of noise before the send and a slow link, of 40000 bytes, 10 us more
    write("chain.txt", 3, ["0 0 0 Init", "0 1000 2000 Send comm=0 to=1 tag=1 bytes=8", "0 2000 2000 Finalize",
                           "1 0 0 Init", "1 1000 3000 Recv comm=0 from=0 tag=1 bytes=8",
                           "1 4000 5000 Send comm=0 to=2 tag=1 bytes=40000", "1 5000 5000 Finalize",
                           "2 0 0 Init", "2 4000 6000 Recv comm=0 from=1 tag=1 bytes=40000", "2 6500 6500 Finalize"])
    given = ["--absorb=none", "--latency=const:100ns", "--byte=const:0.25ns", "--noise=const:2385.5ns@0", f"--where={WORDS}"]
    found = answer(*given, "--replicas=40", "chain.txt")
    end = 2385.5 + 102 + 10100
    expect("a chain: its slow link, by pair", shares(found, "pair", "from", "to"),
           {(None, None): {"share": 2385.5 / end, "noise_ns": 2385.5, "per_noise": 2385.5, "per_compute": 2500},
            (0, 1): {"share": 102 / end, "messages_ns": 102, "per_latency": 1, "per_byte": 8, "delay_ns": 102},
            (1, 2): {"share": 10100 / end, "messages_ns": 10100, "per_latency": 1, "per_byte": 40000}})
    expect("by rank: who waits for it", shares(found, "rank", "rank"),
           {0: {"injected_ns": 2385.5, "per_compute": 1000}, 1: {"injected_ns": 102, "per_compute": 1000},
            2: {"injected_ns": 10100, "absorbed_ns": 0, "per_compute": 500}})
    ok("draws that are alike leave no doubt", all(near(r["path"][k], r["path"]["share"]) for r in rows_of(found, "rank")
                                                  for k in ("share_low", "share_high")), rows_of(found, "rank"))
    # a sender that is 22 us early, of which its message has no more than the 1 us of the receive, has 4.77 us of noise: the
    # path is the receiver's own, and nothing is put in on it
    write("early.txt", 2, ["0 0 1000 Init", "0 5000 6000 Send comm=0 to=1 tag=7 bytes=8", "0 6000 6000 Finalize",
                           "1 0 1000 Init", "1 26000 27000 Recv comm=0 from=0 tag=7 bytes=8", "1 99000 99000 Finalize"])
    total = answer("--noise=const:4770ns@0", "--where=rank", "early.txt")["where"]["total"]["path"]
    ok("what is absorbed whole is on no path", total["injected_ns"] == total["delay_ns"] == 0 and total["share"] is None, total)
    found = answer("--noise=const:24770ns@0", "--where=rank", "early.txt")
    expect("what is absorbed in part is, and so is that part", shares(found, "rank", "rank"),
           {0: {"share": 1, "injected_ns": 24770}, 1: {"share": 0, "absorbed_ns": 21000, "delay_ns": -21000}})


def check_tree():
    # ranks 1 and 2 send to rank 0, rank 2 1 us earlier but with 4.77 us of noise: rank 0's delay is 4.77 us minus 1 us
    write("tree.txt", 3, ["0 0 0 Init", "0 100 100 Irecv comm=0 from=1 tag=1 bytes=0 request=1",
                          "0 100 100 Irecv comm=0 from=2 tag=1 bytes=0 request=2", "0 100 2100 Waitall requests=1,2",
                          "0 12150 12150 Finalize", "1 0 0 Init", "1 2000 2000 Send comm=0 to=0 tag=1 bytes=0",
                          "1 2000 2000 Finalize", "2 0 0 Init", "2 1000 1000 Send comm=0 to=0 tag=1 bytes=0", "2 1000 1000 Finalize"])
    found = answer("--source=latency=100ns", "--noise=const:4770ns@2", f"--where={WORDS}", "tree.txt")
    expect("a tree: its noisy rank", shares(found, "rank", "rank"),
           {0: {"share": 0, "absorbed_ns": 1000, "per_compute": 10050},
            2: {"share": 1, "injected_ns": 4770, "per_noise": 4770, "per_compute": 1000}})
    expect("its call, and who waits", shares(found, "call", "call"),
           {"MPI_Send": {"share": 1, "delay_ns": 4770}, "MPI_Waitall": {"absorbed_ns": 1000}, "MPI_Finalize": {"per_compute": 10050}})


def check_stencil():
    # all at the same time, no slack; rank 2 works longer, or its messages' bytes cost
    lines = []
    for rank in range(4):
        lines.append(f"{rank} 0 0 Init")
        for step in range(3):
            at, end = 9100 * step + 9000, 9100 * (step + 1)
            lines += [f"{rank} {at} {at} Irecv comm=0 from={(rank + 1) % 4} tag={step} bytes=0 request={2 * step + 1}",
                      f"{rank} {at} {at} Isend comm=0 to={(rank + 3) % 4} tag={step} bytes=0 request={2 * step + 2}",
                      f"{rank} {at} {end} Waitall requests={2 * step + 1},{2 * step + 2}"]
        lines.append(f"{rank} {end} {end} Finalize")
    write("stencil.txt", 4, lines)
    found = answer("--source=latency=100ns", "--noise=const:2385.5ns@2", f"--where={WORDS}", "stencil.txt")
    expect("a stencil: the noisy rank is named, its share exact", shares(found, "rank", "rank"),
           {2: {"share": 1, "injected_ns": 10 * 2385.5, "per_noise": 10 * 2385.5, "per_compute": 27000}})
    found = answer("--source=latency=100ns", "--call-noise=const:777.5ns@2", "--latency=const:385ns", f"--where={WORDS}", "stencil.txt")
    expect("noisy calls are", shares(found, "call", "call"),
           {"MPI_Irecv": {"share": 1 / 3, "calls_ns": 3 * 777.5, "per_compute": 27000}, "MPI_Isend": {"share": 1 / 3},
            "MPI_Waitall": {"injected_ns": 3 * 777.5, "per_latency": 0}})


def check_mixture():
    # which of two is the later is drawn: half of the replicas each, more or less
    write("half.txt", 3, ["0 0 0 Init", "0 10 10 Irecv comm=0 from=1 tag=1 bytes=0 request=1",
                          "0 10 10 Irecv comm=0 from=2 tag=1 bytes=0 request=2", "0 10 1000 Waitall requests=1,2",
                          "0 902100 902100 Finalize", "1 0 0 Init", "1 1000 1000 Send comm=0 to=0 tag=1 bytes=0",
                          "1 1000 1000 Finalize", "2 0 0 Init", "2 1000 1000 Send comm=0 to=0 tag=1 bytes=0", "2 1000 1000 Finalize"])
    found = answer("--noise=exp:5us@1-2", "--replicas=4096", "--where=rank", "half.txt")
    path = shares(found, "rank", "rank")
    ok("two of a kind: each in half of the replicas", abs(path[1]["per_compute"] / 1000 - 0.5) < 0.04 and
       near(path[1]["per_compute"] + path[2]["per_compute"], 1000, 1000), path)
    ok("the later of two takes 3/2 of the mean", abs(path[1]["injected_ns"] + path[2]["injected_ns"] - 7500) < 300, path)
    ok("the interval holds a half", all(path[r]["share_low"] < 0.5 < path[r]["share_high"] for r in (1, 2)), path)


def check_expanded():
    # 0 to 1 to 2 to 3; 2 came last by 3000 ns, and 3 is left when all have what they wait for
    lines = []
    for rank in range(4):
        at = 5000 if rank == 2 else 1000 + 100 * rank
        end = 5200 if rank > 1 else at + 200
        lines += [f"{rank} 0 0 Init", f"{rank} {at} {end} Bcast comm=0 root=0 bytes=10",
                  f"{rank} {6010 if rank == 3 else 6000} 6010 Finalize"]
    write("late.txt", 4, lines)
    with open("chain.table", "w", encoding="ascii") as out:
        out.write("#mpgcollectives 1\nbcast 1 0 chain\n")
    given = ["--collectives=expand", "--collectives=table=chain.table", f"--where={WORDS}", "late.txt"]
    found = answer("--latency=const:55.5ns", "--byte=const:0.5ns", *given)
    expect("a broadcast down a chain: a message of who came last, no other", shares(found, "rank", "rank"),
           {2: {"injected_ns": 0, "per_compute": 5000},
            3: {"share": 1, "injected_ns": 60.5, "collectives_ns": 60.5, "absorbed_ns": 0, "per_latency": 1, "per_byte": 10}})
    found = answer("--latency=const:2500.5ns", *given)
    expect("until those before it come to more", shares(found, "rank", "rank"),
           {0: {"injected_ns": 0, "per_compute": 1000},
            3: {"share": 1, "injected_ns": 7501.5, "absorbed_ns": 4000, "delay_ns": 3501.5, "per_latency": 3}})


def check_algorithms():
    """Checks tables of all algorithms of collectives, for several numbers of ranks."""
    base = {"latency": 2385.25, "byte": 1.5, "compute": 1.0, "noise": 770.0}
    wrong, other, unlike = [], [], []
    for seed in range(1, 13):
        make_random(seed, 40, 2 + seed % 8)
        make("random.table", "randomcollectives.py", "--seed", seed)
        given = ["--without=choice", "--lenient", "--collectives=expand", "--collectives=table=random.table"]
        absorb = f"--absorb={['clock', 'wait', 'none'][seed % 3]}"
        for more in (["--latency=exp:2us", "--byte=exp:0.3ns", "--noise=exp:3us", "--call-noise=exp:200ns"], REFERENCE,
                     ["--latency=normal:-300ns,777ns", "--noise=normal:-400ns,500ns"]):
            for limit in ([], ["--eager-limit=200"]):
                fault = delays_add_up(answer(*given, absorb, *more, *limit, "--replicas=37", f"--where={WORDS}", "random.txt"))
                wrong += [(seed, more, limit, fault)] if fault else []
                fault = is_delay([*given, absorb, *more, *limit])
                other += [(seed, more, limit, fault)] if fault else []
        fault = unlike_difference(answer, arguments_of, base, ["--replicas=5", absorb, *given, f"--eager-limit={seed % 3 * 200 - 1}"], 64)
        unlike += [(seed, fault)] if fault else []
    ok("all algorithms of collectives: rows add up to the path", not wrong, wrong[:3])
    ok("which is the delay of the longest rank", not other, other[:3])
    ok("derivatives are the difference of two runs", not unlike, unlike[:3])
    given = [*given, *REFERENCE, "--replicas=70"]
    one = run("--json", "--threads=1", *given, f"--where={WORDS}", "random.txt")
    ok("the same bytes with 3 threads", one[0] == 0 and one == run("--json", "--threads=3", *given, f"--where={WORDS}", "random.txt"),
       one[2])
    plain, asked = answer(*given, "random.txt"), answer(*given, f"--where={WORDS}", "random.txt")
    ok("the answer is the one without", all(plain[k] == asked[k] for k in ("run_time_ns", "ranks", "mean_of_a_rank")))


def arguments_of(v):
    return ["--lenient", f"--latency=const:{v['latency']!r}ns", f"--byte=const:{v['byte']!r}ns",
            f"--compute-ratio={v['compute']!r}", f"--noise=exp:{v['noise']!r}ns"]


def check_random():
    base = {"latency": 2385.25, "byte": 1.5, "compute": 1.0, "noise": 770.0}
    options = [["--latency=exp:2us", "--byte=const:1.5ns", "--noise=exp:3us", "--call-noise=exp:200ns", "--without=choice"],
               ["--latency=normal:-300ns,777ns", "--noise=normal:-400ns,500ns", "--eager-limit=-1", "--without=choice"],
               ["--absorb=none", "--eager-limit=-1", "--noise=exp:1us", "--latency=exp:1us", "--call-noise=exp:99ns"],
               ["--absorb=wait", "--without=choice", "--noise=exp:1us", "--byte=exp:0.3ns",
                "--call-noise=normal:99ns,300ns"],
               [*REFERENCE, "--without=choice"], [*REFERENCE, "--without=choice", "--eager-limit=100"]]
    wrong, other, unlike, cases = [], [], [], 0
    for seed in range(1, 7):
        make_random(seed)
        for given in options:
            cases += 1
            given = ["--lenient", *given]
            fault = delays_add_up(answer(*given, "--replicas=37", f"--where={WORDS}", "random.txt"))
            if fault:
                wrong.append((seed, given, fault))
            fault = is_delay(given)
            if fault:
                other.append((seed, given, fault))
        for extra in (["--replicas=5", "--without=choice"], ["--replicas=5", "--without=choice", "--eager-limit=-1"],
                      ["--replicas=5", "--absorb=none", "--paper=call-edges", "--call-noise=const:31ns"],
                      ["--replicas=5", "--without=choice", "--call-noise=const:31ns", "--paper=sync-reduce"]):
            fault = unlike_difference(answer, arguments_of, base, extra, 64)
            if fault:
                unlike.append((seed, extra, fault))
    ok("random programs: rows add up to the path", cases == 36 and not wrong, wrong[:3])
    ok("which is the delay of the longest rank", not other, other[:3])
    ok("derivatives are the difference of two runs", not unlike, unlike[:3])


def check_answer():
    """Additional tables change nothing in the other results; the output is identical with any number of threads."""
    make_random(2, 400)
    given = ["--lenient", "--without=choice", "--noise=exp:3us", "--latency=exp:2us", "--byte=exp:0.1ns", "--replicas=70",
             "--eager-limit=200", "random.txt"]
    plain, asked = answer(*given), answer(f"--where={WORDS}", *given)
    ok("the answer is the one without", all(plain[k] == asked[k] for k in ("run_time_ns", "ranks", "mean_of_a_rank")))
    one = run("--json", "--threads=1", f"--where={WORDS}", *given)
    for threads in (2, 5):
        ok(f"the same bytes with {threads} threads", run("--json", f"--threads={threads}", f"--where={WORDS}", *given) == one)


def check_long():
    """Long programs, recorded in several windows of 32768 steps, in which ranks wait for each other, or never do."""
    for name, ranks, waits in (("long.txt", 5, True), ("apart.txt", 2, False)):
        lines = []
        for rank in range(ranks):
            lines.append(f"{rank} 0 0 Init")
            for k in range(9000):
                begin, at = 10000 * k + 4000 + (k * 7919 + rank * 977) % 5000, 10000 * (k + 1)
                lines.append(f"{rank} {begin} {at} " + (f"Sendrecv comm=0 to={(rank + 1) % ranks} from={(rank - 1) % ranks} tag=1 "
                                                        "recvtag=1 bytes=8 recvbytes=8" if waits else "Barrier comm=1"))
            lines.append(f"{rank} 90000100 90000100 Finalize")
        write(name, ranks, ["#comm 1 = 0"] + lines if waits else [line.replace("comm=1", f"comm={line.split()[0]}1") for line in
                                                                  ["#comm 01 = 0", "#comm 11 = 1"] + lines])
        given = ["--noise=exp:3us", "--latency=exp:2us", "--replicas=37", f"--where={WORDS}", name]
        found = answer(*given)
        ok(f"{name}: rows add up", delays_add_up(found) is None, delays_add_up(found))
        ok("the same bytes with 3 threads", run("--json", "--threads=3", *given) == run("--json", "--threads=1", *given))
        ok("all of it is what the longest rank ends later", near(90000100 + found["where"]["total"]["path"]["delay_ns"],
                                                                found["run_time_ns"]["mean"], 90000100), found["where"]["total"])


def check_forms():
    given = ["--absorb=none", "--noise=const:2385ns", "--latency=const:100ns", "chain.txt"]
    text = run("--where=rank,pair", *given)[1]
    lines = [line.split() for line in text[text.index("The path along"):text.index("\nDelay of")].splitlines() if " = " in line]
    added = [float(p[2]) - float(p[4]) - float(p[6]) for p in lines]
    ok("text: the tables, and rows that add up as printed", text.count("The path along which the delay of the longest rank came, by ") == 2 and
       text.count("  100.00 %") == 2 and len(lines) == 8 and all(abs(a) < 1e-9 for a in added), text)
    rows = list(csv.DictReader(io.StringIO(run("--where=rank", "--csv", "--replicas=40", *given)[1])))
    ok("CSV has them", near(sum(float(r["path_share"]) for r in rows), 1) and float(rows[0]["path_injected_ns"]) == 2385 and
       float(rows[2]["path_messages_ns"]) == 100, rows)


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
        check_answer()
        check_long()
        check_forms()
        os.chdir("/")
    finish()


main()
