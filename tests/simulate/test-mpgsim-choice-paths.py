#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths through calls that complete something else than in the trace, in mpgsim --where and --where=path (TAP;
docs/MODEL.md, sections 6 and 8): by hand for a changed Waitany, open receive, or test; random programs whose rows add
up to the delay or run time, and to the difference of two runs."""

import os
import tempfile

from answers import REFERENCE, answer, finish, make, ok, run, unlike_difference, write
from path_rules import WORDS, delays_add_up, expect, is_critical, is_delay, near, predicted, shares, times_add_up

FLIGHT = "--source=latency=100ns"


def run_ns(found):
    return found["run_time_ns"]["median"]


REST = 90000  # of work, after which 0 is the longest rank


def write_any(name, second, work):
    """Rank 0 waits for any of rank 1's message, sent at 1000, and rank 2's, sent at SECOND; then it computes for WORK,
    waits for the other one, and computes for REST."""
    after = max(1100 + work, second + 100)
    write(name, 3, ["0 0 0 Init", "0 0 0 Irecv comm=0 from=1 tag=1 bytes=8 request=1", "0 0 0 Irecv comm=0 from=2 tag=1 bytes=8 request=2",
                    "0 0 0 Wait requests=", "0 30 1100 Waitany requests=1,2 done=1", f"0 {1100 + work} {after} Wait request=2",
                    f"0 {after + REST} {after + REST} Finalize", "1 0 0 Init", "1 1000 1000 Send comm=0 to=0 tag=1 bytes=8",
                    "1 1000 1000 Finalize", "2 0 0 Init", f"2 {second} {second} Send comm=0 to=0 tag=1 bytes=8",
                    f"2 {second} {second} Finalize"])


def check_any():
    # rank 1's message arrives at 5100.5: the Waitany completes rank 2's, at 3100, and the Wait rank 1's, 2000.5 later than
    # the last message arrived in the trace
    write_any("late.txt", 3000, 0)
    found = answer(FLIGHT, "--noise=const:4000.5ns@1", f"--where={WORDS}", "late.txt")
    ok("a Waitany whose winner changes", found["choice"]["picks_changed"] == 1 and run_ns(found) == 5100.5 + REST, found["choice"])
    expect("what was put in, less what the one had come later in the trace", shares(found, "rank", "rank"),
           {0: {"share": 0, "absorbed_ns": 2000, "order_ns": 0, "per_compute": REST},
            1: {"share": 1, "injected_ns": 4000.5, "noise_ns": 4000.5, "per_noise": 4000.5, "per_compute": 1000}})
    expect("it is of who sent it, whatever request it goes by", shares(found, "pair", "from", "to"),
           {(None, None): {"share": 1, "per_compute": 1000 + REST}, (1, 0): {"absorbed_ns": 2000, "delay_ns": -2000}})
    expect("and of the call that chooses, or waits for it", shares(found, "call", "call"),
           {"MPI_Send": {"delay_ns": 4000.5}, "MPI_Wait": {"delay_ns": -2000}, "MPI_Finalize": {"per_compute": REST}})
    # rank 1's message arrives at 1650.5, rank 2's at 1400: the Waitany completes rank 2's, 300 later than rank 1's in the trace;
    # rank 1's arrives during the computation that follows
    write_any("first.txt", 1300, 3000)
    found = answer(FLIGHT, "--noise=const:550.5ns@1", f"--where={WORDS}", "first.txt")
    ok("the other one wins", run_ns(found) == 4400 + REST, found["run_time_ns"])
    expect("what comes later than the other did is put in", shares(found, "rank", "rank"),
           {0: {"share": 1, "injected_ns": 300, "order_ns": 300, "delay_ns": 300, "per_compute": 3000 + REST}, 2: {"injected_ns": 0, "per_compute": 1300}})
    expect("where it was waited for", shares(found, "call", "call"),
           {"MPI_Waitany": {"share": 1, "order_ns": 300, "per_noise": 0}, "MPI_Send": {"injected_ns": 0, "per_compute": 1300},
            "MPI_Wait": {"injected_ns": 0, "per_compute": 3000}, "MPI_Finalize": {"per_compute": REST}})
    # of the mean run: who is last in each replica, with what it has come to
    found = answer(FLIGHT, "--noise=exp:3us@1-2", "--where=rank", "--replicas=4000", "late.txt")
    path = shares(found, "rank", "rank")
    total = sum(p["noise_ns"] for p in path.values())
    # E max(1000 + x, 3000 + y), of exponentials: the mean of both is 3 us, so 3000 + m + m exp(-2/3) / 2
    ok("a mixture: the later of two in each replica", abs(found["run_time_ns"]["mean"] - 100 - REST - 6000 - 1500 * 2.718281828 ** (-2 / 3)) < 150,
       found["run_time_ns"])
    ok("by how often it is, too", abs(path[1]["per_compute"] / 1000 - 0.5 * 2.718281828 ** (-2 / 3)) < 0.03 and
       near(path[1]["per_compute"] / 1000 + path[2]["per_compute"] / 3000, 1), path)
    ok("what they have drawn, less what 1's had come earlier", near(total - path[0]["absorbed_ns"] + 3100 + REST,
                                                                    found["run_time_ns"]["mean"], REST), path)


def check_times():
    # on the target: 1's at 1000 + 2 * 777.5 + 800.5, 2's at 1300 + 800.5; the computation of 1 is twice as slow
    for given, runs in ((["--noise=const:0ns"], 1000 + 800.5 + 3000 + REST), (["--noise=const:777.5ns@1"], 1300 + 800.5 + 3000 + REST)):
        found = predicted("--latency=const:800.5ns", *given, f"--where={WORDS}", "--where=path", "first.txt")
        source = 1 if given[0].endswith("0ns") else 2
        path = shares(found, "rank", "rank")
        ok(f"predict: {source} comes first", run_ns(found) == runs and near(found["critical_path"]["run_ns"], runs, runs), found["run_time_ns"])
        expect("its path is through who wins", path, {0: {"time_ns": 3800.5 + REST, "latency_ns": 800.5, "per_latency": 1},
                                                      source: {"time_ns": runs - 3800.5 - REST}})
        expect("its latency is of its sender", shares(found, "pair", "from", "to"),
               {(None, None): {"time_ns": runs - 800.5}, (source, 0): {"time_ns": 800.5, "per_latency": 1, "per_byte": 8}})
        last = {(s["rank"], s["call"]): s["end_ns"] for s in found["critical_path"]["segments"]}
        segments = [(rank, call, end) for (rank, call), end in last.items()]
        ok("call by call", segments == [(source, "MPI_Send", runs - 3800.5 - REST), (0, "MPI_Waitany", runs - 3000 - REST), (0, "MPI_Wait", runs - REST),
                                        (0, "MPI_Finalize", runs)], segments)


def check_open():
    # 0 receives from anybody: 1's at 1100, then 2's, which lies ready when it is asked for at 4100
    write("open.txt", 3, ["0 0 0 Init", "0 30 1100 Recv comm=0 from=1 tag=1 bytes=8 any=source",
                          "0 4100 4110 Recv comm=0 from=2 tag=1 bytes=8 any=source", f"0 {4110 + REST} {4110 + REST} Finalize", "1 0 0 Init",
                          "1 1000 1000 Send comm=0 to=0 tag=1 bytes=8", "1 1000 1000 Finalize", "2 0 0 Init",
                          "2 1300 1300 Send comm=0 to=0 tag=1 bytes=8", "2 1300 1300 Finalize"])
    found = answer(FLIGHT, "--noise=const:550.5ns@1", f"--where={WORDS}", "open.txt")
    ok("a receive from anybody takes the other message", found["choice"]["picks_changed"] == 2 and run_ns(found) == 4410 + REST, found["choice"])
    expect("which was there later by 300", shares(found, "call", "call"),
           {"MPI_Recv": {"share": 1, "order_ns": 300, "delay_ns": 300}, "MPI_Send": {"injected_ns": 0, "per_compute": 1300},
            "MPI_Finalize": {"per_compute": REST}})
    found = answer(FLIGHT, "--noise=const:4000.5ns@1", f"--where={WORDS}", "open.txt")
    ok("what it leaves is taken by the second", run_ns(found) == 5100.5 + REST, found["run_time_ns"])
    expect("from who sent it", shares(found, "pair", "from", "to"),
           {(None, None): {"share": 1, "noise_ns": 4000.5, "absorbed_ns": 2710}, (1, 0): {"absorbed_ns": 300, "delay_ns": -300}})
    found = predicted("--latency=const:800.5ns", "--noise=const:777.5ns@1", f"--where={WORDS}", "--where=path", "open.txt")
    runs = 1300 + 800.5 + 3000 + REST
    ok("predict: the same", near(run_ns(found), runs, runs) and near(found["critical_path"]["run_ns"], runs, runs), found["run_time_ns"])
    expect("of who wins", shares(found, "pair", "from", "to"),
           {(None, None): {"time_ns": runs - 800.5}, (2, 0): {"time_ns": 800.5, "per_latency": 1}})


def check_tests():
    # rank 1's message arrives at 3100, after rank 0's tests at 2000 and 3000; before them if rank 1 computes for half of its time
    write("test.txt", 2, ["0 0 0 Init", "0 0 0 Irecv comm=0 from=1 tag=1 bytes=8 request=1", "0 2000 2010 Test requests=1 done=",
                          "0 3000 3010 Test requests=1 done=", "0 3020 3100 Wait request=1", "0 4100 4100 Finalize", "1 0 0 Init",
                          "1 0 0 Region_begin name=\"slow\"", "1 3000 3000 Region_end name=\"slow\"", "1 3000 3000 Send comm=0 to=0 tag=1 bytes=8",
                          "1 3000 3000 Finalize"])
    given = [FLIGHT, "--compute-ratio=0.5@slow", "test.txt"]
    for polling, runs, mine in (("work", 2000 + 990 + 10 + 10 + 1000, 4000), ("wait", 2000 + 10 + 10 + 1000, 3010)):
        found = answer(*given, f"--polling={polling}", f"--where={WORDS}")
        ok(f"--polling={polling}: a test finds it earlier, later ones are not made", near(run_ns(found), runs), found["run_time_ns"])
        expect("what is not done is absorbed", shares(found, "rank", "rank"),
               {0: {"injected_ns": 0, "absorbed_ns": 4100 - runs, "delay_ns": runs - 4100, "per_compute": mine}})


def arguments_of(v):
    return ["--lenient", f"--latency=const:{v['latency']!r}ns", f"--byte=const:{v['byte']!r}ns",
            f"--compute-ratio={v['compute']!r}", f"--noise=exp:{v['noise']!r}ns"]


def add(sums, choice):
    for key, value in choice.items():
        if not isinstance(value, str):
            sums[key] = sums.get(key, 0) + value


def check_random():
    base = {"latency": 2385.25, "byte": 1.5, "compute": 1.0, "noise": 770.0}
    options = [["--latency=exp:2us", "--byte=exp:0.3ns", "--noise=exp:3us", "--call-noise=exp:200ns"],
               ["--latency=exp:20us", "--noise=exp:30us", "--polling=work"],
               ["--latency=normal:300ns,777ns", "--noise=normal:-400ns,500ns"], [*REFERENCE, "--eager-limit=100"]]
    delays, times, unlike, sums = [], [], [], {}
    for maker, seeds in (("randomtrace.py", (1, 2, 3)), ("randomtrace_open.py", (1, 2, 4)), ("randomtrace_loops.py", (1, 2, 5))):
        for seed in seeds:
            more = [] if "loops" in maker else ["--ranks", 4]
            make("random.txt", maker, "--seed", seed, "--steps", 40, *more)
            absorb = f"--absorb={'wait' if seed == 2 else 'clock'}"
            for given in options:
                given = ["--lenient", *given]
                found = answer(absorb, *given, "--replicas=37", f"--where={WORDS}", "random.txt")
                add(sums, found.get("choice", {}))
                fault = delays_add_up(found) or is_delay([absorb, *given])
                delays += [(maker, seed, given, fault)] if fault else []
                found = predicted(*given, "--replicas=37", f"--where={WORDS}", "random.txt")
                fault = times_add_up(found) or is_critical(*given, "random.txt")
                times += [(maker, seed, given, fault)] if fault else []
            for extra in (["--replicas=5", "--polling=work"], ["--replicas=5", "--eager-limit=100"]):
                for ask, ulps, mode in ((answer, 64, [absorb]), (predicted, 16, [])):
                    fault = unlike_difference(ask, arguments_of, base, [*extra, *mode], ulps)
                    unlike += [(maker, seed, extra, mode, fault)] if fault else []
    ok("random programs choose", all(sums[k] > 0 for k in ("picks_changed", "tests_early", "tests_saved", "answers", "redone")), sums)
    ok("rows add up to the path, which is the delay of the longest rank", not delays, delays[:3])
    ok("on the target to the run; of one replica they are those of --where=path", not times, times[:3])
    ok("derivatives are the difference of two runs", not unlike, unlike[:3])


def check_answer():
    make("random.txt", "randomtrace_open.py", "--seed", 3, "--ranks", 4, "--steps", 60)
    for mode in ([], ["--predict"]):
        given = ["--lenient", *mode, "--noise=exp:30us", "--latency=exp:20us", "--byte=exp:0.1ns", "--replicas=70", "random.txt"]
        plain, asked = answer(*given), answer(f"--where={WORDS}", *given)
        ok("the answer is the one without", all(plain[k] == asked[k] for k in ("run_time_ns", "ranks")))
        one = run("--json", "--threads=1", f"--where={WORDS}", *given)
        for threads in (2, 5):
            ok(f"the same bytes with {threads} threads", run("--json", f"--threads={threads}", f"--where={WORDS}", *given) == one)


def check_long():
    """Long programs, recorded in several windows of 65536 steps: two messages are in flight to a Waitany, or several
    have arrived for receives from any source."""
    lines, anybody, rounds = [f"{rank} 0 0 Init" for rank in range(3)], [f"{rank} 0 0 Init" for rank in range(3)], 6000
    for k in range(rounds):
        at, one, two = 10000 * k, 2 * k + 1, 2 * k + 2
        sends = [f"{r} {at + after} {at + after} Send comm=0 to=0 tag=1 bytes=8" for r, after in ((1, 1000), (2, 3000))]
        lines += [f"0 {at} {at} Irecv comm=0 from={r} tag=1 bytes=8 request={2 * k + r}" for r in (1, 2)]
        lines += [f"0 {at + 30} {at + 1100} Waitany requests={one},{two} done={one}", f"0 {at + 1200} {at + 3100} Wait request={two}", *sends]
        lines += [f"{r} {at + 3200} {at + 3300} Barrier comm=0" for r in range(3)]
        anybody += [*sends, *(f"0 {at + 25000 + 4000 * r} {at + 25000 + 4000 * r} Recv comm=0 from={r} tag=1 bytes=8 any=source" for r in (1, 2))]
    end = [f"{rank} {10000 * rounds + 90000} {10000 * rounds + 90000} Finalize" for rank in range(3)]
    for name, program in (("any.txt", lines), ("open.txt", anybody)):
        write(name, 3, program + end)
        given = ["--noise=exp:3us", "--replicas=37", f"--where={WORDS}", name]
        found = answer(FLIGHT, *given)
        ok(f"{name}, long: rows add up", delays_add_up(found) is None and found["choice"]["picks_changed"] > 3 * rounds,
           (delays_add_up(found), found["choice"]))
        ok("the same bytes with 3 threads", run("--json", "--threads=3", FLIGHT, *given) == run("--json", "--threads=1", FLIGHT, *given))
        found = predicted("--latency=exp:2us", *given)
        ok("and on the target", times_add_up(found) is None, times_add_up(found))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_any()
        check_times()
        check_open()
        check_tests()
        check_random()
        check_answer()
        check_long()
        os.chdir("/")
    finish()


main()
