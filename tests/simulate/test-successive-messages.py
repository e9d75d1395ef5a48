#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Successive messages (docs/MODEL.md, section 3): the draws have the sample's distribution for one message, for each message of
a pair, and over pairs; sums over a pair vary as much as sums of the record; rings take as long as by Monte Carlo (TAP)."""

import math
import os
import random
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from answers import REFERENCE, finish, ok  # noqa: E402
from chains import (make_signature, messages_alone, read, ring_time, runs, save, shuffled, write_launch,  # noqa: E402
                    write_pairs, write_ping_pong, write_program, receive, write_ring, send)

LEVELS = 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.998


def quantile(distribution, u):
    values = distribution["quantiles"]
    levels = distribution.get("probabilities") or [i / (len(values) - 1) for i in range(len(values))]
    i = next(i for i in range(1, len(levels)) if u <= levels[i])
    return values[i - 1] + (values[i] - values[i - 1]) * (u - levels[i - 1]) / (levels[i] - levels[i - 1])


def unlike(found, quantiles, of=1):
    """Which of QUANTILES (by level; of the greatest of OF draws) have more or fewer of FOUND below them than 4.5 standard
    errors allow."""
    wrong = []
    for level, value in quantiles.items():
        expected, share = level ** of, sum(x < value - 1e-6 for x in found) / len(found)
        equal = sum(abs(x - value) <= 1e-6 for x in found) / len(found)
        error = 4.5 * math.sqrt(expected * (1 - expected) / len(found)) + 1e-3
        if not share - error <= expected <= share + equal + error:
            wrong.append((level, expected, share))
    return wrong


def shortest(signature):
    """Of its least messages."""
    return signature["network"][0]["latency"][0]["one_way_ns"]


def width(values):
    values = sorted(values)
    return values[int(0.95 * len(values))] - values[int(0.05 * len(values))]


def check_distribution(name, signature):
    """Of one message, and of the slowest of 64 pairs' first, or eighth, ones; of 0 bytes: larger ones take no less than these."""
    save(signature, "these.sig")
    quantiles = {level: quantile(shortest(signature), level) for level in LEVELS}
    write_program("one.txt", 2, [send(0, 1, 0), receive(1, 0, 0)])
    found = runs("one.txt", "these.sig", 4096, "--models=measurement=fixed")
    ok(f"{name}: a message has the sample's distribution", not unlike(found, quantiles), unlike(found, quantiles))
    levels = [1 - (1 - level) / 64 for level in LEVELS]
    highest = {level: quantile(shortest(signature), level) for level in levels}
    for before in (0, 7):
        work_ns = write_pairs("pairs.txt", 64, before, 0)
        found = [x - work_ns for x in runs("pairs.txt", "these.sig", 4096, "--models=measurement=fixed")]
        ok(f"... the slowest of 64 pairs' messages after {before} is that of 64 independent ones", not unlike(found, highest, 64),
           unlike(found, highest, 64))


def check_ring_of_tails():
    """1 us, and 100 us with probability 0.001."""
    slow = shuffled([100000.0] * 20 + [1000.0] * 19980, 5)
    write_launch("tails", 0, slow, shuffled(slow, 6))
    make_signature("tails", "tails.sig")
    ok("the signature keeps rows", "rows" in read("tails.sig")["network"][0]["latency"][0])
    rng = random.Random(7)
    expected = [ring_time(256, 200, lambda: 100000.0 if rng.random() < 0.001 else 1000.0) / 1000 for _ in range(60)]
    write_ring("ring.txt", 256, 200)
    found = [x / 1000 for x in runs("ring.txt", "tails.sig", 256)]
    mean, more = statistics.mean(found), statistics.mean(expected)
    error = 4 * math.hypot(statistics.stdev(found) / 16, statistics.stdev(expected) / math.sqrt(60))
    ok(f"a ring of 256 with rare slow messages: {mean:.0f} us, Monte Carlo {more:.0f}", abs(mean - more) < error, error)
    ratio = statistics.stdev(found) / statistics.stdev(expected)
    ok(f"... and as spread: {ratio:.2f}", 0.7 < ratio < 1.4)


def check_reference_ring():
    signature = messages_alone(read(REFERENCE[1]))
    save(signature, "rows.sig")
    for size in signature["network"][0]["latency"]:
        del size["rows"]
    save(signature, "alone.sig")
    write_ring("ring.txt", 128, 100, 1024)
    with_rows, alone = (statistics.mean(runs("ring.txt", f"{name}.sig", 64)) / 1000 for name in ("rows", "alone"))
    ok(f"a ring of 128 on the shipped machine: {with_rows:.1f} us, {alone:.1f} of independent messages",
       0.9 < with_rows / alone < 1.25)


def check_sums():
    """A record that drifts, with Pareto's interrupts: of n successive messages there and n back."""
    rng, level, there, back = random.Random(11), 0.0, [], []
    keep = math.exp(-1 / 300)
    for _ in range(30000):
        level = keep * level + math.sqrt(1 - keep * keep) * rng.gauss(0, 1)
        for way in (there, back):
            extra = 300 * rng.paretovariate(2.5) if rng.random() < 0.01 else 0
            way.append(500 * math.exp(0.1 * level) + rng.gammavariate(2, 8) + extra)
    write_launch("drift", 0, there, back)
    make_signature("drift", "drift.sig")
    total = [0.0]
    for x in there:
        total.append(total[-1] + x)
    for n in (10, 100, 1000):
        windows = [total[i + n] - total[i] for i in range(0, len(there) - n, max(1, n // 20))]
        own = width([a + b for a, b in zip(windows, shuffled(windows, 3))])
        independent = width([sum(rng.choices(there, k=2 * n)) for _ in range(400)])
        write_ping_pong("sums.txt", n)
        found = runs("sums.txt", "drift.sig", 1024)
        ratio = width(found) / own
        ok(f"sums of {n} are {ratio:.2f} as wide as the record's own (independent draws: {independent / own:.2f})",
           0.8 < ratio < 1.2)
        mean = statistics.mean(found) / (2 * n * statistics.mean(there + back))
        ok(f"... their mean is the record's: {mean:.4f}",
           abs(mean - 1) < 4 * statistics.stdev(found) / 32 / statistics.mean(found) + 0.003)


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        rng = random.Random(1)
        made, level = [], 0.0
        for _ in range(4000):
            level = 0.95 * level + math.sqrt(1 - 0.95 ** 2) * rng.gauss(0, 1)
            made.append(200 + 100 * math.exp(0.5 * level + 0.5 * rng.gauss(0, 1)))
        write_launch("made", 0, made, made[::-1])
        make_signature("made", "made.sig")
        check_distribution("a made record", messages_alone(read("made.sig")))
        check_distribution("the shipped one", messages_alone(read(REFERENCE[1])))
        check_ring_of_tails()
        check_reference_ring()
        check_sums()
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
