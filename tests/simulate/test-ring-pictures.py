#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/ring/gauss and examples/figures (TAP): what gauss says of its replicas, computed again from mpgsim's answer; a sum of
normal perturbations is normal; the figures are of what
their traces do.

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
    done = subprocess.run([os.path.join(SOURCE, "examples", script), *arguments], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def check_experiment(folder, name, n, replicas, said):
    """Checks one of Gauss's experiments with N perturbations. SAID: its mean, deviation, distance and p."""
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
    status, out, err = run("ring/gauss", str(ranks), str(laps), str(replicas), folder)
    said = [float(x) for x in re.findall(r"(?:growth|deviation|Smirnov|p =) +([\d.]+)", out)]
    ok("gauss: three experiments", (status, len(said)) == (0, 12), f"{out}{err}")
    for i, (name, n) in enumerate((("noise", hops + 3), ("latency", hops), ("both", 2 * hops + 3))):
        check_experiment(folder, name, n, replicas, said[4 * i:4 * i + 4])
    for arguments in (["1"], ["4", "0"], ["4", "2", "1"], ["x"], ["-q"]):
        status, out, err = run("ring/gauss", *arguments)
        ok(f"gauss {' '.join(arguments)}: refused", (status, out, err.count("\n")) == (2, "", 1), err)


def ends_of(folder, name):
    """Returns when each rank of a timeline is done, in ns."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        timeline = Timeline(file.read())
    return [s[-1][1] for (_, tid), s in sorted(timeline.slices.items()) if tid % 2 == 0]


def rows_of(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [line.split() for line in file]


def edges_of(folder, name):
    """Returns the visible edges of a graph: from, to, and whether it is a message."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        found = re.findall(r'^ *"([^"]+)" -> "([^"]+)" \[(.*)\];$', file.read(), re.M)
    return {(a, b, "dashed" in how) for a, b, how in found if "invis" not in how}


def check_figures(folder):
    status, out, err = run("figures", "2385ns", folder)
    ok("figures", (status, out) == (0, ""), err)
    ends = [max(ends_of(folder, f"sottile-1-{x}.json")) for x in "ab"]
    ok("sottile-1: the predicted ring is four latencies longer", ends[1] - ends[0] == 4 * 2385, ends)
    rows = [[float(x) for x in row] for row in rows_of(folder, "sottile-1-messages.dat")]
    ok("sottile-1: arrows that gnuplot gets", len(rows) == 8 and
       sorted((r[1], r[1] + r[3]) for r in rows) == sorted((-w - a, -w - (a + 1) % 4) for w in (0, 5) for a in range(4)) and
       all(abs(r[2] - (0.399 if r[1] > -4 else 2.784)) < 1e-9 for r in rows), rows)
    edges = edges_of(folder, "sottile-2.dot")
    ok("sottile-2: a send and its receive, a message edge each way", edges == {
        ("0.1 S", "0.1 E", False), ("1.1 S", "1.1 E", False), ("0.1 S", "1.1 E", True), ("1.1 S", "0.1 E", True)}, edges)
    edges = edges_of(folder, "sottile-3.dot")
    ok("sottile-3: message edges lead to the waits", edges == {
        *((f"{r}.{a}", f"{r}.{b}", False) for r in (0, 1) for a, b in (("1 S", "1 E"), ("1 E", "2 S"), ("2 S", "2 E"))),
        ("0.1 S", "1.2 E", True), ("1.1 S", "0.2 E", True)}, edges)
    edges = edges_of(folder, "sottile-4.dot")
    middle = {b for a, b, _ in edges if a.endswith("S")}
    ok("sottile-4: all ranks to one node, and back", len(middle) == 1 and
       edges == {(f"{r}.1 S", *middle, True) for r in range(4)} | {(*middle, f"{r}.1 E", True) for r in range(4)}, edges)
    with open(os.path.join(SOURCE, "examples", "ring", "ring4.dot"), encoding="utf-8") as one, \
            open(os.path.join(folder, "sottile-5.dot"), encoding="utf-8") as other:
        ok("sottile-5: the graph that is kept", list(one)[1:] == list(other)[1:])
    # Of the iteration 133 ms and 123: 30 ms of foo for all, and rank 3's message comes first.
    arrows = [tuple(float(x) for x in row) for row in rows_of(folder, "silas-4-messages.dat")]
    ok("silas-4: the order of messages is reversed", sorted((round(t + d), -row) for t, row, d, _ in arrows) == sorted(
        [(109, 1), (119, 2), (129, 3), (99, 8), (109, 7), (119, 6)]), arrows)
    foo = [(float(row[1]), float(row[2])) for row in rows_of(folder, "silas-4-regions.dat") if row[3] == '"foo"']
    ok("silas-4: foo, and foo balanced", sorted(foo) == sorted(
        [(0, 0), (-1, 20), (-2, 40), (-3, 60)] + [(-5 - r, 30) for r in range(4)]), foo)
    ends = [max(ends_of(folder, f"silas-4-{x}.json")) for x in "ab"]
    ok("silas-4: the run becomes 10 ms shorter", ends == [135000000, 125000000], ends)
    want = {"gnuplot": ("sottile-1", "silas-4"), "dot": [f"sottile-{i}" for i in (2, 3, 4, 5)]}
    missing = [f"{n}.{kind}" for tool, names in want.items() if shutil.which(tool) for n in names
               for kind in ("svg", "png") if not os.path.getsize(os.path.join(folder, f"{n}.{kind}"))]
    ok("figures: drawn", not missing, missing)


def main():
    for path in ("ring/gauss", "figures"):
        script = os.path.basename(path)
        status, out, err = run(path, "--help")
        ok(f"{script} --help", status == 0 and out.startswith(f"Usage: {script}") and not err, err)
        status, out, err = run(path, "-V")
        ok(f"{script} -V", status == 0 and re.match(rf"{script} \(mpgkit\) \d", out), out + err)
    with tempfile.TemporaryDirectory() as folder:
        check_gauss(folder)
    with tempfile.TemporaryDirectory() as folder:
        check_figures(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
