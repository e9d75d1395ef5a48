#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgtrace matrix and sizes (TAP): compared with the known messages of random programs, with sends counted in mpgtrace
print, and with collectives' algorithms by hand; text, CSV, JSON and plots agree. The environment variable MPGTRACE
names the program, top_srcdir the sources, MESSAGE_SEEDS how many programs are compared."""

import collections
import json
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


def run(command, text, *options, **more):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([MPGTRACE, command, *options, file.name], capture_output=True, text=True, check=False, **more)
    return done.returncode, done.stdout, done.stderr.replace(file.name, "T")


def pairs_of(text, *options):
    found = json.loads(run("matrix", text, "--json", *options)[1])
    return {(p["from"], p["to"]): (p["messages"], p["bytes"]) for p in found["pairs"]}, found


def count_lines(text):
    """Counts the sends in printed lines, if all are on MPI_COMM_WORLD: {(from, to): [messages, bytes]}."""
    pairs = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        found = re.match(r"(\d+) \d+ \d+ I?[bsr]?s?[Ss]end .*\bto=(\d+) .*\bbytes=(\d+)", line)
        if found:
            pair = pairs[int(found[1]), int(found[2])]
            pair[0] += 1
            pair[1] += int(found[3])
    return {pair: tuple(sums) for pair, sums in pairs.items()}


def check_program(seed):
    program = Program(seed, phases=20)
    text = program.text()
    want = collections.defaultdict(lambda: [0, 0])
    sizes = collections.Counter()
    for m in program.messages:
        pair = want[m.send[0], m.receive[0]]
        pair[0] += 1
        pair[1] += m.size
        sizes[m.size.bit_length()] += 1
    want = {pair: tuple(sums) for pair, sums in want.items()}
    got, whole = pairs_of(text)
    ok(f"seed {seed}: pairs", got == want, f"{got} {want}")
    ok(f"seed {seed}: all of them", (whole["messages"], whole["bytes"]) ==
       tuple(sum(x[i] for x in want.values()) for i in (0, 1)), whole)
    ok(f"seed {seed}: lines of mpgtrace print", count_lines(run("print", text)[1]) == want)
    csv = run("matrix", text, "--csv")[1].splitlines()
    ok(f"seed {seed}: CSV", csv[0] == "from,to,messages,bytes" and
       {tuple(map(int, line.split(",")[:2])): tuple(map(int, line.split(",")[2:])) for line in csv[1:]} == want, csv)
    number = collections.Counter(c[0].lower() for c in program.collectives)
    ok(f"seed {seed}: collectives apart", {c["collective"]: c["number"] for c in whole["collectives"]} == number)
    rows = json.loads(run("sizes", text, "--json")[1])["sizes"]
    ok(f"seed {seed}: sizes", all((r["least_bytes"], r["most_bytes"]) == ((0, 0) if r["least_bytes"] == 0 else
                                                                        (r["least_bytes"], 2 * r["least_bytes"] - 1))
                                  for r in rows) and
       {r["least_bytes"].bit_length(): r["messages"] for r in rows if r["messages"]} == sizes and
       sum(r["bytes"] for r in rows) == whole["bytes"], rows)


def collective(ranks, name, words):
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared"]
    for r in range(ranks):
        lines += [f"{r} 0 100 Init", f"{r} {1000 + r} 2000 {name} {words}", f"{r} 3000 4000 {name} {words}",
                  f"{r} 9000 9010 Finalize"]
    return "\n".join(lines) + "\n"


def check_collectives():
    """Checks collectives by hand, with a table that gives their algorithms."""
    cases = (
        ("bcast linear", 5, "Bcast", "root=2 bytes=77", {(2, r): (2, 154) for r in (0, 1, 3, 4)}),
        ("reduce binomial", 4, "Reduce", "root=0 bytes=77", {(1, 0): (2, 154), (2, 0): (2, 154), (3, 2): (2, 154)}),
        ("alltoall pairwise", 3, "Alltoall", "bytes=77",
         {(a, b): (2, 154) for a in range(3) for b in range(3) if a != b}),
        ("allgather ring", 3, "Allgather", "bytes=77", {(r, (r + 1) % 3): (4, 308) for r in range(3)}),
        ("barrier dissemination", 4, "Barrier", "", {(r, (r + d) % 4): (2, 0) for r in range(4) for d in (1, 2)}),
        ("gather binomial", 4, "Gather", "root=0 bytes=77", {(1, 0): (2, 154), (2, 0): (2, 308), (3, 2): (2, 154)}),
        ("scan linear", 3, "Scan", "bytes=77", {(0, 1): (2, 154), (1, 2): (2, 154)}),
    )
    for row, ranks, name, words, want in cases:
        operation, algorithm = row.split()
        text = collective(ranks, name, words)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as table:
            table.write(f"#mpgcollectives 1\n{operation} 2 0 {algorithm}\n")
            table.flush()
            status, out, err = run("matrix", text, "--json", "--collectives=expand", f"--collective-table={table.name}")
            got = {(p["from"], p["to"]): (p["messages"], p["bytes"]) for p in json.loads(out)["pairs"]} if out else err
            apart = json.loads(run("matrix", text, "--json", f"--collective-table={table.name}")[1])
        ok(f"{row}: its messages", status == 0 and got == want, got)
        all_of = [sum(x[i] for x in want.values()) for i in (0, 1)]
        ok("... apart", apart["pairs"] == [] and apart["collectives"] ==
           [{"collective": operation, "number": 2, "messages": all_of[0], "bytes": all_of[1]}], apart)
    lines = ["#mpgtext 1", "#ranks 3", "#clocks shared"] + [f"{r} 0 100 Init" for r in range(3)]
    counts = [[0, 10, 20], [1, 0, 0], [5, 7, 0]]
    lines += [f"{r} 1000 2000 Alltoallv bytes={','.join(map(str, counts[r]))}" for r in range(3)]
    text = "\n".join(lines + [f"{r} 9000 9010 Finalize" for r in range(3)]) + "\n"
    found = pairs_of(text, "--collectives=expand")[0]
    ok("Alltoallv: blocks that differ, in equal parts", {p: b for p, (_, b) in found.items()} ==
       {(0, 1): 15, (0, 2): 15, (1, 2): 0.5, (1, 0): 0.5, (2, 0): 6, (2, 1): 6}, found)


def check_text():
    program = Program(3, 3)
    status, out, err = run("matrix", program.text())
    want = pairs_of(program.text())[0]
    table = out.split("messages to")[1].splitlines()[1:4]
    ok("text: a table of numbers", status == 0 and
       [line.split()[2:] for line in table] == [[str(want[a, b][0]) if (a, b) in want else "-" for b in range(3)]
                                                for a in range(3)], out + err)
    top = run("matrix", program.text(), "--top=2")[1].split("of all\n")[1].splitlines()
    largest = sorted(want, key=lambda p: (-want[p][1], -want[p][0], p))
    ok("--top", [tuple(map(int, line.split()[:2])) for line in top[:2]] == largest[:2] and
       top[2] == f"... and {len(want) - 2} more", top)
    lines = ["#mpgtext 1", "#ranks 2"]
    for r in range(2):
        lines += [f"{r} 0 100 Init", f"{r} 9000 9010 Finalize"]
    lines.insert(3, "0 200 300 Ssend to=1 bytes=0")
    lines.insert(6, "1 200 300 Recv from=0 bytes=0")
    text = "\n".join(lines) + "\n"
    ok("a message of no bytes, that waits for its receiver", pairs_of(text)[0] == {(0, 1): (1, 0)})
    status, out, err = run("sizes", text)
    ok("... in sizes", status == 0 and re.search(r"^ +0 B +1 100.00 % +0 B   0.00 % #{40}$", out, re.M), out)
    del lines[6]
    text = "\n".join(lines) + "\n"
    status, out, err = run("matrix", text)
    ok("without a receive: an error in a line", (status, out, err.count("\n")) == (1, "", 1) and "rank 0, call 1" in err, err)
    ok("... --lenient counts it", pairs_of(text, "--lenient")[0] == {(0, 1): (1, 0)})
    for options, want in (((), "0, 0 B, between 0 of 4 pairs"),):
        status, out, err = run("matrix", "\n".join(lines[:3] + lines[4:]) + "\n", *options)
        ok("no messages at all", status == 0 and want in out, out + err)
    for options, want in ((["--collectives=each"], "'each' is not apart or expand"),
                          (["--json", "--csv"], "--json and --csv exclude each other"),
                          (["--json", "--top=3"], "--json and --top exclude each other: JSON has all pairs"),
                          (["--keep"], "--keep needs --plot"), (["--plot=x", "--csv"], "--plot and --csv exclude each other")):
        status, out, err = run("matrix", text, *options)
        ok(f"{' '.join(options)}: refused", (status, out, err.count("\n")) == (2, "", 1) and want in err, err)


def check_plots():
    if not shutil.which("gnuplot"):
        skip("plots", "no gnuplot")
        return
    for ranks in (3, 1200):
        program = Program(3, ranks, phases=8 if ranks > 3 else 20)
        with tempfile.TemporaryDirectory() as folder:
            status, out, err = run("matrix", program.text(), "--plot=maps", "--keep", cwd=folder)
            names = sorted(os.listdir(os.path.join(folder, "maps")))
            ok(f"{ranks} ranks: plots", status == 0 and out == "" and "2 plots in maps" in err and names ==
               [f"matrix-{what}.{end}" for what in ("bytes", "messages") for end in ("dat", "gp", "png", "svg")], f"{names} {err}")
            with open(os.path.join(folder, "maps", "matrix-messages.dat"), encoding="utf-8") as file:
                cells = [[0 if x == "?" else float(x) for x in line.split()] for line in file]
        each = -(-ranks // 512)
        want = collections.Counter((m.send[0] // each, m.receive[0] // each) for m in program.messages)
        ok("... of these numbers", len(cells) == -(-ranks // each) and all(len(row) == len(cells) for row in cells) and
           {(a, b): x for a, row in enumerate(cells) for b, x in enumerate(row) if x} == want)


def main():
    for seed in range(int(os.environ.get("MESSAGE_SEEDS", "8"))):
        check_program(seed)
    check_collectives()
    check_text()
    check_plots()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
