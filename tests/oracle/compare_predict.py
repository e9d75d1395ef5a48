#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares mpgsim --predict with oracle_predict.py on random programs with random signatures and distributions, at
random places (TAP): run times and their parts. The environment variable MPGSIM names the program, ORACLE_SEEDS how many
programs are compared (default 16)."""

import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import compare_frame  # noqa: E402
import oracle_predict  # noqa: E402
from compare_oracle import CHOICE  # noqa: E402

KINDS = ["send,pair,isend,recv,irecv,sendrecv,wait,waitall,waitany,testsome",
         "collective,icollective,wait,waitall,promise", "sendrecv,collective",
         "isendrecv,wait", "isend,irecv,fail,test,testall,probe,send",
         "persistent,partitions,wait,test,fail",
         "window,send,irecv,waitall,see,split,mprobe,mrecv",
         "window,see,isend,recv,wait,testsome,collective"]
PARTS = ["network", "network", "noise", "network,collectives", "noise,network",
         "noise,network,collectives"]
SCALARS = [  # how likely, options to choose from
    (0.25, ["--models=measurement=fixed"]),
    (0.15, ["--latency=const:1.75us", "--latency=exp:2385ns", "--latency=const:0"]),
    (0.15, ["--byte=const:0.371ns", "--byte=const:0"]),
    (0.2, ["--call-noise=const:77.5ns", "--call-noise=exp:311ns",
           "--call-noise=const:617ns@0"]),
    (0.15, ["--noise=const:333ns", "--noise=exp:2.385us", "--noise=exp:5us@0"]),
    (0.3, ["--models=cosched=none", "--models=cosched=node", "--models=cosched=job"]),
    (0.3, ["--polling=work", "--polling=wait", "--polling=interval=600ns"]),
    (0.3, ["--source=eager-limit=-1", "--source=eager-limit=100",
           "--source=eager-limit=100000"]),
    (0.2, ["--without=choice"]), (0.2, ["--paper=sync-reduce"])]
CHOOSING = ("irecv,isend,send,recv,waitany,waitsome,testany,testsome,fail,fail,test,free,"
            "mprobe,mrecv,persistent,isendrecv,waitall,pair")
QUIETER = [[], [], ["--call-noise=const:-2.385us"], ["--call-noise=const:-411.5ns@0"]]
LATE = ["--noise=const:20us@0", "--noise=const:30us@{last}", "--noise=exp:9us",
        "--noise=const:-3us"]
BARE = ("--noise", "--call-noise", "--polling", "--paper")
MODELS = [(0.25, ["--models=noise=renewal", "--models=noise=fit", "--models=noise=ecdf",
                  "--models=noise=replay"]),
          (0.15, ["--models=latency=fit"]), (0.15, ["--models=byte=fit"])]
# 1104: a map, and a limit that only the source has; 1202: a region's ratio is 1;
# 1218: segments along a chain
FOUND = [1104, 1202, 1218]
# With --open. 20050: what one exchange made done, another call completes
FOUND_OPEN = [20050]
ACCOUNT = ["compute", "noise", "calls", "messages", "collectives", "threads", "polled"]


class Prediction(compare_frame.Case):
    """Comparison in predict mode."""

    name, found = "predict", FOUND + FOUND_OPEN

    def program(self):
        if self.options.open:
            self.ranks, self.safe = self.random.randint(3, 6), False
            words = ["--seed", str(self.seed), "--ranks", str(self.ranks), "--steps", "40"]
            name = "randomtrace_loops.py" if self.options.loops else "randomtrace_open.py"
            return [[name, *words],
                    ["randomtrace_extras.py", *self.extras()]]
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
        program = ["randomtrace.py", *words]
        commands = [self.some_classes() or program, ["randomtrace_extras.py", *self.extras()]]
        if self.chance(self.options.threads):
            commands.append(["randomtrace_threads.py", "--seed", str(self.seed)] + ["--overlap"] * (self.seed % 2))
        return commands

    def extras(self):
        words = ["--seed", str(self.seed), "--sites", self.random.choice("0123")]
        words += ["--tracer"] * self.chance(0.4) + ["--polls"] * self.chance(0.5)
        if self.chance(self.options.cpu):
            words += ["--cpu", self.random.choice(["some", "all"])]
        return words + ["--regions"] * (self.later.random() < 0.4)

    def machine(self):
        version = 3 if self.chance(0.1) else 4
        parts = self.options.parts or self.random.choice(PARTS) + ",compute"
        if "noise" in parts and self.later.random() < 0.4:
            parts += ",quanta"
        return version, parts

    def network(self, path):
        with open(path, encoding="ascii") as file:
            return json.load(file).get("network", [])

    def flies(self, path):
        """Returns whether every path has times of messages."""
        network = self.network(path)
        return network and all("latency" in one or one.get("bandwidth")
                               for one in network)

    def write_map(self):
        """Writes a file with each rank's node and, for some, core complex."""
        lines = []
        for _ in range(self.ranks):
            line = self.random.choice(["alpha", "beta", "gamma"])
            if self.chance(0.7):
                line += self.random.choice([" 0", " 1"])
            lines.append(line)
        path = self.path("map")
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        self.made_by.append(f"printf '{chr(92) + 'n'}'.join({lines}) > "
                            f"{os.path.basename(path)}")
        return path

    # Command lines

    def settings(self):
        target, source = self.files
        quieter, progress = random.Random(f"quieter {self.seed}"), random.Random(f"progress {self.seed}")
        for pair in ([], [target], [target, target], [target, source],
                     [source, target]):
            words = [f"--{name}={path}" for name, path in
                     zip(("signature", "source"), pair)]
            words += self.more(pair)
            if not pair:
                words += ["--latency=const:2385ns", "--byte=const:0.371ns"]
            elif not self.flies(pair[0]) and "--latency" not in " ".join(words):
                words.append("--latency=const:617ns")
            words += self.collectives(pair, words) + self.ratios(pair) + self.models(pair, words)
            noise = quieter.choice(QUIETER)
            if noise and "--call-noise" not in " ".join(words) and self.given(*noise):
                words += noise
            if progress.random() < 0.2 and self.given("--without"):
                words.append(progress.choice(["--without=progress", "--without=overlap"]))
            yield ["--predict", *words]

    def more(self, pair):
        words = ["--replicas=first=" + self.random.choice("0123"),
                 "--seed", self.random.choice("17")]
        for probability, choices in SCALARS:
            option = self.random.choice(choices)
            wanted = self.given(option) and (pair or option.split("=")[0] in BARE)
            if self.chance(probability) and wanted:
                words.append(option)
        late = self.options.choices or self.options.open
        if late and pair and "--noise" not in " ".join(words):
            words.append(self.random.choice(LATE).format(last=self.ranks - 1))
        words += self.where(pair)
        if not self.safe or self.chance(0.3):
            words.append("--eager-limit=4096")
        elif self.chance(0.3):
            words.append("--eager-limit=-1")
        return words

    def models(self, pair, words):
        """Returns options that choose models of times, except models that another option excludes."""
        models = []
        for probability, choices in MODELS:
            option = self.later.choice(choices)
            replaces = "--" + option.split("=")[1] + "="
            taken = any(word.startswith(replaces) for word in words)
            if (self.later.random() < probability and pair and not taken
                    and self.given(option)):
                models.append(option)
        return models

    def where(self, pair):
        classes = [one["path"] for one in self.network(pair[0])] if pair else []
        if not classes or self.chance(0.4):
            return []
        if self.chance(0.4):
            return ["--map=path=" + self.random.choice(classes).replace(" ", "-")]
        kind = self.random.choice(["block:2", "cyclic:2", "block:3", "cyclic:3", "file"])
        return ["--map=" + (self.write_map() if kind == "file" else kind)]

    # Answers

    @staticmethod
    def expected(matching, words):
        counts = dict.fromkeys(CHOICE, 0)
        ranks = oracle_predict.run_times(matching, words, counts)
        return [{"run": float(time), **{name: float(account[name]) for name in ACCOUNT}}
                for time, account in ranks] + [counts]

    @staticmethod
    def simulated(command):
        """Returns every rank's run time and account, or mpgsim's error message."""
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            return f"exit {run.returncode}: {run.stderr.strip()}"
        try:
            answer = json.loads(run.stdout)
            counts = answer.get("choice") or dict.fromkeys(CHOICE, 0)
            return [{"run": rank["traced_ns"] + rank["delay_ns"]["median"],
                     **{name: rank["account"][name + "_ns"] for name in ACCOUNT}}
                    for rank in answer["ranks"]] + [{name: counts[name] for name in CHOICE}]
        except (KeyError, ValueError) as error:
            return f"not the answer expected: {error!r}"


def main():
    options = compare_frame.parse(__doc__, {
        "--kinds": {"help": "of calls, as for randomtrace.py"},
        "--cpu": {"type": float, "default": 0.3, "help": "how many traces have CPU times"},
        "--threads": {"type": float, "default": 0.2,
                      "help": "how many programs have several threads"},
        "--open": {"action": "store_true", "help": "programs of randomtrace_open.py"},
        "--loops": {"action": "store_true", "help": "with --open: those of randomtrace_loops.py"},
        "--choices": {"action": "store_true", "help": "receives that are waited and tested "
                      "for in any order; it is a failure if none chooses"}})
    first, found = (1, FOUND_OPEN) if options.open else (1000, FOUND)
    return compare_frame.run(Prediction, options, first, found)


if __name__ == "__main__":
    sys.exit(main())
