#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --target of several traces, targets and values of keys (TAP): the table against single answers and against closed
forms by hand, as text, JSON and CSV; what is drawn; what is refused.

The environment variables MPGSIM and top_srcdir say where things are."""

import csv
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from tap import finish, ok

MPGSIM = os.environ.get("MPGSIM", "./mpgsim")


def program(path, ranks, seed):
    """Ranks that compute, send to the next and meet in a barrier, twice."""
    draw = random.Random(seed)
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", "#comm 0 = " + " ".join(map(str, range(ranks)))]
    for r in range(ranks):
        time = 1000
        lines.append(f"{r} 0 1000 Init")
        for _ in range(2):
            time += draw.randint(2385, 4000000 // ranks)
            if ranks > 1:
                lines.append(f"{r} {time} {time} Isend comm=0 to={(r + 1) % ranks} tag=1 bytes=2385 request=1")
                lines.append(f"{r} {time} {time} Recv comm=0 from={(r - 1) % ranks} tag=1 bytes=2385")
                lines.append(f"{r} {time} {time} Wait requests=1")
            lines.append(f"{r} {time} {time} Barrier comm=0")
        lines.append(f"{r} {time} {time + 10} Finalize")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def run(folder, *words, **more):
    done = subprocess.run([MPGSIM, "--cache=fresh", *words], capture_output=True, text=True, check=False, cwd=folder, **more)
    return done.returncode, done.stdout, done.stderr


def answer(folder, *words):
    return json.loads(run(folder, "--json", *words)[1])


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def check_single(folder):
    """Each row against the answer to its question alone."""
    traces, targets, values = ["one.txt", "four.txt", "six.txt"], ["distributed", "own.par"], ["2385ns", "exp:10us", "1ms"]
    table = answer(folder, *[f"--target={t}" for t in targets], f"--sweep=CommStartupTime={','.join(values)}", "--replicas=5",
                   *traces)
    rows = table["rows"]
    ok("a row for each trace on each target with each value", len(rows) == 18 and
       [(r["trace"], r["target"], r["values"]["CommStartupTime"]) for r in rows] ==
       [(a, b, {"2385ns": 2385.0, "1ms": 1e6}.get(c, c)) for a in traces for b in targets for c in values], rows)
    bad = []
    for i, row in enumerate(rows):
        words = [f"--target={row['target']}", f"--target=CommStartupTime={values[i % 3]}", "--replicas=5", row["trace"]]
        alone = answer(folder, *words)
        x = alone["extrapolation"]
        ranks = x["ranks"]
        sums = {k: sum(r[k] for r in ranks) for k in ("wait_ns", "service_ns", "barrier_ns", "processor_ns", "call_ns")}
        one = rows[i % 6]["run_time_ns"]["mean"]
        wanted = {**sums, "speedup": x["speedup"], "work_ns": x["work_ns"], "messages": x["messages"], "bytes": x["bytes"],
                  "efficiency": x["speedup"] / x["processors"], "against_ns": one,
                  "speedup_against": one / alone["run_time_ns"]["mean"],
                  "efficiency_against": one / alone["run_time_ns"]["mean"] / x["processors"],
                  "utilisation": sum(r["work_ns"] for r in ranks) / alone["run_time_ns"]["mean"] / x["processors"]}
        if row["run_time_ns"] != alone["run_time_ns"] or row["processors"] != x["processors"]:
            bad.append((words, row["run_time_ns"], alone["run_time_ns"]))
        bad += [(words, k, row[k], v) for k, v in wanted.items() if not near(row[k], v)]
    ok("rows say what single answers do, to the bit of runs; T(1) is the trace of one rank's, on the same machine", not bad,
       bad[:3])
    places = [[r["place"] for r in rows[6 * k:6 * k + 6]] for k in range(3)]
    wanted = [[1 + sum(o["run_time_ns"]["median"] < r["run_time_ns"]["median"] for o in rows[6 * k:6 * k + 6])
               for r in rows[6 * k:6 * k + 6]] for k in range(3)]
    ok("places are by the median, of each trace", places == wanted and len(set(places[1])) > 3, places)
    text = run(folder, *[f"--target={t}" for t in targets], "--sweep=CommStartupTime=2385ns,exp:10us,1ms", "--replicas=5",
               "--csv", *traces)[1]
    lines = list(csv.DictReader(io.StringIO(text)))
    ok("CSV says the same", len(lines) == 18 and all(
        near(float(c["run_ns"]), r["run_time_ns"]["median"]) and near(float(c["wait_ns"]), r["wait_ns"]) and
        near(float(c["speedup_against"]), r["speedup_against"]) and int(c["place"]) == r["place"] and
        c["trace"] == r["trace"] and c["CommStartupTime"] == values[i % 3]
        for i, (c, r) in enumerate(zip(lines, rows))), text[:500])
    text = run(folder, *[f"--target={t}" for t in targets], "--sweep=CommStartupTime=2385ns,exp:10us,1ms", "--replicas=5",
               *traces)[1]
    best = min(rows[6:12], key=lambda r: r["run_time_ns"]["median"])
    ok("the text says which is the least",
       "shortest run of four.txt: " in text and f"on {best['target']}, CommStartupTime" in text and
       f"(row {best['row']})" in text.split("shortest run of four.txt")[1].split("\n")[0], text[-900:])


def check_closed(folder):
    """4 ranks at a barrier of 4 us of entry ...: 56, 66, 76 us, of the master 68, with a startup of 10 us."""
    lines = ["#mpgtext 1", "#ranks 4", "#clocks shared", "#comm 0 = 0 1 2 3"]
    for r in range(4):
        lines += [f"{r} 0 1000 Init", f"{r} 1000 1100 Barrier comm=0", f"{r} 1100 1200 Finalize"]
    with open(os.path.join(folder, "barrier.txt"), "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    rows = answer(folder, "--target=distributed", "--sweep=BarrierByMsgs=0,1", "--sweep=CommStartupTime=10us:30us:3",
                  "barrier.txt")["rows"]
    runs = [r["run_time_ns"]["median"] / 1e3 for r in rows]
    # Without messages the barrier takes 22 us. With messages of startup S us, member 3 leaves last: it checks at 5 + 2 k, and the
    # master's message reaches it 3 S + 6.4 after the time l, when the master lowers the barrier (docs/MACHINES.md, Barriers).
    def last(s):
        come = 5 + s + 6.4
        low = 5 + 2 * -(-(come - 5) // 2) + 10
        return 5 + 2 * -(-(low + 3 * s + 6.4 - 5) // 2) + 5
    ok("a grid of two keys: closed forms of the barrier", [round(r, 6) for r in runs] == [22] * 3 + [last(s) for s in (10, 20, 30)],
       runs)
    rows = answer(folder, "--target=ideal", "--sweep=Processors=1:4:4", "four.txt")["rows"]
    work = rows[0]["work_ns"]
    ok("processors from 1 to 4: on one the run is all work", near(rows[0]["run_time_ns"]["median"], work) and
       [r["processors"] for r in rows] == [1, 2, 3, 4] and near(rows[0]["utilisation"], 1), rows[0])
    rows = answer(folder, "--target=ideal", "--against=2385us", "four.txt", "six.txt")["rows"]
    ok("--against goes before a trace of one rank",
       all(near(r["speedup_against"], 2385e3 / r["run_time_ns"]["mean"]) for r in rows), rows)
    rows = answer(folder, "--target=ideal", "one.txt", "one.txt", "four.txt")["rows"]
    ok("of two traces of one rank none is taken", not any("against_ns" in r for r in rows[2:]), rows[2])


def blocks(folder, name):
    with open(os.path.join(folder, "plots", f"{name}.dat"), encoding="utf-8") as file:
        return [[list(map(float, line.split())) for line in block.split("\n")] for block in
                file.read().strip("\n").split("\n\n\n")]


def check_plots(folder):
    """What gnuplot is given, and that there are pictures."""
    if not shutil.which("gnuplot"):
        return
    words = ["--target=distributed", "--target=own.par", "one.txt", "four.txt", "six.txt"]
    status, text, said = run(folder, "--plot=plots", "--keep", *words)
    rows = answer(folder, *words)["rows"]
    ok("speed-up, run and time are drawn", status == 0 and all(
        os.path.getsize(os.path.join(folder, "plots", f"{n}.{e}")) > 1000 for n in ("speedup", "run", "time")
        for e in ("png", "svg")) and "3 plots" in said, said)
    ok("the answer is the same with it", text == run(folder, *words)[1])
    got = blocks(folder, "speedup")
    ok("speed-up over processors, a line each target", [[p for p, _ in b] for b in got] == [[1, 4, 6]] * 2 and all(
        near(y, rows[2 * k + t]["speedup_against"]) for t in (0, 1) for k, (_, y) in enumerate(got[t])), got)
    run(folder, "--plot=plots", "--keep", "--target=distributed", "--sweep=CommStartupTime=1us:1ms:4:log",
        "--sweep=Topology=ring,bus", "four.txt")
    got = blocks(folder, "sweep")
    ok("runs over what is swept, a line for each of the rest", len(got) == 2 and [len(b) for b in got] == [4, 4] and
       near(got[0][1][0], 1e4), got)
    os.makedirs(os.path.join(folder, "times"))
    for name, value in (("a", 2385), ("b", 4770)):
        with open(os.path.join(folder, "times", name), "w", encoding="ascii") as file:
            file.write(f"{value}\n")
    run(folder, "--plot=plots", "--keep", "--target=./own.par", "--sweep=HopTime=1us,2us",
        "--sweep=CommStartupTime=file:times/a,file:times/b", "--replicas=2", "four.txt")
    with open(os.path.join(folder, "plots", "time.gp"), encoding="utf-8") as file:
        script = file.read()
    ok("bars are named by all keys, targets without their folders", all(
        f"own.par, HopTime {t} us, CommStartupTime file:times/{n}" in script for t in (1, 2) for n in "ab") and
       "./own.par" not in script, script)


def check_refused(folder):
    for words, line in [
            (["--target=ideal", "--sweep=latency=1us,2us", "four.txt"],
             "--sweep: 'latency=1us,2us': with --target a key of mpgtarget(5) is swept, as in CommStartupTime=1us,10us"),
            (["--target=ideal", "--sweep=HopTime=1us", "four.txt"],
             "--sweep: 'HopTime=1us': is neither LO:HI:N, LO:HI:N:log nor a list V,V..."),
            (["--target=ideal", "--sweep=HopTime=1us,1us", "four.txt"], "--sweep: 'HopTime=1us,1us': '1us' is given twice"),
            (["--target=ideal", "--sweep=Topology=ring", "four.txt"],
             "--sweep: 'Topology=ring': a sweep needs several values: for one, use --target"),
            (["--target=ideal", "--sweep=Topology=ring,star", "four.txt"], "--sweep=Topology=star: Topology: 'star' is none of "
             "full, bus, ring, mesh, torus, hypercube, fattree"),
            (["--target=ideal", "--sweep=HopTime=1,2", "four.txt"], None),
            (["--target=ideal", "--sweep=Contention=2:1:3", "four.txt"], "--sweep: 'Contention=2:1:3': LO is more than HI"),
            (["--target=ideal", "--target=HopTime=1us", "--sweep=HopTime=1us,2us", "four.txt"],
             "--target=HopTime=1us and --sweep HopTime exclude each other"),
            (["four.txt", "six.txt"], "a second TRACE needs --target=NAME"),
            (["--target=ideal", "--output-trace=x", "four.txt", "six.txt"],
             "--output-trace and a table of traces and targets exclude each other: this option is about one run"),
            (["--target=ideal", "--target=engine=graph", "four.txt", "six.txt"],
             "--target=engine=graph and a table of traces and targets exclude each other: only events simulate processors"),
            (["--target=ideal", "--tolerate=5%:latency", "four.txt"], "--tolerate and --target exclude each other: --tolerate searches in options, "
             "not in keys of a target (--sweep KEY=... varies keys)"),
            (["--target=ideal", "--timeline=x.json", "four.txt"], "--timeline and --target exclude each other: "
             "write a trace of the predicted run: --output-trace=FOLDER, then mpgtrace timeline FOLDER"),
            (["--target=-", "--target=ideal", "four.txt"], "--target=- and a table of traces and targets exclude each other: targets are read more than once"),
            (["--target=ideal", "--plot=x", "four.txt"],
             "--plot needs several scenarios or a table of traces and targets: --plot draws a table")]:
        status, out, said = run(folder, *words)
        ok(f"refused: {' '.join(words)}", status == 2 and not out and said.count("\n") == 1 and
           (line is None or said == f"mpgsim: {line} (try 'mpgsim --help')\n"), said)
    with open(os.path.join(folder, "wrong.par"), "w", encoding="ascii") as file:
        file.write("# nothing\nHopTime = soon\n")
    for words, line in [
            (["--target=ideal", "--target=wrong.par", "four.txt"], "wrong.par:2: HopTime: "),
            (["--target=ideal", "--sweep=Processors=4,5", "four.txt", "six.txt"],
             "four.txt on ideal, Processors 5: Processors: 5 of them, and the trace has 4 ranks"),
            (["--target=ideal", "four.txt", "nothing.txt"], "nothing.txt: No such file or directory")]:
        status, out, said = run(folder, *words)
        ok(f"fails: {' '.join(words)}", status == 1 and not out and said.startswith(f"mpgsim: {line}") and said.count("\n") == 1,
           said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, ranks in (("one", 1), ("four", 4), ("six", 6)):
            program(os.path.join(folder, f"{name}.txt"), ranks, name)
        with open(os.path.join(folder, "own.par"), "w", encoding="ascii") as file:
            file.write("ServiceTime = 2.385us\nHopTime = 411ns\nTopology = ring\nMipsRatio = 0.7\nPolicy = interrupt\n"
                       "InterruptTime = 3us\nByteTransferTime = 1ns\n")
        check_single(folder)
        check_closed(folder)
        check_plots(folder)
        check_refused(folder)
    sys.exit(finish())


main()
