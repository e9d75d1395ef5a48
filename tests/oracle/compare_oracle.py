#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares mpgsim's delays and accounts with oracle.py on random traces (TAP). The environment variable MPGSIM names
the program (default ./mpgsim)."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import oracle  # noqa: E402
from scripts import made  # noqa: E402

TOLERANCE_NS, TOLERANCE = 1e-6, 1e-12  # the latter: of long runs
ACCOUNT = {"compute_ns": "compute", "calls_ns": "calls", "messages_ns": "messages",
           "collectives_ns": "collectives", "propagated_ns": "taken_over",
           "absorbed_waiting_ns": "waiting", "absorbed_hidden_ns": "hidden", "net_ns": "left"}
MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
COMMON = ["--replicas", "1"]
CHOICE = ["picks_changed", "tests_early", "tests_saved", "answers", "redone"]

PERTURBATIONS = [
    "",
    "--noise const:2.385us",
    "--noise const:7us@0",
    "--call-noise const:311ns",
    "--latency const:1.7us --byte const:0.375ns",
    "--noise const:900ns@{even} --call-noise const:77ns@{last} --latency const:1234ns",
    "--latency const:-300ns",
    "--latency const:-12.75us --byte const:-0.5ns --noise const:2us@{even}",
    "--noise const:-450ns --call-noise const:-33.5ns",
    "--call-noise const:311.5ns --latency const:1.7us --paper=call-edges",
    "--call-noise const:2.385us@{even} --byte const:0.375ns --paper=call-edges",
    "--call-noise const:-333.5ns --noise const:900ns@{even} --paper=call-edges",
    "--call-noise const:77.25ns --latency const:450ns --paper=own-edges",
    "--noise const:7.385us@0 --call-noise const:77.25ns@{even} --paper=sync-reduce",
    "--latency const:-300.5ns --noise const:900ns@{even} --call-noise const:41ns --paper=sync-reduce",
    "--compute-ratio 0.5",
    "--compute-ratio 1.6 --latency const:450ns --byte const:0.0625ns",
]
# Programs that did not agree once. 960130: an answer and a message have the same least slack
FOUND = [960130]
FLOORS = ["", "--source=latency=650ns --source=byte=0.125ns"]


def eager_limit(seed, is_open):
    """Returns the eager limit for the simulation; every third program permits any."""
    return [None, "4096", "-1"][seed % 3] if not is_open else [None, "1000", "4096"][seed % 3]


def ranks_of(seed, is_open):
    return 3 + seed % 4 if is_open else 1 + seed * 5 % 9


def is_unclocked(seed, options):
    """Returns whether clocks are unknown: for some of the programs in which calls choose."""
    return options.choices and not options.open and seed % 5 == 4


def generate(seed, options, path):
    """Writes the trace of this seed; returns the command that did."""
    if options.open:
        name = "randomtrace_loops.py" if options.loops else "randomtrace_open.py"
        command = ["python3", os.path.join(HERE, name), "--seed", str(seed),
                   "--ranks", str(ranks_of(seed, True)), "--steps", str(options.steps)]
        return write(path, command, seed)
    command = ["python3", os.path.join(HERE, "randomtrace.py"),
               "--seed", str(seed), "--ranks", str(ranks_of(seed, False)),
               "--steps", str(options.steps), "--clocks",
               "unknown" if is_unclocked(seed, options) else "offsets" if seed % 2 else "shared",
               "--hosts", "2" if seed % 4 == 3 else "1"]
    if eager_limit(seed, False) == "-1":
        command.append("--all-synchronous-safe")
    if options.kinds:
        command += ["--kinds", options.kinds]
    return write(path, command, seed)


def write(path, command, seed):
    """Writes the trace; some programs get time off the CPU, which remains in the results here. Returns the complete
    command."""
    text = made(*command[1:])
    if seed % 5 == 2:
        words = [os.path.join(HERE, "randomtrace_off.py"), "--seed", str(seed)]
        text, command = made(*words, text=text), [*command, "|", "python3", *words]
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return command


def settings_of(seed, options, is_without_clocks):
    """Returns all command lines to compare for this seed, with half of the perturbations."""
    is_open, also = options.open, options.also
    limit, ranks = eager_limit(seed, is_open), ranks_of(seed, is_open)
    if options.loops:  # whose receives are posted in any order
        limit = None
    limits = ["--eager-limit=" + limit] if limit else []
    places = {"even": ",".join(map(str, range(0, ranks, 2))), "last": ranks - 1}
    for absorb in ("none", "wait") if is_without_clocks else ("none", "wait", "clock"):
        for n, perturbation in enumerate(PERTURBATIONS + also):
            if not options.all and n < len(PERTURBATIONS) and (seed // 4 + n) % 2:
                continue
            floors = FLOORS[(seed + n) // 2 % 2].split()
            polling = [[], ["--polling=work"], ["--polling=interval=600ns"]][(seed + n) % 3]
            words = ["--absorb", absorb, *limits, *floors,
                     *perturbation.format(**places).split()]
            yield words + polling
            if absorb == "clock" or absorb == "wait" and n % 4 == 0:
                yield words + ["--without=choice"]


def expected(matching, words):
    """Returns the oracle's numbers by name, in the format of simulated()."""
    _, settings = oracle.parse_arguments(words + ["-"])
    counts = dict.fromkeys(CHOICE, 0)
    ranks = [{"traced_ns": traced, "delay_ns": float(delay),
              **{name: float(account[key]) for name, key in ACCOUNT.items()}}
             for traced, delay, account in oracle.rank_delays(matching, settings, counts)]
    return ranks + [counts]


def simulated(command):
    """Returns the numbers of every rank and of the choices in mpgsim's JSON, or its error message."""
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return f"exit {run.returncode}: {run.stderr.strip()}"
    try:
        answer = json.loads(run.stdout)
        ranks = [{"traced_ns": rank["traced_ns"], "delay_ns": rank["delay_ns"]["median"],
                  **{name: rank["account"][name] for name in ACCOUNT}}
                 for rank in answer["ranks"]]
        counts = answer.get("choice") or dict.fromkeys(CHOICE, 0)
        return ranks + [{name: counts[name] for name in CHOICE}]
    except (KeyError, ValueError) as error:
        return f"not the answer expected: {error!r}"


def difference(want, got):
    """Returns how GOT is wrong, or None."""
    if isinstance(got, str):
        return got
    if len(got) != len(want):
        return f"{len(got)} ranks instead of {len(want)}"
    for rank, (w, g) in enumerate(zip(want, got)):
        most = max(TOLERANCE_NS, TOLERANCE * max(map(abs, w.values())))
        for name, value in w.items():
            if not abs(value - g[name]) <= most:
                return f"rank {rank}: {name} is {g[name]!r} instead of {value!r}"
    return None


def report(seed, wrong, made_by, command, words):
    """Prints the commands that show the difference again, with the trace in the current directory."""
    print(f"# seed {seed}: {wrong}")
    for line in (made_by + [">"], command, ["python3", "tests/oracle/oracle.py", *words]):
        print(f"# {' '.join(line)} seed{seed}.txt")


def check(seed, options, directory, chosen):
    """Prints what differs for one seed; returns whether nothing does. CHOSEN: sums over all seeds."""
    path = os.path.join(directory, f"seed{seed}.txt")
    made_by = generate(seed, options, path)
    with open(path, encoding="ascii") as file:
        matching = oracle.Matching(oracle.read_trace(file))
    for words in settings_of(seed, options, is_unclocked(seed, options)):
        command = [*MPGSIM, "--json", *COMMON, *words]
        want = expected(matching, words)
        wrong = difference(want, simulated(command + [path]))
        chosen.update(want[-1])
        if wrong:
            report(seed, wrong, made_by, command, words)
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=int(os.environ.get("ORACLE_SEEDS", "40")))
    parser.add_argument("--first", type=int, help="default: 0, and programs that did not agree once")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--kinds", help="as for randomtrace.py")
    parser.add_argument("--also", action="append", default=[],
                        help="one more perturbation, such as "
                        "'--latency=const:-300ns'")
    parser.add_argument("--all", action="store_true",
                        help="all perturbations of each program")
    parser.add_argument("--open", action="store_true",
                        help="programs of randomtrace_open.py")
    parser.add_argument("--loops", action="store_true",
                        help="with --open: those of randomtrace_loops.py")
    parser.add_argument("--choices", action="store_true",
                        help="it is a failure if none of the programs chooses")
    options = parser.parse_args()
    first = options.first or 0
    seeds = [*range(first, first + options.seeds)]
    if options.first is None and not (options.open or options.kinds):
        seeds += FOUND
    print(f"1..{len(seeds) + options.choices}")
    failed, chosen = 0, Counter()
    with tempfile.TemporaryDirectory() as directory:
        for n, seed in enumerate(seeds):
            same = check(seed, options, directory, chosen)
            failed += not same
            print(f"{'ok' if same else 'not ok'} {n + 1} - seed {seed}: "
                  "mpgsim agrees with the oracle", flush=True)
    if options.choices:
        all_of_it = all(chosen[name] for name in CHOICE[:4])
        failed += not all_of_it
        print(f"{'ok' if all_of_it else 'not ok'} {len(seeds) + 1} - "
              f"they choose: {dict(chosen)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
