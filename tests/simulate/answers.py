# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by tests of mpgsim's results: TAP, runs without cached floors, traces as text. The environment variable MPGSIM
names the program."""

import json
import math
import os
import subprocess
import sys

from tap import finish, ok  # noqa: F401, for who imports this

SOURCE = os.path.abspath(os.environ.get("top_srcdir", "."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "oracle"))
from scripts import made  # noqa: E402

MPGSIM = os.environ.get("MPGSIM", "mpgsim")
REFERENCE = ["--signature", os.path.join(SOURCE, "results", "reference", "reference.sig"), "--source=none"]


def run(*arguments):
    done = subprocess.run([MPGSIM, "--cache=fresh", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def answer(*arguments):
    status, out, err = run("--json", *arguments)
    if status != 0:
        raise RuntimeError(err)
    return json.loads(out)


def write(name, ranks, lines):
    """Writes a trace with a common clock, and a communicator 0 of all ranks."""
    with open(name, "w", encoding="ascii") as out:
        out.write(f"#mpgtext 1\n#ranks {ranks}\n#clocks shared\n#comm 0 = {' '.join(map(str, range(ranks)))}\n")
        out.writelines(line + "\n" for line in lines)


def make(name, maker, *options):
    """Writes a file by one of the oracle's generators."""
    with open(name, "w", encoding="ascii") as out:
        out.write(made(maker, *map(str, options)))


def make_random(seed, steps=60, ranks=4):
    """Writes random.txt, a random program; every third one receives from any source."""
    make("random.txt", "randomtrace_open.py" if seed % 3 == 0 else "randomtrace.py", "--seed", seed, "--ranks", ranks,
         "--steps", steps)


def unlike_difference(ask, arguments_of, base, extra, ulps):
    """Compares the derivatives that ASK gives for random.txt with differences of its mean run time, when a parameter in
    BASE becomes a little larger or smaller. ARGUMENTS_OF(BASE), EXTRA: ASK's arguments. Returns name, derivative and
    the two differences of the first derivative that both contradict, by more than 1e-9 of it plus ULPS units in the
    last place of the run time; None: there is none."""
    steps = {"latency": 1 / 1024, "byte": 2.0 ** -22, "compute": 2.0 ** -24, "noise": 1 / 1024}
    found = ask(*arguments_of(base), *extra, "--where=rank", "random.txt")
    run_ns, total = found["run_time_ns"]["mean"], found["where"]["total"]["path"]
    for name, step in steps.items():
        sides, scale = [], base["noise"] if name == "noise" else 1
        for sign in (1, -1):
            other = dict(base)
            other[name] += sign * step
            sides.append(sign * (ask(*arguments_of(other), *extra, "random.txt")["run_time_ns"]["mean"] - run_ns) / step * scale)
        derivative = total[f"per_{name}"]
        most = 1e-9 * abs(derivative) + ulps * math.ulp(run_ns) / step * scale
        if all(abs(s - derivative) > most for s in sides):
            return name, derivative, sides
    return None
