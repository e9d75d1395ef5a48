#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgscale --plot (TAP): the curves of run times for several programs and sizes. The environment variable MPGSCALE
names the program."""

import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import profiles  # noqa: E402
from tap import ok, parts, run  # noqa: E402

NUMBERS = profiles.calls(os.path.join(HERE, "../../trace/calls.def"))


def profile(folder, name, program, ranks, longest_ns):
    path = os.path.join(folder, name)
    profiles.write(path, ranks, longest_ns, lambda rank: [(NUMBERS["Send"], 0, 1, 1000, 1000, 1000)], [[(0, 0x10)]],
                   facts=[("program", program)])
    return path


def drawn(folder, *arguments):
    return run("--plot=" + os.path.join(folder, "plots"), *arguments)


def curves(svg):
    """Returns the titles of the curves in a plot, as in gnuplot's SVG."""
    with open(svg, encoding="utf-8") as file:
        text = file.read()
    return [t.strip() for t in re.findall(r"<text[^>]*>(?:<tspan[^>]*>)*([^<]*)", text)]


def several(folder):
    files = [profile(folder, "a-%d" % n, "bin/ours --big", n, 2385 * 10**6 // n) for n in (2, 4, 8, 16, 32)]
    files += [profile(folder, "b-%d" % n, "/usr/bin/theirs", n, 10**9 // n + 71 * 10**6) for n in (2, 4)]
    files += [profile(folder, "c-%d" % n, "/usr/bin/theirs", n, 3 * 10**9 // n) for n in (2, 4)]
    big = [f for f in files if os.path.basename(f).startswith("c-")]
    done = drawn(folder, "--label=size=large," + ",".join(big), *files)
    ok(done.returncode == 0 and done.stderr.count("of another program: /usr/bin/theirs, not bin/ours --big") == 4,
       "runs of another program are not compared", done.stderr)
    titles = curves(os.path.join(folder, "plots", "6-runs.svg"))
    ok([t for t in ("ours", "theirs", "theirs, large", "perfect: 1 / N") if t not in titles] == [] and
       titles.count("perfect: 1 / N") == 1, "but have lines of their own, each size one", titles)
    done = drawn(folder, *files[:5])
    titles = curves(os.path.join(folder, "plots", "6-runs.svg"))
    ok("run time, longest rank" in titles and "ours" not in titles, "one program needs no name", titles)


def crowded(folder):
    files = [profile(folder, "a-%d" % n, "./ours", n, 10**9 // n) for n in (2, 4, 8)]
    files += [profile(folder, "x-%02d" % i, "./other%02d" % i, 2, 10**9) for i in range(13)]
    done = drawn(folder, *files)
    ok(done.returncode == 0 and "not drawn: 6-runs: 2 more lines: there is room for 12" in done.stderr,
       "what there is no room for is said", done.stderr)
    titles = curves(os.path.join(folder, "plots", "6-runs.svg"))
    ok("other10" in titles and "other11" not in titles, "the first twelve are drawn", titles)


def shared(folder):
    """Plots say that ranks shared cores."""
    for cores, said in (("0", True), ("0-31", False)):
        files = []
        for n in (2, 4, 8):
            files.append(os.path.join(folder, "s-%s-%d" % (cores, n)))
            profiles.write(files[-1], n, 10**9, lambda rank: [(NUMBERS["Send"], 0, 1, 1000, 1000, 1000)], [[(0, 0x10)]],
                           facts=[("program", "./ours"), ("host", "a"), ("cores", cores)])
        drawn(folder, *files)
        titles = curves(os.path.join(folder, "plots", "1-time.svg"))
        ok(any(", more ranks than cores; points" in t for t in titles) == said and
           any(t.startswith("3 runs of ours") for t in titles), "cores %s: %s" % (cores, said), titles)


def chosen(folder):
    """The plotted call sites: both ends of the table, and of the others the four with the most communication."""
    files = []
    for n in (2, 4, 8):
        # The first grow, the last fall; 9 and 11, constant, have most of it.
        rows = [(NUMBERS["Send"], i, 1, t, t, t) for i, t in
                enumerate(int(10**6 * n**(1 - i / 10)) * (20 if i in (9, 11) else 1) for i in range(20))]
        files.append(os.path.join(folder, "c-%d" % n))
        profiles.write(files[-1], n, 10**10, lambda rank, rows=rows: rows, [[(0, 0x1000 + 16 * i)] for i in range(20)],
                       facts=[("program", "/a/rather/long/path/to/a-program-that-has-a-long-name --and arguments")])
    drawn(folder, *files)
    titles = curves(os.path.join(folder, "plots", "3-callsites.svg"))
    shown = [t for t in titles if t.startswith("Send:")]
    ok(6 < len(shown) <= 10 and "Send:app+0x1090" in shown and "Send:app+0x10b0" in shown, "the largest are drawn", titles)
    ok("3 runs of a-program-that-has-a-lon; points: runs, lines: medians; dashed: models" in titles,
       "the program's name is cut, not the line", titles)


if __name__ == "__main__":
    if shutil.which("gnuplot"):
        parts(several, crowded, shared, chosen)
    print("1..0 # SKIP no gnuplot")
