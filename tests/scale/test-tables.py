#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgscale on profiles with results known by hand (TAP): the paper's tables, callers, arguments, labels, exports, and
what is omitted. The environment variable MPGSCALE names the program."""

import csv
import io
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import profiles  # noqa: E402
from tap import MPGSCALE, ok, parts, run  # noqa: E402

NUMBERS = profiles.calls(os.path.join(HERE, "../../trace/calls.def"))


def answer(*arguments):
    done = run("--json", *arguments)
    return json.loads(done.stdout) if done.returncode == 0 else {"rows": [], "error": done.stderr}


def coefficients(*arguments):
    return {row["name"]: row["correlation"]["r_s"] for row in answer(*arguments)["rows"]}


def one_rank(path, ranks, sites, rest_ns=10**9, facts=(), **more):
    """Writes a profile with calls on rank 0 only. SITES: (call, offset, time in ns)."""
    rows = [(NUMBERS[call], i, 1, ns, ns, ns) for i, (call, _, ns) in enumerate(sites)]
    profiles.write(path, ranks, sum(ns for _, _, ns in sites) + rest_ns, lambda rank: [] if rank else rows,
                   [[(0, offset)] for _, offset, _ in sites], facts=facts, **more)
    return path


# ---- the paper's tables ----

def paper_table_1(folder):
    """Means of 963, 946, 925 and 963 us of 487 calls each, with the paper's sums."""
    path = os.path.join(folder, "mg")
    us = 1000
    sends = ((7658, 963, 11), (6907, 946, 12), (5674, 925, 11), (5707, 963, 11))
    profiles.write(path, 4, 10**9, lambda rank: [(NUMBERS["Send"], 0, 487, 487 * sends[rank][1] * us,
                                                  sends[rank][2] * us, sends[rank][0] * us)], [[(0, 0x1201)]])
    rows = list(csv.DictReader(io.StringIO(run("--table=callsites", "--csv", path).stdout)))
    ok([row["task"] for row in rows] == ["0", "1", "2", "3", "All"], "Table 1: a row a rank, then All", rows)
    last = rows[-1]
    ok((last["count"], float(last["max_ns"]), int(float(last["mean_ns"]) / us), float(last["min_ns"])) ==
       ("1948", 7658 * us, 949, 11 * us), "Table 1: All has 1948 calls, 7658, 949 and 11 us", last)
    ok(rows[0]["op"] == "Send" and rows[0]["callsite"] == "app+0x1201", "Table 1: which call from where", rows[0])
    ok([int(float(row["mean_ns"]) / us) for row in rows[:4]] == [963, 946, 925, 963], "Table 1: the means", rows)


TABLE_2 = {"Barrier": (0x193, (11.7, 26.56, 58.75)), "Waitall": (0x207, (137440.8, 232704, 358045)),
           "Wait": (0x70, (12261.0, 24240.6, 44461.2)), "Comm_split": (0x50, (23.04, 39.84, 81.5))}


def paper_table_2(folder, wait, name):
    paths = []
    for place, ranks in enumerate((9, 16, 25)):
        sites = [(call, at, int(1e6 * (wait if call == "Wait" and ranks == 9 else times[place])))
                 for call, (at, times) in TABLE_2.items()]
        paths.append(one_rank(os.path.join(folder, "%s-%d" % (name, ranks)), ranks, sites))
    return paths


def paper_tables(folder):
    paper_table_1(folder)
    mended = paper_table_2(folder, 12261.0, "bt")
    got = coefficients("--threshold=0", *mended)
    want = {"Barrier:app+0x193": 1, "Waitall:app+0x207": -1, "Wait:app+0x70": 1, "Comm_split:app+0x50": 1}
    ok(got == want, "Table 2 with its misprint mended: signs as in Table 3", got)
    printed = coefficients("--threshold=0", *paper_table_2(folder, 122610, "misprint"))
    ok((printed["Waitall:app+0x207"], printed["Wait:app+0x70"]) == (0.5, -0.5),
       "Table 2 as printed: 0.5 and -0.5", printed)
    script = subprocess.run(["bash", os.path.join(HERE, "../../examples/vetter/tables")], stdout=subprocess.PIPE,
                            env={**os.environ, "MPGSCALE": MPGSCALE}, text=True, check=False)
    ok(script.returncode == 0 and "Waitall:copy_faces.f+0x207,-1\n" in script.stdout and
       "Wait:y_solve.f+0x70,-0.5\n" in script.stdout, "examples/vetter/tables says the same", script.stdout)
    rows = list(csv.DictReader(io.StringIO(run("--table=aggregate", "--threshold=0", "--csv", *mended).stdout)))
    ok([float(rows[0][n]) for n in ("9", "16", "25")] == [137440.8e6, 232704e6, 358045e6] and
       rows[0]["callsite"] == "Waitall:app+0x207", "Table 2 itself", rows)


# ---- arithmetic ----

def arithmetic(folder):
    """N 4 4 9 9 16 16 25, shares of the time .1 .2 .2 .3 .3 .5 .9."""
    paths = []
    for i, (ranks, tenths) in enumerate(zip((4, 4, 9, 9, 16, 16, 25), (1, 2, 2, 3, 3, 5, 9))):
        paths.append(one_rank(os.path.join(folder, "seven-%d" % i), ranks,
                              [("Send", 0x10, tenths * 2385), ("Recv", 0x20, (10 - tenths) * 2385)]))
    got = answer(*paths)
    send = [row for row in got["rows"] if row["call"] == "Send"][0]
    ok(abs(send["correlation"]["r_s"] - 0.9159278516836722) < 1e-15, "seven runs with ties: r_s", send)
    ok(send["grows"] == "yes" and abs(send["factor"] - 6) < 1e-12 and send["correlation"]["runs"] == 7,
       "from a median share of 0.15 to 0.9: grows", send)
    again = answer(*reversed(paths))
    ok(again == got, "in any order: the same")
    said = run("--grows", *paths).stdout
    ok("nothing grows" not in said and said.count("\ncallsite ") == 2, "--grows: two tables", said)
    flat = [one_rank(os.path.join(folder, "flat-%d" % i), ranks, [("Send", 0x10, 2385), ("Recv", 0x20, 7155)])
            for i, ranks in enumerate((4, 4, 9, 9, 16, 16, 25))]
    said = run("--grows", *flat).stdout
    ok(said.endswith("\n\nnothing grows: of 2 rows none grows or dominates (all are shown without --grows)\n") and
       "\ncallsite " not in said, "where nothing does, no heads of tables", said)
    scaled = [one_rank(os.path.join(folder, "scaled-%d" % i), ranks,
                       [("Send", 0x10, tenths * 777), ("Recv", 0x20, (10 - tenths) * 777)])
              for i, (ranks, tenths) in enumerate(zip((4, 4, 9, 9, 16, 16, 25), (1, 2, 2, 3, 3, 5, 9)))]
    ok(coefficients(*scaled) == {row["name"]: row["correlation"]["r_s"] for row in got["rows"]},
       "all times by one factor: the same")
    twice = answer("--unique", *paths, paths[2])
    ok({r["name"]: r["correlation"] for r in twice["rows"]} == {r["name"]: r["correlation"] for r in got["rows"]} and
       [n["left_out"] for n in twice["notes"]] == [True], "a run that is given twice counts once with --unique", twice)
    ok(len(answer(*paths, paths[2])["runs"]) == 8, "without, it counts twice")


# ---- what is missing ----

def absent(folder):
    """Wait occurs from 16 ranks on, as in the paper's MG."""
    paths = [one_rank(os.path.join(folder, "late-%d" % n), n,
                      [("Send", 0x10, 1000)] + [("Wait", 0x20, n * 100)] * (n >= 16)) for n in (2, 4, 8, 16, 32, 64)]
    rows = {row["name"]: row for row in answer(*paths)["rows"]}
    wait = rows["Wait:app+0x20"]["correlation"]
    ok((wait["runs"], wait["counts"], wait["r_s"]) == (3, 3, 1), "a callsite of three runs has those", wait)
    rows = {row["name"]: row for row in answer("--absent=zero", *paths)["rows"]}
    wait = rows["Wait:app+0x20"]
    # ranks 2 2 2 4 5 6 beside 1..6: 15.5 / sqrt(17.5 * 15.5)
    ok(wait["correlation"]["runs"] == 6 and abs(wait["correlation"]["r_s"] - (15.5 / 17.5) ** 0.5) < 1e-12,
       "--absent=zero: of six, of which three have nothing", wait)
    rows = answer(*paths[:4])["rows"]
    late = [row for row in rows if row["call"] == "Wait"][0]
    ok(late["correlation"]["undefined"] == "fewer than 3 process counts" and late["correlation"]["r_s"] is None,
       "a callsite of one count: undefined", late)
    text = run(*paths[:4])
    ok("undefined: fewer than 3 process counts" in text.stdout, "which the table says", text.stdout)


# ---- callers ----

def write_wrapper(folder, factors, name):
    """Writes profiles of a routine that sends, called from several places. FACTORS: time of each as a function of N."""
    paths = []
    for n in (2, 4, 8, 16):
        rows = [(NUMBERS["Send"], i, 1, ns, ns, ns) for i, ns in enumerate(int(1e4 * f(n)) for f in factors)]
        rows.append((NUMBERS["Barrier"], len(rows), 1, 50000, 50000, 50000))
        sites = [[(0, 0x500), (0, 0x1000 + 16 * i), (0, 0x9000)] for i in range(len(factors))]
        paths.append(os.path.join(folder, "%s-%d" % (name, n)))
        profiles.write(paths[-1], n, 10**9, lambda rank, rows=rows: rows, sites + [[(0, 0x700), (0, 0x9000)]])
    return paths


def callers(folder):
    paths = write_wrapper(folder, (lambda n: n, lambda n: 20 / n), "wrapper")
    got = coefficients(*paths)
    ok(sorted(got) == ["Barrier:app+0x700", "Send:app+0x500"], "a wrapper is one row", got)
    got = coefficients("--frames=2", *paths)
    ok(len(got) == 3 and "Send:app+0x500 < app+0x1000" in got, "--frames=2: one for each caller", got)
    got = coefficients("--frames=auto", *paths)
    ok(got.get("Send:app+0x500 < app+0x1000") == 1 and got.get("Send:app+0x500 < app+0x1010") == -1 and
       "Barrier:app+0x700" in got and len(got) == 3, "--frames=auto: two of opposite sign, the rest as it was", got)
    paths = write_wrapper(folder, (lambda n: n, lambda n: 1.3 * n), "alike")
    got = coefficients("--frames=auto", *paths)
    ok(sorted(got) == ["Barrier:app+0x700", "Send:app+0x500"], "--frames=auto: callers that are alike stay one", got)
    paths = write_wrapper(folder, (lambda n: n, lambda n: 2.1 * n), "unlike")
    ok(len(coefficients("--frames=auto", *paths)) == 3, "--frames=auto: callers whose shares differ by 2.1")
    got = coefficients("--unit=call", *paths)
    ok(sorted(got) == ["Barrier", "Send"], "--unit=call: a row for each call", got)


# ---- arguments ----

def arguments(folder):
    def runs(*programs):
        return [one_rank(os.path.join(folder, "a-%s-%d" % (len(programs), i)), 2 << i, [("Send", 0x10, 1000 << i)],
                         facts=[("program", program)]) for i, program in enumerate(programs)]
    differ = runs("/x/app 50", "/y/app 50", "/x/app 20")
    notes = answer(*differ)["notes"]
    ok([(n["text"], n["left_out"]) for n in notes] ==
       [("arguments differ, perhaps the problem's size with them: '50' (N = 2), '20' (N = 8)", False)],
       "arguments that differ are named", notes)
    ok("'20' (N = 8)" in run(*differ).stderr, "... as text, too")
    ok(answer("--label=scaling=scaled," + ",".join(differ), *differ)["notes"] == [], "... not of scaled sizes")
    many = runs("app", "app " + "\u00e4" * 30, "app 1", "app 2", "app 1")
    notes = answer(*many)["notes"]
    ok(len(notes) == 1 and notes[0]["text"].endswith(
        "'' (N = 2), '%s...' (N = 4), '1' (N = 8) and 1 more" % ("\u00e4" * 20)), "... three of them", notes)
    ok(answer(*runs("app 1", "app 1", "app 1", "app 1"))["notes"] == [], "the same arguments need no note")


# ---- the command line ----

def refusals(folder):
    """Invalid words, and options that exclude each other, are refused before anything is read."""
    cases = [(["--by=any"], "--by: 'any' is not address or line"), (["--unit=rank"], "--unit: 'rank' is not callsite, call or region"),
             (["--table=all"], "--table: 'all' is not correlation, callsites, aggregate, runs or efficiency"),
             (["--absent=one"], "--absent: 'one' is not omit or zero"),
             (["--representative=slowest"], "--representative: 'slowest' is not median or fastest"),
             (["--export=xml"], "--export: 'xml' is not none, extrap, jsonl or csv"),
             (["--unit=call", "--frames=2"], "--frames needs --unit=callsite"), (["--unit=region", "--by=line"], "--by needs --unit=callsite"),
             (["--json", "--csv"], "--json and --csv exclude each other"), (["--json", "--export=csv"], "--json and --export exclude"),
             (["--table=callsites", "--frames=auto"], "--table=callsites and --frames=auto exclude each other"),
             (["--representative=median"], "--representative needs --table=aggregate or --table=runs"),
             (["--plot=x", "--table=runs"], "--plot needs --table=correlation"), (["--plot=x", "--export=csv"], "--plot and --export exclude"),
             (["--select=x"], "--select needs --plot"), (["--grows", "--table=runs"], "--grows needs --table=correlation"),
             (["--project=8", "--export=jsonl"], "--project and --export exclude")]
    cases += [(["--frames=" + n], "--frames: '%s' is neither auto nor a number from 1 to 64" % n) for n in ("0", "65", "-1", "2x", "none")]
    for wrong, message in cases:
        done = run(*wrong, os.path.join(folder, "no-such-run"))
        ok(done.returncode == 2 and done.stderr.startswith("mpgscale: " + message), "%s: refused" % " ".join(wrong), done.stderr)
    for right in (["--export=none", "--json"], ["--frames=64"], ["--frames=auto"], ["--unit=callsite", "--by=line", "--frames=2"],
                  ["--plot=x", "--table=correlation"], ["--representative=fastest", "--table=runs"]):
        done = run(*right, os.path.join(folder, "no-such-run"))
        ok(done.returncode == 1 and "no-such-run" in done.stderr, "%s: understood" % " ".join(right), done.stderr)
    ok(run().returncode == 2 and "no runs are given" in run().stderr, "no runs")


# ---- labels ----

def labels(folder):
    sites = [("Send", 0x10, 1000), ("Wait", 0x20, 3000)]
    paths = [one_rank(os.path.join(folder, "l-%d" % n), n, [(c, o, t * n) for c, o, t in sites], 10**6 * 8 // n)
             for n in (2, 4, 8)]
    with open(os.path.join(folder, "manifest.tsv"), "w", encoding="utf-8") as out:
        out.write("# of a test\n\nl-2\tscaling=scaled\tsize=10\nl-4\tsize=20\tscaling=scaled\n%s\tscaling=scaled\n" %
                  paths[2])
    got = answer(folder)
    ok([r["labels"].get("size") for r in got["runs"]] == ["10", "20", None] and got["sizes"] == "scaled",
       "a folder with a manifest", got.get("error"))
    for name in (folder, folder + "/"):
        got_size = [r["labels"].get("size") for r in answer("--label=place=here," + name, folder)["runs"]]
        got_place = [r["labels"].get("place") for r in answer("--label=place=here," + name, folder)["runs"]]
        ok(got_size == ["10", "20", None] and got_place == ["here"] * 3, "... is what --label can name", got_place)
    ok(answer("--manifest", os.path.join(folder, "manifest.tsv"))["runs"] == got["runs"], "the manifest by itself")
    done = run(os.path.join(folder, "manifest.tsv"))
    ok(done.returncode == 1 and "a list of runs, not a run: give it by --manifest, or give its folder: left out" in done.stderr,
       "... not in place of a run", done.stderr)
    runs = list(csv.DictReader(io.StringIO(run("--table=runs", "--csv", folder).stdout)))
    times = [int(4000 * n) + 8 * 10**6 // n for n in (2, 4, 8)]
    speedup = [n / 2 * times[0] / t for n, t in zip((2, 4, 8), times)]
    ok(all(abs(float(r["speedup"]) - s) < 1e-12 and abs(float(r["efficiency"]) - s * 2 / int(r["ranks"])) < 1e-12
           for r, s in zip(runs, speedup)), "speedup of scaled sizes", runs)
    fixed = ["--label", "scaling=fixed,%s,%s" % tuple(paths[:2]), "--label=scaling=fixed," + paths[2], *paths]
    runs = list(csv.DictReader(io.StringIO(run("--table=runs", "--csv", *fixed).stdout)))
    ok([abs(float(r["speedup"]) - times[0] / t) < 1e-12 for r, t in zip(runs, times)] == [True] * 3,
       "speedup of fixed ones", runs)
    done = run("--label=scaling=scaled," + paths[0], "--label=scaling=fixed," + paths[1], *paths)
    ok(done.returncode == 1 and "select runs that can be compared" in done.stderr, "sizes of both kinds are not compared", done.stderr)
    done = run("--only=scaling=scaled", "--label=scaling=scaled," + ",".join(paths), *paths, paths[0])
    ok(done.returncode == 0 and "3: 1 of 2" not in done.stdout and "scaled with N" in done.stdout,
       "--only takes some", done.stderr)
    for wrong in ("scaling=big," + paths[0], "size," + paths[0], "size=3", "size=3,nothing"):
        done = run("--label", wrong, *paths)
        ok(done.returncode == 2 and done.stderr.count("\n") == 1, "--label %s..." % wrong[:12], done.stderr)


# ---- exports ----

def exports(folder):
    paths = [one_rank(os.path.join(folder, "x-%d-%d" % (n, i)), n,
                      [("Send", 0x10, 2385 * n + i)] + [("Wait", 0x20, 77)] * (n > 2)) for n in (2, 4, 8) for i in (0, 1)]
    done = run("--export=extrap", *paths)
    text = done.stdout.split("METRIC")[1]
    ok("POINTS ( 2 ) ( 4 ) ( 8 )" in done.stdout and "PARAMETER p" in done.stdout, "Extra-P's text: its points")
    data = [line.split()[1:] for line in text.splitlines() if line.startswith("DATA")]
    ok([[round(1e9 * float(v)) for v in line] for line in data] == [[2385 * n, 2385 * n + 1] for n in (2, 4, 8)] and
       "# without: Wait:app+0x20 (not at 2)" in text, "its data: a line a point, what it cannot have in comments", text)
    lines = [json.loads(line) for line in run("--export=jsonl", *paths).stdout.splitlines()]
    sends = [(line["params"]["p"], round(line["value"] * 1e9)) for line in lines
             if line["callpath"] == "Send:app+0x10" and line["metric"] == "time"]
    ok(sends == [(n, 2385 * n + i) for n in (2, 4, 8) for i in (0, 1)], "its JSON lines: one a run", sends)
    ok(not any("Wait" in line["callpath"] for line in lines), "... without what a count lacks: it would refuse all", lines)
    means = [(line["params"]["p"], line["value"] * 1e9 * line["params"]["p"]) for line in lines
             if line["callpath"] == "Send:app+0x10" and line["metric"] == "time_of_rank"]
    in_text = [line.split()[1:] for line in done.stdout.split("METRIC time_of_rank")[1].split("METRIC")[0].splitlines()
               if line.startswith("DATA")]
    ok([(n, round(t, 6)) for n, t in means] == sends and
       [[round(1e9 * float(v) * n, 6) for v in line] for n, line in zip((2, 4, 8), in_text)] == [list(map(float, d)) for d in
       ([2385 * n, 2385 * n + 1] for n in (2, 4, 8))], "and what a rank takes, of which our models are", means)
    rows = list(csv.DictReader(io.StringIO(run("--export=csv", *paths).stdout)))
    ok(len(rows) == 10 and sum(float(r["time_ns"]) for r in rows) == sum(4770 * n + 1 for n in (2, 4, 8)) + 4 * 77,
       "CSV: one row a run and callsite", rows)


# ---- what is left out ----

def damaged(folder):
    sites = [("Send", 0x10, 1000), ("Wait", 0x20, 3000)]
    good = [one_rank(os.path.join(folder, "g-%d" % n), n, [(c, o, t * n) for c, o, t in sites],
                     facts=(("program", "./app"),)) for n in (2, 4, 8)]
    ok(run(*good).returncode == 0, "three good runs")

    def bad(name, why, path):
        done = run(*good, path)
        ok(done.returncode == 0 and done.stderr.count("\n") == 1 and path in done.stderr and why in done.stderr and
           done.stderr.endswith(": left out\n"), "left out: " + name, done.stderr)
        ok(len(answer(*good, path)["runs"]) == 3, "three runs are left: " + name)

    cut = os.path.join(folder, "cut")
    with open(good[0], "rb") as whole, open(cut, "wb") as out:
        out.write(whole.read()[:-9])
    bad("a file that is cut off", "ends within", cut)
    flipped = os.path.join(folder, "flipped")
    with open(good[0], "rb") as whole, open(flipped, "wb") as out:
        data = bytearray(whole.read())
        data[150] ^= 1
        out.write(data)
    bad("a damaged file", "checksum", flipped)
    missing = os.path.join(folder, "missing")
    with open(missing, "wb") as out:
        out.write(profiles.rank_file(1, 2, 1000, [], []))
    bad("a rank that is not there", "no profile of rank 0", missing)
    bad("another program", "of another program", one_rank(os.path.join(folder, "other"), 16, sites,
                                                          facts=(("program", "/bin/other -x"),)))
    bad("more time in calls than there was", "its calls took", one_rank(os.path.join(folder, "long"), 2, sites, -3900))
    sums = os.path.join(folder, "sums")
    profiles.write(sums, 2, 10**9, lambda rank: [(NUMBERS["Send"], 0, 5, 100, 30, 40)], [[(0, 0x10)]])
    bad("a sum that is none", "5 calls of 30 to 40 ns are no 100 ns", sums)
    died = one_rank(os.path.join(folder, "died"), 2, sites, state=0)
    bad("a run that died", "it died", died)
    empty = os.path.join(folder, "empty")
    with open(empty, "wb"):
        pass
    bad("an empty file", "empty", empty)
    bad("a file that is not there", "No such file", os.path.join(folder, "nowhere"))
    bad("no profile", "neither a profile nor a trace", os.environ.get("MPGSCALE", "/bin/sh"))

    mixed = [one_rank(os.path.join(folder, "m-%s-%d" % (b, i)), n, sites, facts=(("program", "./" + b),))
             for b, counts in (("often", (2, 2, 4, 4)), ("enough", (2, 4, 8))) for i, n in enumerate(counts)]
    done = run("--json", *mixed)
    ok(done.returncode == 0 and done.stderr.count("of another program: ./often, not ./enough") == 4,
       "of two programs the one with process counts enough", done.stderr)
    built = [one_rank(os.path.join(folder, "nas-%d" % n), n, sites, facts=(("program", "bin/bt.2W.%d.x" % n),))
             for n in (2, 4, 16)]
    done = run("--json", *built)
    ok(done.returncode == 0 and len(json.loads(done.stdout)["runs"]) == 3 and
       json.loads(done.stdout)["callsites"] == "line", "programs built for each number of ranks are one, by line",
       done.stderr)
    for name, ranks in (("bt.2W.5.x", 8), ("bt.3W.8.x", 8), ("bt.2W.8", 8), ("bt.2W.80.x", 8), ("bt.2W..x", 8)):
        done = run(*built, one_rank(os.path.join(folder, "nas-other"), ranks, sites, facts=(("program", name),)))
        ok(done.stderr.count("of another program: %s, not bin/bt.2W.2.x" % name) == 1, "... not so %s of %d" % (name, ranks),
           done.stderr)
    extra = [one_rank(os.path.join(folder, "m-more-%d" % n), n, sites, facts=(("program", "./enough"),))
             for n in (16, 32)]
    more = [one_rank(os.path.join(folder, "m-most-%d" % i), n, sites, facts=(("program", "./most"),))
            for i, n in enumerate((2, 2, 4, 4, 8, 8))]
    done = run("--json", *mixed, *extra, *more)
    ok(done.returncode == 0 and done.stderr.count(", not ./most") == 9, "... of several such the one with most runs",
       done.stderr)
    done = run(good[0], good[1])
    ok(done.returncode == 1 and "runs at 2 process counts are left, 3 are needed" in done.stderr, "two counts are few",
       done.stderr)
    done = run(good[0], good[1], cut)
    ok(done.returncode == 1 and done.stderr.count("\n") == 2, "two that are left, too", done.stderr)
    done = run(good[0], good[0])
    ok(done.returncode == 1 and "runs at 1 process count are left" in done.stderr, "one count", done.stderr)
    strange = [one_rank(os.path.join(folder, "s-%d" % n), n, [("Send", 0x1000 * n, 1000)]) for n in (2, 4, 8)]
    done = run(*strange)
    ok(done.returncode == 1 and "no callsite is common" in done.stderr, "nothing in common", done.stderr)
    ok(run("--unit=call", *strange).returncode == 0, "but for the call")
    done = run("--unit=region", *good)
    ok(done.returncode == 1 and "a profile, which has no regions: give traces" in done.stderr, "profiles have no regions", done.stderr)
    done = run("--metric=PAPI_NONE", *good)
    ok(done.returncode == 1 and "no run counted it" in done.stderr, "a counter that was not recorded", done.stderr)
    done = run("--table=callsites", good[0])
    ok(done.returncode == 0, "a table of one run needs one", done.stderr)


def full(folder):
    paths = [os.path.join(folder, "f-%d" % n) for n in (2, 4, 8)]
    for n, path in zip((2, 4, 8), paths):
        rows = [(NUMBERS["Send"], 0, 1, 600, 600, 600), (NUMBERS["Send"], -2, 1, 200 * n, 200 * n, 200 * n),
                (NUMBERS["Recv"], -1, 1, 100, 100, 100)]
        profiles.write(path, n, 10**6, lambda rank, rows=rows: rows, [[(0, 0x10)]])
    done = run("--json", *paths)
    got = {row["name"]: row["correlation"]["r_s"] for row in json.loads(done.stdout)["rows"]}
    ok(got == {"Send:app+0x10": -1, "Send:(other callsites)": 1, "Recv:unknown": -1}, "other callsites are a row", got)
    ok(done.stderr.count("(other callsites)") == 3, "and named", done.stderr)


def builds(folder):
    """If builds of a program have different build ids, addresses cannot be compared; without line numbers only
    functions can."""
    paths = []
    for n, build in ((2, b"one"), (4, b"one"), (8, b"two")):
        paths.append(os.path.join(folder, "b-%d" % n))
        profiles.write(paths[-1], n, 10**6, lambda rank, n=n: [(NUMBERS["Send"], 0, 1, n, n, n),
                                                              (NUMBERS["Recv"], 0, 1, 9, 9, 9)], [[(0, 0x10)]],
                       modules=((build, "/nowhere/app"),))
    ok(answer(*paths)["callsites"] == "line" and len(coefficients(*paths)) == 2, "several builds: by line")
    said = run(*paths).stderr
    ok(said.count("app: the runs have several builds") == 1 and "--debug-path" in said, "without lines: said", said)
    done = run("--json", "--by=address", *paths)
    rows = json.loads(done.stdout)["rows"]
    names = sorted(row["name"] for row in rows)
    ok("--debug-path" not in done.stderr and
       names == ["Recv:app+0x10", "Recv:app+0x10 #2", "Send:app+0x10", "Send:app+0x10 #2"],
       "--by=address: they are not the same", done)


if __name__ == "__main__":
    parts(paper_tables, arithmetic, absent, callers, arguments, refusals, labels, exports, damaged, full, builds)
