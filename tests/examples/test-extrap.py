#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of examples/extrap (TAP): results and communication compared with computations in Python, on 1, 4 and 8
ranks, traced; wrong data is detected; wrong numbers of ranks and options are refused; both MPIs."""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import extrap_patterns  # noqa: E402
import extrap_values  # noqa: E402

# program, options, extraction of the numbers in its output line, and the arguments of the two functions that compute
# them
NUMBER = r"(-?[0-9][0-9.e+-]*)"
CASES = [
    ("embar", ["--log2-pairs", "11"], f"{NUMBER} inside, sums {NUMBER} {NUMBER},", (11,), (11,)),
    ("cyclic", ["--log2-equations", "6", "--systems", "3"], f"checksum {NUMBER}", (6, 3), (6, 3)),
    ("sparse", ["--rows", "83", "--nonzero", "3", "--shift", "7", "--iterations", "2", "--steps", "6"],
     f"zeta {NUMBER} of", (83, 3, 7, 2, 6), (83, 3, 7, 2, 6)),
    ("grid", ["--elements", "5", "--cells", "3", "--waves", "2", "--iterations", "9"],
     f"middle {NUMBER}", (15, 2, 9), (5, 3, 2, 9)),
    ("grid", ["--elements", "4", "--cells", "16", "--waves", "1", "--iterations", "3", "--true-size"],
     f"middle {NUMBER}", (64, 1, 3), (4, 16, 1, 3, True)),
    ("mgrid", ["--log2-side", "3", "--cycles", "2"], f"norm {NUMBER} of", (3, 2), (3, 2)),
    ("poisson", ["--log2-points", "4", "--solves", "2"], f"checksum {NUMBER}", (4, 2), (4, 2)),
    ("sort", ["--log2-keys", "9"], f"checksum {NUMBER}", (9,), (9,)),
    ("matmul", ["--size", "37", "--columns", "11"], f"checksum {NUMBER}", (37, 11), (37, 11, 0, 0)),
]
KINDS = ["Block", "Cyclic", "Whole"]

points = 0
failed = 0


def ok(name, good, *why):
    global points, failed
    points += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {points} - {name}")
    for line in () if good else "\n".join(map(str, why)).splitlines():
        print(f"# {line}")


def execute(command, **environment):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=300,
                              env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "takes too long")


def words(variable, default=""):
    return os.environ.get(variable, default).split()


def program(name):
    return os.path.join(os.environ["top_builddir"], "examples", "extrap", name)


def line_of(run, name):
    """Returns the output line of a run with correct result, or ""."""
    lines = [x for x in run.stdout.splitlines() if x.startswith(name + ": ")]
    return lines[0] if run.returncode == 0 and len(lines) == 1 and lines[0].endswith(": result correct") else ""


def close(line, pattern, wanted):
    found = re.search(pattern, line)
    return found and all(abs(float(f) - w) <= 1e-9 * abs(w) for f, w in zip(found.groups(), wanted))


def counted(trace):
    """Returns barriers for each rank, reads and their bytes in all, from a trace."""
    run = execute([os.environ["MPGTRACE"], "stat", "--json", trace])
    if run.returncode:
        return run.stderr
    calls = {c["call"]: c for c in json.loads(run.stdout)["calls"]}
    none = {"calls": 0, "received_bytes": 0}
    gets = calls.get("MPI_Get", none)
    ranks = json.loads(run.stdout)["ranks"]
    if gets["calls"] != calls.get("MPI_Win_flush", none)["calls"]:
        return "not as many flushes as reads"
    return calls.get("MPI_Barrier", none)["calls"] / ranks, gets["calls"], gets["received_bytes"]


def traced(name, options, n, trace):
    return execute(words("MPIRUN") + ["-np", str(n), os.environ["MPGTRACE"], "record", "--cpu-time", "--force",
                                      "-o", trace, program(name)] + options)


def check_case(name, options, pattern, of_values, of_pattern):
    wanted = getattr(extrap_values, name)(*of_values)
    for n in (1, 4, 8):
        what = f"{name} {' '.join(options)}, {n} ranks"
        run = traced(name, options, n, "case.trace")
        line = line_of(run, name)
        ok(f"{what}: right", line, run.stdout, run.stderr)
        ok("... and what Python says", close(line, pattern, wanted), line, wanted)
        ok("... barriers, reads, bytes", counted("case.trace") == getattr(extrap_patterns, name)(n, *of_pattern),
           counted("case.trace"), getattr(extrap_patterns, name)(n, *of_pattern))
    run = execute([os.environ["MPGSIM"], "case.trace"])
    ok(f"{name}: mpgsim reads the trace", run.returncode == 0, run.stderr)


def check_distributions():
    wanted = extrap_values.matmul(29, 7)
    for rows in range(3):
        for columns in range(3):
            run = traced("matmul", ["--size", "29", "--columns", "7", "--distribute-rows", str(rows),
                                    "--distribute-columns", str(columns)], 6, "case.trace")
            line = line_of(run, "matmul")
            ok(f"matmul ({KINDS[rows]}, {KINDS[columns]}), 6 ranks: right, and what Python says",
               f"({KINDS[rows]}, {KINDS[columns]})" in line and close(line, f"checksum {NUMBER}", wanted),
               run.stdout, run.stderr)
            pattern = extrap_patterns.matmul(6, 29, 7, rows, columns)
            ok("... barriers, reads, bytes", counted("case.trace") == pattern, counted("case.trace"), pattern)


def check_more_ranks():
    """Checks runs with unequal blocks, and with ranks that have none."""
    for name, options, n, pattern in (
            ("mgrid", ["--log2-side", "3", "--cycles", "1"], 25, extrap_patterns.mgrid(25, 3, 1)),
            ("grid", ["--elements", "6", "--cells", "2", "--iterations", "2"], 25,
             extrap_patterns.grid(25, 6, 2, 4, 2)),
            ("poisson", ["--log2-points", "3", "--solves", "1"], 9, extrap_patterns.poisson(9, 3, 1))):
        run = traced(name, options, n, "case.trace")
        ok(f"{name}, {n} ranks: right", line_of(run, name), run.stdout, run.stderr)
        ok("... barriers, reads, bytes", counted("case.trace") == pattern, counted("case.trace"), pattern)


def check_wrong_data():
    """Checks that each program reports a read that returns wrong data."""
    source = os.path.join(os.environ["top_srcdir"], "tests", "examples", "corrupt.c")
    run = execute(words("MPICC", "mpicc") + ["-shared", "-fPIC", "-o", "corrupt.so", source])
    ok("the library that corrupts reads compiles", run.returncode == 0, run.stderr)
    for name, options, *_ in CASES:
        rank = "0" if name in ("embar", "matmul") else "1"
        run = execute(words("MPIRUN") + ["-np", "4", program(name)] + options, CORRUPT_GET="2", CORRUPT_RANK=rank,
                      LD_PRELOAD=os.path.abspath("corrupt.so"))
        ok(f"{name} {' '.join(options)}: a read that brings something else is seen",
           run.returncode == 1 and re.search(f"^{name}: 4 ranks, .*: result WRONG$", run.stdout, re.MULTILINE),
           run.returncode, run.stdout, run.stderr)


def check_refusals():
    for name, options, n, message in (
            ("cyclic", [], 3, "cyclic: 3 ranks: cyclic reduction needs a power of two"),
            ("cyclic", ["--log2-equations", "1"], 4, "cyclic: 4 ranks: cyclic reduction needs a power of two"),
            ("sort", [], 6, "sort: 6 ranks: bitonic sort needs a power of two"),
            ("sparse", ["--rows", "3"], 2, "sparse: 2 ranks: --nonzero exceeds --rows"),
            ("matmul", ["--size", "3"], 1, "matmul: 1 ranks: --columns exceeds --size"),
            ("grid", ["--element-bytes", "16"], 1, "grid: 1 ranks: --element-bytes must be a multiple of 8"),
            ("grid", ["--cells", "1x"], 2, "grid: --cells 1x: must be a number from 1 to 1000"),
            ("grid", ["--cells"], 1, "grid: --cells : must be a number from 1 to 1000"),
            ("embar", ["-n"], 1, "embar: -n: unknown option (try --help)")):
        run = execute(words("MPIRUN") + ["-np", str(n), program(name)] + options)
        lines = [x for x in run.stderr.splitlines() if x.startswith(message)]
        ok(f"{name} {' '.join(options)}, {n} ranks: refused in one line",
           run.returncode == 2 and len(lines) == 1 and ": result correct" not in run.stdout, run.returncode, run.stderr)
    run = execute(words("MPIRUN") + ["-np", "2", program("sparse"), "--help"])
    ok("--help", run.returncode == 0 and run.stdout.count("--rows N ") == 1, run.stdout, run.stderr)


def check_other_mpi():
    """Checks the programs with the other MPI, with two ranks each, because its ranks may not yield the core."""
    if not words("OTHER_MPICC") or not words("OTHER_MPIRUN"):
        ok("the other MPI # SKIP there is none", True)
        return
    folder = os.path.join(os.environ["top_srcdir"], "examples", "extrap")
    for name, options, pattern, of_values, _ in CASES:
        binary = os.path.abspath(f"other-{name}")
        run = execute(words("OTHER_MPICC") + ["-O2", "-o", binary, f"{folder}/{name}.c", f"{folder}/extrap.c", "-lm"])
        if run.returncode == 0:
            run = execute(words("OTHER_MPIRUN") + ["-np", "2", binary] + options)
        line = line_of(run, name)
        ok(f"{name} {' '.join(options)}, the other MPI: right, and what Python says",
           close(line, pattern, getattr(extrap_values, name)(*of_values)), run.stdout, run.stderr)


def main():
    if os.environ.get("MPGKIT_MPI", "yes") != "yes":
        print("1..0 # SKIP built without MPI")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in CASES:
            check_case(*case)
        check_distributions()
        check_more_ranks()
        check_refusals()
        if os.environ.get("MPGKIT_SANITIZERS", "no") == "no":
            check_wrong_data()
            check_other_mpi()
        os.chdir("/")
    print(f"1..{points}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
