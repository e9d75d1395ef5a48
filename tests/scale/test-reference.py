#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares mpgscale with reference.py on random profiles (TAP). The environment variable MPGSCALE names the program.
Arguments: --first SEED --seeds N."""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import profiles  # noqa: E402
import reference  # noqa: E402

MPGSCALE = os.environ.get("MPGSCALE", "mpgscale")
NUMBERS = profiles.calls(os.path.join(HERE, "../../trace/calls.def"))
CALLS = ("Send", "Recv", "Allreduce", "Wait", "Comm_rank", "Isend_c")
METRICS = ("share", "time", "time/T_app", "mean", "count", "bytes", "PAPI_X")


class Run:
    """A run that is written as a profile; times in whole ns, some equal so that there are ties."""

    def __init__(self, path, ranks, sites, random_):
        self.path, self.ranks = path, ranks
        self.rows = []  # by rank: {site: (count, time, least, most, sent, received, counted)}
        coarse = random_.choice((1, 1000))
        has = [random_.random() < 0.85 for _ in range(sites)]
        slope = [random_.uniform(-1.5, 1.5) for _ in range(sites)]
        for _ in range(ranks):
            self.rows.append({})
            for site in range(sites):
                if has[site] and random_.random() < 0.9:
                    self.rows[-1][site] = self.row(site, slope, coarse, random_)
        self.run_ns = [sum(row[1] for row in rows.values()) + random_.randrange(10**6) for rows in self.rows]
        self.app = sum(self.run_ns)
        self.comm = sum(row[1] for rows in self.rows for row in rows.values())

    def row(self, site, slope, coarse, random_):
        count = random_.randint(1, 50)
        mean = 2385 * (site % 7 + 1) * self.ranks ** slope[site] * random_.lognormvariate(0, 0.3) * 10 ** (site % 3)
        mean = max(1, int(mean / coarse)) * coarse
        return (count, mean * count, mean - mean // 3, mean + mean // 2, 8 * random_.randrange(999), site,
                random_.randrange(10**6))

    def write(self, sites):
        with open(self.path, "wb") as out:
            for rank, rows in enumerate(self.rows):
                out.write(profiles.rank_file(
                    rank, self.ranks, self.run_ns[rank],
                    [(NUMBERS[CALLS[site % len(CALLS)]], site, *row[:6], (row[6],)) for site, row in rows.items()],
                    [[(0, 0x1000 + 0x10 * site)] for site in range(sites)], counters=("PAPI_X",)))

    def cell(self, site):
        """Returns SITE's sums over ranks, and its longest time on one rank; None: no rank was at the site."""
        here = [rows[site] for rows in self.rows if site in rows]
        if not here:
            return None
        return {"count": sum(row[0] for row in here), "time": sum(row[1] for row in here),
                "most": max(row[1] for row in here), "bytes": sum(row[4] + row[5] for row in here),
                "counted": sum(row[6] for row in here)}

    def metric(self, cell, name):
        if cell is None:
            return 0.0
        return {"share": lambda: cell["time"] / self.comm, "time": lambda: cell["time"],
                "time/T_app": lambda: cell["time"] / self.app, "mean": lambda: cell["time"] / cell["count"],
                "count": lambda: cell["count"], "bytes": lambda: cell["bytes"],
                "PAPI_X": lambda: cell["counted"]}[name]()


def name_of(site):
    return "%s:app+0x%x" % (CALLS[site % len(CALLS)].removesuffix("_c"), 0x1000 + 0x10 * site)


def expected(runs, sites, metric, zero, threshold, project, seed):
    """Returns the expected rows by name."""
    runs = sorted(runs, key=lambda run: (run.ranks, run.app, run.comm, run.path))
    drawn = reference.words(len(runs), seed)
    rows, projected = {}, {}
    for site in range(sites):
        cells = [run.cell(site) for run in runs]
        timed = [(math.log(r.ranks), math.log(c["time"])) for r, c in zip(runs, cells) if c]
        if not timed:
            continue
        b, low, high, _, _ = reference.power([t[0] for t in timed], [t[1] for t in timed])
        projected[site] = reference.projections([t[0] for t in timed], [t[1] for t in timed], math.log(project),
                                                drawn, seed)
        if max(c["time"] / r.comm for r, c in zip(runs, cells) if c) < threshold:
            continue
        points = [(r, c) for r, c in zip(runs, cells) if c or zero]
        x = [r.ranks for r, _ in points]
        first, last = reference.ends(x, [r.metric(c, metric) for r, c in points])
        shares = reference.ends(x, [r.metric(c, "share") for r, c in points])
        there = [(r, c) for r, c in points if c]
        rows[name_of(site)] = {
            "site": site, "first": first, "last": last, "share_first": shares[0], "share_last": shares[1],
            "correlation": reference.correlation(x, [r.metric(c, metric) for r, c in points], drawn),
            "imbalance": reference.correlation([r.ranks for r, _ in there],
                                               [c["most"] * r.ranks / c["time"] for r, c in there], drawn),
            "exponent": b, "exponent_interval": (low, high), "runs_with_time": len(timed),
            "counts_with_time": len(set(t[0] for t in timed))}
    sums = [sum(times) for times in zip(*projected.values())]
    for row in rows.values():
        parts = [time / total for time, total in zip(projected[row["site"]], sums)]
        unknown = row["exponent"] is None or row["runs_with_time"] < 3 or row["counts_with_time"] < 3
        bounds = (0, 1) if unknown else reference.bounds(parts[0], parts[1:])
        unknown = bounds[1] - bounds[0] > 0.5  # tells nothing
        row["projected_share"] = None if unknown else parts[0]
        row["projected_share_interval"] = (None, None) if unknown else bounds
        del row["runs_with_time"], row["counts_with_time"]
    return rows


def add_verdicts(rows, threshold):
    for which in ("correlation", "imbalance"):
        defined = [row[which] for row in rows.values() if row[which]["undefined"] is None]
        for one, q in zip(defined, reference.discoveries([one["p"] for one in defined])):
            one["q"] = q
    for row in rows.values():
        r = row["correlation"].get("r_s")
        if r is not None:
            row["chance"] = len(rows) * row["correlation"]["p"] / 2
        rises = (r is not None and r >= 0.7 and row["last"] >= 1.25 * row["first"] and
                 row["share_last"] >= threshold)
        row["grows"] = "no" if not rises else "perhaps" if row["chance"] > 0.25 else "yes"


def differences(where, want, got):
    """Returns the differences beyond 1e-9."""
    if isinstance(want, dict):
        return [d for key, value in want.items() if key != "site"
                for d in differences(where + " " + key, value, got.get(key, "missing"))]
    if isinstance(want, (tuple, list)):
        return [d for a, b in zip(want, got) for d in differences(where, a, b)]
    if isinstance(want, float) and isinstance(got, (int, float)):
        return [] if abs(want - got) <= 1e-9 * max(1, abs(want)) else [f"{where}: {got!r} instead of {want!r}"]
    return [] if want == got else [f"{where}: {got!r} instead of {want!r}"]


def check(seed, folder):
    random_ = random.Random(seed)
    sites = random_.randint(1, 12)
    counts = random_.sample((1, 2, 3, 4, 6, 8, 9, 12, 16), random_.randint(3, 6))
    runs = [Run(os.path.join(folder, "%d-%d-%d" % (seed, n, i)), n, sites, random_)
            for n in counts for i in range(random_.randint(1, 3))]
    for run in runs:
        run.write(sites)
    metric, zero = random_.choice(METRICS), random_.random() < 0.4
    threshold, project, draws = random_.choice((0, 1, 10)), random_.choice((5, 64, 1000)), random_.randrange(2**33)
    want = expected(runs, sites, metric, zero, threshold / 100, project, draws)
    add_verdicts(want, threshold / 100)
    paths = [run.path for run in runs]
    random_.shuffle(paths)
    command = [MPGSCALE, "--json", "--metric=" + metric, "--absent=" + ("zero" if zero else "omit"),
               "--threshold=%d" % threshold, "--project=%d" % project, "--seed=%d" % draws, *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return [done.stderr.strip()]
    got = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    if set(got) != set(want):
        return ["rows %s instead of %s" % (sorted(got), sorted(want))]
    return [d for name, row in want.items() for d in differences(name, row, got[name])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=12)
    args = parser.parse_args()
    print("1..%d" % args.seeds)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(args.seeds):
            wrong = check(args.first + i, folder)
            print("%sok %d - profiles of seed %d" % ("not " if wrong else "", i + 1, args.first + i))
            for line in wrong[:8]:
                print("# " + line)


if __name__ == "__main__":
    main()
