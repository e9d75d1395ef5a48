#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgkit.py (TAP): each function compared with the program's own output or by hand; errors; the example that plots. The
environment variables MPGTRACE and MPGSIM name the programs, top_srcdir the sources."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import finish, ok, skip

SOURCE = os.path.abspath(os.environ.get("top_srcdir", "."))
sys.path.insert(0, os.path.join(SOURCE, "python"))
sys.dont_write_bytecode = True
import mpgkit  # noqa: E402

TRACE = os.path.join(SOURCE, "examples/silas/waitany.txt")
BALANCED = os.path.join(SOURCE, "examples/silas/balanced.txt")
SIGNATURE = os.path.join(SOURCE, "results/reference/reference.sig")


def refused(name, text, function, *arguments, **options):
    try:
        function(*arguments, **options)
        ok(name, False, "no error")
    except mpgkit.Error as error:
        ok(name, text in str(error) and "\n" not in str(error), str(error))


def test_tables(folder):
    events = mpgkit.events(TRACE)
    with open(TRACE, encoding="utf-8") as file:
        lines = [line.split()[:3] for line in file if not line.startswith("#")]
    ok("events: all of them, times as numbers", sorted([e["rank"], e["begin_ns"], e["end_ns"]] for e in events) ==
       sorted([int(w) for w in line] for line in lines))
    ok("... names, lists, truths and nothing", [events[i][k] for i, k in ((5, "requests"), (5, "done"), (5, "peer"), (2, "region"))]
       == [[3], None, 3, "foo"], repr(events[5]))
    ok("... one at a time", list(mpgkit.iter_events(TRACE)) == events.rows)
    stat = mpgkit.stat(TRACE, by="region")
    ok("stat by region", [(r["region"], r["time_ns"]) for r in stat] == [("foo", 120e6), ("bar", 89997000)], repr(stat))
    ok("... by rank, and the whole answer", len(mpgkit.stat(TRACE, by="rank")) == 4 and stat.answer["run_ns"] == 134e6)
    waits = mpgkit.waits(TRACE, by="rank")
    ok("waits by rank", waits["rank"] == [0, 1, 2, 3] and waits["wait_ns"][0] == 69997000, repr(waits))
    path = mpgkit.critical_path(TRACE, by="rank")
    ok("critical path by rank", path["time_ns"] == [6001000, 127999000] and path.answer["run_ns"] == 134e6, repr(path))
    ok("... segments", len(mpgkit.critical_path(TRACE, by="segment", segments=2)) == 2)
    ok("... delay causes", mpgkit.critical_path(TRACE, by="delay")[0]["rank"] == 1)
    changes = mpgkit.compare(TRACE, BALANCED)
    ok("compare", changes[0]["kind"] == "run_time" and changes[0]["change"] == -10e6, repr(changes))
    ok("... several", mpgkit.compare([TRACE, TRACE], [BALANCED, BALANCED]).answer["chance_known"])
    efficiency = mpgkit.efficiency(TRACE)
    ok("efficiency", len(efficiency) == 1 and 0.7 < efficiency[0]["parallel"] < 0.8, repr(efficiency))
    regions = mpgkit.efficiency(TRACE, by="region")
    ok("... by region", [r["region"] for r in regions].count("foo") == 1 and
       all(0 < r["parallel"] <= 1 for r in regions if r["region"] == "foo"), repr(regions))
    # Iteration i of rank r computes 1000 (i + 1) (r + 1) ns before a barrier of 100 ns.
    lines, at = ["#mpgtext 1", "#ranks 2", "#clocks shared", "#comm 0 = 0 1", "#site 0 = ?+0x10", "0 0 0 Init", "1 0 0 Init"], 0
    for i in range(8):
        at += 2000 * (i + 1)
        lines += [f"0 {at - 1000 * (i + 1)} {at + 100} Barrier comm=0 site=0", f"1 {at} {at + 100} Barrier comm=0 site=0"]
        at += 100
    lines += [f"{r} {at} {at} Finalize" for r in (0, 1)]
    with open(os.path.join(folder, "loop.txt"), "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")
    rows = [r for r in mpgkit.efficiency(os.path.join(folder, "loop.txt"), by="iteration") if r["part"] == "successive"]
    ok("... by iteration", [r["max_compute_ns"] for r in rows][1:] == [2000 * (i + 1) for i in range(1, 8)] and
       [r["mean_compute_ns"] for r in rows][1:] == [1500 * (i + 1) for i in range(1, 8)], repr(rows))
    ok("a slice, and the text of a table", len(events[:3]) == 3 and repr(events[:3]).splitlines()[0].startswith("rank  thread"))
    ok("... of a long one", repr(mpgkit.Table(["a"], [{"a": i} for i in range(30)])).endswith("... and 10 more"))


def test_answers():
    answer = mpgkit.predict(TRACE, SIGNATURE, replicas=5, cache="fresh")
    ok("predict", len(answer["replicas"]) == 5 and answer["run_time_ns"]["median"] > 0)
    ok("signature", mpgkit.signature(SIGNATURE)["header"]["host"] is not None)
    ok("options", mpgkit._options({"debug_path": "d", "lenient": True, "all": False, "x": None, "hypothesis": ["a", "b"]}) ==
       ["--debug-path=d", "--lenient", "--hypothesis=a", "--hypothesis=b"])


def test_errors(folder):
    refused("the program's line", "none.txt: No such file", mpgkit.events, os.path.join(folder, "none.txt"))
    refused("... one event at a time", "none.txt: No such file", lambda: list(mpgkit.iter_events("none.txt")))
    refused("a wrong option", "no-such", mpgkit.waits, TRACE, no_such=True)
    refused("a wrong table", "by is one of", mpgkit.stat, TRACE, by="day")
    refused("... of the path", "by is one of", mpgkit.critical_path, TRACE, by="day")
    refused("no signature", "none.sig", mpgkit.signature, "none.sig")
    mpgkit.BINARIES = folder
    refused("no program", "mpgtrace: cannot be run: No such file", mpgkit.events, TRACE)
    mpgkit.BINARIES = None
    try:
        import pandas  # noqa: F401
        ok("to_pandas", list(mpgkit.stat(TRACE).to_pandas()["calls"]) == mpgkit.stat(TRACE)["calls"])
    except ImportError:
        refused("to_pandas without pandas", "needs pandas", mpgkit.stat(TRACE).to_pandas)


def test_example(folder):
    if not shutil.which(os.environ.get("MPGKIT_GNUPLOT", "gnuplot")):
        skip("examples/notebook.py", "no gnuplot")
        return
    command = [sys.executable, "-B", os.path.join(SOURCE, "examples/notebook.py"), TRACE, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    ok("examples/notebook.py", done.returncode == 0 and "run time 134.0 ms" in done.stdout, done.stdout + done.stderr)
    for name in ("path.svg", "ranks.svg"):
        path = os.path.join(folder, name)
        ok(f"... draws {name}", os.path.exists(path) and os.path.getsize(path) > 1000 and
           "</svg>" in open(path, encoding="utf-8").read())
    done = subprocess.run(command[:-2] + ["none.txt"], capture_output=True, text=True, check=False)
    ok("... has one line for an error", done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_tables(folder)
        test_answers()
        test_errors(folder)
        test_example(folder)
    ok("the module says what it has", json.dumps(sorted(mpgkit.__all__)) and all(hasattr(mpgkit, n) for n in mpgkit.__all__))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
