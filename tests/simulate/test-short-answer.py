#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim's short answer (TAP): which questions an option asks; efficiencies by hand; the perturbed run and the bounds of
computation as the runs by themselves have them; the text."""

import fcntl
import json
import math
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
sys.dont_write_bytecode = True
from answers import MPGSIM, REFERENCE, answer, finish, ok, run, write  # noqa: E402


def constant(value):
    return {"n": 9, "mean": value, "sd": 0, "lag1": 0, "quantiles": [value, value]}


def signature(name, one_way_ns=1000.0, rates=None, network=True):
    """Writes a signature in which messages of any size take ONE_WAY_NS. RATES: for each kernel a rate, or the rates of
    several cores at once."""
    made = {"format": "mpgkit-signature", "version": [4, 0], "header": {"host": name, "cpu": "Made Up 9", "mpi": "None 1.0, by hand"}}
    if network:
        made["network"] = [{"path": "node", "one_way": "one clock", "eager_limit_bytes": 4096,
                            "latency": [{"size_bytes": size, "one_way_ns": constant(one_way_ns)} for size in (0, 1024)]}]
    if rates:
        made["compute"] = [{"kernel": kernel, "unit": "x/s", "core": core, "cores_at_once": len(cores), "rate_per_s": constant(rate)}
                           for kernel, cores in sorted((k, r if isinstance(r, tuple) else (r,)) for k, r in rates.items())
                           for core, rate in enumerate(cores)]
    with open(name, "w", encoding="ascii") as out:
        json.dump(made, out)


def near(a, b, relative=1e-9):
    return abs(a - b) <= relative * max(abs(a), abs(b))


def check_questions():
    signature("t.sig")
    signature("quiet.sig", network=False)
    write("pair.txt", 2, ["0 0 0 Init", "0 10000 11000 Send comm=0 to=1 tag=1 bytes=8", "0 12000 12000 Finalize",
                          "1 0 0 Init", "1 5000 12500 Recv comm=0 from=0 tag=1 bytes=8", "1 13000 13000 Finalize"])
    cases = (("predict", True, ["--signature=t.sig"]), ("predict", True, ["--signature=t.sig", "--predict", "--perturb"]),
             ("predict", True, ["--signature=t.sig", "--noise=exp:1us"]), ("predict", False, ["--signature=t.sig", "--predict"]),
             ("perturb", False, ["--signature=t.sig", "--perturb"]), ("perturb", False, ["--signature=t.sig", "--absorb=none"]),
             ("perturb", False, ["--signature=t.sig", "--source=latency=1us"]), ("perturb", False, ["--latency=const:1us"]),
             ("perturb", False, ["--signature=t.sig", "--without=tracer"]), ("perturb", False, ["--signature=quiet.sig"]),
             ("predict", True, ["--signature=quiet.sig", "--latency=const:1us"]), ("perturb", False, []))
    for mode, both, options in cases:
        found = answer(*options, "pair.txt")
        ok(f"{' '.join(options) or 'no option'}: {mode}{', both' if both else ''}",
           found["mode"] == mode and ("efficiency" in found) == both and ("perturbed" in found) == both, found["mode"])
    rows = answer("--signature=t.sig", "--signature=t.sig", "--source=none", "pair.txt")
    one = answer("--signature=t.sig", "--source=none", "--predict", "pair.txt")
    ok("of several signatures: predictions", "efficiency" not in rows and
       all(row["run_time_ns"] == one["run_time_ns"] for row in rows["rows"]), rows)
    status, _, err = run("--perturb", "--target=ideal", "--target=work=wall", "pair.txt")
    ok("--perturb --target: refused", status == 2 and "--perturb and --target exclude each other" in err, err)


def check_balance():
    """Rank 0 computes for 800 us, rank 1 for 400; then a barrier takes 200 us on the target, as in POP's example."""
    write("balance.txt", 2, ["0 0 0 Init", "0 800000 800500 Barrier comm=0", "0 800500 800500 Finalize",
                             "1 0 0 Init", "1 400000 800500 Barrier comm=0", "1 800500 800500 Finalize"])
    signature("slow.sig", 200000.0)  # one round of two ranks
    found = answer("--signature=slow.sig", "--source=none", "balance.txt")
    e = found["efficiency"]
    wanted = {"parallel": 0.6, "load_balance": 0.75, "serialization": 1.0, "transfer": 0.8, "noise": 1.0,
              "ideal_run_time_ns": 800000, "largest_computation_ns": 800000, "least_computation_ns": 400000}
    ok("load balance 0.75 x transfer 0.8 = 0.6", near(found["run_time_ns"]["median"], 1e6) and
       all(near(e[key], value) for key, value in wanted.items()) and e["largest_computation_rank"] == 0, (found["run_time_ns"], e))
    noisy = answer("--signature=slow.sig", "--noise=const:250us", "--source=none", "balance.txt")
    e = noisy["efficiency"]  # each rank has two intervals, before and after the barrier
    ok("noise of 250 us in each interval: 1000 of 1500 us", near(noisy["run_time_ns"]["median"], 1.5e6) and
       near(e["noise"], 2 / 3) and near(e["transfer"], 0.8) and near(e["parallel"], 0.4), e)
    text = run("--signature=slow.sig", "--source=none", "balance.txt")[1]
    ok("the cause: rank 0 computes twice as long as rank 1", "load imbalance: rank 0 computes 2 times as long as rank 1" in text, text)


def check_pipeline():
    """Rank 1 computes after rank 0, 100 us each; messages take 1 us: half of the time is serialization."""
    write("pipe.txt", 2, ["0 0 0 Init", "0 100000 100000 Send comm=0 to=1 tag=1 bytes=8", "0 100000 100000 Finalize",
                          "1 0 0 Init", "1 0 101000 Recv comm=0 from=0 tag=1 bytes=8", "1 201000 201000 Finalize"])
    found = answer("--signature=t.sig", "--source=none", "pipe.txt")
    e = found["efficiency"]
    ok("a pipeline: serialization 0.5, transfer 200 / 201", near(found["run_time_ns"]["median"], 201000) and
       near(e["serialization"], 0.5) and near(e["transfer"], 200 / 201) and near(e["load_balance"], 1), e)
    s = found["sensitivity_percent"]
    ok("one message on the path: 10 % of 1 us is 0.1 / 201, 10 % of 200 us is 20 / 201",
       near(s["latency_10_percent_more"], 10 / 201, 1e-6) and near(s["computation_10_percent_more"], 2000 / 201, 1e-6) and
       abs(s["bandwidth_10_percent_less"]) < 1e-9, s)
    text = run("--signature=t.sig", "--source=none", "pipe.txt")[1]
    ok("... is named as the cause", "serialization: ranks wait for each other" in text, text)


def check_slow_calls():
    """Calls that took long in the recorded run, as on shared cores, take no time on an ideal network: each rank's 100
    us of computation remain, rank 1's after rank 0's message."""
    write("slow.txt", 2, ["0 0 0 Init", "0 100000 400000 Send comm=0 to=1 tag=0 bytes=8", "0 400000 400000 Finalize",
                          "1 0 0 Init", "1 0 500000 Recv comm=0 from=0 tag=0 bytes=8", "1 600000 600000 Finalize"])
    signature("t.sig")
    e = answer("--signature=t.sig", "--source=none", "slow.txt")["efficiency"]
    ok("slow calls are no serialization", near(e["serialization"], 0.5) and e["transfer"] <= 1, e)


def check_coverage(runs=200):
    """Intervals of efficiencies contain the median of infinitely many replicas for 95 % of RUNS seeds: one interval of
    100 us with an exponential noise of 20 us, and one message with an exponential latency of 20 us in a pipeline of 200
    us."""
    write("alone.txt", 1, ["0 0 0 Init", "0 100000 100000 Finalize"])
    cases = (("noise", ["--noise=exp:20us", "alone.txt"], 100 / (100 + 20 * math.log(2))),
             ("parallel", ["--noise=exp:20us", "alone.txt"], 100 / (100 + 20 * math.log(2))),
             ("transfer", ["--latency=exp:20us", "pipe.txt"], 200 / (200 + 20 * math.log(2))))
    for name, options, truth in cases:
        covered, widths = 0, []
        for seed in range(1, runs + 1):
            low, high = answer("--signature=t.sig", "--source=none", "--replicas=32", f"--seed={seed}",
                               *options)["efficiency"][f"{name}_confidence_95"]
            covered += low <= truth <= high
            widths.append(high - low)
        # a true 95 % or more: fewer than 182 of 200 happen once in 160 times
        ok(f"the interval of {name} holds the true median in 95 % of {runs} seeds: {covered}", covered >= 0.91 * runs and
           0 < sum(widths) / runs < 0.2, (covered, sum(widths) / runs))


def check_less_noise():
    """A target with a tenth of the source's noise: no share is negative, and the sum is that of the account."""
    reference = os.path.join(os.environ.get("top_srcdir", "."), "results", "reference", "reference.sig")
    words = ["--source=" + reference, "--signature=" + reference, "--noise=x0.1",
             os.path.join(os.environ.get("top_srcdir", "."), "examples", "silas", "waitany.txt")]
    a = answer(*words)["mean_of_a_rank"]
    line = next(line for line in run(*words)[1].splitlines() if line.startswith("Time of a rank"))
    ok("less noise than recorded: no negative share", a["noise_ns"] < 0 and "-" not in line and "OS noise" not in line and
       f"computation {100 * (a['compute_ns'] + a['noise_ns']) / a['run_ns']:.1f} % (with noise, of which the recorded run had "
       f"{-100 * a['noise_ns'] / a['run_ns']:.1f} % more)" in line, (line, a))


def check_busy_cores():
    """A core computes 100 units a second alone and 50 with 4 cores at once; in between the time of a unit is linear."""
    signature("node.sig", rates={"flops": 100.0, "memory": 100.0})
    with open("node.sig", encoding="ascii") as text:
        made = json.load(text)
    made["compute"] = [dict(rate, cores_at_once=n, rate_per_s=constant(100.0 if n == 1 or rate["kernel"] == "memory" else 50.0))
                       for rate in made["compute"] for n in (1, 4)]
    for name in ("alone.sig", "node.sig"):
        with open(name, "w", encoding="ascii") as out:
            json.dump(made, out)
    write("eight.txt", 8, [line for r in range(8) for line in (f"{r} 0 0 Init", f"{r} 100000 110000 Barrier comm=0", f"{r} 110000 110000 Finalize")])
    for source, target, ratio in ((1, 2, 4 / 3), (1, 8, 2), (2, 1, 3 / 4), (4, 3, 5 / 6), (8, 8, 1), (3, 3, 1)):
        words = ["--source=alone.sig", f"--source=map=block:{source}", f"--map=block:{target}", "--signature=node.sig", "eight.txt"]
        by_kernel = answer("--predict", "--compute-ratio=kernel:flops", *words)["run_time_ns"]["median"]
        by_hand = answer("--predict", f"--compute-ratio={ratio:.17g}", *words)["run_time_ns"]["median"]
        ok(f"{source} of a node busy as recorded, {target} as predicted: {ratio:.3f} times as long", near(by_kernel, by_hand), (by_kernel, by_hand))
        bounds = answer(*words)["computation_bounds"]
        ok("... also in the range", near(min(bounds["least"]["ratio"], bounds["largest"]["ratio"]), min(ratio, 1)) and
           near(max(bounds["least"]["ratio"], bounds["largest"]["ratio"]), max(ratio, 1)) and
           (bounds["source_cores_busy"], bounds["target_cores_busy"]) == (source, target), bounds)
    line = [x for x in run(*words)[1].splitlines() if x.startswith("Computation")][0]
    ok("... and the answer says how many", "machines' cores, 3 of a node busy, it takes" in line, line)
    words = ["--source=node.sig", "--source=map=block:1", "--map=block:8", "--signature=node.sig", "eight.txt"]
    ok("the same machine with other ranks a node", answer(*words)["computation_bounds"]["largest"]["ratio"] == 2)


def check_runs():
    """The values beside the prediction equal those of separate runs."""
    for options in (REFERENCE, [*REFERENCE, "--seed=5", "--replicas=37"], [*REFERENCE, "--hypothesis=scale foo factor=0.5"]):
        trace = os.path.join(os.environ.get("top_srcdir", "."), "examples", "silas", "waitany.txt")
        both, predicted, perturbed = answer(*options, trace), answer("--predict", *options, trace), answer("--perturb", *options, trace)
        same = both["run_time_ns"] == predicted["run_time_ns"] and both["ranks"] == predicted["ranks"] and \
            both["perturbed"]["run_time_ns"] == perturbed["run_time_ns"]["median"] and \
            both["perturbed"]["run_time_confidence_95"] == perturbed["run_time_ns"]["median_confidence_95"] and \
            both["perturbed"]["slowdown"] == perturbed["slowdown_median"]
        ok(f"{' '.join(options[2:])}: as --predict, and as --perturb", same, both["perturbed"])
        e = both["efficiency"]
        product = e["load_balance"] * e["serialization"] * e["transfer"] * e["noise"]
        ok("... the factors make up the whole", near(product, e["parallel"]) and
           near(e["mean_computation_ns"], sum(r["account"]["compute_ns"] for r in predicted["ranks"]) / 4), e)
    signature("here.sig", rates={"flops": 100.0, "memory": 100.0, "idle": 7.0})
    signature("there.sig", rates={"flops": 200.0, "memory": 80.0})
    words = ["--source=here.sig", "--signature=there.sig", "pipe.txt"]
    bounds = answer(*words)["computation_bounds"]
    ok("rates of both machines: 0.5 and 1.25 times as long", bounds["least"]["kernel"] == "flops" and bounds["least"]["ratio"] == 0.5 and
       bounds["largest"]["kernel"] == "memory" and bounds["largest"]["ratio"] == 1.25, bounds)
    ok("... each as a run with that ratio", all(
        bounds[key]["run_time_ns"] == answer("--predict", f"--compute-ratio={bounds[key]['ratio']}", *words)["run_time_ns"]["median"]
        for key in ("least", "largest")), bounds)
    ok("... unless the ratio is given", "computation_bounds" not in answer("--compute-ratio=1", *words))
    signature("here2.sig", rates={"flops": (90.0, 110.0), "memory": (100.0, 100.0)})
    signature("there2.sig", rates={"flops": (160.0, 240.0), "memory": (100.0, 125.0)})
    words = ["--source=here2.sig", "--signature=there2.sig", "pipe.txt"]
    bounds = answer(*words)["computation_bounds"]
    ok("cores differ: slowest to fastest, 90 / 240, and fastest to slowest, 100 / 100", bounds["least"]["kernel"] == "flops" and
       near(bounds["least"]["ratio"], 90 / 240) and bounds["largest"]["kernel"] == "memory" and bounds["largest"]["ratio"] == 1, bounds)
    with open("there2.sig", encoding="ascii") as text:
        made = json.load(text)
    made["compute"][0]["launch_means_per_s"] = [100.0, 220.0] # flops of core 0
    with open("there3.sig", "w", encoding="ascii") as out:
        json.dump(made, out)
    bounds = answer("--source=here2.sig", "--signature=there3.sig", "pipe.txt")["computation_bounds"]
    ok("launches differ: 90 / 240, and 110 / 100 in the slow launch", near(bounds["least"]["ratio"], 90 / 240) and
       bounds["largest"]["kernel"] == "flops" and near(bounds["largest"]["ratio"], 110 / 100), bounds)
    check_busy_cores()
    line = [x for x in run(*words)[1].splitlines() if x.startswith("Computation")][0]
    ok("... which the intervals do not contain, and the line says so", "more than the intervals above allow for" in line, line)


def check_text():
    lines = run("--signature=t.sig", "--source=none", "pipe.txt")[1].splitlines()
    ok("at most 20 lines", len(lines) <= 20, len(lines))
    first = [line for line in lines if line.startswith("Predicted run time")]
    ok("the prediction is the first value", first and first[0].split()[3:5] == ["201", "us"] and
       lines.index(first[0]) < min(i for i, line in enumerate(lines) if line.startswith("Recorded")), lines)
    ok("no escape in a pipe", not any("\033" in line for line in lines))
    verbose = run("--signature=t.sig", "--source=none", "--verbose", "pipe.txt")[1]
    ok("--verbose: the same, then assumptions and tables", verbose.splitlines()[:len(lines)] == lines and "\nAssumed\n" in verbose and
       "\nWhat a rank's run consists of" in verbose, verbose)


def on_terminal(columns, *arguments, **variables):
    """Returns the output lines on a terminal of COLUMNS, and the exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | variables
    program = subprocess.Popen([MPGSIM, "--cache=fresh", *arguments], stdout=theirs, stderr=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    text = b""
    try:
        while more := os.read(ours, 65536):
            text += more
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return program.wait(), text.decode("utf-8").replace("\r\n", "\n").splitlines()


LONG = "x" * 3000


def write_worst(ranks=3):
    """Writes a trace that raises all warnings that one trace can raise, with names longer than a line; all long ones
    also in Greek."""
    facts = [f'#fact {r} {key} "{value}"' for r in range(ranks)
             for key, value in (("program", "./εφαρμογή " + LONG), ("host", "h" * 500), ("cpu", "ψ" * 500), ("cores", "1"), ("mpi", LONG))]
    head = ["#mpgtext 1", f"#ranks {ranks}", f"#comm 0 = {' '.join(map(str, range(ranks)))}", *facts,
            '#module 0 = - "python:' + "f" * 1500 + ":/src/" + "d" * 1500 + '.py"', "#site 0 = 0+0x1"]
    lines = []
    for r in range(ranks):
        lines += [f"{r} 0 0 Init", f"{r} 1000 1500 Unknown name=\"MPI_{'Q' * 300}\"", f"{r} 9000 50000 Barrier comm=0 site=0"]
        lines += [f"{r} 60000 60500 Send comm=0 to=1 tag=1 bytes=100000000 site=0"] if r == 0 else []
        lines += [f"{r} 60000 99000 Recv comm=0 from=0 tag=1 bytes=100000000 any=source site=0"] if r == 1 else []
        lines += [f"{r} {100000 + 1000 * r} {110000 + 1000 * r} Finalize"]
    with open("worst.txt", "w", encoding="utf-8") as out:
        out.write("\n".join(head + lines) + "\n")


def check_limits():
    write_worst()
    signature("rates.sig", rates={"flops": 100.0, "memory": 100.0})
    signature("slow.sig", rates={"flops": 200.0, "memory": 80.0})
    worst = ["--source=rates.sig", "--signature=slow.sig", "--noise=exp:3us", "--compute-ratio=1.5@nowhere",
             "--eager-limit=9000000000", "--map=path=node", "--collectives=rounds", "worst.txt"]
    status, out, err = run(*worst)
    lines = out.splitlines()
    warnings = answer(*worst)["attention"] if status == 0 else []
    ok(f"{len(warnings)} warnings, names of 3000 bytes: at most 20 lines", status == 0 and len(lines) <= 20 and len(warnings) >= 5,
       (err, len(lines), warnings))
    ok("... two warnings, and how many more there are", sum(line.startswith("Warning: ") for line in lines) == 3 and
       any("more (--verbose)" in line for line in lines), lines)
    ok("... no line is longer than its name, its figures and a cut name", max(map(len, lines), default=999) < 600, lines)
    whole = ["Predicted run time", "Recorded run time", "Perturbed run", "Time of a rank", "Parallel efficiency", "Main cause",
             "Sensitivity", "Signature", "Assumes", "Next"]
    for columns in (80, 60, 200, 40, 10):
        status, shown = on_terminal(columns, *worst)
        names = [name for name in whole if any(line.startswith(name) for line in lines)]
        ok(f"{columns} columns: at most 20 lines that fit, all of them there", status == 0 and len(shown) <= 20 and
           max(map(len, shown)) <= max(columns, 40) and all(any(line.startswith(name) for line in shown) for name in names),
           (len(shown), max(map(len, shown), default=0), shown))
    status, shown = on_terminal(80, "--signature=t.sig", "--source=none", "--noise=exp:3us", "pipe.txt")
    text = " ".join(" ".join(shown).split())
    ok("... the interval is folded, not cut", "95 % confidence: " in text and "90 % of runs: " in text and
       "noise" in text and "less bandwidth" in text, shown)
    ok("COLUMNS counts", max(map(len, on_terminal(200, *worst, COLUMNS="80")[1])) <= 80)
    plain = run("--signature=t.sig", "--source=none", "pipe.txt")[1]
    for locale in ("de_DE.UTF-8", "tr_TR.UTF-8", "C", "zh_CN.GB18030"):
        done = subprocess.run([MPGSIM, "--cache=fresh", "--signature=t.sig", "--source=none", "pipe.txt"], capture_output=True,
                              text=True, check=False, env=os.environ | {"LC_ALL": locale, "LANG": locale})
        ok(f"{locale}: the same", done.stdout == plain, done.stdout)
    ranks = 4096
    write("many.txt", ranks, [f"{r} {a} {b} {call}" for r in range(ranks)
                              for a, b, call in ((0, 0, "Init"), (1000 + r, 9000, "Barrier comm=0"), (9500, 9500, "Finalize"))])
    status, out, err = run("--signature=t.sig", "--source=none", "--replicas=2", "many.txt")
    ok("4096 ranks: at most 20 lines", status == 0 and 10 < len(out.splitlines()) <= 20, (err, out))


def check_difference():
    """Calls of 1 and 107.5 us, computation of 11 and 5.5 us: means 54.25 and 8.25 us."""
    write("late.txt", 2, ["0 0 0 Init", "0 10000 11000 Send comm=0 to=1 tag=1 bytes=8", "0 12000 12000 Finalize",
                          "1 0 0 Init", "1 5000 112500 Recv comm=0 from=0 tag=1 bytes=8 off_call=100000", "1 113000 113000 Finalize"])
    out = run("--signature=t.sig", "--source=none", "late.txt")[1]
    line = next((line for line in out.splitlines() if line.startswith("Difference")), "")
    ok("far from the recording: why, by hand", line.startswith("Difference            a rank spends ") and
       " in MPI calls (recorded: 54.25 us, of that 50 us off its CPU) and computes for 8.25 us (recorded: 8.25 us)" in line, out)
    ok("... replicas are alike", line.endswith(")"), line)
    noisy = ["--signature=t.sig", "--source=none", "--noise=exp:100us", "late.txt"]
    mean_ns = answer(*noisy)["run_time_ns"]["mean"]
    line = next((line for line in run(*noisy)[1].splitlines() if line.startswith("Difference")), "")
    ok("... replicas differ: the mean run, which the parts add up to",
       re.search(r"; means of replicas, whose mean run takes ([0-9.]+) us$", line) and
       math.isclose(float(line.split()[-2]), mean_ns / 1000, rel_tol=1e-3), (mean_ns, line))
    out = run("--signature=t.sig", "--source=none", "pair.txt")[1]
    ok("... not where it is near", "Difference" not in out, out)


def counted(name, values, lines):
    with open(name, "w", encoding="ascii") as out:
        out.write("\n".join(["#mpgtext 1", "#ranks 1", f"#values {values}", "#clocks shared", "#comm 0 = 0", *lines]) + "\n")


def check_counters():
    """In region chase 0.9 of 1 s are waits for 1e7 cache lines, 10 ns each in order and 100 ns alone, so one in nine is
    in order. Then 1 s with an instruction in each cycle, the program's best pace. By hand from docs/MODEL.md, section
    5."""
    signature("from.sig", rates={"floating_point": 4e9, "integer": 1e9, "memory_bandwidth": 6.4e9, "memory_latency": 1e7})
    signature("to.sig", rates={"floating_point": 8e9, "integer": 1e9, "memory_bandwidth": 3.2e9, "memory_latency": 2e7})
    lines = ["0 0 0 Init values=0,0,0", '0 0 0 Region_begin name="chase" values=0,0,0',
             '0 1000000000 1000000000 Region_end name="chase" values=300000000,3000000000,10000000',
             "0 2000000000 2000000000 Barrier comm=0 values=3000000000,3000000000,0",
             "0 2000000000 2000000000 Finalize values=0,0,0"]
    counted("counted.txt", "PAPI_TOT_INS PAPI_TOT_CYC PAPI_L3_TCM", lines)
    chase, rest = 0.1 * 0.75 + 0.1 / 9 * 2 + 0.8 / 0.9 * 0.5, 0.75
    words = ["--source=from.sig", "--signature=to.sig", "--noise=const:0ns", "--replicas=2", "counted.txt"]
    found = answer(*words)
    ok("counters: the run by hand", near(found["run_time_ns"]["median"], (chase + rest) * 1e9, 1e-6), found["run_time_ns"])
    shares = found["computation_counted"]
    ok("... shares and ratio by hand", near(shares["ratio"], (chase + rest) / 2) and near(shares["latency_bound"], 0.4 / 0.9) and
       near(shares["bandwidth_bound"], 0.05 / 9) and near(shares["floating_point_bound"], 0.275) and
       near(shares["integer_bound"], 0.275) and "computation_bounds" not in found, shares)
    out = run(*words)[1]
    ok("... the line says from counters", "Computation           takes 0.646 times as long, by its processor counters: 55 % compute-bound, "
       "1 % bandwidth-bound, 44 % latency-bound\n" in out, out)
    ok("... nothing is assumed about its speed", "computation as fast as recorded" not in out, out)
    for options, ns in ((["--compute-ratio=1"], 2e9), (["--compute-ratio=counters"], (chase + rest) * 1e9),
                        (["--compute-ratio=counters", "--compute-ratio=2@chase"], (2 + rest) * 1e9)):
        got = answer("--predict", *options, *words)["run_time_ns"]["median"]
        ok(f"{' '.join(options)}: {ns:.10g} ns", near(got, ns, 1e-6), got)
    got = answer("--perturb", "--compute-ratio=counters", *words)["ranks"][0]["delay_ns"]["median"]
    ok("perturbed, if asked for", near(got, (chase + rest - 2) * 1e9, 1e-6), got)
    counted("floating.txt", "PAPI_FP_INS PAPI_TOT_INS PAPI_TOT_CYC PAPI_L3_TCM",
            ["0 0 0 Init values=0,0,0,0", "0 1000000000 1000000000 Barrier comm=0 values=1000000000,4000000000,2000000000,0",
             "0 1000000000 1000000000 Finalize values=0,0,0,0"])
    got = answer(*words[:-1], "floating.txt")["run_time_ns"]["median"]
    ok("floating point counted: a quarter", near(got, (0.25 * 0.5 + 0.75) * 1e9, 1e-6), got)
    # Idle: a region of 1 s without a cycle. It takes the ratio outside of all regions, and no share or mean knows it.
    idle = [*lines[:3], '0 1000000000 1000000000 Region_begin name="idle" values=0,0,0',
            '0 2000000000 2000000000 Region_end name="idle" values=0,0,0',
            *(line.replace("2000000000", "3000000000") for line in lines[3:])]
    counted("idle.txt", "PAPI_TOT_INS PAPI_TOT_CYC PAPI_L3_TCM", idle)
    found = answer(*words[:-1], "idle.txt")
    ok("a region without cycles: the shares and the ratio are those of the counted computation",
       found["computation_counted"] == shares, (found["computation_counted"], shares))
    ok("... and the region takes the ratio outside of all", near(found["run_time_ns"]["median"], (chase + 2 * rest) * 1e9, 1e-6),
       found["run_time_ns"])
    counted("none.txt", "PAPI_TOT_INS PAPI_TOT_CYC PAPI_L3_TCM",
            ["0 0 0 Init values=0,0,0", "0 1000000000 1000000000 Barrier comm=0 values=0,0,0",
             "0 1000000000 1000000000 Finalize values=0,0,0"])
    found = answer(*words[:-1], "none.txt")
    ok("no cycles at all: the range", "computation_bounds" in found and "computation_counted" not in found, found.keys())
    status, out, err = run("--compute-ratio=counters", *words[:-1], "none.txt")
    ok("... and asked for: one line", status == 1 and out == "" and err.count("\n") == 1 and "counted no cycles" in err, err)
    counted("few.txt", "PAPI_TOT_INS PAPI_TOT_CYC", [line.rsplit(",", 1)[0] if "values" in line else line for line in lines])
    found = answer(*words[:-1], "few.txt")
    ok("without misses: the range", "computation_bounds" in found and "computation_counted" not in found)
    status, out, err = run("--compute-ratio=counters", *words[:-1], "few.txt")
    ok("... and asked for: one line", status == 1 and out == "" and err.count("\n") == 1 and "--papi=PAPI_TOT_INS" in err, err)
    status, out, err = run("--compute-ratio=counters@chase", *words)
    ok("... of a region: one line", status in (1, 2) and out == "" and err.count("\n") == 1 and "leave out '@chase'" in err, err)
    signature("some.sig", rates={"floating_point": 8e9})
    status, out, err = run("--compute-ratio=counters", "--source=from.sig", "--signature=some.sig", "counted.txt")
    ok("... without rates: one line", status == 1 and out == "" and err.count("\n") == 1 and "target has no rates" in err, err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.abspath(os.environ.get("top_srcdir", "."))
        os.environ["top_srcdir"] = source
        os.chdir(folder)
        check_questions()
        check_balance()
        check_pipeline()
        check_coverage()
        check_runs()
        check_counters()
        check_difference()
        check_less_noise()
        check_text()
        check_limits()
    return finish()


sys.exit(main())
