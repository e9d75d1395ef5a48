#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares mpgsim with oracle.py on random traces with random signatures (TAP): a target alone, a target and a source,
a machine as its own source. In most cases the tracer's overhead is removed. The environment variable MPGSIM names the
program (default ./mpgsim), ORACLE_SEEDS how many programs are compared (default 16); without --first programs with a
former disagreement are added."""

import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import compare_frame  # noqa: E402
from compare_oracle import expected, simulated  # noqa: E402

POINT_TO_POINT = "send,pair,isend,recv,irecv,sendrecv,wait,waitall,waitany,testsome"
COLLECTIVES = "collective,icollective,wait,waitall,promise"
ABSORB = ["none", "wait", "clock"]
FIRST = 100
# 125: expanded collectives without slack; 129: a vector is scattered within another
# collective; 710: a call ends where a part of a record begins, in a detour; 168: a call posts before
# the run begins; 30037: next to no work begins in a detour; 30043: an answer to what a probe found;
# 70092: fitted times of bytes, where the source has no one-way times
FOUND = [125, 129, 710, 168, 30037, 30043, 70092]


class Perturbation(compare_frame.Case):
    """Comparison in perturb mode, with signatures."""

    name, found = "case", FOUND
    expected = staticmethod(expected)
    simulated = staticmethod(simulated)

    def program(self):
        """Returns the scripts. Some programs have few kinds of calls at few call sites, so that many intervals are
        similar."""
        self.keeps = random.Random(f"tracer {self.seed}").random() < 0.25
        self.models_random = random.Random(f"models {self.seed}")
        self.maps_random = random.Random(f"maps {self.seed}")
        self.ranks, alike = self.random.randint(1, 9), self.chance(0.5)
        words = ["--seed", str(self.seed), "--ranks", str(self.ranks),
                 "--steps", str(200 if alike else 60),
                 "--hosts", self.random.choice("1123"), "--clocks",
                 self.random.choice(["shared", "offsets"])]
        if alike:
            words += ["--kinds", self.random.choice(
                [POINT_TO_POINT, COLLECTIVES, "sendrecv,collective", "isendrecv,wait"])]
        self.safe = self.chance(0.4)
        words += ["--all-synchronous-safe"] * self.safe
        program = ["randomtrace.py", *words]
        return [self.some_classes() or program, ["randomtrace_extras.py", *self.extras()]]

    def extras(self):
        words = ["--seed", str(self.seed), "--sites", self.random.choice("0123")]
        words += ["--tracer"] * self.chance(0.4)
        if self.options.cpu and self.chance(0.5):
            words += ["--cpu", self.random.choice(["some", "all"])]
        return words + ["--regions"] * (self.later.random() < 0.4)

    def machine(self):
        version = 3 if self.chance(0.2) else 4
        version = self.options.version or version
        parts = self.options.parts or ",".join(
            [*self.random.choice([["network"], ["noise"], ["network", "collectives"],
                                  ["noise", "network", "collectives"]]), "compute"])
        if "noise" in parts and self.later.random() < 0.3:
            parts += ",quanta"
        return version, parts

    # Command lines

    def settings(self):
        """Generates the command lines: every way to absorb delays, and every pair of machines."""
        target, source = self.files
        for absorb in ABSORB:
            for pair in ([target], [target, target], [target, source],
                         [source, target]):
                words = ["--perturb", "--absorb", absorb, "--signature", pair[0]]
                words += self.models(pair[0])
                if len(pair) > 1:
                    words += ["--source", pair[1]]
                words += self.more(words)
                words += self.collectives(pair, words)
                if not any(word.startswith("--compute-ratio") for word in words):
                    words += self.ratios(pair)
                words += self.maps()
                yield words + ["--without=tracer"] * self.keeps

    def maps(self):
        """Returns options that place ranks on target and source."""
        words = []
        for option in ("map", "source=map"):
            if self.maps_random.random() < 0.4:
                words.append(f"--{option}=" + self.maps_random.choice(
                    ["block:1", "block:2", "block:100", "cyclic:2", "cyclic:3",
                     self.write_map(option), self.write_map(option)]))
        return words

    def write_map(self, option):
        """Writes a file with each rank's node and, for some, core complex."""
        lines = []
        for _ in range(self.ranks):
            line = self.maps_random.choice(["alpha", "beta", "gamma"])
            if self.maps_random.random() < 0.7:
                line += self.maps_random.choice([" 0", " 1"])
            lines.append(line)
        path = self.path(f"{self.maps_random.randrange(10 ** 6)}.{option}")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        self.made_by.append(f"printf '{chr(92) + 'n'}'.join({lines}) > "
                            f"{os.path.basename(path)}")
        return path

    def models(self, target):
        """Returns options that choose models of times for the signature file TARGET; --noise (except noise of calls),
        --latency and --byte exclude them."""
        words = []
        if self.models_random.random() < 0.3:
            words.append("--models=noise=" + self.models_random.choice(
                ["renewal", "ecdf", "fit", "replay"]))
        with open(target, encoding="utf-8") as file:
            has_noise = "noise" in json.load(file)
        if self.models_random.random() < 0.15 and has_noise:
            words.append("--call-noise=signature")
        for option in ("latency", "byte"):
            if self.models_random.random() < 0.25:
                words.append(f"--models={option}=" + self.models_random.choice(
                    ["fit", "fit", "empirical"]))
        return [word for word in words if self.given(word)]

    def more(self, models):
        words = ["--replicas=first=" + self.random.choice("0123"),
                 "--seed", self.random.choice("17")]
        for probability, option in (
                (0.2, "--models=measurement=fixed"), (0.15, "--latency=const:1.75us"),
                (0.15, "--byte=const:0.375ns"), (0.1, "--compute-ratio=0.75"),
                (0.3, "--call-noise=const:" + self.random.choice(["77ns", "-33.25ns"])),
                (0.3, "--paper=sync-reduce"),
                (0.7, self.random.choice(["--paper=own-edges", "--paper=call-edges"])),
                (0.1, "--noise=const:333ns"), (0.1, "--source=latency=650ns"),
                (0.3, "--models=cosched=" + self.random.choice(["none", "node", "job"]))):
            if self.chance(probability) and self.given(option) and not self.excluded(
                    option, models):
                words.append(option)
        if not self.safe or self.chance(0.3):
            words.append("--eager-limit=4096")
        elif self.chance(0.3):
            words.append("--eager-limit=-1")
        limit = self.random.choice(["-1", "100", "4097", "100000"])
        if self.chance(0.3) and self.given("--source=eager"):
            words.append("--source=eager-limit=" + limit)
        return words

    @staticmethod
    def excluded(option, models):
        """Returns whether one of the models is for times that OPTION replaces."""
        given = option.startswith(("--latency", "--byte")) and any(
            word.startswith("--models=" + option[2:].split("=")[0]) for word in models)
        return given or (option.startswith("--noise=")
                         and "--call-noise=signature" not in models
                         and any(word.startswith("--models=noise") for word in models))


def main():
    options = compare_frame.parse(__doc__, {
        "--version": {"type": int, "help": "of the signatures"},
        "--cpu": {"action": "store_true"}})
    return compare_frame.run(Perturbation, options, FIRST, FOUND)


if __name__ == "__main__":
    sys.exit(main())
