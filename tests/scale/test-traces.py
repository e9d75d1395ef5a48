#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgscale on synthetic traces: waits, regions, and runs of which only times are known (TAP). The environment variable
MPGSCALE names the program."""

import csv
import io
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import profiles  # noqa: E402
from tap import ok, parts, run  # noqa: E402

BARRIER = profiles.calls(os.path.join(HERE, "..", "..", "trace", "calls.def"))["Barrier"]


def cells(*arguments):
    """Returns all measurements: {(name, ranks): row}."""
    done = run("--export=csv", *arguments)
    return {(row["name"], int(row["ranks"])): row for row in csv.DictReader(io.StringIO(done.stdout))}


def stairs(ranks, clocks="#clocks shared"):
    """Returns a trace. Rank r enters the barrier at 2000 + 100 r; all leave 50 after the last. Before it each asks for
    its rank and is in a region. After it, in an inner region, rank 0 sends to the last rank, which has waited for 385
    when the send begins."""
    last = 2000 + 100 * (ranks - 1)
    lines = ["#mpgtext 1", "#ranks %d" % ranks, clocks, '#module 0 = abcd "/nowhere/app"',
             "#site 1 = 0+0x10 0+0x90", "#site 2 = 0+0x20 0+0x90"]
    for r in range(ranks):
        lines += ["%d 0 %d Init" % (r, 100 + r), "%d 500 507 Comm_rank" % r,
                  '%d 600 600 Region_begin name="outer"' % r,
                  "%d %d %d Barrier comm=0 site=1" % (r, 2000 + 100 * r, last + 50),
                  '%d %d %d Region_begin name="inner"' % (r, last + 60, last + 60)]
        if r == 0:
            lines.append("0 %d %d Send comm=0 to=%d tag=3 bytes=24 site=2" % (last + 485, last + 500, ranks - 1))
        if r == ranks - 1:
            lines.append("%d %d %d Recv comm=0 from=0 tag=3 bytes=24 site=2" % (r, last + 100, last + 510))
        lines += ['%d %d %d Region_end name="inner"' % (r, last + 600, last + 600),
                  '%d %d %d Region_end name="outer"' % (r, last + 610, last + 610),
                  "%d %d %d Finalize" % (r, last + 2000, last + 2010)]
    return "\n".join(line for line in lines if line) + "\n"


def make(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def shares(ranks):
    """Returns a trace. Rank r computes for 1000 (r + 1) ns in region outer, 500 of them in region inner (rank 0: 100),
    and then 250 outside; each asks twice for its rank, 30 ns each, which do not count as computation."""
    lines = ["#mpgtext 1", "#ranks %d" % ranks, "#clocks shared"]
    for r in range(ranks):
        inner = 500 if r else 100
        begin, end = 100 + r, 100 + r + 1000 * (r + 1) + 30
        lines += ["%d 0 %d Init" % (r, begin),
                  '%d %d %d Region_begin name="outer"' % (r, begin, begin),
                  "%d %d %d Comm_rank" % (r, begin + 200, begin + 230),
                  '%d %d %d Region_begin name="inner"' % (r, end - inner, end - inner),
                  '%d %d %d Region_end name="inner"' % (r, end, end),
                  '%d %d %d Region_end name="outer"' % (r, end, end),
                  "%d %d %d Comm_rank" % (r, end, end + 30),
                  "%d %d %d Finalize" % (r, end + 280, end + 290)]
    return "\n".join(lines) + "\n"


def imbalance(folder):
    """The largest rank divided by the mean of all: for the run, for regions, for profiles."""
    counts = (2, 4, 8)
    paths = [make(folder, "shares-%d" % n, shares(n)) for n in counts]
    done = run("--metric=imbalance", "--unit=region", "--json", *paths)
    rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    work = {"outer": lambda r: 1000 * (r + 1) - (500 if r else 100), "inner": lambda r: 500 if r else 100,
            "(no region)": lambda r: 250, "(all computation)": lambda r: 1000 * (r + 1) + 250}
    ok(set(rows) == set(work), "imbalance: all computation, regions, and none", sorted(rows))
    for name, of in work.items():
        want = [[n, max(map(of, range(n))) * n / sum(map(of, range(n)))] for n in counts]
        got = rows.get(name, {"points": []})["points"]
        ok(len(got) == len(want) and all(a[0] == b[0] and abs(a[1] - b[1]) < 1e-12 for a, b in zip(got, want)),
           "imbalance of %s" % name, (got, want))
    # 1000 (1 + 2 + ... + n) of n (n + 1) / 2 thousand and 250 n
    ok(abs(rows["outer"]["share_last"] - sum(map(work["outer"], range(8))) / sum(map(work["(all computation)"], range(8))))
       < 1e-12, "imbalance: shares are of computation", rows["outer"]["share_last"])
    ok(rows["outer"]["correlation"]["r_s"] == 1 and rows["outer"]["grows"] == "perhaps" and
       rows["(no region)"]["correlation"]["undefined"], "imbalance: one grows with N, one is 1 everywhere",
       (rows["outer"]["correlation"], rows["(no region)"]["correlation"]))
    done = run("--metric=imbalance", "--csv", *paths)
    ok([row["name"] for row in csv.DictReader(io.StringIO(done.stdout))] == ["(all computation)"],
       "imbalance of the whole run alone", done.stdout)
    done = run("--metric=imbalance", *paths)
    ok("compared    imbalance of computation (largest rank over the mean of all) with N, by run; " in done.stdout and
       "1 % of computation" in done.stdout, "imbalance: what is compared is said", done.stdout)
    # Of 10 us, rank r's calls take r us.
    for n in counts:
        profiles.write(os.path.join(folder, "profile-%d" % n), n, 10000,
                       lambda r: [(BARRIER, 0, 2, 1000 * r, 500 * r, 500 * r)], (((0, 16),),))
    of_profiles = [os.path.join(folder, "profile-%d" % n) for n in counts]
    done = run("--metric=imbalance", "--json", *of_profiles)
    points = json.loads(done.stdout)["rows"][0]["points"]
    ok([n for n, _ in points] == list(counts) and all(abs(y - 10000 / (10000 - 500 * (n - 1))) < 1e-12 for n, y in points),
       "imbalance of profiles: what a rank is not in calls", points)
    for wrong in ("--unit=call", "--frames=2", "--by=line", "--table=callsites", "--export=csv", "--plot=x", "--project=64"):
        named = wrong if wrong.startswith(("--unit", "--table")) else wrong.split("=")[0]
        done = run("--metric=imbalance", wrong, *paths)
        ok(done.returncode == 2 and "--metric=imbalance and %s exclude each other: imbalance is about computation" % named in done.stderr, "imbalance with %s: refused" % wrong, done.stderr)


def closed_forms(folder):
    paths = [make(folder, "stairs-%d" % n, stairs(n)) for n in (2, 4, 8)]
    got = cells(*paths)
    for n in (2, 4, 8):
        last = 2000 + 100 * (n - 1)
        barrier, recv = got["Barrier:app+0x10", n], got["Recv:app+0x20", n]
        ok(float(barrier["time_ns"]) == sum(100 * (n - 1 - r) + 50 for r in range(n)) and
           float(barrier["wait_ns"]) == 100 * n * (n - 1) / 2, "%d ranks: a barrier and its waits" % n, barrier)
        ok(float(barrier["max_rank_ns"]) == 100 * (n - 1) + 50 and barrier["ranks_with"] == str(n),
           "%d ranks: the first waits longest" % n, barrier)
        ok((float(recv["time_ns"]), float(recv["wait_ns"])) == (410, 385), "%d ranks: a late sender" % n, recv)
        t_app = sum(last + 2000 - 100 - r for r in range(n))
        t_comm = sum(100 * (n - 1 - r) + 50 + 7 for r in range(n)) + 15 + 410
        ok((float(barrier["t_app_ns"]), float(barrier["t_comm_ns"])) == (t_app, t_comm),
           "%d ranks: from MPI_Init's leave to MPI_Finalize's enter, local calls too" % n, barrier)
    rows = {row["name"]: row for row in json.loads(run("--json", *paths).stdout)["rows"]}
    ok(rows["Barrier:app+0x10"]["wait"]["r_s"] == 1 and rows["Barrier:app+0x10"]["transfer"]["r_s"] is not None and
       rows["Recv:app+0x20"]["wait"]["r_s"] == -1, "waits have an r_s of their own")
    ok("waits r_s" in run(*paths).stdout and "waits r_s" not in run("--no-waits", *paths).stdout,
       "--no-waits looks for none")


def regions(folder):
    paths = [make(folder, "regions-%d" % n, stairs(n)) for n in (2, 4, 8)]
    got = cells("--unit=region", *paths)
    ok({name for name, _ in got} == {"outer", "inner", "(no region)"}, "a row a region", sorted(got))
    ok(float(got["inner", 4]["time_ns"]) == 425 and float(got["inner", 4]["wait_ns"]) == 385 and
       float(got["outer", 4]["time_ns"]) == 800 and float(got["outer", 4]["wait_ns"]) == 600 and
       float(got["(no region)", 4]["time_ns"]) == 28, "the innermost one that is open has the call", got)


def clocks(folder):
    paths = [make(folder, "clocks-%d" % n, stairs(n, "" if n == 8 else "#clocks shared")) for n in (2, 4, 8)]
    done = run("--json", *paths)
    answer = json.loads(done.stdout)
    ok(done.returncode == 0 and len(answer["runs"]) == 3, "clocks that are not shared: times are known", done.stderr)
    mixed = [row for row in answer["rows"] if row["name"] == "Barrier:app+0x10"][0]
    ok(mixed["correlation"]["runs"] == 3 and mixed["wait"] is not None, "and rows are of all runs", mixed)


def unfinished(folder):
    text = "".join(line for line in stairs(8).splitlines(True) if not line.endswith("Finalize\n"))
    paths = [make(folder, "whole-%d" % n, stairs(n)) for n in (2, 4)] + [make(folder, "unfinished", text)]
    done = run("--no-waits", *paths)
    ok(("without MPI_Finalize" in done.stderr or "left out" in done.stderr) and "unfinished" in done.stderr,
       "a run without MPI_Finalize is named", done.stderr)
    cut = os.path.join(folder, "cut.txt")
    with open(cut, "w", encoding="utf-8") as out:
        out.write(stairs(16)[:-200] + "\n1 5")
    done = run(*paths[:2], make(folder, "whole-8", stairs(8)), cut)
    ok(done.returncode == 0 and "cut.txt" in done.stderr and "left out" in done.stderr, "a text that is cut off",
       done.stderr)


if __name__ == "__main__":
    parts(closed_forms, regions, imbalance, clocks, unfinished)
