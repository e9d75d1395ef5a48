#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tails of launches (docs/MODEL.md, section 3): what mpgsim draws above a short launch's quantiles has the closed form
for exponential times; launches keep their levels; a single launch, long launches, and those whose number of independent
samples is unknown stay unchanged (TAP)."""

import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from answers import finish, ok  # noqa: E402
from chains import receive, runs, save, send, write_program  # noqa: E402

REPLICAS = 240000
WORTH = 16
EULER = 0.5772156649015329
LEVELS = 1 / 4, 1 / 2, 1, 2  # t, of 1 - t / WORTH
# Of t + 1/2: Abramowitz and Stegun, 6.3.2 to 6.3.5; 3/4 by 6.3.7 and 6.3.8.
DIGAMMA = {1 / 4: -EULER + math.pi / 2 - 3 * math.log(2), 1 / 2: -EULER, 1: 2 - EULER - 2 * math.log(2),
           2: 2 + 2 / 3 - EULER - 2 * math.log(2)}


def exponential(mean_ns, samples):
    """Returns an exponential distribution's quantiles, up to 1 - 1e-8."""
    probabilities = sorted({i / 200 for i in range(200)} | {1 - 10 ** (-i / 20) for i in range(40, 161)})
    quantiles = [-mean_ns * math.log1p(-p) for p in probabilities]
    return {"n": samples, "mean": mean_ns, "sd": mean_ns, "probabilities": [*probabilities, 1],
            "quantiles": [*quantiles, quantiles[-1] + mean_ns]}


def machine(means, worth):
    """Writes a signature whose launches have WORTH independent samples each; None: the number is not stated."""
    samples = 100000
    pooled = exponential(sum(means) / len(means), samples * len(means))
    if worth:
        pooled["intervals"] = [{"probability": p, "low": 0, "high": pooled["quantiles"][-1], "freedom": 2,
                                "independent": worth * len(means), "launches": len(means)} for p in (0.5, 0.99)]
    size = {"size_bytes": 8, "one_way_ns": pooled}
    if len(means) > 1:
        size["launches"] = [exponential(mean, samples) for mean in means]
    save({"format": "mpgkit-signature", "version": [4, 2], "header": {"host": "made"},
          "network": [{"path": "node", "one_way": "made", "latency": [size]}]}, "made.sig")


def exceeding(value_ns):
    """Returns the share of replicas of one message that take longer."""
    return sum(x > value_ns for x in runs("one", "made.sig", REPLICAS)) / REPLICAS


def near(found, expected):
    return abs(found - expected) < 4.5 * math.sqrt(expected * (1 - expected) / REPLICAS)


def ratio(t):
    """Returns the exponential's quantile at 1 - t / n divided by its mean over a gamma distributed t."""
    return math.log(WORTH / t) / (math.log(WORTH) - DIGAMMA[t])


def check_closed_form():
    machine([1000] * 4, WORTH)
    for t in LEVELS:
        wanted = 1000 * math.log(WORTH / t) * ratio(t)
        found = exceeding(wanted)
        ok(f"four launches of {WORTH} samples: {found:.4f} above {wanted:.0f} ns, {t / WORTH:.4f} by the closed form",
           near(found, t / WORTH))


def check_levels():
    """Two launches far apart: each has half of the draws, and the tail of its own level."""
    machine([1, 1000000], WORTH)
    wanted = 1e6 * math.log(WORTH / 0.5) * ratio(0.5)
    found = exceeding(wanted)
    ok(f"launches keep their levels: {found:.4f} above {wanted:.0f} ns, {0.25 / WORTH:.4f} by the closed form",
       near(found, 0.25 / WORTH))


def check_unchanged():
    for name, means, worth in (("one launch", [1000], WORTH), ("nobody says what they are worth", [1000] * 4, None)):
        machine(means, worth)
        found = [exceeding(1000 * math.log(WORTH / t)) for t in LEVELS]
        ok(f"{name}: times are the launch's", all(near(x, t / WORTH) for x, t in zip(found, LEVELS)), found)
        again = runs("one", "made.sig", 256)
        ok("... to the last bit", again == runs("one", "made.sig", 256, "--models=measurement=fixed"))
    machine([1000] * 4, 100000)
    long, fixed = runs("one", "made.sig", 256), runs("one", "made.sig", 256, "--models=measurement=fixed")
    ok("long launches: times are the launches'", all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(long, fixed)))


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        write_program("one", 2, [send(0, 1), receive(1, 0)])
        check_closed_form()
        check_levels()
        check_unchanged()
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
