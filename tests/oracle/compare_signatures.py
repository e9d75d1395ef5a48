#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare mpgsim with oracle.py on random traces under random signatures (TAP): a
target alone, a target and a source, a machine as its own source; most of what a tracer
recorded is asked for without its part.

The environment variable MPGSIM names the program (default ./mpgsim), ORACLE_SEEDS how
many programs are compared (default 16); without --first so are those in which a
disagreement was found once.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import oracle  # noqa: E402
import randomsignature  # noqa: E402
from compare_oracle import COMMON, MPGSIM, difference, expected, simulated  # noqa: E402

POINT_TO_POINT = "send,pair,isend,recv,irecv,sendrecv,wait,waitall,waitany,testsome"
COLLECTIVES = "collective,icollective,wait,waitall,promise"
ABSORB = ["none", "wait", "clock"]
FIRST = 100
FOUND = [710]  # 710: a call ends where a part of a record begins, in a detour


def same_error(want, got):
    """Whether an answer is the refusal that the oracle has a reason for."""
    words = [(["deadlock"], ["ranks wait for each other"]),
             # Where two are missing, either may be said.
             (["to draw from", "no family is fitted", "there is no noise in it"],) * 2]
    return isinstance(got, str) and any(
        any(word in want for word in a) and any(word in got for word in b)
        for a, b in words)


class Case:
    """One random program with its two machines; all draws are the seed's."""

    def __init__(self, seed, directory, options):
        self.random = random.Random(f"case {seed}")
        self.seed, self.options = seed, options
        self.trace = os.path.join(directory, f"seed{seed}.txt")
        self.files = [os.path.join(directory, f"seed{seed}.{name}.sig")
                      for name in ("target", "source")]
        self.keeps = random.Random(f"tracer {seed}").random() < 0.25
        self.models_random = random.Random(f"models {seed}")
        self.made_by = []
        self.write_trace()
        for n, path in enumerate(self.files):
            self.write_signature(n, path)

    def chance(self, probability):
        return self.random.random() < probability

    def write_trace(self):
        """Some have few kinds of calls at few sites, so that many intervals are alike."""
        self.ranks = self.random.randint(1, 9)
        alike = self.chance(0.5)
        words = ["--seed", str(self.seed), "--ranks", str(self.ranks),
                 "--steps", str(200 if alike else 60),
                 "--hosts", self.random.choice("1123"), "--clocks",
                 self.random.choice(["shared", "offsets"])]
        if alike:
            words += ["--kinds", self.random.choice(
                [POINT_TO_POINT, COLLECTIVES, "sendrecv,collective", "isendrecv,wait"])]
        if self.chance(0.4):
            words.append("--all-synchronous-safe")
        self.safe = "--all-synchronous-safe" in words
        more = ["--seed", str(self.seed), "--sites", self.random.choice("0123")]
        if self.chance(0.4):
            more.append("--tracer")
        if self.options.cpu and self.chance(0.5):
            more += ["--cpu", self.random.choice(["some", "all"])]
        first = ["python3", os.path.join(HERE, "randomtrace.py"), *words]
        second = ["python3", os.path.join(HERE, "randomtrace_extras.py"), *more]
        made = subprocess.run(first, check=True, capture_output=True).stdout
        with open(self.trace, "wb") as file:
            subprocess.run(second, input=made, check=True, stdout=file)
        self.clocks = words[words.index("--clocks") + 1]
        self.made_by.append(f"{' '.join(first)} | {' '.join(second)} > seed{self.seed}.txt")

    def write_signature(self, n, path):
        version = 3 if self.chance(0.2) else 4
        version = self.options.version or version
        parts = self.options.parts or ",".join(
            self.random.choice([["network"], ["noise"], ["network", "collectives"],
                                ["noise", "network", "collectives"]]))
        seed = 2 * self.seed + n
        with open(path, "w", encoding="ascii") as file:
            file.write(randomsignature.make(seed, version, parts.split(",")))
        self.made_by.append(
            f"python3 {HERE}/randomsignature.py --seed {seed} --version {version} "
            f"--parts {parts} > {os.path.basename(path)}")

    def settings(self):
        """Command lines: every way to absorb and every pair of machines."""
        target, source = self.files
        for absorb in ABSORB:
            if absorb == "clock" and self.clocks == "unknown":
                continue
            for pair in ([target], [target, target], [target, source],
                         [source, target]):
                words = ["--absorb", absorb, "--signature", pair[0]]
                words += self.models()
                if len(pair) > 1:
                    words += ["--source", pair[1]]
                words += self.more(words)
                yield words + ["--keep-tracer"] * self.keeps

    def models(self):
        """What times are drawn from; --noise (but for noise of calls), --latency and --byte exclude it."""
        words = []
        if self.models_random.random() < 0.3:
            words.append("--noise-model=" + self.models_random.choice(
                ["renewal", "renewal", "fit", "replay"]))
        if self.models_random.random() < 0.15:
            words.append("--call-noise=signature")
        for option in ("latency", "byte"):
            if self.models_random.random() < 0.25:
                words.append(f"--{option}-model=" + self.models_random.choice(
                    ["fit", "fit", "empirical"]))
        return words

    def more(self, models):
        words = ["--first-replica", self.random.choice("0123"),
                 "--seed", self.random.choice("17")]
        for probability, option in (
                (0.2, "--measurement=fixed"), (0.15, "--latency=const:1.75us"),
                (0.15, "--byte=const:0.375ns"), (0.1, "--compute-ratio=0.75"),
                (0.3, "--call-noise=const:" + self.random.choice(["77ns", "-33.25ns"])),
                (0.3, "--sync-reduce"),
                (0.7, self.random.choice(["--call-edges=own", "--call-edges=paper",
                                          "--granularity=2", "--granularity=3"])), (0.1, "--noise=const:333ns"),
                (0.1, "--source-latency=650ns"),
                (0.3, "--cosched=" + self.random.choice(["none", "node", "job"]))):
            given = option.startswith(("--latency", "--byte")) and any(
                word.startswith(option.split("=")[0] + "-model") for word in models)
            given = given or (option.startswith("--noise=")
                              and "--call-noise=signature" not in models
                              and any(word.startswith("--noise-model") for word in models))
            if self.chance(probability) and not given and not any(
                    map(option.startswith, self.options.without)):
                words.append(option)
        if not self.safe or self.chance(0.3):
            words.append("--eager-limit=4096")
        elif self.chance(0.3):
            words.append("--eager-limit=-1")
        limit = self.random.choice(["-1", "100", "4097", "100000"])
        if self.chance(0.3) and "--source-eager" not in self.options.without:
            words.append("--source-eager-limit=" + limit)
        return words

    def check(self):
        """What is wrong, or None."""
        with open(self.trace, encoding="ascii") as file:
            matching = oracle.Matching(oracle.read_trace(file))
        for words in self.settings():
            try:
                want = expected(matching, words)
            except oracle.OracleError as error:
                want = f"oracle: {error}"
            got = simulated([*MPGSIM, "--json", *COMMON, *words, self.trace])
            if isinstance(want, str):
                wrong = None if same_error(want, got) else want
            else:
                wrong = difference(want, got)
            if wrong:
                return f"{wrong}\n# {' '.join(words)} {self.trace}"
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=int(
        os.environ.get("ORACLE_SEEDS", "16")))
    parser.add_argument("--first", type=int)
    parser.add_argument("--parts", help="of the signatures, as for randomsignature.py")
    parser.add_argument("--version", type=int, help="of the signatures")
    parser.add_argument("--without", action="append", default=[],
                        help="the begin of an option that is not to be given")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--keep", help="a folder for traces and signatures")
    options = parser.parse_args()
    first, more = (FIRST, FOUND) if options.first is None else (options.first, [])
    seeds = [*range(first, first + options.seeds), *more]
    print(f"1..{len(seeds)}")
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for n, seed in enumerate(seeds, 1):
            case = Case(seed, options.keep or directory, options)
            try:
                wrong = case.check()
            except (ArithmeticError, LookupError, AttributeError, TypeError) as error:
                wrong = f"oracle: {error!r}"
            failed += bool(wrong)
            if wrong:
                print(f"# {wrong}")
                for line in case.made_by:
                    print(f"# {line}")
            print(f"{'not ok' if wrong else 'ok'} {n} - seed {seed}: "
                  "mpgsim agrees with the oracle", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
