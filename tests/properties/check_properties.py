# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches for programs and options that violate a property of the model (TAP). Violations are reduced to small cases
and printed with trace, files and command. The environment variables MPGSIM and MPGTRACE name the programs,
PROPERTY_CASES how many cases each property has (default 24)."""

import argparse
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import cases  # noqa: E402
import rules  # noqa: E402
import rules_more  # noqa: E402
import shrink  # noqa: E402


def wrong(rule, case):
    """Returns the violation, or None; raises cases.Skip if the case shows nothing."""
    try:
        rule.check(case)
    except AssertionError as error:
        return error
    except subprocess.TimeoutExpired as error:
        return error
    return None


def fails_so(rule, case, what):
    """Returns whether the case fails, and is not just refused, unless the refusal is the violation."""
    try:
        found = wrong(rule, case)
    except cases.Skip:
        return False
    if isinstance(what, cases.Refused):
        return isinstance(found, cases.Refused) and reason(found) == reason(what)
    return type(found) is type(what)


def reason(error):
    """Returns the error's text without places and numbers."""
    return re.sub(r"[0-9]+|\S*/\S*", "", str(error))


def report(rule, seed, case, what, seconds):
    print(f"# {rule.name}, seed {seed}: {what}")
    small = shrink.shrunk(case, lambda one: fails_so(rule, one, what), seconds)
    lines = [f"shrunk: {wrong(rule, small)}", small.shown()]
    print("\n".join("# " + line for text in lines for line in text.splitlines()), flush=True)


def check(rule, first, count, options):
    """Returns how many cases hold, show nothing, fail."""
    held = skipped = failed = 0
    for seed in range(first, first + count):
        try:
            case = rule.make(random.Random(f"{rule.name} {seed}"))
            what = wrong(rule, case)
        except cases.Skip as skip:
            skipped += 1
            if options.skipped:
                print(f"# {rule.name}, seed {seed}: {skip}")
            continue
        held += what is None
        failed += what is not None
        if what is not None:
            report(rule, seed, case, what, options.shrink_seconds)
    return held, skipped, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int,
                        default=int(os.environ.get("PROPERTY_CASES", "24")))
    parser.add_argument("--first", type=int, default=0, help="seed")
    parser.add_argument("--only", help="properties, with commas between them")
    parser.add_argument("--shrink-seconds", type=float, default=60)
    parser.add_argument("--skipped", action="store_true",
                        help="say why cases say nothing")
    options = parser.parse_args()
    chosen = [rule for rule in rules.RULES + rules_more.MORE
              if not options.only or rule.name in options.only.split(",")]
    print(f"1..{len(chosen)}")
    bad = 0
    for number, rule in enumerate(chosen, 1):
        begin = time.monotonic()
        held, skipped, failed = check(rule, options.first, options.cases, options)
        good = not failed and held >= rule.quorum * (held + skipped)
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {rule.name}: {held} hold, "
              f"{failed} fail, {skipped} say nothing")
        print(f"# {time.monotonic() - begin:.1f} s", flush=True)
    return 1 if bad else 0
