#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --where (TAP; docs/MODEL.md, section 8): rows known by hand, rows that add up to the account of any program,
in both modes, with any number of threads; refused options."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile

from answers import answer, finish, ok, run, write

SOURCE = os.environ.get("top_srcdir", ".")
TERMS = {"perturb": ["injected_ns", "compute_ns", "calls_ns", "messages_ns", "collectives_ns", "propagated_ns",
                     "absorbed_ns", "absorbed_waiting_ns", "absorbed_hidden_ns", "passed_on_ns"],
         "predict": ["compute_ns", "noise_ns", "calls_ns", "messages_ns", "collectives_ns", "threads_ns", "run_ns"]}


def rows_of(found, by):
    return next(t["rows"] for t in found["where"]["tables"] if t["by"] == by)


def figures(row):
    return [round(row[k], 6) for k in ("injected_ns", "propagated_ns", "absorbed_ns", "passed_on_ns")] + [row["class"]]


def expect(name, rows, key, expected):
    got = {tuple(row[k] for k in key): figures(row) for row in rows}
    ok(name, got == expected, f"{got} for {expected}")


def check_known():
    # 20 us early, and 4.77 us late: nothing is left of that but at its own end, which waits in the Barrier
    write("early.txt", 2, ["0 0 1000 Init", "0 5000 6000 Send comm=0 to=1 tag=7 bytes=8", "0 7000 41000 Barrier comm=0",
                           "0 41000 41000 Finalize", "1 0 1000 Init", "1 26000 27000 Recv comm=0 from=0 tag=7 bytes=8",
                           "1 40000 41000 Barrier comm=0", "1 41000 41000 Finalize"])
    found = answer("--noise=const:4770ns@0", "--where=pair,call,rank", "early.txt")
    expect("a sender that is 20 us early: its receiver is tolerant", rows_of(found, "pair"), ["from", "to"],
           {(None, None): [14310, 0, 9540, 4770, "mixed"], (0, 1): [0, 4770, 4770, 0, "tolerant"]})
    expect("and so is where the sender waits", [r for r in rows_of(found, "call") if r["call"] == "MPI_Barrier"], ["call", "part"],
           {("MPI_Barrier", "computation"): [2385, 0, 0, 2385, "sensitive"], ("MPI_Barrier", "call"): [0, 0, 4770, -4770, None]})
    # a chain without slack: each hop takes over what comes and adds its own; 2.385 us before each call
    write("chain.txt", 3, ["0 0 0 Init", "0 1000 2000 Send comm=0 to=1 tag=1 bytes=8", "0 2000 2000 Finalize",
                           "1 0 0 Init", "1 1000 3000 Recv comm=0 from=0 tag=1 bytes=8",
                           "1 4000 5000 Send comm=0 to=2 tag=1 bytes=8", "1 5000 5000 Finalize",
                           "2 0 0 Init", "2 4000 6000 Recv comm=0 from=1 tag=1 bytes=8", "2 6000 6000 Finalize"])
    found = answer("--noise=const:2385ns@0", "--latency=const:100ns", "--absorb=none", "--where=pair,rank,call", "chain.txt")
    expect("a chain: every link passes on what comes and its latency", rows_of(found, "pair"), ["from", "to"],
           {(0, 1): [100, 2385, 0, 2485, "sensitive"], (1, 2): [100, 2485, 0, 2585, "sensitive"],
            (None, None): [4770, 0, 0, 4770, "sensitive"]})
    expect("and every rank", rows_of(found, "rank"), ["rank"],
           {(0,): [4770, 0, 0, 4770, "sensitive"], (1,): [100, 2385, 0, 2485, "sensitive"],
            (2,): [100, 2485, 0, 2585, "sensitive"]})
    rows = [r for r in rows_of(found, "call") if r["injected_ns"] or r["propagated_ns"]]
    expect("by call they are a rank's mean, apart from the computation before it", rows, ["call", "part"],
           {("MPI_Send", "computation"): [795, 0, 0, 795, "sensitive"], ("MPI_Finalize", "computation"): [795, 0, 0, 795, "sensitive"],
            ("MPI_Recv", "call"): [round(200 / 3, 6), round(4870 / 3, 6), 0, 1690, "sensitive"]})
    # the work before the Barrier lies in sweep, but for 30 ns in halo; that before Finalize outside, but for 10 ns in halo
    write("regions.txt", 1, ["0 0 0 Init", '0 0 0 Region_begin name="sweep"', '0 5000 5000 Region_end name="sweep"',
                             '0 5000 5000 Region_begin name="halo"', "0 5030 5040 Barrier comm=0",
                             '0 5050 5050 Region_end name="halo"', "0 5090 5090 Finalize"])
    found = answer("--predict", "--latency=0", "--where=region", "regions.txt")
    computed = {r["region"]: r["compute_ns"] for r in rows_of(found, "region") if r["compute_ns"]}
    ok("computation belongs to the region in which most of it lies", computed == {"sweep": 5030, None: 50}, computed)
    # two messages are completed together, and the later one decides
    write("two.txt", 3, ["0 0 0 Init", "0 1000 1000 Irecv comm=0 from=1 tag=1 bytes=8 request=1",
                         "0 1000 1000 Irecv comm=0 from=2 tag=1 bytes=8 request=2", "0 1000 5000 Waitall requests=1,2",
                         "0 5000 5000 Finalize", "1 0 0 Init", "1 1000 2000 Send comm=0 to=0 tag=1 bytes=8",
                         "1 5000 5000 Finalize", "2 0 0 Init", "2 4000 5000 Send comm=0 to=0 tag=1 bytes=8",
                         "2 5000 5000 Finalize"])
    found = answer("--noise=const:777ns@2", "--noise=const:2385ns@1", "--absorb=none", "--where=pair", "two.txt")
    rows = {(r["from"], r["to"]): r for r in rows_of(found, "pair")}
    ok("of two messages the later one is taken over", rows[(1, 0)]["propagated_ns"] == 2385 and (2, 0) not in rows, rows)


def near(a, b, scale):
    return abs(a - b) <= 1e-9 * max(scale, 1)


def adds_up(found):
    """Returns what does not add up in the rows; None: everything does."""
    ranks, mean, mode = found["trace"]["ranks"], found["mean_of_a_rank"], found["mode"]
    names = {"passed_on_ns": "net_ns"}
    scale = max(abs(mean[names.get(k, k)]) for k in TERMS[mode])
    for table in found["where"]["tables"]:
        weight = ranks if table["by"] in ("rank", "pair") else 1
        for k in TERMS[mode]:
            total = sum(row[k] for row in table["rows"]) / weight
            if not near(total, mean[names.get(k, k)], scale) or not near(found["where"]["total"][k], total, scale):
                return table["by"], k, total, mean[names.get(k, k)]
        if table["by"] == "rank":
            for row in table["rows"]:
                own = found["ranks"][row["rank"]]["account"]
                if any(not near(row[k], own[names.get(k, k)], scale) for k in TERMS[mode]):
                    return row, own
    return None


def check_random():
    options = [["--noise=exp:3us", "--latency=exp:2us", "--byte=const:0.3ns", "--call-noise=normal:200ns,400ns"],
               ["--noise=normal:100ns,900ns", "--latency=const:777ns", "--absorb=none", "--paper=call-edges"],
               ["--noise=exp:3us", "--latency=exp:2us", "--without=choice", "--call-noise=exp:300ns", "--absorb=wait"],
               ["--perturb", "--signature", os.path.join(SOURCE, "results", "reference", "reference.sig"), "--source=none"]]
    wrong, unlike, cases = [], [], 0
    for seed in range(1, 7):
        maker = os.path.join(SOURCE, "tests", "oracle", "randomtrace_open.py" if seed % 3 == 0 else "randomtrace.py")
        done = subprocess.run([sys.executable, maker, "--seed", str(seed), "--ranks", "4", "--steps", "60"],
                              capture_output=True, text=True, check=True)
        name = f"random{seed}.txt"
        with open(name, "w", encoding="ascii") as out:
            out.write(done.stdout)
        for given in options:
            for mode in ([], ["--predict"]):
                if mode and ("--absorb=none" in given or "--absorb=wait" in given):
                    continue
                by = "call,callsite,region,rank" + ("" if mode else ",pair")
                arguments = [*given, *mode, "--replicas=37", "--lenient", f"--where={by}", name]
                status, one, err = run("--json", "--threads=1", *arguments)
                if status != 0:
                    wrong.append((seed, given, mode, err))
                    continue
                cases += 1
                fault = adds_up(json.loads(one))
                if fault:
                    wrong.append((seed, given, mode, fault))
                if run("--json", "--threads=3", *arguments)[1] != one:
                    unlike.append((seed, given, mode))
    ok("random programs: rows add up to the account, in both modes", cases >= 20 and not wrong, (cases, wrong[:3]))
    ok("whatever threads there are, the same bytes", not unlike, unlike[:3])


def check_forms():
    status, out, _ = run("--noise=const:1us", "--where=rank", "--csv", "chain.txt")
    rows = list(csv.DictReader(io.StringIO(out)))
    ok("CSV: the table alone", status == 0 and [r["rank"] for r in rows] == ["0", "1", "2"] and
       float(rows[0]["injected_ns"]) == 2000, out)
    write("unnamed.txt", 1, ["0 0 1 Init", "0 1 1 Region_begin failed=1", "0 11 12 Comm_rank", "0 12 12 Finalize"])
    for mode in ([], ["--predict"]):
        rows = rows_of(answer("--latency=const:1us", "--where=region", *mode, "unnamed.txt"), "region")
        ok(f"a region without a name is none {mode}", [r["region"] for r in rows] == [None], rows)
    text = run("--noise=const:2385ns", "--absorb=none", "--where=call", "chain.txt")[1].split("The path along")[0]
    lines = [line for line in text.splitlines() if " = " in line and "MPI_" in line]
    added = all(abs(float(p[0]) + float(p[2]) - float(p[4]) - float(p[6])) < 1e-9 for p in (line.split() for line in lines))
    named = {" ".join(line.split()[9:]) for line in lines}
    ok("text: rows add up as printed, with computation by itself", {"MPI_Recv", "computation before MPI_Send"} <= named and added,
       (named, text))
    for status, word, arguments in ((2, "is not call", ["--where=line"]), (2, "twice", ["--where=call,call"]),
                                    (2, "exclude", ["--where=call", "--per-rank"]), (2, "these options print a table", ["--csv"]),
                                    (2, "one table", ["--csv", "--where=call,rank"]),
                                    (2, "several scenarios", ["--where=call", "--sweep=latency=1us:2us:2"])):
        got, out, err = run(*arguments, "chain.txt")
        ok(f"refused: {' '.join(arguments)}", got == status and word in err and not out and err.count("\n") == 1, err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        global SOURCE
        SOURCE = os.path.abspath(SOURCE)
        os.chdir(folder)
        check_known()
        check_random()
        check_forms()
        os.chdir("/")
    finish()


main()
