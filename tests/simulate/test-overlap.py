#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --predict with a signature's overlap of transfers with computation (docs/MODEL.md, section 5, Progress), by hand (TAP).
MPGSIM names the program."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import finish, ok  # noqa: E402

MPGSIM = os.environ["MPGSIM"]
LATENCY, BYTE, WORK = 2000.0, 0.5, 100000.0  # ns of a message, of a byte, and of the receiver's work before its wait
LIMIT = 4000


def always(value):
    return {"n": 2, "mean": value, "quantiles": [value, value]}


def path(kind, shares, factor=1):
    """A path class; SHARES: the overlap of receives by size; None: not measured."""
    made = {"path": kind, "one_way": "made up", "eager_limit_bytes": LIMIT,
            "latency": [{"size_bytes": d, "one_way_ns": always(factor * (LATENCY + BYTE * d))} for d in (0, LIMIT, LIMIT + 1, 1000000)]}
    if shares is not None:
        made["overlap"] = {"receive": {
            "alone": [{"size_bytes": d, "alone_ns": always(1000)} for d in shares],
            "share": [{"size_bytes": d, "share": always(share)} for d, share in shares.items()]}}
    return made


def signature(name, *paths, shared=False):
    """SHARED: the memory of a node has a capacity, of which no message needs much."""
    made = {"format": "mpgkit-signature", "version": [4, 7], "header": {"host": "a"}, "network": list(paths)}
    if shared:
        made["sharing"] = [{"placement": "node", "direction": "one", "bytes": 1000000, "pairs": pairs, "bandwidth": always(1e15)}
                           for pairs in (1, 2)]
    with open(name, "w", encoding="ascii") as file:
        json.dump(made, file)
    return name


def trace(name, size):
    """Rank 1 posts a receive, works and waits; rank 0 sends at once, and its send completes with the message."""
    end = 1000 + int(WORK)
    lines = ["#mpgtext 1", "#ranks 2", "#clocks shared", "#comm 0 = 0 1", "0 0 1000 Init", "1 0 1000 Init",
             f"0 1000 {end} Ssend comm=0 to=1 tag=1 bytes={size}",
             f"1 1000 1000 Irecv comm=0 from=0 tag=1 bytes={size} request=1",
             f"1 {end} {end + 10} Wait requests=1", f"0 {end} {end} Finalize", f"1 {end + 10} {end + 10} Finalize"]
    with open(name, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return name


def ranks(*arguments):
    """The predicted run time of each rank, ns."""
    done = subprocess.run([MPGSIM, "--cache=fresh", "--json", "--predict", "--source=none", "--replicas=1", *arguments], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        return done.stderr.decode()
    return [round(rank["traced_ns"] + rank["delay_ns"]["median"], 3) for rank in json.loads(done.stdout)["ranks"]]


def same(name, got, expected):
    ok(name, got == expected, f"{got}, not {expected}")


def by_hand():
    d = 100000
    flight = LATENCY + BYTE * d
    waits = [WORK + BYTE * d] * 2  # the bytes begin with the wait
    at_once = [flight, WORK]       # all is over before the wait
    t = trace("t.txt", d)
    no, yes = signature("no.sig", path("node", {d: 0.2})), signature("yes.sig", path("node", {d: 0.9}))
    none = signature("none.sig", path("node", None))
    same("not measured: the message waits for the receiver's call", ranks("--signature", none, t), waits)
    same("no overlap: the same", ranks("--signature", no, t), waits)
    same("overlap: the message arrives during the computation", ranks("--signature", yes, t), at_once)
    same("exactly one half is no overlap", ranks("--signature", signature("half.sig", path("node", {d: 0.5})), t), waits)
    same("--without=overlap", ranks("--signature", yes, "--without=overlap", t), waits)
    same("--without=progress: every receive progresses", ranks("--signature", no, "--without=progress", t), at_once)
    same("times from the command line alone: no overlap is known",
         ranks("--signature", yes, f"--latency=const:{LATENCY:g}ns", f"--byte=const:{BYTE:g}ns", "--eager-limit=4000", t)[1], waits[1])
    # Linear between sizes: 0.2 at 50000 and 0.9 at 150000 make 0.55 at 100000; constant beyond.
    between = signature("between.sig", path("node", {50000: 0.2, 150000: 0.9}))
    same("between two sizes, above one half", ranks("--signature", between, t), at_once)
    for size, name in ((90000, "below one half"), (10000, "below all sizes")):
        same(name, ranks("--signature", between, trace("s.txt", size)), [WORK + BYTE * size] * 2)
    same("above all sizes", ranks("--signature", between, trace("s.txt", 180000)), [LATENCY + BYTE * 180000, WORK])
    across = signature("across.sig", path("node", {100: 1, 200000: 0.1}))
    same("not across the eager limit", ranks("--signature", across, t), waits)
    two = signature("two.sig", path("node", {d: 0.9}), path("between nodes", {d: 0.1}))
    same("by the path of the message: within a node", ranks("--signature", two, "--map=block:2", t), at_once)
    same("... and between nodes", ranks("--signature", two, "--map=block:1", t), waits)


def explained():
    d = 100000
    t = trace("t.txt", d)
    yes = signature("yes.sig", path("node", {1000: 0.9, d: 0.9, 2 * d: 0.1}))
    done = subprocess.run([MPGSIM, "--predict", "--source=none", "--signature", yes, "--where=path", t], check=False,
                          stdout=subprocess.PIPE)
    said = b" ".join(done.stdout.split())
    ok("the answer says where messages progress", b"node, while the receiver computes, at 1 of 2 sizes" in said, said)
    for share in (0.9, 0.1):
        wire = ["--signature", signature("wire.sig", path("node", {d: share}), shared=True), "--map=block:2", t]
        same(f"in the order of simulated time the same, overlap {share}", ranks("--contention=measured", *wire),
             ranks("--contention=none", *wire))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        by_hand()
        explained()
        os.chdir("/")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
