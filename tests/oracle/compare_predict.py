#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare mpgsim --predict with oracle_predict.py on random programs under random
signatures and distributions, placed at random (TAP).

The environment variable MPGSIM names the program, ORACLE_SEEDS how many programs are
compared (default 16).
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import oracle  # noqa: E402
import oracle_predict  # noqa: E402
import randomsignature  # noqa: E402
from compare_oracle import CHOICE, COMMON, MPGSIM, TOLERANCE_NS  # noqa: E402

KINDS = ["send,pair,isend,recv,irecv,sendrecv,wait,waitall,waitany,testsome",
         "collective,icollective,wait,waitall,promise", "sendrecv,collective",
         "isendrecv,wait", "isend,irecv,fail,test,testall,probe,send",
         "persistent,partitions,wait,test,fail",
         "window,send,irecv,waitall,see,split,mprobe,mrecv",
         "window,see,isend,recv,wait,testsome,collective"]
PARTS = ["network", "network", "noise", "network,collectives", "noise,network",
         "noise,network,collectives"]
SCALARS = [  # how likely, options to choose from
    (0.25, ["--measurement=fixed"]),
    (0.15, ["--latency=const:1.75us", "--latency=exp:2385ns", "--latency=const:0"]),
    (0.15, ["--byte=const:0.371ns", "--byte=const:0"]),
    (0.25, ["--compute-ratio=0.75", "--compute-ratio=1.6"]),
    (0.2, ["--call-noise=const:77.5ns", "--call-noise=exp:311ns",
           "--call-noise=const:617ns@0"]),
    (0.15, ["--noise=const:333ns", "--noise=exp:2.385us", "--noise=exp:5us@0"]),
    (0.3, ["--cosched=none", "--cosched=node", "--cosched=job"]),
    (0.3, ["--polling=work", "--polling=wait", "--polling-interval=600ns"]),
    (0.3, ["--source-eager-limit=-1", "--source-eager-limit=100",
           "--source-eager-limit=100000"]),
    (0.2, ["--deterministic"])]
CHOOSING = ("irecv,isend,send,recv,waitany,waitsome,testany,testsome,fail,fail,test,free,"
            "mprobe,mrecv,persistent,isendrecv,waitall,pair")
LATE = ["--noise=const:20us@0", "--noise=const:30us@{last}", "--noise=exp:9us",
        "--noise=const:-3us"]


class Case:
    """One random program with its machines; all draws are the seed's."""

    def __init__(self, seed, directory, options):
        self.random = random.Random(f"predict {seed}")
        self.seed, self.directory, self.options = seed, directory, options
        self.trace = self.name("txt")
        self.made_by, self.chosen = [], Counter()
        self.write_trace()
        self.files = [self.write_signature(n) for n in range(2)]

    def name(self, suffix):
        return os.path.join(self.directory, f"seed{self.seed}.{suffix}")

    def chance(self, probability):
        return self.random.random() < probability

    # The program

    def write_trace(self):
        if self.options.open:
            self.ranks, self.safe = self.random.randint(3, 6), False
            words = ["--seed", str(self.seed), "--ranks", str(self.ranks), "--steps", "40"]
            self.run(["randomtrace_open.py", *words], ["randomtrace_extras.py", *self.extras()])
            return
        self.ranks = self.random.randint(1, 9)
        words = ["--seed", str(self.seed), "--ranks", str(self.ranks),
                 "--hosts", self.random.choice("1123"), "--clocks",
                 self.random.choice(["shared", "offsets", "unknown"]), "--steps"]
        if self.options.choices:
            words += ["100", "--kinds", CHOOSING]
        elif self.chance(0.5):
            words += ["150", "--kinds", self.options.kinds or self.random.choice(KINDS)]
        else:
            words.append("60")
        self.safe = self.chance(0.4)
        words += ["--all-synchronous-safe"] * self.safe
        commands = [["randomtrace.py", *words], ["randomtrace_extras.py", *self.extras()]]
        if self.chance(self.options.threads):
            commands.append(["randomtrace_threads.py", "--seed", str(self.seed)])
        self.run(*commands)

    def run(self, *commands):
        """Scripts, each on what the one before wrote, and what the last wrote is the trace."""
        made = b""
        for script, *words in commands:
            command = [sys.executable, os.path.join(HERE, script), *words]
            made = subprocess.run(command, input=made, check=True,
                                  stdout=subprocess.PIPE).stdout
        with open(self.trace, "wb") as file:
            file.write(made)
        self.made_by.append(" | ".join(" ".join(words) for words in commands)
                            + f" > seed{self.seed}.txt")

    def extras(self):
        words = ["--seed", str(self.seed), "--sites", self.random.choice("0123")]
        words += ["--tracer"] * self.chance(0.4) + ["--polls"] * self.chance(0.5)
        if self.chance(self.options.cpu):
            words += ["--cpu", self.random.choice(["some", "all"])]
        return words

    # The machines

    def write_signature(self, n):
        version = 3 if self.chance(0.1) else 4
        parts = self.options.parts or self.random.choice(PARTS)
        seed, path = 2 * self.seed + n, self.name(f"{n}.sig")
        with open(path, "w", encoding="ascii") as file:
            file.write(randomsignature.make(seed, version, parts.split(",")))
        self.made_by.append(f"randomsignature.py --seed {seed} --version {version} "
                            f"--parts {parts} > {os.path.basename(path)}")
        return path

    def network(self, path):
        with open(path, encoding="ascii") as file:
            return json.load(file).get("network", [])

    def flies(self, path):
        """Whether every path has times of messages."""
        network = self.network(path)
        return network and all("latency" in one or len(one.get("bandwidth", [])) > 1
                               for one in network)

    def write_map(self):
        """A file of nodes, on some of them core complexes."""
        lines = []
        for _ in range(self.ranks):
            line = self.random.choice(["alpha", "beta", "gamma"])
            if self.chance(0.7):
                line += self.random.choice([" 0", " 1"])
            lines.append(line)
        path = self.name("map")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        self.made_by.append(f"printf '{chr(92) + 'n'}'.join({lines}) > "
                            f"{os.path.basename(path)}")
        return path

    # Command lines

    def settings(self):
        target, source = self.files
        for pair in ([], [target], [target, target], [target, source],
                     [source, target]):
            words = [f"--{name}={path}" for name, path in
                     zip(("signature", "source"), pair)]
            words += self.more(pair)
            if not pair:
                words += ["--latency=const:2385ns", "--byte=const:0.371ns"]
            elif not self.flies(pair[0]) and "latency" not in " ".join(words):
                words.append("--latency=const:617ns")
            yield ["--predict", *words]

    def more(self, pair):
        words = ["--first-replica", self.random.choice("0123"),
                 "--seed", self.random.choice("17")]
        for probability, choices in SCALARS:
            option = self.random.choice(choices)
            wanted = not any(map(option.startswith, self.options.without))
            if not pair:
                wanted = wanted and option.split("=")[0] in (
                    "--noise", "--call-noise", "--compute-ratio", "--polling",
                    "--polling-interval")
            if self.chance(probability) and wanted:
                words.append(option)
        if (self.options.choices or self.options.open) and pair and "--noise" not in " ".join(words):
            words.append(self.random.choice(LATE).format(last=self.ranks - 1))
        words += self.where(pair)
        if not self.safe or self.chance(0.3):
            words.append("--eager-limit=4096")
        elif self.chance(0.3):
            words.append("--eager-limit=-1")
        return words

    def where(self, pair):
        classes = [one["path"] for one in self.network(pair[0])] if pair else []
        if not classes or self.chance(0.4):
            return []
        if self.chance(0.4):
            return ["--path=" + self.random.choice(classes).replace(" ", "-")]
        kind = self.random.choice(["block:2", "cyclic:2", "block:3", "cyclic:3", "file"])
        return ["--map=" + (self.write_map() if kind == "file" else kind)]

    # Answers

    def check(self):
        """What is wrong, or None."""
        with open(self.trace, encoding="ascii") as file:
            matching = oracle.Matching(oracle.read_trace(file))
        for n, words in enumerate(self.settings()):
            counts = dict.fromkeys(CHOICE, 0)
            try:
                want = [float(time) for time in
                        oracle_predict.run_times(matching, words, counts)]
                want += [counts[name] for name in CHOICE]
            except oracle.OracleError as error:
                want = f"oracle: {error}"
            self.chosen.update(counts)
            command = [*MPGSIM, "--json", *COMMON, *words, self.trace]
            wrong = difference(want, simulated(command))
            if wrong:
                return f"{n}: {wrong}\n# {' '.join(words)} {self.trace}"
        return None


def simulated(command):
    """Every rank's time of mpgsim's answer and its choices, or what it says is wrong."""
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return f"exit {run.returncode}: {run.stderr.strip()}"
    try:
        answer = json.loads(run.stdout)
        counts = answer.get("choice") or dict.fromkeys(CHOICE, 0)
        return [rank["traced_ns"] + rank["delay_ns"]["median"]
                for rank in answer["ranks"]] + [counts[name] for name in CHOICE]
    except (KeyError, ValueError) as error:
        return f"not the answer expected: {error!r}"


def difference(want, got):
    """What is wrong with got, or None."""
    if isinstance(want, str):
        stuck = "deadlock" in want and "ranks wait for each other" in got
        return None if stuck else f"{want}; mpgsim: {got}"
    if isinstance(got, str):
        return got
    if len(got) != len(want):
        return f"{len(got)} ranks instead of {len(want)}"
    for rank, (w, g) in enumerate(zip(want, got)):
        if not abs(w - g) <= TOLERANCE_NS:
            what = ([f"rank {n}" for n in range(len(want) - len(CHOICE))] + CHOICE)[rank]
            return f"{what}: {g!r} instead of {w!r} (by {g - w})"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=int(
        os.environ.get("ORACLE_SEEDS", "16")))
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--kinds", help="of calls, as for randomtrace.py")
    parser.add_argument("--parts", help="of the signatures, as for randomsignature.py")
    parser.add_argument("--without", action="append", default=[],
                        help="the begin of an option that is not to be given")
    parser.add_argument("--cpu", type=float, default=0.3,
                        help="how many traces have CPU times")
    parser.add_argument("--threads", type=float, default=0.2,
                        help="how many programs have several threads")
    parser.add_argument("--choices", action="store_true", help="receives that are waited "
                        "and tested for in any order; it is a failure if none chooses")
    parser.add_argument("--open", action="store_true",
                        help="programs of randomtrace_open.py")
    parser.add_argument("--keep", help="a folder for traces and signatures")
    options = parser.parse_args()
    print(f"1..{options.seeds + options.choices}")
    failed, chosen = 0, Counter()
    with tempfile.TemporaryDirectory() as directory:
        for n in range(options.seeds):
            case = Case(options.first + n, options.keep or directory, options)
            try:
                wrong = case.check()
            except (ArithmeticError, LookupError, AttributeError, TypeError) as error:
                wrong = f"oracle: {error!r}"
            failed += bool(wrong)
            chosen.update(case.chosen)
            if wrong:
                print(f"# {wrong}")
                for line in case.made_by:
                    print(f"# {line}")
            print(f"{'not ok' if wrong else 'ok'} {n + 1} - seed {options.first + n}: "
                  "mpgsim --predict agrees with the oracle", flush=True)
    if options.choices:
        all_of_it = all(chosen[name] for name in CHOICE[:4])
        failed += not all_of_it
        print(f"{'ok' if all_of_it else 'not ok'} {options.seeds + 1} - "
              f"they choose: {dict(chosen)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
