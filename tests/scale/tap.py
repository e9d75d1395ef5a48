# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by mpgscale's tests: TAP, and mpgscale's output. The environment variable MPGSCALE names the program."""

import os
import subprocess
import sys
import tempfile

MPGSCALE = os.environ.get("MPGSCALE", "mpgscale")
COUNT = [0]
FAILED = [0]


def ok(good, name, *more):
    """Prints a test point; MORE is printed if it is not GOOD."""
    COUNT[0] += 1
    FAILED[0] += not good
    print("%sok %d - %s" % ("" if good else "not ", COUNT[0], name), flush=True)
    for line in () if good else more:
        print("# " + str(line).replace("\n", "\n# "))


def run(*arguments, **more):
    return subprocess.run([MPGSCALE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **more)


def parts(*functions):
    """Calls each function with an empty folder of its own; ends the program."""
    for part in functions:
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    print("1..%d" % COUNT[0])
    sys.exit(FAILED[0] > 0)
