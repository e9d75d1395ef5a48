#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpghistory compare (TAP): the change of the predicted run time against intervals by hand, for three answers a side and for two
answers from one trace; exit statuses, TAP, JUnit, JSON; answers that cannot be compared; wrong words, full disks."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from tap import finish, ok, skip

BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
HISTORY, MPGSIM = f"{BUILD}/history/mpghistory", f"{BUILD}/simulate/mpgsim"
TRACE = """#mpgtext 1
#ranks 2
#clocks shared
0 0 100 Init
1 0 100 Init
0 2385 3000 Send to=1 tag=7 bytes=8
1 1000 3500 Recv from=0 tag=7 bytes=8
0 4000 4100 Finalize
1 4000 4100 Finalize
"""


def run(*words, **more):
    return subprocess.run([HISTORY, *words], capture_output=True, text=True, check=False, **more)


def compare(*words, file="h.db"):
    return run("compare", f"--history={file}", *words)


def is_same(name, found, wanted):
    ok(name, found == wanted, f"{found!r} instead of {wanted!r}")


def store(answers, file="h.db"):
    """Makes a history with ANSWERS: median in ms, with its interval in ms; name of the trace; mode; number of ranks."""
    if os.path.exists(file):
        os.unlink(file)
    for number, (median, low, high, trace, mode, ranks) in enumerate(answers, 1):
        with open(trace, "w", encoding="utf-8") as out:
            out.write(TRACE.replace("2385", str(2385 + int("".join(c for c in trace if c.isdigit()) or 0))))
        subprocess.run([MPGSIM, "--json", f"--history={file}", trace], stdout=subprocess.DEVNULL, check=True)
        answer = {"format": "mpgsim-result", "version": 2, "mode": mode, "trace": {"ranks": ranks},
                  "run_time_ns": {"median": median * 1e6, "median_confidence_95": [low and low * 1e6, high and high * 1e6]}}
        with sqlite3.connect(file) as database:
            database.execute("UPDATE runs SET answer = CAST(? AS BLOB) WHERE id = ?", (json.dumps(answer), number))
        database.close()


def verdicts(*words):
    """Exit status, and the first word of each line of a condition."""
    got = compare(*words)
    return got.returncode, [line.split()[0] for line in got.stdout.splitlines() if "fail if" in line]


def three():
    """Means 101 and 111 ms, standard deviations 1: Welch's interval of the difference is 10 -+ 2.7764 sqrt(2 / 3) ms."""
    store([(m, m - 1, m + 1, f"t{i}.txt", "predict", 2) for i, m in enumerate((100, 101, 102, 110, 111, 112))])
    sides = ("1", "2", "3", "--", "4", "5", "6")
    is_same("three a side: a time", verdicts("--fail-if=run > +7.7ms", "--fail-if=run > +7.8ms", "--fail-if=run > +12.3ms", *sides),
            (3, ["failed", "undecided", "passed"]))
    is_same("... a ratio", verdicts("--fail-if=run > +6 %", "--fail-if=run > +10 %", "--fail-if=run > +14 %", *sides),
            (3, ["failed", "undecided", "passed"]))
    is_same("... the other way", verdicts("--fail-if=run < -5 %", "4", "5", "6", "--", "1", "2", "3"), (3, ["failed"]))
    is_same("... a gain that is wanted, and there", verdicts("--fail-if=run > -5 %", "4", "5", "6", "--", "1", "2", "3"),
            (0, ["passed"]))
    is_same("undecided is 0", verdicts("--fail-if=run > +10 %", *sides), (0, ["undecided"]))
    is_same("... with --strict 4", verdicts("--strict", "--fail-if=run > +10 %", *sides), (4, ["undecided"]))
    got = json.loads(compare("--json", "--fail-if=run > +8 ms", *sides).stdout)
    ok("JSON: the answers, the change", [a["id"] for a in got["before"]] == [1, 2, 3] and got["after"][2]["run_ns"] == 112e6 and
       got["after"][2]["trace"] == "t5.txt" and abs(got["change"] - (111 / 101 - 1)) < 1e-12 and
       got["format"] == "mpghistory-compare", got)
    condition = got["conditions"][0]
    half = 2.7764451052 * (2 / 3) ** .5 * 1e6
    ok("... Welch's interval", abs(condition["change_low"] - (10e6 - half)) < 1 and
       abs(condition["change_high"] - (10e6 + half)) < 1 and condition["confidence"] == .95, condition)
    got = compare("--tap", "--fail-if=run > +6 %", "--fail-if=run > +14 %", "--junit=j.xml", *sides)
    ok("TAP", got.returncode == 3 and [line.split(" - ")[0] for line in got.stdout.splitlines() if "ok" in line.split(" - ")[0]] ==
       ["not ok 1", "ok 2"], got.stdout)
    suite = xml.etree.ElementTree.parse("j.xml").getroot()[0]
    ok("JUnit", suite.get("name") == "mpghistory compare" and suite.get("tests") == "2" and suite.get("failures") == "1")
    ok("without a condition: the change", compare(*sides).returncode == 0 and "+9.90 %" in compare(*sides).stdout)
    is_same("two a side: undecided", verdicts("--fail-if=run > +1 %", "1", "2", "--", "4", "5", "6"), (0, ["undecided"]))
    is_same("one recording of each: undecided", verdicts("--fail-if=run > +1 %", "1", "4"), (0, ["undecided"]))
    ok("... why", "one recording of each version" in compare("--fail-if=run > +1 %", "1", "4").stdout)
    ok("one answer three times: undecided", "several answers from one trace" in
       compare("--fail-if=run > +1 %", "1", "1", "1", "--", "4", "5", "6").stdout)
    store([(m, m - 1, m + 1, f"t{i}.txt", "predict", 2) for i, m in enumerate((100, 100, 100, 110, 111, 112))])
    ok("equal run times: undecided", "copies of one recording" in compare("--fail-if=run > +1 %", *sides).stdout)


def two():
    """Medians with intervals of 99 to 102 and 108 to 112 ms, from one trace: +5.882 to +13.131 %."""
    store([(100, 99, 102, "t.txt", "predict", 2), (110, 108, 112, "t.txt", "predict", 2), (110, None, None, "t.txt", "predict", 2)])
    is_same("one trace: the medians' intervals", verdicts("--fail-if=run > +5.8 %", "--fail-if=run > +6 %", "--fail-if=run > +13.2 %",
                                                          "1", "2"), (3, ["failed", "undecided", "passed"]))
    is_same("... as a time", verdicts("--fail-if=run > +5.9ms", "--fail-if=run > +13ms", "1", "--", "2"), (3, ["failed", "passed"]))
    is_same("... no more than 5 % longer, as it is", verdicts("--fail-if=run > +5 %", "1", "1"), (0, ["passed"]))
    ok("... without an interval", "no confidence interval" in compare("--fail-if=run > +5 %", "1", "3").stdout)


def real():
    """mpgsim's own answers: a message of another latency."""
    with open("t.txt", "w", encoding="utf-8") as out:
        out.write(TRACE)
    for latency in "0", "const:1ms":
        subprocess.run([MPGSIM, "--json", f"--latency={latency}", "--history=real.db", "t.txt"], stdout=subprocess.DEVNULL, check=True)
    got = compare("--fail-if=run > +900us", "1", "2", file="real.db")
    ok("mpgsim's answers", got.returncode == 3 and got.stdout.count("predicted run time") == 3, got)


def refused():
    store([(100, 99, 101, "a.txt", "predict", 2), (100, 99, 101, "b.txt", "perturb", 2), (100, 99, 101, "b.txt", "predict", 4)])
    subprocess.run([MPGSIM, "--history=h.db", "a.txt"], stdout=subprocess.DEVNULL, check=True)
    subprocess.run([MPGSIM, "--json", "--sweep=latency=1us,2us", "--history=h.db", "a.txt"], stdout=subprocess.DEVNULL, check=True)
    for name, words, status, message in (
            ("another mode", ("1", "2"), 1, "--predict"), ("another number of ranks", ("1", "3"), 1, "equal numbers of ranks"),
            ("text", ("1", "4"), 1, "mpgsim --json"), ("a sweep", ("1", "5"), 1, "not the answer of a single prediction"),
            ("no such run", ("1", "9"), 1, "no run 9"), ("no number", ("1", "x"), 2, "'x' is not a run number"),
            ("one number", ("1",), 2, "two numbers"), ("nothing after", ("1", "--"), 2, "no number after --"),
            ("another quantity", ("--fail-if=mpi > +5 %", "1", "1"), 2, "the predicted run time"),
            ("a limit without a unit", ("--fail-if=run > +5", "1", "1"), 2, "has a unit"),
            ("TAP without a condition", ("--tap", "1", "1"), 2, "--fail-if"),
            ("JUnit into the history", ("--junit=h.db", "--fail-if=run > 0", "1", "1"), 2, "overwrite")):
        got = compare(*words)
        ok(f"refused: {name}", got.returncode == status and message in got.stderr and got.stderr.count("\n") == 1, got)
    for name, words in ("text", ()), ("JSON", ("--json",)), ("TAP", ("--tap", "--fail-if=run > 0")):
        with open("/dev/full", "w", encoding="utf-8") as full:
            got = subprocess.run([HISTORY, "compare", "--history=h.db", *words, "1", "1"], stdout=full, stderr=subprocess.PIPE,
                                 text=True, check=False)
        ok(f"full disk: {name}", got.returncode == 1 and "No space left" in got.stderr, got)


def main():
    if "without SQLite" in run("list", "--history=none").stderr:
        skip("mpghistory compare", "built without SQLite")
        return finish()
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    os.environ.pop("MPGKIT_HISTORY", None)
    three()
    two()
    real()
    refused()
    os.chdir("/")
    shutil.rmtree(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
