#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the list of collective algorithms (graph/algorithms/descriptors.c) with all places that name them (TAP): the
manual page mpgcollectives(5), docs/COLLECTIVES.md and docs/PROGRESS.md, the reference implementation, and tests that
choose some."""

import os
import re
import subprocess
import sys

top = os.environ["top_srcdir"]
for folder in ("oracle", "properties", "simulate"):
    sys.path.insert(0, os.path.join(top, "tests", folder))
sys.dont_write_bytecode = True
import algorithms  # noqa: E402
import oracle_plans  # noqa: E402
import programs  # noqa: E402
import randomcollectives  # noqa: E402

count = 0


def ok(holds, text):
    global count
    count += 1
    print(f"{'ok' if holds else 'not ok'} {count} - {text}")


def same(got, want, text):
    ok(got == want, text)
    for operation in sorted(set(got) | set(want)):
        if got.get(operation) != want.get(operation):
            print(f"# {operation}: {sorted(got.get(operation, []))} are not {sorted(want.get(operation, []))}")


def read(name):
    with open(os.path.join(top, name)) as file:
        return file.read()


def bold(lines):
    """Returns the words in bold of a man page's source."""
    for line in lines:
        if match := re.match(r"\.B(R?) (.*)", line):
            words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', match[2])]
            yield from words[::2] if match[1] else words


def of_page(names):
    """Returns for each operation those of NAMES that are in bold in the paragraph about it."""
    page, found = read("man/mpgcollectives.5"), {}
    for paragraph in page[page.index(".SH OPERATIONS"):page.index(".SH OPTIONS")].split("\n.TP\n")[1:]:
        title, *text = paragraph.splitlines()
        for operation in bold([title]):
            found[operation] = {word for word in bold(text) if word in names}
    return found


listed = {}
answer = subprocess.run([os.path.join(os.environ["top_builddir"], "tests/graph/algorithms_listed")],
                        capture_output=True, text=True, check=True)
for line in answer.stdout.splitlines():
    operation, *names = line.split()
    listed[operation] = names
everything = listed.pop("all")
blocking = {o: set(a) for o, a in listed.items() if not o.startswith("i")}
own = {o: set(a) for o, a in listed.items() if o.startswith("i") and set(a) != blocking[o[1:]]}

same(of_page(everything), {**blocking, **own}, "mpgcollectives(5) has each operation's algorithms")
table = {word for row in read("docs/COLLECTIVES.md").splitlines() if row.startswith("| ")
         for word in re.findall(r"\w+", row)}
ok(set(everything) - {"binomial_near"} <= table, "docs/COLLECTIVES.md has messages of each algorithm")
progress = " ".join(read("docs/PROGRESS.md").split())
tried = re.search(r"in the order of ((?:\w+, )+\w+)\.", progress)
fixed = [a for a in everything if a != "knomial"]
ok(tried and tried[1].split(", ") == fixed, "docs/PROGRESS.md has them in the order in which they are tried")
ok(oracle_plans.ORDER == fixed, "the reference implementation has that order")
same(oracle_plans.ALGORITHMS, blocking, "and each operation's algorithms")
same({"i" + o: a for o, a in oracle_plans.NONBLOCKING.items()},
     {o: set(a) - {"knomial"} for o, a in listed.items() if o.startswith("i")}, "and those that do not block")
same({o: {row.split()[0] for row in a} for o, a in programs.ALGORITHMS.items()}, blocking,
     "tests of properties choose among all")
same({o: {a.replace("segments", "chain") for a in names} for o, names in randomcollectives.ALGORITHMS.items()}, blocking,
     "and random tables do")
cases = {}
for case in algorithms.cases():
    cases.setdefault(case.operation, set()).add(case.algorithm)
same(cases, blocking, "each is held against its members' messages")
print(f"1..{count}")
