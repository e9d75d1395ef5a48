# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs as text traces, by the generators of tests/oracle, and random machines."""

import contextlib
import io
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import oracle_plans  # noqa: E402
import randomsignature  # noqa: E402
import randomtrace  # noqa: E402
import randomtrace_extras  # noqa: E402
import randomtrace_threads  # noqa: E402

CHOOSING = ("irecv,isend,send,recv,waitany,waitsome,testany,testsome,fail,fail,test,free,pair,"
            "persistent,waitall,collective")
KINDS = [None, None, None, None,
         "send,pair,isend,recv,irecv,sendrecv,wait,waitall,waitany,testsome",
         CHOOSING, CHOOSING, CHOOSING,
         "collective,icollective,wait,waitall,promise", "sendrecv,collective",
         "persistent,partitions,wait,test,fail,neighbors",
         "window,send,irecv,waitall,see,split,mprobe,mrecv,probe"]
PARTS = ["network", "noise", "network,collectives", "noise,network,collectives"]


def output_of(module, words, text=""):
    """Returns what a generator prints with arguments WORDS and standard input TEXT."""
    kept = sys.argv, sys.stdin
    out = io.StringIO()
    sys.argv, sys.stdin = [module.__name__, *words], io.StringIO(text)
    try:
        with contextlib.redirect_stdout(out):
            module.main()
    finally:
        sys.argv, sys.stdin = kept
    return out.getvalue()


def program(draw, ranks=9, steps=60, clocks=("shared", "offsets", "unknown"), tracer=True,
            cpu=True, threads=True, kinds=None):
    """Returns a program's text, and whether every send may wait for its receiver. DRAW: a random.Random; the other
    arguments limit the program."""
    words = ["--seed", str(draw.randrange(1 << 30)), "--ranks", str(draw.randint(1, ranks)),
             "--steps", str(draw.randint(1, steps)), "--hosts", draw.choice("1123"),
             "--clocks", draw.choice(clocks)]
    kinds = kinds or draw.choice(KINDS)
    words += ["--kinds", kinds] if kinds else []
    safe = draw.random() < 0.4
    text = output_of(randomtrace, words + ["--all-synchronous-safe"] * safe)
    words = ["--seed", words[1], "--sites", draw.choice("0123")]
    words += ["--tracer"] * (tracer and draw.random() < 0.3)
    words += ["--polls"] * (draw.random() < 0.3)
    words += ["--cpu", draw.choice(["some", "all"])] if cpu and draw.random() < 0.2 else []
    text = output_of(randomtrace_extras, words, text)
    if threads and draw.random() < 0.2:
        text = output_of(randomtrace_threads, ["--seed", words[1]], text)
    return text, safe


def machine(draw, messages=False):
    """Returns a signature's text; with MESSAGES all its paths have times of messages."""
    parts = draw.choice([part for part in PARTS if not messages or "network" in part])
    while True:
        text = randomsignature.make(draw.randrange(1 << 30), draw.choice([3, 4, 4, 4]),
                                    parts.split(","))
        paths = json.loads(text).get("network", [])
        if not messages or all({"latency", "bandwidth"} & set(path) for path in paths):
            return text


# --- tables of collectives (mpgcollectives(5)) -----------------------------

OPTIONS = {"knomial": ["knomial radix=3", "knomial radix=5"], "chain": ["chain", "chain segment=1000"],
           "binary": ["binary", "binary"]}
ALGORITHMS = {operation: [row for name in names for row in OPTIONS.get(name, [name])]
              for operation, names in oracle_plans.LISTED.items()}


def collective_table(draw):
    """Returns a table of collective algorithms, with rows for most operations."""
    lines = ["#mpgcollectives 1"]
    for operation, algorithms in ALGORITHMS.items():
        if draw.random() < 0.8:
            for processes, size in ((2, 0), (2, 1000), (5, 0)):
                if (processes, size) == (2, 0) or draw.random() < 0.6:
                    lines.append(f"{operation} {processes} {size} {draw.choice(algorithms)}")
    return "\n".join(lines) + "\n"
