#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a random table of collective algorithms (mpgcollectives(5)): all algorithms of some operations, with thresholds
that programs of few ranks reach."""

import argparse
import random

from oracle_plans import LISTED

# A chain is one message, or several
ALGORITHMS = {operation: names + ["segments"] * ("chain" in names) for operation, names in LISTED.items()}


def row_of(source, operation):
    """Returns an algorithm with its options."""
    name = source.choice(ALGORITHMS[operation])
    if name == "segments":
        return "chain segment=" + source.choice(["1KiB", "1000", "3001", "64KiB", "96"])
    return name + (f" radix={source.randint(2, 5)}" if name == "knomial" else "")


def make(seed):
    source = random.Random(f"collectives {seed}")
    lines = []
    for operation in ALGORITHMS:
        if source.random() < 0.2:
            continue
        processes = [source.choice([1, 2])] + source.sample(range(3, 10), 2)
        for least in processes[:source.randint(1, 3)]:
            sizes = ["0"] + source.sample(["1", "9", "512", "1KiB", "4097", "32KiB"],
                                          source.randint(0, 3))
            lines += [f"{operation} {least} {size} {row_of(source, operation)}"
                      + source.choice(["", "", "  # why not"]) for size in sizes]
    source.shuffle(lines)
    return "\n".join(["#mpgcollectives 1", "", *lines]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    print(make(parser.parse_args().seed), end="")


if __name__ == "__main__":
    main()
