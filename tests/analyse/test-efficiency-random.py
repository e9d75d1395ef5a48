#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace efficiency on random programs (TAP): the ideal run, and each rank's computation and polling, compared with
mpgsim --target=ideal, which shares no code with it; the parts by region and by time add up. MPGTRACE and MPGSIM name
the programs, EFFICIENCY_SEEDS how many programs are compared (default 60)."""

import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import finish, ok  # noqa: E402

ORACLE = os.path.join(HERE, "..", "oracle")
MPGSIM, MPGTRACE = os.environ["MPGSIM"], os.environ["MPGTRACE"]
SEEDS = int(os.environ.get("EFFICIENCY_SEEDS", "60"))


def make(seed, path):
    """Writes a random program as text: every fourth one with threads, every third one with time off the CPU."""
    draw = random.Random(f"efficiency {seed}")
    commands = [["randomtrace.py", "--ranks", str(draw.randint(1, 9)), "--steps", str(draw.choice([20, 100, 200])), "--clocks",
                 draw.choice(["shared", "unknown"]), "--all-synchronous-safe"], ["randomtrace_extras.py", "--sites", "2"]]
    if seed % 4 == 1:
        commands.append(["randomtrace_threads.py"])
    if seed % 2 == 1:
        commands.append(["randomtrace_regions.py"])
    if seed % 3 == 1:
        commands.append(["randomtrace_off.py"])
    made = b""
    for script, *rest in commands:
        made = subprocess.run([sys.executable, os.path.join(ORACLE, script), "--seed", str(seed), *rest], input=made, check=True,
                              stdout=subprocess.PIPE).stdout
    with open(path, "wb") as file:
        file.write(made)
    return draw.choice([[], ["--eager-limit=100"], ["--eager-limit=-1"]])


def answer(*words):
    """Returns the JSON that a program writes, or its error message."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def check_parts(path, words, whole, seed):
    """Checks that parts add up to the whole. Parts by region may differ by a ns for each mark, because the tracer's
    overhead is rounded."""
    bad = []
    for by in ("region", "time"):
        parts = answer(MPGTRACE, "efficiency", "--json", f"--by={by}", *words, path)
        for rank, one in enumerate(whole["rank_table"]):
            found = sum(row["compute_ns"][rank] for row in parts["traces"][0]["rows"])
            if abs(found - one["compute_ns"]) > (1e-6 if by == "time" else 0.5):
                bad.append(f"seed {seed} rank {rank}: computation by {by} {found} | {one['compute_ns']}")
    return bad


def main():
    bad, parted, compared, ranks = [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.txt")
        for seed in range(1, SEEDS + 1):
            limit = make(seed, path)
            ours = answer(MPGTRACE, "efficiency", "--json", *limit, path)
            theirs = answer(MPGSIM, "--predict", "--target=ideal", "--without=choice", "--replicas=1",
                            "--cache=fresh", "--json", *limit, path)
            if isinstance(ours, str) or isinstance(theirs, str):
                bad.append(f"seed {seed}: {ours if isinstance(ours, str) else ''} | {theirs if isinstance(theirs, str) else ''}")
                continue
            compared += 1
            parted += check_parts(path, limit, ours["traces"][0], seed)
            for one, other in zip(ours["traces"][0]["rank_table"], theirs["ranks"], strict=True):
                account, ranks = other["account"], ranks + 1
                for mine, name in ((one["ideal_ns"], "run_ns"), (one["compute_ns"], "compute_ns")):
                    if abs(mine - account[name]) > 1e-6:
                        bad.append(f"seed {seed} {limit} rank {one['rank']}: {name} {mine} | {account[name]}")
    ok("the ideal run and computation of each rank are mpgsim's", not bad and compared == SEEDS, "; ".join(bad[:20]))
    ok("parts add up to the whole", not parted and compared > 0, "; ".join(parted[:20]))
    print(f"# {compared} programs, {ranks} ranks")
    return finish()


sys.exit(main())
