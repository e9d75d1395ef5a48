# SPDX-License-Identifier: GPL-3.0-or-later
"""A case: a program, machines and places, and mpgsim's options; random cases, and mpgsim's output for them."""

import dataclasses
import json
import os
import random
import re
import shlex
import subprocess
import tempfile

import programs
import texts

MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
MPGTRACE = shlex.split(os.environ.get("MPGTRACE", "./mpgtrace"))
FOLDER = tempfile.TemporaryDirectory(prefix="properties")
TIMEOUT_S = 120
# Why there need not be an answer to what is valid: it is no failure, but tells nothing.
REFUSED = ["wait for each other", "no family is fitted", "to draw from",
           "there is no noise in it", "the signature has no noise", "was measured", "has neither",
           "no calls in this part", "no calls before this time", "no part of such a run", "is not before --until"]


class Skip(Exception):
    """Raised if a case shows nothing about the property."""


class Refused(AssertionError):
    """Raised if mpgsim refuses a case that it should simulate."""


@dataclasses.dataclass(frozen=True)
class Case:
    """words: the options, in which {NAME} stands for the path of a file of FILES (name: text). kept: words without
    which the property need not hold. seed: for what a property draws itself."""

    text: str
    words: tuple
    files: dict
    kept: tuple
    seed: int

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def trace(self):
        return texts.trace_of(self.text)

    def with_trace(self, trace):
        return self.but(text=str(trace))

    def draw(self):
        return random.Random(f"property {self.seed}")

    def has(self, begin):
        return any(word.startswith(begin) for word in self.words)

    def shown(self):
        """Returns everything that is needed to reproduce the case."""
        lines = []
        for name, text in [("trace", self.text), *self.used().items()]:
            lines += [f"--- {name}", text.rstrip("\n")]
        words = [word.replace("{", "").replace("}", "") for word in self.words]
        return "\n".join(lines + ["--- command", f"mpgsim {shlex.join(words)} trace"])

    def used(self):
        return {name: text for name, text in self.files.items()
                if any(f"{{{name}}}" in word for word in self.words)}


# --- running ---------------------------------------------------------------

def written(name, text):
    path = os.path.join(FOLDER.name, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def words_of(case):
    """Returns the words as mpgsim gets them, with the paths of its files."""
    words = list(case.words)
    for name, text in case.used().items():
        path = written(name, text)
        words = [word.replace(f"{{{name}}}", path) for word in words]
    return words


def run(command, text=None):
    """Runs a command and returns the result. It fails if mpgsim neither simulates nor refuses with a message."""
    done = subprocess.run(command, input=text, capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=False)
    if done.returncode not in (0, 1, 2):
        raise AssertionError(f"exit {done.returncode}: {done.stderr[:2000]}")
    if done.returncode and not done.stderr.startswith("mpg"):
        raise AssertionError(f"exit {done.returncode} without a word: {done.stderr[:500]!r}")
    return done


def attempted(case, *more):
    """Runs mpgsim --json on the case."""
    path = written("trace", case.text)
    return run([*MPGSIM, "--json", *words_of(case), *more, path])


def answer(case, *more):
    """Returns the JSON; raises Skip if mpgsim refuses the case, and may."""
    done = attempted(case, *more)
    if done.returncode == 0:
        return json.loads(done.stdout)
    if done.returncode == 2 or any(reason in done.stderr for reason in REFUSED):
        raise Skip(done.stderr.strip())
    raise Refused(f"exit {done.returncode}: {done.stderr.strip()}")


def other(case, *more):
    """Returns the JSON for a variant of a case that was simulated, which must therefore be simulated too."""
    done = attempted(case, *more)
    if done.returncode:
        raise AssertionError(f"there is no answer to the other: {done.stderr.strip()}")
    return json.loads(done.stdout)


def delays(result):
    return [rank["delay_ns"]["mean"] for rank in result["ranks"]]


def times(result):
    return [rank["traced_ns"] + rank["delay_ns"]["mean"] for rank in result["ranks"]]


# --- options ---------------------------------------------------------------

VALUES = ["2.385us", "311.5ns", "77.25ns", "7us", "40us", "1.7us"]
SMALL = ["0.375ns", "0.0625ns", "1.25ns"]


class Options:
    """Draws command lines for a program."""

    def __init__(self, draw, trace, predict, constant):
        self.draw, self.predict, self.constant = draw, predict, constant
        self.ranks = trace.ranks
        self.values = VALUES
        self.regions = any(call.name == "Region_begin" for call in trace.calls)
        self.files = {}

    def chance(self, probability):
        return self.draw.random() < probability

    def some_ranks(self):
        some = [str(rank) for rank in range(self.ranks) if self.chance(0.5)]
        return "@" + ",".join(some or ["0"])

    def distribution(self, values=None, negative=True):
        values = values or self.values
        a, b = self.draw.choice(values), self.draw.choice(values)
        if self.constant or self.chance(0.3):
            minus = negative and not self.predict and self.chance(0.2)
            return f"const:{'-' * minus}{a}"
        return self.draw.choice([f"exp:{a}", f"normal:{a},{b}", f"gamma:{a},{b}",
                                 f"lognormal:{a},{b}", f"pareto:{a},2.5"])

    def perturbations(self, negative=True):
        """Returns words with at least one perturbation."""
        words = []
        for option, probability in (("noise", 0.5), ("call-noise", 0.3), ("latency", 0.4)):
            if self.chance(probability):
                ranks = self.some_ranks() if option != "latency" and self.chance(0.4) else ""
                words.append(f"--{option}={self.distribution(negative=negative)}{ranks}")
        if self.chance(0.3):
            words.append(f"--byte={self.distribution(SMALL, negative)}")
        if self.chance(0.15):
            words.append(f"--noise={self.distribution(negative=negative)}")
        if self.chance(0.2):
            words.append("--compute-ratio=" + self.draw.choice(["0.5", "1.6", "1.25"]))
        if self.regions and self.chance(0.5):
            words.append("--compute-ratio=" + self.draw.choice(["0.75@work", "3.5@work"]))
        return words or [f"--noise={self.distribution(negative=negative)}"]

    def machines(self, n, messages=False):
        """Returns words with a target and, if n is 2, a source; none if n is 0."""
        if n == 0:
            return []
        files = self.files
        files["target"] = programs.machine(self.draw, messages)
        words = ["--signature={target}"]
        if n == 2:
            files["source"] = programs.machine(self.draw)
            words.append("--source={source}")
        words += self.some([
            (0.3, ["--models=measurement=fixed"]), (0.3, ["--models=cosched=none", "--models=cosched=node",
                                                   "--models=cosched=job"]),
            (0.2, ["--models=noise=replay", "--models=noise=renewal", "--models=noise=fit"]),
            (0.1, ["--models=latency=fit"]), (0.1, ["--models=byte=fit"]),
            (0.1, ["--collectives=rounds"]), (0.1, ["--without=tracer"]),
            (0.1, ["--map=path=node", "--map=path=core-complex", "--map=path=between-nodes"]),
            (0.1, ["--call-noise=signature"])])
        if self.chance(0.3 if self.predict else 0.2) and not any("--map=path" in word for word in words):
            words.append(self.draw.choice(["--map=block:2", "--map=cyclic:2", "--map={places}"]))
            files["places"] = "".join(
                self.draw.choice(["alpha", "beta 0", "beta 1", "gamma"]) + "\n"
                for _ in range(self.ranks))
        return words

    def some(self, list_of_them):
        return [self.draw.choice(words) for probability, words in list_of_them
                if self.chance(probability)]

    def model(self, safe, absorb=True):
        """Returns words that choose the model."""
        words = self.some([
            (0.15, ["--paper=sync-reduce"]), (0.2, ["--collectives=expand"]),
            (0.3, ["--eager-limit=4096", "--eager-limit=1MB"]
             + ["--eager-limit=-1", "--eager-limit=100"] * safe)])
        if "--collectives=expand" in words and self.chance(0.6):
            self.files["table"] = programs.collective_table(self.draw)
            words.append("--collectives=table={table}")
        if self.predict:
            return words + self.some([(0.2, ["--without=choice"]), (0.1, ["--horizon=1", "--horizon=5"]),
                                      (0.3, ["--polling=work", "--polling=wait",
                                             "--polling=interval=600ns"])])
        if absorb:
            words += self.some([(0.8, ["--absorb=none", "--absorb=wait", "--absorb=clock"])])
        return words + self.some([
            (0.3, ["--paper=call-edges", "--paper=own-edges"]),
            (0.3, ["--without=choice"]), (0.1, ["--horizon=1", "--horizon=5"]),
            (0.2, ["--polling=wait", "--polling=work"]),
            (0.2, ["--source=latency=650ns", "--source=byte=0.125ns"]),
            (0.15, ["--source=eager-limit=100", "--source=eager-limit=8192"])])

    def replicas(self):
        seed = [f"--seed={self.draw.choice([1, 7, 123456789])}"]
        if self.constant:
            return seed
        return seed + [f"--replicas={self.draw.choice([1, 2, 5])}",
                       f"--replicas=first={self.draw.choice([0, 1, 3])}"]


def settled(case):
    """Returns the case without options that cannot be combined with its others."""
    for _ in range(12):
        done = attempted(case)
        if done.returncode == 0:
            return case
        named = re.findall(r"--[a-z-]+", done.stderr.split("\n")[0])
        droppable = [word for word in case.words if word.split("=")[0] in named
                     and word not in case.kept]
        if not droppable:
            break
        case = case.but(words=tuple(word for word in case.words if word != droppable[-1]))
    return case
