#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/ring/gauss and figures (TAP): what gauss says of its replicas, computed again from mpgsim's answer; a sum of
normal perturbations is normal; the figures are of what the ring does.

The environment variables MPGSIM, MPGTRACE and top_srcdir say where things are."""

import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("top_srcdir", ".")
sys.path.insert(0, os.path.join(SOURCE, "tests", "analyse"))
from chrome_trace import Timeline  # noqa: E402
from tap import finish, ok  # noqa: E402


def run(script, *arguments):
    done = subprocess.run([os.path.join(SOURCE, "examples", "ring", script), *arguments], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def check_experiment(folder, name, n, replicas, said):
    """One of gauss's experiments: N perturbations; SAID is its mean, deviation, distance and p."""
    with open(os.path.join(folder, f"answer-{name}.json"), encoding="utf-8") as file:
        answer = json.load(file)
    growth = sorted((r["run_time_ns"] - answer["traced_run_time_ns"]) / 1000 for r in answer["replicas"])
    normal = statistics.NormalDist(10 * n, 2 * math.sqrt(n))
    distance = max(max((i + 1) / replicas - normal.cdf(x), normal.cdf(x) - i / replicas) for i, x in enumerate(growth))
    x = distance * (math.sqrt(replicas) + 0.12 + 0.11 / math.sqrt(replicas))
    p = 2 * sum((-1) ** (k - 1) * math.exp(-2 * k * k * x * x) for k in range(1, 101))
    want = [statistics.mean(growth), statistics.stdev(growth), distance, p]
    ok(f"gauss, {name}: mean, deviation, distance and p of the replicas", len(said) == 4 and
       all(abs(a - b) <= c for a, b, c in zip(said, want, (0.006, 0.006, 6e-5, 6e-4))), f"{said} {want}")
    ok(f"gauss, {name}: normal, as the sum of normal ones is (p > 0.01)", p > 0.01, p)
    # 4 standard errors
    ok(f"gauss, {name}: n means, n variances", abs(want[0] - normal.mean) < 4 * normal.stdev / math.sqrt(replicas) and
       abs(want[1] / normal.stdev - 1) < 4 / math.sqrt(2 * replicas), want)
    with open(os.path.join(folder, f"gauss-{name}.tsv"), encoding="utf-8") as file:
        rows = [[float(x) for x in line.split("\t")] for line in list(file)[1:]]
    width = normal.stdev / 4
    ok(f"gauss, {name}: the histogram", len(rows) == 33 and
       all(abs(at - (normal.mean + (i - 16) * width)) < 1e-5 and
           number == sum(at - width / 2 <= x < at + width / 2 for x in growth) and
           abs(expected - replicas * (normal.cdf(at + width / 2) - normal.cdf(at - width / 2))) < 0.002
           for i, (at, number, expected) in enumerate(rows)), rows)


def check_gauss(folder):
    ranks, laps, replicas = 10, 20, 2000
    hops = ranks * laps
    status, out, err = run("gauss", str(ranks), str(laps), str(replicas), folder)
    said = [float(x) for x in re.findall(r"(?:growth|deviation|Smirnov|p =) +([\d.]+)", out)]
    ok("gauss: three experiments", (status, len(said)) == (0, 12), f"{out}{err}")
    for i, (name, n) in enumerate((("noise", hops + 3), ("latency", hops), ("both", 2 * hops + 3))):
        check_experiment(folder, name, n, replicas, said[4 * i:4 * i + 4])
    for arguments in (["1"], ["4", "0"], ["4", "2", "1"], ["x"], ["-q"]):
        status, out, err = run("gauss", *arguments)
        ok(f"gauss {' '.join(arguments)}: refused", (status, out, err.count("\n")) == (2, "", 1), err)


def check_figures(folder):
    status, out, err = run("figures", "2385ns", folder)
    with open(os.path.join(folder, "ring4.json"), encoding="utf-8") as file:
        timeline = Timeline(file.read())
    ends = {pid: max(s[-1][1] for (p, _), s in timeline.slices.items() if p == pid) for pid in (1, 2)}
    ok("figures: the predicted ring is four latencies longer", (status, out, ends[2] - ends[1]) == (0, "", 4 * 2385), err)
    with open(os.path.join(folder, "messages.dat"), encoding="utf-8") as file:
        rows = [[float(x) for x in line.split()] for line in file]
    ok("figures: arrows that gnuplot gets", len(rows) == 8 and
       sorted((r[1], r[1] + r[3]) for r in rows) == sorted((-w - a, -w - (a + 1) % 4) for w in (0, 5) for a in range(4)) and
       all(abs(r[2] - (0.399 if r[1] > -4 else 2.784)) < 1e-9 for r in rows), rows)
    want = {"gnuplot": ["timeline.svg", "timeline.png"], "dot": ["graph.svg", "graph.png"]}
    missing = [n for tool, names in want.items() if shutil.which(tool) for n in names
               if not os.path.getsize(os.path.join(folder, n))]
    ok("figures: drawn", not missing and os.path.exists(os.path.join(folder, "graph.dot")), missing)


def main():
    for script in ("gauss", "figures"):
        status, out, err = run(script, "--help")
        ok(f"{script} --help", status == 0 and out.startswith(f"Usage: {script}") and not err, err)
        status, out, err = run(script, "-V")
        ok(f"{script} -V", status == 0 and re.match(rf"{script} \(mpgkit\) \d", out), out + err)
    with tempfile.TemporaryDirectory() as folder:
        check_gauss(folder)
    with tempfile.TemporaryDirectory() as folder:
        check_figures(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
