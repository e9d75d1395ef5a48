#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpghistory keep, health, signature (TAP): made-up signatures over months: no change, a slower and a noisier machine, too few
signatures, several hosts; how often a machine without a change is called worse; wrong input, full disks, another locale."""

import json
import math
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from tap import finish, ok, skip

SOURCE = os.path.abspath(os.environ.get("top_srcdir", "."))
BUILD = os.path.abspath(os.environ.get("top_builddir", "."))
HISTORY = f"{BUILD}/history/mpghistory"


def run(*words, **more):
    return subprocess.run([HISTORY, *words], capture_output=True, text=True, check=False, **more)


def is_same(name, found, wanted):
    ok(name, found == wanted, f"{found!r} instead of {wanted!r}")


def original():
    """A made-up signature of tests/signature/signatures.sh: two cores of noise, messages in a node, computation."""
    text = subprocess.run(["bash", "-c", f". {SOURCE}/tests/signature/signatures.sh; without='collectives reductions' "
                           "launch='310 312 311 309' signature"], capture_output=True, text=True, check=True).stdout
    found = json.loads(text)
    found["network"] = found["network"][:1]
    return found


def scale(distribution, factor):
    for key in ("mean", "sd"):
        distribution[key] *= factor
    distribution["quantiles"] = [value * factor for value in distribution["quantiles"]]


def distributions(value):
    """All distributions of messages below VALUE."""
    if isinstance(value, dict):
        if "quantiles" in value:
            yield value
            return
        value = value.values()
    if not isinstance(value, (str, int, float, type(None), bool)):
        for part in value:
            yield from distributions(part)


def measure(path, day, source, messages=1.0, spread=0.0, chance=None, host="vm", kernel="6.1"):
    """A measurement: messages take MESSAGES times as long, each with a factor of its own of SPREAD."""
    made = json.loads(source)
    made["header"].update(host=host, date=f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}T10:00:00Z", kernel=kernel)
    chance = chance or random.Random(day)
    common = messages * math.exp(chance.gauss(0, spread))
    for path_class in made["network"]:
        for launch in path_class.get("launches", []):
            if isinstance(launch, dict) and "median_ns" in launch:
                launch["median_ns"] *= common
    for d in distributions(made["network"]):
        d.pop("fits", None)
        scale(d, common)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(made, file)
    return path


def verdicts(history, *words):
    return {host["host"]: host for host in json.loads(run("health", "--json", "--history", history, *words).stdout)["hosts"]}


def test_verdicts(source):
    steady = [measure(f"s{i}.sig", 28 * i, source, spread=0.02) for i in range(5)]
    first = run("keep", "--history=h.db", *steady[:2])
    is_same("keep", (first.returncode, first.stdout.splitlines()[1], first.stderr), (0, "signature 2: vm, 2026-02-01T10:00:00Z", ""))
    measure("slow.sig", 150, source, messages=1.5, kernel="6.2")
    shutil.copy("h.db", "few.db")
    run("keep", "--history=few.db", "slow.sig")
    done = run("health", "--check", "--history=few.db")
    ok("two signatures before: undecided", done.returncode == 0 and "undecided: the machine's own variation is not known; measure it by "
       "3 signatures before the last (now 2)" in done.stdout, done.stdout)
    is_same("... in JSON, too", verdicts("few.db")["vm"]["verdict"], "undecided")
    run("keep", "--history=h.db", *steady[2:])
    done = run("health", "--check", "--history=h.db")
    ok("a steady machine: no evidence", done.returncode == 0 and "no evidence that the last signature is slower or noisier than at first, "
       "beyond 5 % and the machine's own variation (measured by the first 4 signatures)" in done.stdout, done.stdout)
    is_same("... each signature is a row", [line.split()[0] for line in done.stdout.splitlines()[-5:]], ["1", "2", "3", "4", "5"])
    steady_host = verdicts("h.db")["vm"]
    ok("... the smallest visible change is told", 1.05 < steady_host["smallest_visible_speed"] < 1.3 and
       f"  visible     changes of at least x{steady_host['smallest_visible_speed']:.3g} in times and rates, x" in done.stdout, done.stdout)
    run("keep", "--history=h.db", "slow.sig")
    done = run("health", "--check", "--history=h.db")
    ok("messages take 1.5 times as long: SLOWER", done.returncode == 3 and "\nSLOWER than at first" in done.stdout and
       "parameters, most: node: " in done.stdout, done.stdout)
    last = done.stdout.splitlines()[-1].split()
    ok("... the row counts them, and names the new kernel", int(last[3]) > 3 and last[-1] == "kernel", done.stdout)
    ok("... as do the changes since the first", "\n  changed     since the first signature: kernel\n" in done.stdout, done.stdout)
    found = verdicts("h.db")["vm"]
    ratios = [p for p in found["parameters"] if p["name"] == "node: one way, 8 B, median"]
    ok("... the interval holds 1.5", found["verdict"] == "worse" and ratios and ratios[0]["change"] == "slower" and
       ratios[0]["ratio_low"] < 1.5 < ratios[0]["ratio_high"], f"{ratios}")
    is_same("... --tolerance 90% calls it equal", run("health", "--check", "--tolerance=90%", "--history=h.db").returncode, 0)
    disturbed = json.loads(source)
    disturbed["checks"] = {"made": 24, "failed": [{"check": "other load", "found": "others used a core", "remedy": "measure alone"}]}
    shutil.copy("h.db", "disturbed.db")
    run("keep", "--history=disturbed.db", measure("disturbed.sig", 160, json.dumps(disturbed), messages=1.5))
    done = run("health", "--history=disturbed.db")
    ok("a disturbed measurement", "\n  quality     of the last signature: 1 of 24 checks failed: other load\n" in done.stdout, done.stdout)
    run("keep", "--history=h.db", measure("fast.sig", 170, source, messages=0.5))
    done = run("health", "--check", "--history=h.db")
    ok("half the time is no harm", done.returncode == 0 and "\n  faster" in done.stdout, done.stdout)
    noisy = json.loads(source)
    for d in distributions(noisy["noise"]):
        scale(d, 8)
    run("keep", "--history=h.db", measure("noisy.sig", 180, json.dumps(noisy)))
    found = verdicts("h.db")["vm"]
    ok("eight times the lost time: noisier", found["verdict"] == "worse" and
       {p["change"] for p in found["parameters"]} == {"noisier"}, f"{found['parameters']}")
    ok("... in capitals", "\nNOISIER than at first" in run("health", "--history=h.db").stdout)
    run("keep", "--history=h.db", measure("b.sig", 3, source, host="b\u202ec"))
    hosts = verdicts("h.db")
    is_same("hosts are apart", [(name, len(host["signatures"])) for name, host in sorted(hosts.items())], [("b\\u202ec", 1), ("vm", 8)])
    is_same("--host", list(verdicts("h.db", "--host=vm")), ["vm"])
    ok("names are printable", "\u202e" not in run("health", "--history=h.db").stdout)


def test_files():
    done = run("signature", "--history=h.db", "6", "-o", "again.sig")
    with open("again.sig", "rb") as a, open("slow.sig", "rb") as b:
        ok("signature: the same bytes", done.returncode == 0 and a.read() == b.read(), done.stderr)
    done = run("keep", "--history=h.db", "slow.sig")
    is_same("a signature is kept once", (done.returncode, done.stderr), (1, "mpghistory keep: h.db: slow.sig is kept already\n"))
    shutil.copy("few.db", "more.db")
    done = run("keep", "--history=more.db", "slow.sig", "fast.sig")
    is_same("... which does not keep the next one out", (done.returncode, done.stdout.split(":")[0], done.stderr.count("kept already")),
            (1, "signature 4", 1))
    with sqlite3.connect("h.db") as db:
        is_same("the database is of version 2", db.execute("PRAGMA user_version").fetchone(), (2,))
    simulator = os.environ.get("MPGSIM", f"{BUILD}/simulate/mpgsim")
    with open("t.txt", "w", encoding="utf-8") as file:
        file.write("#mpgtext 1\n#ranks 1\n0 0 1000 Init\n0 2000 2010 Finalize\n")
    if not os.access(simulator, os.X_OK):
        skip("answers and signatures in one history", "no mpgsim")
        return
    subprocess.run([simulator, "--latency=1us", "--history=runs.db", "t.txt"], capture_output=True, check=False)
    with sqlite3.connect("runs.db") as db:
        is_same("a history of answers is of version 1", db.execute("PRAGMA user_version").fetchone(), (1,))
    ok("... without signatures", "no signature" in run("health", "--history=runs.db").stderr)
    run("keep", "--history=runs.db", "slow.sig")
    subprocess.run([simulator, "--latency=2us", "--history=runs.db", "t.txt"], capture_output=True, check=False)
    is_same("... and with one, lists both answers", run("list", "--history=runs.db").stdout.count("mpgsim --latency"), 2)
    ok("... and the signature", "one signature" in run("health", "--history=runs.db").stdout)


def test_rate(source):
    """Machines without a change whose measurements differ by 10 %: at most 5 % are called worse. One that became 3 times as slow is."""
    chance = random.Random(2385)
    trials, worse = 40, 0
    for trial in range(trials + 1):
        names = [measure(f"r{i}.sig", 28 * i, source, spread=0.1, chance=chance, messages=3 if trial == trials and i == 5 else 1)
                 for i in range(6)]
        if os.path.exists("r.db"):
            os.remove("r.db")
        run("keep", "--history=r.db", *names)
        status = run("health", "--check", "--history=r.db").returncode
        if trial < trials:
            worse += status != 0
    ok(f"no change: {worse} of {trials} machines are called worse", worse <= 5, worse)
    is_same("three times as slow", status, 3)


def test_errors(source):
    with open("text.sig", "w", encoding="utf-8") as file:
        file.write("hello\n")
    undated = json.loads(source)
    del undated["header"]["date"]
    with open("undated.sig", "w", encoding="utf-8") as file:
        json.dump(undated, file)
    for status, text, *words in (
            (1, "text, not a signature", "keep", "--history=e.db", "text.sig"), (1, "No such file", "keep", "--history=e.db", "none.sig"),
            (1, "no date", "keep", "--history=e.db", "undated.sig"), (2, "no history file", "health"),
            (2, "missing", "keep", "--history=e.db"), (1, "cannot be opened", "health", "--history=none.db"),
            (1, "no signature of nobody", "health", "--history=h.db", "--host=nobody"), (1, "no signature 99", "signature", "--history=h.db", "99"),
            (2, "is not a number of a signature", "signature", "--history=h.db", "x"), (2, "baseline", "health", "--history=h.db", "--baseline=2"),
            (1, "not a history", "health", "--history=text.sig"), (1, "h.db", "signature", "--history=h.db", "1", "-o", "h.db"),
            (1, "", "keep", "--history=/no/h.db", "slow.sig"), (2, "did you mean health?", "heatlh"),
            (1, "", "signature", "--history=h.db", "1", "-o", "/dev/full")):
        done = run(*words, env={k: v for k, v in os.environ.items() if k != "MPGKIT_HISTORY"})
        ok(" ".join(words), done.returncode == status and not done.stdout and done.stderr.count("\n") == 1 and text in done.stderr,
           f"{done.returncode} {done.stderr!r}")
    ok("no history was made", not os.path.exists("e.db"))
    for words in (["health", "--check"], ["health", "--json"], ["signature", "1"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([HISTORY, *words, "--history=h.db"], stdout=full, stderr=subprocess.PIPE, check=False)
        is_same(f"{' '.join(words)}: a full disk", (done.returncode, done.stderr.count(b"\n")), (1, 1))
    with sqlite3.connect("h.db") as db:
        db.execute("UPDATE signatures SET signature = 'hello' WHERE id = 1")
    done = run("health", "--history=h.db")
    ok("a damaged signature", done.returncode == 1 and done.stderr.count("\n") == 1 and "signature 1" in done.stderr, done.stderr)


def test_plot(source):
    if not shutil.which(os.environ.get("MPGKIT_GNUPLOT", "gnuplot")):
        skip("the drift is drawn", "no gnuplot")
        return
    run("keep", "--history=one.db", "slow.sig")
    done = run("health", "--history=one.db", "--check", "--plot=none")
    ok("one signature: nothing is drawn, which is no failure", done.returncode == 0 and "one signature" in done.stdout and
       done.stderr.count("\n") == 1 and "nothing drawn" in done.stderr and not os.path.exists("none"), f"{done}")
    done = run("health", "--history=h.db", "--plot=plots")
    is_same("the drift is drawn, of hosts with two signatures", (done.returncode, sorted(os.listdir("plots"))),
            (0, ["health-vm.png", "health-vm.svg"]))
    with open("plots/health-vm.svg", encoding="utf-8") as file:
        svg = file.read()
    ok("... with dates and parameters", "2026-03-01" in svg and "node: one way" in svg and svg.count("</svg>") == 1, svg[:300])


    for i in range(4):
        measure("day.sig", 0, source, spread=0.02, chance=random.Random(i))
        with open("day.sig", encoding="utf-8") as file:
            text = file.read()
        with open("day.sig", "w", encoding="utf-8") as file:
            file.write(text.replace("T10:00:00Z", f"T{10 + i}:00:00Z").replace('"vm"', '"day"'))
        run("keep", "--history=day.db", "day.sig")
    done = run("health", "--history=day.db", "--plot=plots")
    with open("plots/health-day.svg", encoding="utf-8") as file:
        svg = file.read()
    ok("signatures of one day: the axis has hours", done.returncode == 0 and "01-01 11:00" in svg and ">2026-01-01<" not in svg, svg[:300])


def test_locale():
    before = run("health", "--json", "--history=h.db").stdout
    after = run("health", "--json", "--history=h.db", env=dict(os.environ, LC_ALL="de_DE.UTF-8")).stdout
    is_same("another locale changes nothing", after, before)


def main():
    if "without SQLite" in run("list", "--history=none").stderr:
        print("1..0 # SKIP built without SQLite")
        return 0
    os.environ.pop("MPGKIT_HISTORY", None)
    source = json.dumps(original())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        test_verdicts(source)
        test_files()
        test_plot(source)
        test_locale()
        test_rate(source)
        test_errors(source)
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
