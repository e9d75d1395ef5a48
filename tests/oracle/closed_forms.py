# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by tests that compare with arithmetic by hand: synthetic signatures, small traces, and mpgsim's output for
them."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

MPGSIM = shlex.split(os.environ.get("MPGSIM", "./mpgsim"))
END = 1000000


def same(value):
    """Returns a distribution with a single value."""
    return {"n": 1, "mean": value, "quantiles": [value, value]}


def spread(*quantiles):
    """Returns a distribution with these equally probable quantiles; its mean is that of its draws."""
    steps = list(zip(quantiles, quantiles[1:]))
    mean = sum(a + b for a, b in steps) / 2 / len(steps)
    return {"n": 1000, "mean": mean, "quantiles": list(quantiles)}


def listed(key, by_size):
    return [{"size_bytes": size, key: value if isinstance(value, dict) else same(value)}
            for size, value in sorted(by_size.items())]


def path(eager_limit=None, **lists):
    """Returns a network path: latency={8: 500, ...} and so on; a number stands for a distribution with this value
    only."""
    keys = {"latency": "one_way_ns", "bandwidth": "transfer_ns", "sender": "send_ns",
            "send_overhead": "send_ns", "receive_overhead": "receive_ns",
            "streaming": "message_ns"}
    given = {"path": "node"}
    if "streaming" in lists:
        given["window_messages"] = 64
    if eager_limit is not None:
        given["eager_limit_bytes"] = eager_limit
    for name, by_size in lists.items():
        given[name] = listed(keys[name], by_size)
    return given


def collective(operation, processes, by_size):
    return [{"operation": operation, "processes": processes, **one}
            for one in listed("time_ns", by_size)]


def signature(network=None, collectives=(), noise=()):
    given = {"format": "mpgkit-signature", "version": [4, 0], "header": {}}
    if network:
        given["network"] = [network]
    if collectives:
        given["collectives"] = list(collectives)
    if noise:
        given["noise"] = list(noise)
    return given


def trace(ranks, *programs, more=()):
    """Returns a trace. PROGRAMS: for each rank, lines 'enter leave Name args' of all calls except Init and Finalize.
    Init leaves at 100, Finalize enters at END."""
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", *more]
    for rank, program in enumerate(programs):
        for call in ["0 100 Init", *program, f"{END} {END + 10} Finalize"]:
            lines.append(f"{rank} {call}")
    return "\n".join(lines) + "\n"


def answer(text, *words, **signatures):
    """Returns mpgsim's JSON for a trace and named signatures (signature, source)."""
    with tempfile.TemporaryDirectory() as directory:
        files = []
        for name, given in signatures.items():
            file = os.path.join(directory, name + ".sig")
            with open(file, "w", encoding="ascii") as out:
                json.dump(given, out)
            files.append(f"--{name}={file}")
        command = [*MPGSIM, "--json", *files, *words, "-"]
        run = subprocess.run(command, input=text, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def delays(text, *words, **signatures):
    """Returns the delay D at each rank's end, in one replica."""
    result = answer(text, "--perturb", "--replicas=1", *words, **signatures)
    return [rank["delay_ns"]["median"] for rank in result["ranks"]]


def expect(got, *wanted):
    """Checks that the values are equal within 1e-6 ns."""
    assert len(got) == len(wanted) and all(
        abs(g - w) <= 1e-6 for g, w in zip(got, wanted)), f"{got}, not {list(wanted)}"


def run_tests(tests):
    """Runs the functions and prints TAP; returns the exit status."""
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        verdict = "ok"
        try:
            test()
        except AssertionError as error:
            verdict = "not ok"
            failed += 1
            print(f"# {error}")
        name = test.__name__.removeprefix("test_").replace("_", " ")
        print(f"{verdict} {number} - {name}", flush=True)
    return 1 if failed else 0


def main(names):
    """Runs everything in NAMES (globals()) whose name begins with test_."""
    sys.exit(run_tests([value for name, value in names.items()
                        if name.startswith("test_")]))
