# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by compare_predict.py and compare_signatures.py: random programs, random machines, command lines, and the
comparison of results."""

import argparse
import gc
import json
import os
import random
import sys
import tempfile
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import oracle  # noqa: E402
import randomcollectives  # noqa: E402
import randomsignature  # noqa: E402
from compare_oracle import CHOICE, COMMON, MPGSIM, difference  # noqa: E402
from scripts import made  # noqa: E402

# What the oracle may say, and what mpgsim then does; where two are missing, either may
# be said.
REFUSALS = [(["deadlock"], ["ranks wait for each other"]),
            (["to draw from", "no family is fitted", "there is no noise in it", "the signature has no noise"],) * 2]


def same_error(want, got):
    """Returns whether mpgsim's error GOT is one for which the oracle has the reason WANT."""
    return isinstance(got, str) and any(
        any(word in want for word in a) and any(word in got for word in b)
        for a, b in REFUSALS)


class Case:
    """A random program with its two machines; all draws follow from the seed. Subclasses define program() -> a list of
    scripts with their arguments, machine() -> (version, parts) of a signature, settings() -> command lines,
    expected(matching, words), and simulated(command)."""

    name = "case"
    found = ()  # seeds with a former disagreement, whose programs must not change

    def __init__(self, seed, directory, options):
        self.random = random.Random(f"{self.name} {seed}")
        self.later = random.Random(f"later {self.name} {seed}")
        self.seed, self.directory, self.options = seed, directory, options
        self.made_by, self.chosen = [], Counter()
        self.trace = self.path("txt")
        self.write_trace([*self.program(), *self.time_off()])
        self.files = [self.write_signature(n, *self.machine()) for n in range(2)]

    def path(self, suffix):
        return os.path.join(self.directory, f"seed{self.seed}.{suffix}")

    def chance(self, probability):
        return self.random.random() < probability

    def given(self, option):
        """Returns whether the option may be given at all."""
        return not any(map(option.startswith, self.options.without))

    def write_trace(self, commands):
        text = ""
        for script, *words in commands:
            text = made(script, *words, text=text)
        with open(self.trace, "w", encoding="ascii") as file:
            file.write(text)
        self.made_by.append(" | ".join(" ".join(words) for words in commands)
                            + f" > seed{self.seed}.txt")

    def some_classes(self):
        """Returns the script for a program with many similar intervals instead of another one, for the share --classes
        of the cases; otherwise None."""
        draw = random.Random(f"classes {self.name} {self.seed}")
        if draw.random() >= self.options.classes or self.seed in self.found:
            return None
        self.ranks, self.safe = draw.randint(1, 5), False
        words = ["--seed", str(self.seed), "--ranks", str(self.ranks)]
        return ["randomtrace_classes.py", *words, "--intervals", draw.choice(["30", "200", "1200"])]

    def time_off(self):
        """Returns the scripts that add time off the CPU to half of the traces."""
        draw = random.Random(f"off {self.name} {self.seed}")
        if draw.random() >= self.options.off or self.seed in self.found:
            return []
        facts = draw.choice(["all", "all", "some", "none"])
        return [["randomtrace_off.py", "--seed", str(self.seed), "--facts", facts]]

    def write_signature(self, n, version, parts):
        seed, path = 2 * self.seed + n, self.path(f"{n}.sig")
        with open(path, "w", encoding="ascii") as file:
            file.write(randomsignature.make(seed, version, parts.split(",")))
        self.made_by.append(f"randomsignature.py --seed {seed} --version {version} "
                            f"--parts {parts} > {os.path.basename(path)}")
        return path

    # Options of both modes

    def has(self, path, part):
        """Returns a part of the signature at PATH, or None."""
        with open(path, encoding="ascii") as file:
            return json.load(file).get(part)

    def collectives(self, pair, words):
        """Adds options about collectives to some command lines, with draws that leave all other draws unchanged."""
        measured = pair and self.has(pair[0], "collectives")
        synced = "--paper=sync-reduce" in words
        if not self.given("--collectives") or self.later.random() > 0.4:
            return []
        how = self.later.choice(["rounds", "expand", "expand", "expand"])
        if how == "rounds" and not measured or how == "expand" and synced:
            return []
        words = ["--collectives=" + how]
        if how == "expand" and self.later.random() < 0.7:
            path = self.path("collectives")
            seed = self.later.randrange(2 ** 30)
            with open(path, "w", encoding="ascii") as file:
                file.write(randomcollectives.make(seed))
            self.made_by.append(f"randomcollectives.py --seed {seed} > "
                                f"{os.path.basename(path)}")
            words.append("--collectives=table=" + path)
        return words

    def ratios(self, pair):
        """Returns options with compute ratios of regions, and of kernels that were measured."""
        words = []
        for region in ("", "@work", "@inner", "@nowhere"):
            if self.given("--compute-ratio") and self.later.random() < 0.15:
                ratio = self.later.choice(["0.75", "1.6", "1", "kernel:integer"])
                if ratio.startswith("kernel") and len(pair) < 2:
                    ratio = "2.385"
                words.append(f"--compute-ratio={ratio}{region}")
        return words

    # Answers

    def check(self):
        """Returns what is wrong, or None."""
        with open(self.trace, encoding="ascii") as file:
            matching = oracle.Matching(oracle.read_trace(file))
        for n, words in enumerate(self.settings()):
            try:
                want = self.expected(matching, words)
                self.chosen.update(want[-1])
            except oracle.OracleError as error:
                want = f"oracle: {error}"
            got = self.simulated([*MPGSIM, "--json", *COMMON, *words, self.trace])
            if isinstance(want, str):
                wrong = None if same_error(want, got) else f"{want}; mpgsim: {got}"[:300]
            else:
                wrong = difference(want, got)
            if wrong:
                return f"{n}: {wrong}\n# {' '.join(words)} {self.trace}"
        return None


def parse(document, more):
    """Parses the command line. MORE: options of one comparison, as pairs of a name and arguments of add_argument()."""
    parser = argparse.ArgumentParser(description=document.splitlines()[0])
    parser.add_argument("--seeds", type=int,
                        default=int(os.environ.get("ORACLE_SEEDS", "16")))
    parser.add_argument("--first", type=int)
    parser.add_argument("--parts", help="of the signatures, as for randomsignature.py")
    parser.add_argument("--without", action="append", default=[],
                        help="the begin of an option that is not to be given")
    parser.add_argument("--keep", help="a folder for traces and signatures")
    parser.add_argument("--off", type=float, default=0.5, help="how many traces have time off CPUs")
    parser.add_argument("--classes", type=float, default=0.15, help="how many programs do the same again and again")
    for name, given in more.items():
        parser.add_argument(name, **given)
    return parser.parse_args()


def report(n, seed, wrong, case):
    if wrong:
        print(f"# {wrong}")
        for line in case.made_by:
            print(f"# {line}")
    print(f"{'not ok' if wrong else 'ok'} {n} - seed {seed}: "
          f"mpgsim agrees with the oracle ({case.name})", flush=True)


def run(kind, options, first, found=()):
    """FIRST: the first seed, unless the command line names one. FOUND: seeds with a former disagreement."""
    more = found if options.first is None else ()
    first = first if options.first is None else options.first
    seeds = [*range(first, first + options.seeds), *more]
    gc.set_threshold(100000, 50, 100)  # graphs are large and leave few cycles: a tenth of the time
    asks = getattr(options, "choices", False)
    print(f"1..{len(seeds) + asks}")
    failed, chosen = 0, Counter()
    with tempfile.TemporaryDirectory() as directory:
        for n, seed in enumerate(seeds, 1):
            case = kind(seed, options.keep or directory, options)
            try:
                wrong = case.check()
            except (ArithmeticError, LookupError, AttributeError, TypeError) as error:
                wrong = f"oracle: {error!r}"
            failed += bool(wrong)
            chosen.update(case.chosen)
            report(n, seed, wrong, case)
    if asks:
        all_of_it = all(chosen[name] for name in CHOICE[:4])
        failed += not all_of_it
        print(f"{'ok' if all_of_it else 'not ok'} {len(seeds) + 1} - "
              f"they choose: {dict(chosen)}")
    return 1 if failed else 0
