#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the previous version (TAP): each still has the effect of the current words, and prints a line that names
these; --help, --completion and stored runs have the current words only."""

import os
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "oracle")]
sys.dont_write_bytecode = True
from tap import finish, ok  # noqa: E402
from scripts import made  # noqa: E402
from words import RENAMED  # noqa: E402

MPGSIM = os.environ["MPGSIM"]
SIGNATURE = ["--signature=one.sig"]
TARGET = ["--target=ideal", "--target=work=wall"]
PREDICT = ["--predict", "--latency=const:2385ns"]
DROP = ["--hypothesis=drop", "--latency=const:1us"]
# Old words with a value, or none, and what else they need.
CASES = {"blocking-get": ("", TARGET), "byte-model=": ("fit", SIGNATURE), "call-edges=paper": ("", ["--call-noise=exp:1us"]),
         "call-edges=own": ("", ["--call-noise=exp:1us", "--absorb=none", "--eager-limit=-1"]), "carried=none": ("", DROP),
         "collective-table=": ("own.collectives", ["--collectives=expand", "--latency=const:1us"]), "cosched=": ("job", SIGNATURE),
         "critical-path": ("", PREDICT), "deterministic": ("", ["--latency=exp:1us"]), "engine=": ("events", TARGET),
         "first-replica=": ("3", ["--noise=exp:1us", "--replicas=2"]), "floors=": ("fresh", ["--noise=exp:1us"]),
         "ideal": ("", ["--target=work=wall"]), "keep-tracer": ("", SIGNATURE), "latency-model=": ("fit", SIGNATURE),
         "measurement=": ("fixed", SIGNATURE), "noise-model=": ("renewal", SIGNATURE),
         "parameter=": ("ByteTransferTime=2ns", TARGET), "path=": ("node", SIGNATURE), "polling-interval=": ("3us", PREDICT),
         "segments=": ("2", [*PREDICT, "--where=path"]), "source-byte=": ("0.5ns", ["--latency=const:1us"]),
         "source-eager-limit=": ("100", ["--latency=const:1us"]), "source-latency=": ("650ns", ["--latency=const:1us"]),
         "source-map=": ("block:2", SIGNATURE), "suppose=": ("drop", ["--latency=const:1us"]),
         "sync-reduce": ("", ["--noise=exp:1us"]), "timeline-calls=": ("1-5", ["--noise=exp:1us", "--timeline=timeline"]),
         "timeline-ranks=": ("0,2", ["--noise=exp:1us", "--timeline=timeline"]), "waits-by=": ("rank", ["--waits", "--noise=exp:1us"]),
         "target=engine=lanes": ("", ["--target=ideal", "--target=BarrierAlgorithm=rounds", "--target=Policy=offload"]),
         "wall": ("", ["--target=ideal"]), "without=carried": ("", DROP)}


def run(*words):
    done = subprocess.run([MPGSIM, "--json", *words, "t.txt"], capture_output=True, check=False, text=True,
                          env={**os.environ, "MPGKIT_HISTORY": ""})
    return done.returncode, done.stdout, done.stderr


def printed(*words):
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout


def check_words():
    names = [old[2:] for old, _ in RENAMED]
    ok("each old word is tried", sorted(names) == sorted(CASES), set(names) ^ set(CASES))
    texts = {option: printed(MPGSIM, option) for option in ("--help=all", "--completion")}
    for old, new in RENAMED:
        value, others = CASES[old[2:]]
        status, out, said = run(*others, new + value)
        ok(f"{new}{value} is an answer of its own", status == 0 and not said, (status, said))
        again = run(*others, old + value)
        line = f"mpgsim: {old}{value} is now called {new}{value}\n"
        ok(f"{old}{value} is the same, with a line", again == (status, out, line), (again[0], again[2], again[1] == out))
        kept = new.startswith(old.partition("=")[0] + "=")  # a word of an option that keeps its name
        for option, text in texts.items():
            name = old.rpartition("=")[2] if kept else old.partition("=")[0]
            ok(f"{option} has no {name}", not any(word.rstrip("=[],;:.") == name for word in text.replace("\t", " ").split()))
    ok("what is the default", run(*DROP, "--carried=shown") == (*run(*DROP)[:2], "mpgsim: --carried=shown is obsolete and has no effect\n"))
    old, new = run(*DROP, "--without=choice,carried,rows"), run(*DROP, "--without=choice,weak-progress,rows")
    ok("an old word in a list", old == (*new[:2], "mpgsim: --without=choice,carried,rows is now called --without=choice,weak-progress,rows\n"), old)
    ok("an old word of an old option", run(*TARGET[:1], *CASES["target=engine=lanes"][1][1:], "--engine=lanes")[:2] ==
       run(*CASES["target=engine=lanes"][1], "--target=engine=graph")[:2])
    words = ["--where=path", "--critical-path"]
    ok("a word twice, once as before", run(*PREDICT, *words)[0] == 2)
    status, _, said = run("--call-edges=both", "--call-noise=exp:1us")
    ok("a value that an old word never had", status == 2 and "--call-edges=both is not understood" in said, said)
    status, out, _ = run("--source-latency", "650ns", "--latency=const:1us")
    ok("a value in the next word", (status, out) == run("--source=latency=650ns", "--latency=const:1us")[:2])
    ok("several keys in one word", run("--source=latency=650ns,byte=0.5ns,eager-limit=100", "--latency=const:1us")[1] ==
       run("--source-latency=650ns", "--source-byte=0.5ns", "--source-eager-limit=100", "--latency=const:1us")[1])


def check_history(mpghistory):
    """Stored runs with old words can be compared with those with current words."""
    if "without SQLite" in subprocess.run([mpghistory, "list", "--history=none"], capture_output=True, check=False, text=True).stderr:
        return
    for option in ("--source-latency=650ns", "--source=latency=650ns"):
        done = subprocess.run([MPGSIM, "--noise=exp:1us", option, "--history=h.db", "t.txt"], capture_output=True, check=False)
        ok(f"kept: {option}", done.returncode == 0, done.stderr)
    database = sqlite3.connect("h.db")
    database.execute("UPDATE arguments SET text = '--source-latency=650ns' WHERE run = 1 AND text LIKE '--source%'")
    database.commit()
    database.close()
    text = printed(mpghistory, "show", "--json", "--history=h.db", "1")
    ok("a run of before is shown with the words of now", "--source=latency=650ns" in text and "--source-latency" not in text, text[:300])
    text = printed(mpghistory, "diff", "--json", "--history=h.db", "1", "2")
    ok("... and differs in no word", '"arguments_only_first": []' in text and '"arguments_only_second": []' in text, text[:300])
    done = subprocess.run([mpghistory, "rerun", "--history=h.db", "1"], capture_output=True, check=False)
    ok("... and runs again, without a line", done.returncode == 0 and not done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("t.txt", "w", encoding="ascii") as file:
            file.write(made("randomtrace.py", "--seed", "3", "--ranks", "4", "--steps", "60", "--clocks", "shared", "--hosts", "2",
                            "--all-synchronous-safe"))
        with open("one.sig", "w", encoding="ascii") as file:
            file.write(made("randomsignature.py", "--seed", "5", "--version", "4", "--parts", "network,noise,collectives,compute"))
        with open("own.collectives", "w", encoding="ascii") as file:
            file.write("#mpgcollectives 1\nbarrier 1 0 linear\n")
        check_words()
        check_history(os.path.join(os.environ["top_builddir"], "history", "mpghistory"))
        os.chdir("/")
    sys.exit(finish())


if __name__ == "__main__":
    main()
