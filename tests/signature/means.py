# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints distributions of a signature (standard input) whose draws have another mean than they state, by more than 1 %,
and cores without a family for gaps and durations that describes all samples."""

import json
import sys


def drawn_mean(given):
    quantiles = given["quantiles"]
    steps = len(quantiles) - 1
    p = given.get("probabilities", [i / steps for i in range(steps + 1)])
    return sum((p[i + 1] - p[i]) * (quantiles[i] + quantiles[i + 1]) / 2 for i in range(steps))


def distributions(value, name):
    if isinstance(value, dict):
        if "quantiles" in value:
            yield name, value
        value = value.items()
    elif isinstance(value, list):
        value = enumerate(value)
    else:
        return
    for key, one in value:
        yield from distributions(one, f"{name}/{key}")


signature = json.load(sys.stdin)
for name, one in distributions(signature, ""):
    if abs(drawn_mean(one) - one["mean"]) > 0.01 * abs(one["mean"]):
        print(f"{name}: mean {one['mean']}, drawn {drawn_mean(one)}")
for i, core in enumerate(signature["noise"]):
    for key in ("gap_ns", "duration_ns"):
        if all(fit["tail_fraction"] < 1 for fit in core[key].get("fits", [])):
            print(f"/noise/{i}/{key}: no family")
