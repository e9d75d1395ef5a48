#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines in documents (TAP): each option of a program in README.md, CONTRIBUTING.md and docs/ is in the --help
of that program or command. docs/notes/ is history and keeps the options of its time."""

import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
from outputs import COMMANDS, PLACES, SOURCE, helps  # noqa: E402
from tap import finish, ok  # noqa: E402

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
BENCHMARKS = {"ftq", "compute", "pingpong", "bandwidth", "overhead", "collective", "sharing", "onesided", "overlap"}


def command_lines(text):
    """Generates the command lines in TEXT: in code blocks, continued lines joined, and in code spans. In a block with
    prompts all other lines are output."""
    for block in re.findall(r"(?:^    .*\n?)+", text, re.M):
        lines = re.sub(r"\\\n", " ", block).split("\n")
        prompts = [line for line in lines if re.match(r"    [$>] ", line)]
        yield from prompts or lines
    prose = re.sub(r"(?:^    .*\n?)+", "", text, flags=re.M)
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose))


def calls(line):
    """Generates pairs of a program with its command, and the words after it, in LINE; quoted texts are left out."""
    line = re.sub(r"'[^']*'|\"[^\"]*\"", "''", line)
    for part in re.split(r"\||;|&&|\$\(|[()<>]|\s#\s", line):
        words = part.split()
        for i, word in enumerate(words):
            if word in PLACES and word not in BENCHMARKS:
                key, rest = word, words[i + 1:]
                if rest and rest[0] in COMMANDS.get(word, []):
                    key, rest = f"{word} {rest[0]}", rest[1:]
                elif word == "mpgbench" and rest and rest[0] in BENCHMARKS:
                    key, rest = rest[0], rest[1:]
                if key == "mpgtrace record" or key == "mpgscale run":  # the program's own options follow its name
                    own = next((n for n, w in enumerate(rest) if not w.startswith("-") and rest[n - 1] not in ("-o", "-f")),
                               len(rest))
                    rest = rest[:own]
                yield key, rest
                break


known = {}
for command, text in helps():
    known[" ".join(command.split()[:-1])] = set(OPTION.findall(text))
files = ["README.md", "CONTRIBUTING.md"] + [os.path.relpath(f, SOURCE) for f in
                                            glob.glob(os.path.join(SOURCE, "docs", "*.md")) +
                                            glob.glob(os.path.join(SOURCE, "docs", "guide", "*.md"))]
shown = 0
for name in sorted(files):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        lines = list(command_lines(file.read()))
    wrong = []
    for line in lines:
        for key, words in calls(line):
            if key not in known:
                continue
            for option in OPTION.findall(" ".join(words)):
                shown += 1
                if option not in known[key]:
                    wrong.append(f"{key} {option}: {line.strip()[:100]}")
    ok(f"{name}: options of command lines", not wrong, "\n# ".join(wrong))
ok("the documents show options", shown > 200, f"{shown} options")
sys.exit(finish())
