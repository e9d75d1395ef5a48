#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --plot (TAP): the data that gnuplot gets for sweeps and for several signatures, compared with the answer in JSON; equal
answers with and without --plot; refused options; the text about a machine that has the smaller median and is more often slower.

The environment variables MPGSIM and top_srcdir say where things are."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import finish, ok

MPGSIM = os.environ.get("MPGSIM", "./mpgsim")
SOURCE = os.environ.get("top_srcdir", ".")
LINES = ["#mpgtext 1", "#ranks 2", "#clocks shared", "0 0 100 Init", "1 0 100 Init", "0 2385 2400 Send to=1 bytes=8",
         "1 300 3000 Recv from=0 bytes=8", "0 90000 90010 Finalize", "1 95000 95010 Finalize"]


def run(folder, *options, **more):
    done = subprocess.run([MPGSIM, "--cache=fresh", *options, "t.txt"], capture_output=True, text=True, check=False,
                          cwd=folder, **more)
    return done.returncode, done.stdout, done.stderr


def data(folder, name):
    """Blocks of rows of numbers."""
    with open(os.path.join(folder, "plots", f"{name}.dat"), encoding="utf-8") as file:
        blocks = re.split(r"\n\n\n", file.read().strip("\n"))
    return [[[float(x) for x in line.split()] for line in block.splitlines()] for block in blocks]


def near(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-9 * max(abs(x), abs(y), 1e-9) for x, y in zip(a, b))


def interval(row):
    return [row["run_time_ns"]["median"], *row["run_time_ns"]["median_confidence_95"]]


def draw(folder, *options):
    plain = run(folder, "--json", *options)
    drawn = run(folder, "--json", "--plot=plots", "--keep", *options)
    return drawn[:2] == plain[:2], json.loads(plain[1]), drawn


def check_sweep(folder):
    same, answer, drawn = draw(folder, "--noise=exp:7us", "--replicas=9", "--sweep=latency=0us:50us:6", "--sweep=noise=1,2.385")
    ok("a sweep: the answer is the same, and a plot", same and "mpgsim: 1 plot in plots" in drawn[2], drawn[2])
    rows = answer["rows"]
    want = [[[row["values"]["latency"] / 1000, *[x / unit for x in interval(row)]]
             for row in rows if row["values"]["noise"] == factor]
            for factor in (1, 2.385) for unit in [1e6 if max(interval(r)[2] for r in rows) >= 1e6 else 1e3]]
    got = data(folder, "sweep")
    ok("... of its rows, a line for each noise", len(got) == len(want) and
       all(len(a) == len(b) and all(near(x, y) for x, y in zip(a, b)) for a, b in zip(got, want)), f"{got} {want}")
    with open(os.path.join(folder, "plots", "sweep.gp"), encoding="utf-8") as file:
        script = file.read()
    ok("... which say so", "title 'noise 1'" in script and "title 'noise 2.385'" in script and
       "xlabel 'latency (us)'" in script, script)
    shutil.rmtree(os.path.join(folder, "plots"))


def check_wide(folder):
    """Of run times of which one is more than 100 times another, the picture as gnuplot draws it; and of run times that are alike."""
    for name, most, wide in (("wide", "20ms", True), ("alike", "2us", False)):
        answer = draw(folder, "--noise=exp:7us", "--replicas=9", f"--sweep=latency=1us:{most}:6:log")[1]
        medians = [row["run_time_ns"]["median"] for row in answer["rows"]]
        with open(os.path.join(folder, "plots", "sweep.gp"), encoding="utf-8") as file:
            script = file.read()
        with open(os.path.join(folder, "plots", "sweep.svg"), encoding="utf-8") as file:
            texts = re.findall(r"<text>(.*?)</text>", file.read())
        low, high = (float(x) for x in re.search(r"set yrange \[([0-9.]*):([0-9.]*)\]", script).groups()) if wide else (0, 0)
        ok(f"{name}: the axis of run times is logarithmic, or not", (max(medians) > 100 * min(medians)) == wide ==
           ("set logscale y" in script) and (not wide or low <= min(medians) < max(medians) <= high), (medians, low, high))
        ok(f"{name}: drawn, with its marks and the whole subtitle", "median of 9 replicas, 95 % confidence; seed 1" in texts and
           ({"100 us", "1 ms", "10 ms"} <= set(texts)) == wide, texts)
        shutil.rmtree(os.path.join(folder, "plots"))


def make_signatures(folder):
    """Random ones, of which two are faster than each other."""
    maker = os.path.join(SOURCE, "tests", "oracle", "randomsignature.py")
    for seed in (7, 9, 12):
        with open(os.path.join(folder, f"{seed}.sig"), "w", encoding="utf-8") as file:
            subprocess.run([sys.executable, maker, "--seed", str(seed), "--parts", "network"], stdout=file, check=True)
    return [f"{seed}.sig" for seed in (7, 9, 12)]


def check_ranking(folder, signatures):
    same, answer, drawn = draw(folder, "--predict", "--replicas=9", *(f"--signature={s}" for s in signatures))
    ok("signatures: the answer is the same, and two plots", same and "2 plots in plots" in drawn[2], drawn[2])
    rows = answer["rows"]
    medians = [row["run_time_ns"]["median"] for row in rows]
    machines = data(folder, "machines")[0]
    unit = round(medians[0] / machines[0][1])
    ok("... ranked, with their intervals", medians == sorted(medians) and unit in (1, 1e3, 1e6, 1e9) and
       all(near(m, [i, *[x / unit for x in interval(row)]])
           for i, (m, row) in enumerate(zip(machines, rows))), machines)
    faster = {(int(y), int(x)): p for x, y, p in data(folder, "faster")[0]}
    runs = [row["replicas_run_time_ns"] for row in rows]
    want = {(i, k): 100 * sum((a < b) + (a == b) / 2 for a, b in zip(runs[i], runs[k])) / 9
            for i in range(3) for k in range(3)}
    ok("... and how surely one beats the other", near([faster[x] for x in sorted(want)], [want[x] for x in sorted(want)]) and
       any(0 < p < 100 and p != 50 for p in want.values()), f"{faster} {want}")
    shutil.rmtree(os.path.join(folder, "plots"))


# A message's latency in ns at quantiles i / 20: low below a quantile, high above the next, linear between. Of one u a is below b where u is
# between 0.355 and 0.645; c is between the two then, and between their values elsewhere; u itself is what even tells.
LATENCIES = {"a": [1100] * 13 + [2100] * 8, "b": [1000] * 8 + [2000] * 13, "c": [1500] * 21,
             "even": [1000 + 100 * i for i in range(21)]}
REPLICAS = 1000


def latency(name, u):
    """By hand, at U."""
    q, i = LATENCIES[name], min(int(20 * u), 19)
    return q[i] + (20 * u - i) * (q[i + 1] - q[i])


def beats(x, y, us):
    """In which part of the replicas X's latency is less than Y's."""
    return sum((latency(x, u) < latency(y, u)) + (latency(x, u) == latency(y, u)) / 2 for u in us) / len(us)


def word(part):
    return f"{'slower' if part < 0.5 else 'faster'} in {100 * max(part, 1 - part):.1f} %"


def make_latencies(folder):
    for name, quantiles in LATENCIES.items():
        times = {"n": 21, "mean": sum(quantiles) / 21, "sd": 1, "lag1": 0, "quantiles": quantiles}
        path = {"path": "node", "one_way": "one clock", "latency": [{"size_bytes": 8, "one_way_ns": times}]}
        with open(os.path.join(folder, f"{name}.sig"), "w", encoding="utf-8") as file:
            json.dump({"format": "mpgkit-signature", "version": [4, 0], "header": {"host": name}, "network": [path]}, file)


def check_slower(folder):
    """Rows are ranked by medians: the first can be the slower one in most replicas."""
    make_latencies(folder)
    given = ["--predict", "--source=none", f"--replicas={REPLICAS}"]
    even = json.loads(run(folder, *given, "--signature=even.sig", "--json")[1])
    # rank 1's run is the longest: what rank 0 works before it sends, the message, what follows
    us = [(r["run_time_ns"] - (2385 - 100) - (95000 - 3000) - 1000) / 2000 for r in even["replicas"]]
    part = beats("a", "b", us)
    ok("one message's u in each replica", len(us) == REPLICAS and 0 < min(us) < 0.02 and 0.98 < max(us) < 1 and abs(part - 0.29) < 0.06,
       (min(us), max(us), part))
    two = [*given, "--signature=b.sig", "--signature=a.sig"]
    found = json.loads(run(folder, *two, "--json")[1])["rows"]
    ok("the first has the smaller median, and is faster in less than a half", [r["values"]["signature"] for r in found] == ["a.sig", "b.sig"] and
       found[0]["run_time_ns"]["median"] < found[1]["run_time_ns"]["median"] and abs(found[0]["faster_than"][0]["probability"] - part) < 1e-12,
       (found, part))
    text = run(folder, *two)[1]
    row = [line for line in text.splitlines() if line.split()[:2] == ["1", "a.sig"]]
    ok("text: it is slower in more", len(row) == 1 and row[0].endswith(f" slower in {100 * (1 - part):.1f} %") and "faster in" not in text, text)
    table = list(csv.DictReader(io.StringIO(run(folder, *two, "--csv")[1])))
    ok("CSV: how probably it is faster", abs(float(table[0]["faster_than_next"]) - part) < 1e-12 and table[1]["faster_than_next"] == "", table)
    # of three none is that of the two: a beats c, c beats b, and b beats a, each in more than a half
    text = run(folder, *two, "--signature=c.sig")[1]
    rows = [line for line in text.splitlines() if ".sig " in line and line.split()[0] in ("1", "2", "3")]
    ok("text: of three, each beats the next", [r.split()[1] for r in rows] == ["a.sig", "c.sig", "b.sig"] and
       [r.split("  ")[-1].strip() for r in rows] == [word(beats("a", "c", us)), word(beats("c", "b", us)), "-"] and
       beats("a", "c", us) > 0.55 < beats("c", "b", us), text)
    ok("and the last beats the first", f"row 1 than row 3: {word(part)}" in text, text)
    return two, part


def check_slower_plot(folder, two, part):
    status, _, err = run(folder, "--plot=plots", "--keep", *two)
    with open(os.path.join(folder, "plots", "machines.gp"), encoding="utf-8") as file:
        script = file.read()
    ok("a plot: slower, too", status == 0 and f"'\u2190 {word(part)}' at 0.50" in script and "faster in" not in script, script + err)
    shutil.rmtree(os.path.join(folder, "plots"))


def check_refusals(folder):
    for options, want in ((["--plot=p"], (2, "--plot needs several scenarios or a table of traces and targets")),
                          (["--keep", "--sweep=latency=1us,2us"], (2, "--keep needs --plot")),
                          (["--plot=p", "--tolerate=5%:latency"], (2, "--plot and --tolerate exclude each other")),):
        status, out, err = run(folder, *options)
        ok(f"{' '.join(options)}: refused", (status, out, err.count("\n")) == (want[0], "", 1) and want[1] in err, err)
    environment = dict(os.environ, MPGKIT_GNUPLOT="/none")
    status, out, err = run(folder, "--plot=p", "--sweep=latency=1us,2us", env=environment)
    ok("no gnuplot: a line, after the answer", status == 1 and "scenarios" in out and err.count("\n") == 1 and
       not os.path.exists(os.path.join(folder, "p")), out + err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "t.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(LINES) + "\n")
        check_refusals(folder)
        two, part = check_slower(folder)
        if shutil.which("gnuplot"):
            check_sweep(folder)
            check_wide(folder)
            check_ranking(folder, make_signatures(folder))
            check_slower_plot(folder, two, part)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
