#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --plot (TAP): what gnuplot is given of sweeps and of several signatures, against the answer in JSON; that the
answer is the same with it; what is refused.

The environment variables MPGSIM and top_srcdir say where things are."""

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
    done = subprocess.run([MPGSIM, "--floors=fresh", *options, "t.txt"], capture_output=True, text=True, check=False,
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


def check_refusals(folder):
    for options, want in ((["--plot=p"], (2, "--plot draws what --sweep or several --signature, --target or TRACE ask for")),
                          (["--keep", "--sweep=latency=1us,2us"], (2, "--keep is about --plot")),
                          (["--plot=p", "--tolerate=5%:latency"], (2, "--plot draws what --sweep")),):
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
        if shutil.which("gnuplot"):
            check_sweep(folder)
            check_ranking(folder, make_signatures(folder))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
