#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace graph (TAP): nodes and edges of random programs compared with the programs' known content; parts of graphs;
the example in the repository; refused options; drawing with graphviz, if it is installed. The environment variable
MPGTRACE names the program, top_srcdir the sources, GRAPH_SEEDS how many programs are compared."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Program  # noqa: E402
from tap import finish, ok, skip  # noqa: E402

MPGTRACE = os.environ.get("MPGTRACE", "./mpgtrace")
SOURCE = os.environ.get("top_srcdir", ".")


def run(text, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([MPGTRACE, "graph", *options, file.name], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr.replace(file.name, "T")


class Dot:
    """A graph read from a file in the DOT language, as far as mpgtrace uses it: nodes by rank, edges (from, to, style,
    label)."""

    def __init__(self, text):
        self.nodes, self.edges, self.meetings = {}, [], {}
        rank = None
        for line in text.splitlines():
            if found := re.match(r'  subgraph cluster_(\d+) {$', line):
                rank = int(found[1])
            elif found := re.match(r'    "(\d+)\.(\d+) ([SE])" \[label="\1\.\2 \3\\n(\w+)"\];$', line):
                assert int(found[1]) == rank
                self.nodes[found[1], found[2], found[3]] = found[4]
            elif found := re.match(r'  "(m[\d.]+)" \[shape=diamond, label="(\w+)"\];$', line):
                self.meetings[found[1]] = found[2]
            elif found := re.match(r'  "([^"]+)" -> "([^"]+)" \[(.*)\];$', line):
                label = re.search(r'label="([^"]*)"', found[3])
                style = re.search(r'style=(\w+)', found[3])
                self.edges.append((found[1], found[2], style[1] if style else "solid", label[1] if label else ""))

    def dashed(self):
        return sorted((a, b, label) for a, b, style, label in self.edges if style == "dashed")


def node(call, side):
    return f"{call[0]}.{call[1]} {side}"


def messages(program):
    edges = []
    for m in program.messages:
        edges.append((node(m.send, "S"), node(m.received, "E"), "λ + τ(d)"))
        edges.append((node(m.receive, "S"), node(m.sent, "E"), "τ(d) + λ2"))
    return edges


def meetings(program, dot):
    """Returns the edges of the program's collectives (docs/MODEL.md, section 4), and their names."""
    edges, names = [], []
    rounds = (program.ranks - 1).bit_length()
    for name, root, _, calls in program.collectives:
        first = calls[0 if root is None else root]
        at = f"m{first[0]}.{first[1]}.0"
        names.append((at, name))
        number = {"Alltoall": program.ranks - 1, "Gather": 1, "Reduce": 1, "Scatter": 1}.get(name, rounds)
        delta = (f"{number} " if number > 1 else "") + "λ + τ(b)"
        for rank, call in calls.items():
            if name in ("Bcast", "Scatter"):
                edges.append((node(call, "S"), at, "") if rank == root else (at, node(call, "E"), delta))
            elif name in ("Reduce", "Gather"):
                edges.append((at, node(call, "E"), "") if rank == root else (node(call, "S"), at, delta))
            else:
                edges += [(node(call, "S"), at, delta), (at, node(call, "E"), "")]
    return edges, sorted(names) == sorted(dot.meetings.items())


def check_program(seed):
    program = Program(seed)
    status, out, err = run(program.text())
    dot = Dot(out)
    met, named = meetings(program, dot)
    want = sorted(messages(program) + met)
    calls = sum(program.calls) + program.ranks  # and MPI_Finalize
    ok(f"seed {seed}: exit 0", status == 0, err)
    ok(f"seed {seed}: two nodes a call", len(dot.nodes) == 2 * calls, f"{len(dot.nodes)} of {calls} calls")
    ok(f"seed {seed}: message edges, and those of collectives", dot.dashed() == want,
       f"{[e for e in dot.dashed() if e not in want]} {[e for e in want if e not in dot.dashed()]}")
    ok(f"seed {seed}: collectives", named, dot.meetings)
    local = {(a, b): label for a, b, style, label in dot.edges if style == "solid"}
    right, last = True, {}
    for line in program.lines:
        rank, enter, leave, name = line.split()[:4]
        enter, leave = int(enter), int(leave)
        if name.startswith("Region"):
            continue
        number, before = last.get(rank, (0, 100))
        right = right and local.get((f"{rank}.{number} E", f"{rank}.{number + 1} S")) == time(enter - before)
        if name not in ("Allreduce", "Barrier", "Alltoall"):
            right = right and local.get((f"{rank}.{number + 1} S", f"{rank}.{number + 1} E")) == time(leave - enter)
        last[rank] = number + 1, leave
    ok(f"seed {seed}: local edges with durations", right)
    check_part(seed, program, dot)


def check_part(seed, program, whole):
    """Checks a part of the graph: it has the edges with both ends in the part, and collectives whose call is in it."""
    first, last, ranks = 2, 7, {0, program.ranks - 1}
    _, out, _ = run(program.text(), f"--calls={first}-{last}", f"--ranks=0,{program.ranks - 1}")
    dot = Dot(out)
    inside = {" ".join([f"{r}.{i}", s]) for r, i, s in whole.nodes if int(r) in ranks and first <= int(i) <= last}
    want = sorted(e for e in whole.dashed() if all(x in inside or x.startswith("m") for x in e[:2]))
    ok(f"seed {seed}: --calls, --ranks",
       {f"{r}.{i} {s}" for r, i, s in dot.nodes} == inside and dot.dashed() == want, f"{dot.dashed()} {want}")


def time(ns):
    return f"{ns} ns" if ns < 1000 else f"{ns / 1000:.4g} us"


def check_eager():
    lines = ["#mpgtext 1", "#ranks 2", "#clocks shared"]
    for r in range(2):
        lines += [f"{r} 0 100 Init", f"{r} 200 300 Send to={1 - r} bytes=1536", f"{r} 400 2785 Recv from={1 - r} bytes=1536",
                  f"{r} 5000 5010 Finalize"]
    text = "\n".join(lines) + "\n"
    status, out, err = run(text)
    ok("sends that all wait for each other: an error that says what helps",
       (status, out) == (1, "") and "--eager-limit" in err and err.count("\n") == 1, err)
    status, out, err = run(text, "--eager-limit=1536", "--weights")
    ok("--eager-limit: no edge back; --weights: bytes and times", Dot(out).dashed() ==
       [("0.1 S", "1.2 E", "λ + τ(1.5 KiB)\\n2.585 us"), ("1.1 S", "0.2 E", "λ + τ(1.5 KiB)\\n2.585 us")], out)
    lines[2] = "#clock 1 0 -100"
    status, out, err = run("\n".join(lines) + "\n", "--eager-limit=1536", "--weights")
    ok("... by the clocks as they compare", "2.485 us" in out and "2.685 us" in out, out)
    del lines[2]
    status, out, err = run("\n".join(lines) + "\n", "--eager-limit=1536", "--weights")
    ok("... and none where they do not", [e[2] for e in Dot(out).dashed()] == 2 * ["λ + τ(1.5 KiB)"], out)


def check_refusals():
    calls = 500
    head = ["#mpgtext 1", "#ranks 1", "0 0 100 Init"]
    text = "\n".join(head + [f"0 {200 + 10 * i} {205 + 10 * i} Barrier" for i in range(calls - 1)] + ["0 90000 90010 Finalize"])
    ok("1002 nodes: drawn", run(text + "\n")[0] == 0)
    text = "\n".join(head + [f"0 {200 + 10 * i} {205 + 10 * i} Barrier" for i in range(998)] + ["0 90000 90010 Finalize"])
    ok("2000 nodes: drawn", run(text + "\n")[0] == 0)
    text = "\n".join(head + [f"0 {200 + 10 * i} {205 + 10 * i} Barrier" for i in range(999)] + ["0 90000 90010 Finalize"])
    status, out, err = run(text + "\n")
    ok("2002: refused", (status, out, err.count("\n")) == (1, "", 1) and "--calls=A-B" in err, err)
    status, out, _ = run(text + "\n", "--calls=0-1001")
    ok("... but with --calls", status == 0 and "// 1001 calls" in out)
    for options, want in ((["--calls=2000-3000"], (1, "T: --calls: no rank has calls 2000 to 3000")),
                          (["--ranks=0,3"], (1, "T: --ranks: there is no rank 3: they are 0 to 0")),
                          (["--calls=7-3"], (2, "--calls: '7-3' is no range of calls like 0-20")),
                          (["--calls=-3"], (2, "--calls: '-3' is no range of calls like 0-20")),
                          (["--calls=3-"], (2, "--calls: '3-' is no range of calls like 0-20")),
                          (["--calls=1-2x"], (2, "--calls: '1-2x' is no range of calls like 0-20")),
                          (["--calls=99999999999999999999999"], (2, "is no range of calls like 0-20")),
                          (["--ranks=a"], (2, "--ranks: 'a' is not a list of ranks"))):
        status, out, err = run(text + "\n", *options)
        ok(f"{options[0]}: refused in a line",
           (status, out, err.count("\n")) == (want[0], "", 1) and want[1] in err, err)


def check_example():
    ring = os.path.join(SOURCE, "examples", "ring")
    with open(os.path.join(ring, "ring4.txt"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(ring, "ring4.dot"), encoding="utf-8") as file:
        kept = file.read()
    status, out, err = run(text)
    ok("examples/ring/ring4.dot is what is drawn of ring4.txt", (status, out) == (0, kept), err)
    dot = Dot(kept)
    calls = sum(not line.startswith("#") for line in text.splitlines())
    ok("... two nodes a call, pairs of message edges", len(dot.nodes) == 2 * calls and len(dot.dashed()) == 8)
    if not shutil.which("dot"):
        skip("graphviz", "no dot")
        return
    done = subprocess.run(["dot", "-Tsvg"], input=kept, capture_output=True, text=True, check=False)
    ok("graphviz draws it without a word", done.returncode == 0 and not done.stderr and
       done.stdout.count('class="node"') == 2 * calls, done.stderr)


def main():
    for seed in range(int(os.environ.get("GRAPH_SEEDS", "12"))):
        check_program(seed)
    check_eager()
    check_refusals()
    check_example()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
