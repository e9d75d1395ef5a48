#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --waits on a random program: without perturbation what it predicts is what was traced, and with one what
mpgtrace waits finds in the trace that --output-trace makes of the same replica, to the rounding of its times to a
nanosecond.  Prints what is wrong, and last "ok", "chose" (ok, and some call of a replica completed something else),
"refused" (the replica cannot be written) or "wrong".

    waits_case.py MPGSIM MPGTRACE TRACE OPTION...
"""

import json
import os
import shutil
import subprocess
import sys

KINDS = ["time_ns", "late_sender_ns", "late_receiver_ns", "wait_at_barrier_ns", "wait_at_nxn_ns",
         "late_broadcast_ns", "early_reduce_ns", "early_scan_ns"]
MATTERS = ["point_to_point", "collective", "synchronization", "one_sided", "other"]
BYS = ["rank", "call"]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def load(*command):
    done = run(*command)
    if done.returncode != 0:
        sys.exit("wrong: " + " ".join(command) + ": " + done.stderr)
    return json.loads(done.stdout)


def rows(answer, world):
    """World's sums by who they are of."""
    found = {matter: answer[world][matter] for matter in MATTERS}
    for row in answer["rows"]:
        found[str(row[answer["by"]])] = row[world]
    return found


def differ(one, other, slack):
    """What differs by more than SLACK ns a call."""
    wrong = []
    for who in sorted(set(one) | set(other)):
        calls = max(rows_of.get(who, {"calls": 0})["calls"] for rows_of in (one, other))
        for kind in KINDS:
            a, b = (rows_of.get(who, {}).get(kind, 0) for rows_of in (one, other))
            if abs(a - b) > slack * calls:
                wrong.append("%s %s: %.17g, %.17g" % (who, kind, a, b))
    return wrong


def main():
    mpgsim, mpgtrace, trace, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    plain = [o for o in options if not o.startswith(("--noise", "--call-noise", "--latency", "--byte"))]
    wrong, refused, chose = [], False, False
    if not any(o.startswith("--eager-limit") for o in plain):
        plain.append("--eager-limit=1000000000")
    if "--predict" not in options:
        same = load(mpgsim, "--json", "--waits", "--cache=fresh", *plain, trace)["waits"]
        wrong += differ(rows(same, "traced"), rows(same, "predicted"), 1e-6)
    for by in BYS:
        whole = load(mpgsim, "--json", "--waits", "--waits=" + by, "--replicas=1", *options, trace)
        answer = whole["waits"]
        chose = chose or whole.get("choice", {}).get("picks_changed", 0) > 0
        if os.path.isdir("out.trace"):
            shutil.rmtree("out.trace")
        written = run(mpgsim, "--output-trace=out.trace", "--replicas=1",
                      "--replicas=first=%d" % answer["replica"], *options, trace)
        if "cannot be written" in written.stderr or "cannot be read" in written.stderr:
            refused = True
            continue
        if written.returncode != 0:
            sys.exit("wrong: " + written.stderr)
        limit = [o for o in options if o.startswith("--eager-limit")]
        again = load(mpgtrace, "waits", "--json", "--by=" + by,
                     *(limit or ["--eager-limit=1000000000"]), "out.trace")
        wrong += differ(rows(answer, "predicted"), rows(again, "traced"), 2)
    for line in wrong:
        print("#", line)
    print("wrong" if wrong else "refused" if refused else "chose" if chose else "ok")


main()
