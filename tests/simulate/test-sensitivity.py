#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line Sensitivity of mpgsim's short answer, and the derivatives of --where=path, against finite changes of the same
replicas (TAP): 200 random programs with large sends that wait for their receiver, on random machines."""

import json
import os
import random
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), HERE]
sys.dont_write_bytecode = True
from answers import answer, finish, make_random, ok, write  # noqa: E402

SIZES = (0, 64, 1024, 4096, 65536)
PROGRAMS = int(os.environ.get("SENSITIVITY_PROGRAMS", "200"))
FACTOR = {"latency": ("latency", "x1.1"), "bandwidth": ("byte", f"x{1 / 0.9!r}"), "computation": ("compute-ratio", "1.1")}
KEY = {"latency": "latency_10_percent_more", "bandwidth": "bandwidth_10_percent_less", "computation": "computation_10_percent_more"}


def spread(value, width):
    quantiles = [value * (1 - width), value, value * (1 + 2 * width)] if width else [value, value]
    return {"n": 99, "mean": value * (1 + width / 4), "sd": value * width, "lag1": 0, "quantiles": quantiles}


def signature(name, latency_ns, byte_ns, held, width, limit=1024):
    """Writes a signature with one-way times LATENCY + BYTE size; a send that waits for its receiver takes HELD times as
    long. WIDTH: width of all distributions."""
    one_way = {size: latency_ns + byte_ns * size for size in SIZES}
    path = {"path": "node", "one_way": "one clock", "eager_limit_bytes": limit,
            "latency": [{"size_bytes": size, "one_way_ns": spread(ns, width)} for size, ns in one_way.items()],
            "send_overhead": [{"size_bytes": size, "send_ns": spread(150.0, width)} for size in SIZES],
            "receive_overhead": [{"size_bytes": size, "receive_ns": spread(90.0, width)} for size in SIZES],
            "sender": [{"size_bytes": size, "send_ns": spread(held * ns, width)} for size, ns in one_way.items()]}
    with open(name, "w", encoding="ascii") as out:
        json.dump({"format": "mpgkit-signature", "version": [4, 0], "network": [path],
                   "header": {"host": name, "cpu": "Made Up 9", "mpi": "None 1.0, by hand"}}, out)


def finite(options, what):
    option, value = FACTOR[what]
    first = "1" if option == "compute-ratio" else "x1"
    rows = answer("--predict", f"--sweep={option}={first},{value}", *options)["rows"]
    one, other = (row["run_time_ns"]["median"] for row in rows)
    return 100 * (other / one - 1)


def path_unlike(options):
    """Returns the part of the path for OPTIONS that differs from the derivative by its factor, to both sides; None:
    there is none."""
    h = 2.0 ** -12
    found = answer("--predict", "--where=path", *options)
    path, run_ns = found["critical_path"], found["run_time_ns"]["median"]
    parts = {s["parameter"]: s["on_path_ns"] for s in path["sensitivity"]}
    for option in ("latency", "byte"):
        rows = answer("--predict", f"--sweep={option}=x{1 - h!r},x{1 + h!r}", *options)["rows"]
        sides = [(row["run_time_ns"]["median"] - run_ns) / step for row, step in zip(rows, (-h, h))]
        most = 1e-6 * max(abs(parts[option]), run_ns * 1e-3)
        if not min(sides) - most <= parts[option] <= max(sides) + most:
            return option, parts[option], sides
    return None


def check_hand():
    """Rank 0 sends 4096 bytes at 10 us, which rank 1 receives at 50 us: the send ends 1.3 one-way times after its
    begin."""
    signature("hand.sig", 1000.0, 0.25, 1.3, 0)
    write("hand.txt", 2, ["0 0 0 Init", "0 10000 60000 Send comm=0 to=1 tag=1 bytes=4096", "0 90000 90000 Finalize",
                          "1 0 0 Init", "1 50000 60000 Recv comm=0 from=0 tag=1 bytes=4096", "1 60100 60100 Finalize"])
    options = ["--signature=hand.sig", "--source=none", "hand.txt"]
    # the request is met at 50 us; the send began 1000 ns before: 50000 - 1000 + 1.3 (1000 + 1024), and 30 us more
    found = answer("--where=path", "--predict", *options)
    part = {s["parameter"]: s for s in found["critical_path"]["sensitivity"]}
    ok("by hand: the run", abs(found["run_time_ns"]["median"] - (49000 + 1.3 * 2024 + 30000)) < 1e-6, found["run_time_ns"])
    ok("... latency: 0.3 ns for each", abs(part["latency"]["derivative"] - 0.3) < 1e-9 and
       abs(part["latency"]["on_path_ns"] - 300) < 1e-6, part["latency"])
    ok("... bytes: 1.3 times 4096", abs(part["byte"]["derivative"] - 1.3 * 4096) < 1e-6 and
       abs(part["byte"]["on_path_ns"] - 1.3 * 1024) < 1e-6, part["byte"])
    line = answer(*options)["sensitivity_percent"]
    ok("... the line: 30 ns of the run", abs(line["latency_10_percent_more"] - 100 * 30 / (79000 + 1.3 * 2024)) < 1e-9, line)


def check_random():
    unlike, paths, negative, worst, checked = [], [], [], 0.0, 0
    for seed in range(1, PROGRAMS + 1):
        x = random.Random(seed)
        make_random(seed, steps=30, ranks=3)
        is_random = seed % 4 == 0
        signature("random.sig", 10 ** x.uniform(2.5, 5), 10 ** x.uniform(-2, 1), x.uniform(1, 2.5), 0.2 if is_random else 0)
        replicas = 16 if seed % 8 == 0 else 1
        options = ["--signature=random.sig", "--source=none", "--lenient", "--without=choice", f"--replicas={replicas}", "random.txt"]
        if is_random:
            options.insert(0, "--noise=exp:2us")
        line = answer(*options)["sensitivity_percent"]
        for what, key in KEY.items():
            change, checked = finite(options, what), checked + 1
            # of several random replicas: the median of changes, and the change of medians
            most = 0.5 + 0.15 * abs(change) if replicas > 1 else 1e-9
            worst = max(worst, abs(line[key] - change)) if replicas > 1 else worst
            if abs(line[key] - change) > most:
                unlike.append((seed, what, line[key], change))
            if line[key] < -most:
                negative.append((seed, what, line[key], change))
        if not is_random:
            fault = path_unlike(options)
            if fault:
                paths.append((seed, *fault))
    ok(f"{PROGRAMS} random programs: the line is the finite change, to 1e-9 percent points (of 16 random replicas: 0.5 and 15 %)",
       not unlike, (unlike[:5], len(unlike)))
    print(f"# {checked} changes, random ones differ by up to {worst:.3f} percent points")
    ok("... nothing becomes faster by it", not negative, negative[:5])
    ok("... times on the path are derivatives by factors, of either side", not paths, (paths[:3], len(paths)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["top_srcdir"] = os.path.abspath(os.environ.get("top_srcdir", "."))
        os.chdir(folder)
        check_hand()
        check_random()
    return finish()


sys.exit(main())
