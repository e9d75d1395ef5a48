#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs whose ranks shared cores (TAP): which ranks do, by the host lines of the trace, and the warning of mpgscale. The
environment variable MPGSCALE names the program."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import profiles  # noqa: E402
from tap import ok, parts, run  # noqa: E402

SEND = profiles.calls(os.path.join(HERE, "../../trace/calls.def"))["Send"]


def write(path, places):
    """Writes a profile. PLACES: the header lines of each rank."""
    with open(path, "wb") as out:
        for rank, facts in enumerate(places):
            out.write(profiles.rank_file(rank, len(places), 10**6, [(SEND, 0, 1, 2385, 2385, 2385)], [((0, 16),)],
                                         facts=facts))
    return path


def place(host, cores, *more):
    return [("host", host), ("cores", cores), *more]


def crowded(folder, name, places):
    """Returns what mpgscale prints about a run besides two without places."""
    paths = [write(os.path.join(folder, "%s-%d" % (name, i)), p) for i, p in
             enumerate([places, [[]] * (len(places) + 1), [[]] * (len(places) + 2)])]
    said = json.loads(run("--json", *paths).stdout)["runs"]
    text = run(*paths).stdout
    lines = [line for line in text.splitlines() if line.startswith("attention ")]
    return [r["crowded"] for r in said], lines


def who_shares(folder):
    for name, places, want in (
            ("cores enough", [place("a", "0-3")] * 4, None),
            ("one rank more than cores", [place("a", "0-3")] * 5, {"ranks": 5, "cores": 4, "host": "a"}),
            ("cores of ranks' own", [place("a", "0"), place("a", "1"), place("a", "2,3")], None),
            ("two bound to one core, another has its own", [place("a", "0"), place("a", "1-7"), place("a", "0")],
             {"ranks": 2, "cores": 1, "host": "a"}),
            ("two hosts, the same cores of each", [place("a", "0-1"), place("b", "0-1")] * 2, None),
            ("of two hosts the one that is more crowded", [place("a", "0-1")] * 3 + [place("b", "0")] * 2,
             {"ranks": 2, "cores": 1, "host": "b"}),
            ("a quota", [place("a", "0-7", ("core_limit", "1.50")), place("a", "0-7")],
             {"ranks": 2, "cores": 1.5, "host": "a"}),
            ("no word of cores", [[("host", "a")]] * 4, None),
            ("words that are no cores", [place("a", "none")] * 4, None)):
        got, lines = crowded(folder, name.replace(" ", "-").replace("'", ""), places)
        ok(got == [want, None, None], name, got)
        ok(len(lines) == (want is not None), "... which stands at the top, or nothing does", lines)
        if want:
            core = "1 core of" if want["cores"] == 1 else "%g cores of" % want["cores"]
            ok("in 1 of 3 runs (%d ranks on %s %s)" % (want["ranks"], core, want["host"]) in lines[0], "... in words",
               lines)


def traces(folder):
    """The same for traces; of several runs the worst one is named."""
    paths = []
    for ranks in (2, 4, 8):
        lines = ["#mpgtext 1", "#ranks %d" % ranks, '#module 0 = abcd "/nowhere/app"', "#site 1 = 0+0x10"]
        for r in range(ranks):
            lines += ["#host %d b" % r, "#fact %d cores 0-2" % r] if ranks > 2 else []
            lines += ["%d 0 10 Init" % r, "%d 100 %d Barrier comm=0 site=1" % (r, 100 + 100 * ranks),
                      "%d 2000 2010 Finalize" % r]
        paths.append(os.path.join(folder, "t-%d" % ranks))
        with open(paths[-1], "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
    done = run("--json", *paths)
    got = [r["crowded"] and (r["crowded"]["ranks"], r["crowded"]["cores"]) for r in json.loads(done.stdout)["runs"]]
    ok(got == [None, (4, 3), (8, 3)], "traces", got)
    first = run(*paths).stdout.splitlines()[0]
    ok(first.startswith("attention   ranks had to share cores in 2 of 3 runs (8 ranks on 3 cores of b)"),
       "... the most crowded run is named", first)
    done = run("--csv", *paths)
    ok(done.stderr.endswith("\nmpgscale: attention: ranks had to share cores in 2 of 3 runs (8 ranks on 3 cores of b)\n") and
       "attention" not in done.stdout, "... beside a table that has no room for it, too", done.stderr)
    text = run("--table=runs", *paths).stdout
    ok("\ncores    ranks had to share cores in 2 of 3 runs (8 ranks on 3 cores of b): speedup is" in text,
       "... speedups, too, are of so many cores", text)


if __name__ == "__main__":
    parts(who_shares, traces)
