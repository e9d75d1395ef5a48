# SPDX-License-Identifier: GPL-3.0-or-later
"""TAP, as the test harness reads it."""

COUNT = [0, 0]


def ok(name, right, more=""):
    """Prints a test point; MORE is printed if it is not RIGHT."""
    COUNT[0] += 1
    COUNT[1] += not right
    if not right:
        print(f"# {more}")
    print(f"{'ok' if right else 'not ok'} {COUNT[0]} - {name}", flush=True)


def skip(name, why):
    COUNT[0] += 1
    print(f"ok {COUNT[0]} - {name} # SKIP {why}", flush=True)


def finish():
    """Prints the plan; returns whether a point failed, for the exit status."""
    print(f"1..{COUNT[0]}")
    return COUNT[1] > 0
