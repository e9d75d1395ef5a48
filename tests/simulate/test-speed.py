#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine's speed in mpgsim's short answer (TAP; docs/MODEL.md, section 5): 90 % of runs against a Monte Carlo that computes
each run by itself; the factor by hand; where there is none."""

import json
import math
import os
import random
import statistics
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
sys.dont_write_bytecode = True
from answers import answer, finish, ok, run, write  # noqa: E402

ONE_WAY_NS = 300e3
HERE_RATES = {"floating_point": [(100.0, 110.0, 104.0), (98.0, 90.0, 99.0)], "memory_latency": [(5.0, 5.6, 4.9), (5.0, 5.2, 5.1)]}
THERE_RATES = {"floating_point": [(220.0, 180.0, 205.0, 190.0)], "integer": [(7.0, 6.0, 6.6, 6.8)]}


def constant(value):
    return {"n": 9, "mean": value, "sd": 0, "lag1": 0, "quantiles": [value, value]}


def signature(name, rates, launches=True):
    """Writes a signature. RATES: for each kernel and core the mean rates of its launches."""
    made = {"format": "mpgkit-signature", "version": [4, 3], "header": {"host": name, "cpu": "Made Up 9", "mpi": "None 1.0, by hand"},
            "network": [{"path": "node", "one_way": "one clock", "eager_limit_bytes": 4096,
                         "latency": [{"size_bytes": size, "one_way_ns": constant(ONE_WAY_NS)} for size in (0, 1024)]}],
            "compute": [{"kernel": kernel, "unit": "x/s", "core": core, "cores_at_once": len(rates[kernel]),
                         "rate_per_s": constant(sum(means) / len(means)), **({"launch_means_per_s": list(means)} if launches else {})}
                        for kernel in sorted(rates) for core, means in enumerate(rates[kernel])]}
    with open(name, "w", encoding="ascii") as out:
        json.dump(made, out)


def spread(rates):
    """Returns the variance between launches, and its degrees of freedom."""
    squares, number, least = 0.0, 0, 99
    for cores in rates.values():
        for means in cores:
            logs = [math.log(mean) for mean in means]
            squares += statistics.variance(logs) * (len(logs) - 1)
            number += len(logs) - 1
            least = min(least, len(logs) - 1)
    return squares / number, least


def student(rng, freedom):
    return rng.gauss(0, 1) / math.sqrt(rng.gammavariate(freedom / 2, 2) / freedom)


def monte_carlo(one_run, sd, freedom, runs=200000):
    """Returns the 5 % and 95 % quantiles of ONE_RUN(rng, F)."""
    rng = random.Random(7)
    times = sorted(one_run(rng, math.exp(sd * student(rng, freedom))) for _ in range(runs))
    return times[runs // 20], times[runs - runs // 20 - 1]


def near(a, b, relative):
    return abs(a - b) <= relative * abs(b)


def check_runs():
    """A single rank; two ranks, of which the second waits for a message of the first unless it computes for longer."""
    write("alone.txt", 1, ["0 0 0 Init", "0 1000000 1000000 Finalize"])
    write("pair.txt", 2, ["0 0 0 Init", "0 500000 500000 Send comm=0 to=1 tag=1 bytes=8", "0 600000 600000 Finalize",
                          "1 0 0 Init", "1 750000 800000 Recv comm=0 from=0 tag=1 bytes=8", "1 1200000 1200000 Finalize"])

    def noise(rng):
        return rng.expovariate(1 / 30e3)

    def alone(rng, f):
        return 1e6 * f + noise(rng)

    def pair(rng, f):
        sent = 500e3 * f + noise(rng)
        return max(sent + 100e3 * f + noise(rng), max(sent + ONE_WAY_NS, 750e3 * f + noise(rng)) + 400e3 * f + noise(rng))

    (there, there_freedom), (here, here_freedom) = spread(THERE_RATES), spread(HERE_RATES)
    sd = math.sqrt(there + here)
    freedom = (there + here) ** 2 / (there ** 2 / there_freedom + here ** 2 / here_freedom)
    for trace, one_run in (("alone.txt", alone), ("pair.txt", pair)):
        words = ["--source=here.sig", "--signature=there.sig", "--noise=exp:30us", "--replicas=4000", trace]
        found = answer(*words)
        speed = found["machine_speed"]
        ok(f"{trace}: the factor's spread by hand", near(speed["log_sd"], sd, 1e-9) and near(speed["degrees_of_freedom"], freedom, 1e-9),
           (speed, sd, freedom))
        wanted = monte_carlo(one_run, sd, freedom)
        got = speed["run_time_90_percent_ns"]
        ok(f"... 90 % of runs as by Monte Carlo: {got[0]:.0f} to {got[1]:.0f} ns, {wanted[0]:.0f} to {wanted[1]:.0f}",
           near(got[0], wanted[0], 0.015) and near(got[1], wanted[1], 0.015), (got, wanted))
        at_one = monte_carlo(lambda rng, f, one_run=one_run: one_run(rng, 1), sd, freedom)
        ok("... the interval at the recorded speed stays", near(found["run_time_ns"]["p5"], at_one[0], 0.01) and
           near(found["run_time_ns"]["p95"], at_one[1], 0.01) and got[0] < 0.95 * at_one[0] and got[1] > 1.03 * at_one[1],
           (found["run_time_ns"], at_one))
        recorded = answer("--models=speed=recorded", *words)
        ok("... --models=speed=recorded: all else is equal", "machine_speed" not in recorded and
           recorded["options"].pop("speed") == "recorded" and [a for a in found["assumptions"] if a["topic"] != "speed"] ==
           recorded["assumptions"] and all(recorded[key] == found[key] for key in recorded if key not in ("assumptions", "where")),
           [key for key in recorded if recorded[key] != found.get(key)])
        ok("... as by one thread, and by three", found == answer("--threads=1", *words) == answer("--threads=3", *words))
    line = next(line for line in run(*words)[1].splitlines() if line.startswith("Predicted run time"))
    head, rest = line.split("; at the recorded speed: ")
    ok("the widest interval stands first", "(90 % of runs: " in head and ", 95 % confidence: " in rest, line)


def check_same():
    """Source and target are the same machine: the ratio of two of its launches; Student's 95 % quantile with 2 degrees
    of freedom is 2.92."""
    variance, freedom = spread(HERE_RATES)
    for source in ("here.sig", "again.sig"):
        found = answer(f"--source={source}", "--signature=here.sig", "--replicas=2", "--noise=const:0ns", "alone.txt")["machine_speed"]
        high = math.exp(math.sqrt(2 * variance) * 2.9199855803537)
        ok(f"one machine, --source={source}: two of its launches", freedom == 2 and found["degrees_of_freedom"] == 2 and
           near(found["computation_90_percent"][1], high, 1e-9) and near(found["computation_90_percent"][0], 1 / high, 1e-9), (found, high))
        ok("... a run without noise and messages is its computation", near(found["run_time_90_percent_ns"][0], 1e6 / high, 1e-6) and
           near(found["run_time_90_percent_ns"][1], 1e6 * high, 1e-6), found)


def check_unknown():
    signature("once.sig", THERE_RATES, launches=False)
    for options in (["--source=here.sig", "--signature=once.sig"], ["--source=once.sig", "--signature=here.sig"],
                    ["--source=none", "--signature=here.sig"]):
        words = [*options, "--noise=exp:30us", "--replicas=40", "pair.txt"]
        found = answer(*words)
        line = next(line for line in run(*words)[1].splitlines() if line.startswith("Predicted run time"))
        ok(f"{' '.join(options)}: no speed", "machine_speed" not in found and "recorded speed" not in line and
           "(95 % confidence: " in line and all(a["topic"] != "speed" for a in found["assumptions"]), line)
    words = ["--source=here.sig", "--signature=here.sig", "--signature=once.sig", "--noise=exp:30us", "--replicas=40", "pair.txt"]
    rows = {row["values"]["signature"]: row["run_time_90_percent_ns"] for row in answer(*words)["rows"]}
    ok("a table has the interval of the rows whose speed is known", rows["once.sig"] is None and len(rows["here.sig"]) == 2, rows)
    shown = run(*words)[1].splitlines()
    ok("... and unknown for the others", [any(line.split()[:2] == [row, "once.sig"] and "unknown" in line for line in shown)
                                          for row in ("1", "2")].count(True) == 1 and
       not any("here.sig" in line and "unknown" in line for line in shown), shown)
    words[2:3] = []
    shown = run(*words, "--predict", "--sweep=latency=x1,x2.5")[1].splitlines()
    ok("a factor is written as options take it", [line.split()[1] for line in shown if line.split()[:1] in (["1"], ["2"])] ==
       ["x1", "x2.5"], shown)
    rows = answer(*words, "--predict", "--models=speed=recorded", "--sweep=latency=x1,x2")["rows"]
    ok("... and none at the recorded speed", all("run_time_90_percent_ns" not in row and
       all(a["topic"] != "speed" for a in row["assumptions"]) for row in rows), rows)


def check_rows():
    """Rows of tables: each against Monte Carlo; equal to the interval of the row's scenario by itself."""
    (there, there_freedom), (here, here_freedom) = spread(THERE_RATES), spread(HERE_RATES)
    sd = math.sqrt(there + here)
    freedom = (there + here) ** 2 / (there ** 2 / there_freedom + here ** 2 / here_freedom)

    def one_run(rng, f, ratio=1, latency_ns=ONE_WAY_NS, noise_ns=30e3):
        def work(ns):
            return ns * ratio * f + rng.expovariate(1 / noise_ns)
        sent = work(500e3)
        return max(sent + work(100e3), max(sent + latency_ns, work(750e3)) + work(400e3))

    def compare(what, row, spread_of, **case):
        wanted, got = monte_carlo(lambda rng, f: one_run(rng, f, **case), *spread_of), row["run_time_90_percent_ns"]
        ok(f"{what}: 90 % of runs as by Monte Carlo: {got[0]:.0f} to {got[1]:.0f} ns, {wanted[0]:.0f} to {wanted[1]:.0f}",
           near(got[0], wanted[0], 0.015) and near(got[1], wanted[1], 0.015), (got, wanted))

    common = ["--source=here.sig", "--noise=exp:30us", "--replicas=4000", "pair.txt"]
    for parameter, values, case in (("compute-ratio", (0.5, 1, 1.7), lambda x: {"ratio": x}),
                                    ("latency", ("x1", "x2.5"), lambda x: {"latency_ns": float(x[1:]) * ONE_WAY_NS}),
                                    ("noise", (0.5, 1), lambda x: {"noise_ns": x * 30e3})):
        rows = answer("--predict", "--signature=there.sig", f"--sweep={parameter}={','.join(map(str, values))}", *common)["rows"]
        for value, row in zip(values, rows):
            compare(f"{parameter}={value}", row, (sd, freedom), **case(value))
    alone = answer("--signature=there.sig", *common)["machine_speed"]["run_time_90_percent_ns"]
    words = ["--signature=here.sig", "--signature=there.sig", *common]
    table = answer("--predict", *words)
    by_name = {row["values"]["signature"]: row for row in table["rows"]}
    ok("the interval of a row is that of its scenario by itself", by_name["there.sig"]["run_time_90_percent_ns"] == alone,
       (by_name["there.sig"]["run_time_90_percent_ns"], alone))
    compare("another signature", by_name["here.sig"], (math.sqrt(2 * here), here_freedom))
    ok("ratios and medians are those of the recorded speed", all(
        {key: row[key] for key in row if key not in ("assumptions", "options", "run_time_90_percent_ns")} ==
        {key: other[key] for key in other if key not in ("assumptions", "options")}
        for row, other in zip(table["rows"], answer("--predict", "--models=speed=recorded", *words)["rows"])), table)
    ok("... as the assumptions say", all(any(a["topic"] == "speed" and "the interval of 90 % of runs contains" in a["text"]
                                             for a in row["assumptions"]) for row in table["rows"]), table)
    ok("rows by one thread, and by three", table == answer("--predict", "--threads=1", *words) == answer("--predict", "--threads=3", *words))
    ok("text has the column", "90 % of runs" in run("--predict", *words)[1])
    csv = run("--predict", "--csv", *words)[1].splitlines()
    got = dict(zip(csv[0].split(","), csv[1].split(",")))
    first = table["rows"][0]
    ok("CSV has it", [float(got["runs_90_low_ns"]), float(got["runs_90_high_ns"])] == first["run_time_90_percent_ns"], csv)
    sought = answer("--predict", "--signature=there.sig", "--tolerate=10%:latency", "--source=here.sig", "--noise=exp:30us", "--replicas=40",
                    "--latency=x1", "pair.txt")
    ok("rows of --tolerate have the interval", all(row["run_time_90_percent_ns"][0] < row["run_time_ns"]["median"] <
                                                   row["run_time_90_percent_ns"][1] for row in sought["rows"]), sought)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["top_srcdir"] = os.path.abspath(os.environ.get("top_srcdir", "."))
        os.chdir(folder)
        signature("here.sig", HERE_RATES)
        signature("again.sig", HERE_RATES)
        signature("there.sig", THERE_RATES)
        check_runs()
        check_rows()
        check_same()
        check_unknown()
    return finish()


sys.exit(main())
