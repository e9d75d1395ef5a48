#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Confidence intervals of the median (docs/MODEL.md, Decisions): computed a second time from that text and the
replicas' run times; for 200 synthetic measurements they contain the true value as often as 95 % intervals do (TAP)."""

import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from answers import REFERENCE, answer, finish, ok  # noqa: E402
from chains import messages_alone, read, save, receive, write_program, write_ring, write_ping_pong, send  # noqa: E402
from interval_coverage import cover, truths, write_programs  # noqa: E402
from oracle_draws import LAUNCH, Draws  # noqa: E402

STUDENT = {1: 12.706204736, 2: 4.3026527297, 3: 3.1824463053, 4: 2.7764451052, 5: 2.5705818356, 15: 2.1314495456}
NORMAL = 1.9599639845


def quantile(values, p):
    values = sorted(values)
    at = p * (len(values) - 1)
    low = min(int(at), len(values) - 2)
    return values[low] + (at - low) * (values[low + 1] - values[low])


def by_order(values):
    """Returns the interval by Conover (1999), section 3.2."""
    values, n = sorted(values), len(values)
    high = min(n - 1, math.ceil(n / 2 + 1.959964 * math.sqrt(n) / 2))
    return values[n - 1 - high], values[high]


def grouped(values, key):
    groups = {}
    for w, value in enumerate(values):
        groups.setdefault(key(w), []).append(value)
    return groups


def share_of_groups(values):
    groups = grouped(values, lambda w: w // 2 % 32)
    n, mean = len(values), sum(values) / len(values)
    means = {m: sum(group) / len(group) for m, group in groups.items()}
    within = sum((x - means[m]) ** 2 for m, group in groups.items() for x in group) / (n - len(groups))
    between = sum(len(group) * (means[m] - mean) ** 2 for m, group in groups.items()) / (len(groups) - 1)
    each = (n - sum(len(group) ** 2 for group in groups.values()) / n) / (len(groups) - 1)
    shared = max(0, (between - within) / each)
    return shared / (shared + within)


def interval(values, seed, launches, replays):
    low, high = by_order(values)
    median, centres = quantile(values, 0.5), {0: quantile(values, 0.5)}

    def launch_of(w):
        return math.floor(float(Draws(seed, w // 2)(0, 0, LAUNCH)) * launches) if launches > 1 else 0
    if launches > 1:
        centres = {k: quantile(group, 0.5) for k, group in grouped(values, launch_of).items()}
        into, back = (math.log, math.exp) if min(centres.values()) > 0 else (float, float)
        m = [into(x) for x in centres.values()]
        mean, n = sum(m) / len(m), len(m)
        error = STUDENT[n - 1] * math.sqrt(sum((x - mean) ** 2 for x in m) / (n - 1) / n)
        low, high = min(low, back(mean - error)), max(high, back(mean + error))
    if replays:
        rest = [x - centres[launch_of(w)] for w, x in enumerate(values)]
        f = STUDENT[15] / NORMAL * math.sqrt(share_of_groups(rest) * 16 / 15)
        low = median - math.hypot(median - low, f * quantile(rest, 0.025))
        low = max(low, 0.0) if min(values) >= 0 else low
        high = median + math.hypot(high - median, f * quantile(rest, 0.975))
    return low, high


def check_again(name, program, signature, launches, replays, *options):
    found = answer("--predict", "--source=none", f"--signature={signature}", "--replicas=96", "--seed=11",
                   "--sweep=compute-ratio=1,2", *options, program)["rows"][0]
    values, given = found["replicas_run_time_ns"], found["run_time_ns"]["median_confidence_95"]
    expected = interval(values, 11, launches, replays)
    ok(f"{name}: as the text has it", all(abs(a - b) <= 1e-8 * abs(b) for a, b in zip(given, expected)), (given, expected))
    return given


def check_text():
    signature = read(REFERENCE[1])
    save(messages_alone(signature), "messages.sig")
    for size in signature["network"][0]["latency"]:
        size.pop("launches", None)
    write_ping_pong("chain", 40)
    write_ring("ring", 8, 10)
    work = [(rank, "Barrier comm=0") for rank in range(4)]
    write_program("worked", 4, work, [send(0, 1), receive(1, 0), send(2, 3), receive(3, 2)], 30000000)
    check_again("three launches, a chain", "chain", "messages.sig", 3, False)
    check_again("three launches, a ring", "ring", "messages.sig", 3, False)
    fixed = check_again("none drawn", "ring", "messages.sig", 0, False, "--models=measurement=fixed")
    both = check_again("three launches and replayed noise", "worked", REFERENCE[1], 3, True)
    worse = read(REFERENCE[1])
    for size in worse["network"][0]["latency"]:
        launch = size["launches"][2]
        launch["quantiles"] = [1e6 * x for x in launch["quantiles"]]
        launch["mean"] *= 1e6
        launch["sd"] *= 1e6
    save(worse, "worse.sig")
    low, high = check_again("a launch that was a million times slower", "worked", "worse.sig", 3, True)
    ok("a run time is not below 0", 0 <= low < high, (low, high))
    save({key: signature[key] for key in ("format", "version", "header", "noise")}, "noise.sig")
    check_again("replayed noise alone", "worked", "noise.sig", 0, True, "--latency=const:2us", "--byte=const:1ns")
    ok("intervals are intervals", fixed[0] <= fixed[1] and both[0] < both[1])


def check_coverage():
    """190 of 200 are expected, with a standard error of 3.1."""
    programs = ("chain",)
    write_programs()
    for kind in ("independent", "launches 10 %", "AR(0.9)"):
        truth = truths(programs, kind)
        held = cover(programs, truth, kind, 3, 0, 200)[0]["chain"][0]
        ok(f"{kind}, three launches: {held} of 200 intervals of a chain of 200 hold the truth", 181 <= held <= 199)
    programs = ("alltoalls",)  # whose times are those of the slowest messages: 172 without the tails of all launches
    held = cover(programs, truths(programs, "AR(0.9)"), "AR(0.9)", 10, 0, 200)[0]["alltoalls"][0]
    ok(f"AR(0.9), ten launches: {held} of 200 intervals of 20 all-to-alls hold the truth", 181 <= held <= 199)


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        check_text()
        check_coverage()
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
