#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contention and topologies (docs/MACHINES.md) on random patterns of messages, compared with an event simulator of this
test (TAP). MPGSIM names the program, NETWORK_SEEDS how many patterns (default 40)."""

import heapq
import json
import math
import os
import random
import subprocess
import tempfile

MPGSIM = os.environ["MPGSIM"]
SEEDS = int(os.environ.get("NETWORK_SEEDS", "40"))
TOPOLOGIES = ["full", "bus", "ring", "mesh", "torus", "hypercube", "fattree"]


def links(topology, p):
    """Returns L, the number of links, at least 1."""
    side = math.sqrt(p)
    return max(1, {"full": p * (p - 1) / 2, "bus": 1, "ring": p, "mesh": 2 * side * (side - 1), "torus": 2 * p,
                   "hypercube": p * math.log2(p) / 2, "fattree": p}[topology])


def hops(topology, p, i, j):
    """Returns h, the number of links between two processors."""
    w = math.ceil(math.sqrt(p))

    def ring(a, b, n):
        return min(abs(a - b), n - abs(a - b))
    if i == j:
        return 0
    if topology in ("full", "bus"):
        return 1
    if topology == "ring":
        return ring(i, j, p)
    if topology == "mesh":
        return abs(i % w - j % w) + abs(i // w - j // w)
    if topology == "torus":
        return ring(i % w, j % w, w) + ring(i // w, j // w, math.ceil(p / w))
    return bin(i ^ j).count("1") if topology == "hypercube" else 2 * (i ^ j).bit_length()


def simulate(programs, m):
    """Returns when each rank is done. PROGRAMS: lists of ("work", ns), ("send", to, bytes), ("receive", source)."""
    n = len(programs)
    at, free, place = [0.0] * n, [0.0] * n, [0] * n
    sent, taken, arrived, waiting = {}, {}, {}, {}
    flying, events, count = 0, [], 0

    def put(time, kind, rank, what=None):
        nonlocal count
        count += 1
        heapq.heappush(events, (time, kind, rank, count, what))
    for r in range(n):
        put(0.0, 2, r)
    while events:
        now, kind, r, _, what = heapq.heappop(events)
        if kind == 0:
            flying -= 1
            continue
        if kind == 1:
            key, to, size = what
            late = 1 + m["contention"] * flying / links(m["topology"], n)
            h = hops(m["topology"], n, r, to)
            there = now + h * m["hop"] + size * m["byte"] * late
            flying += 1
            put(there, 0, to)
            arrived[key] = there + m["service"]
            if key in waiting:
                put(now, 2, waiting.pop(key))
            continue
        while place[r] < len(programs[r]):
            op = programs[r][place[r]]
            if at[r] > now:
                put(at[r], 2, r)
                break
            if op[0] == "work":
                at[r] += op[1]
            elif op[0] == "send":
                begin = max(at[r], free[r])
                free[r] = begin + m["send"]
                at[r] += m["send"]
                key = (r, op[1], sent.get((r, op[1]), 0))
                sent[r, op[1]] = key[2] + 1
                put(free[r], 1, r, (key, op[1], op[2]))
            else:
                key = (op[1], r, taken.get((op[1], r), 0))
                if key not in arrived:
                    waiting[key] = r
                    break
                taken[op[1], r] = key[2] + 1
                at[r] = max(at[r] + m["service"], arrived[key])
            place[r] += 1
    return at


def pattern(draw, n):
    """Returns programs whose messages can be received in the order in which they are made."""
    programs = [[] for _ in range(n)]
    for _ in range(draw.randint(10, 80)):
        a, b = draw.randrange(n), draw.randrange(n)
        if a == b or draw.random() < 0.3:
            programs[a].append(("work", draw.randint(1, 40000)))
        else:
            programs[a].append(("send", b, draw.choice([0, 1, 517, 8000, 40001])))
            programs[b].append(("receive", a))
    return programs


def text(programs):
    """Returns the programs as mpgtext(5)."""
    lines = ["#mpgtext 1", f"#ranks {len(programs)}", "#clocks shared",
             "#comm 0 = " + " ".join(map(str, range(len(programs))))]
    for r, program in enumerate(programs):
        time, sizes = 1000, {}
        lines.append(f"{r} 0 1000 Init")
        for op in program:
            if op[0] == "work":
                time += op[1]
            elif op[0] == "send":
                lines.append(f"{r} {time} {time} Send comm=0 to={op[1]} tag=3 bytes={op[2]}")
            else:
                size = [o[2] for o in programs[op[1]] if o[0] == "send" and o[1] == r][sizes.get(op[1], 0)]
                sizes[op[1]] = sizes.get(op[1], 0) + 1
                lines.append(f"{r} {time} {time} Recv comm=0 from={op[1]} tag=3 bytes={size}")
        lines.append(f"{r} {time} {time + 10} Finalize")
    return "\n".join(lines) + "\n"


def main():
    bad, contended = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEEDS):
            draw = random.Random(f"network {seed}")
            programs = pattern(draw, draw.randint(2, 12))
            m = {"topology": TOPOLOGIES[seed % 7], "contention": draw.choice([0.5, 1, 2.385, 40]),
                 "hop": draw.choice([0, 117.0, 2385.0]), "byte": draw.choice([0.371, 1.7]),
                 "send": draw.choice([0, 1385.0]), "service": draw.choice([0, 617.0])}
            path = os.path.join(folder, "a.txt")
            with open(path, "w", encoding="ascii") as file:
                file.write(text(programs))
            keys = {"Topology": m["topology"], "Contention": m["contention"], "HopTime": f"{m['hop']}ns",
                    "ByteTransferTime": f"{m['byte']}ns", "CommStartupTime": f"{m['send']}ns",
                    "ServiceTime": f"{m['service']}ns"}
            done = subprocess.run([MPGSIM, "--json", "--cache=fresh", "--target=ideal",
                                   *[f"--target={k}={v}" for k, v in keys.items()], path], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode:
                bad.append(f"seed {seed}: {done.stderr.decode().strip()}")
                continue
            got = [rank["run_ns"] for rank in json.loads(done.stdout)["extrapolation"]["ranks"]]
            want, alone = simulate(programs, m), simulate(programs, {**m, "contention": 0})
            contended += any(abs(a - b) > 1 for a, b in zip(want, alone))
            far = max(abs(a - b) for a, b in zip(got, want))
            if far > 1e-6 * max(1, 1e-3 * max(want)):
                bad.append(f"seed {seed}: {far} ns: {m}: {got} for {want}")
    print(f"{'ok' if not bad else 'not ok'} 1 - {SEEDS} patterns of messages over 7 topologies")
    print(f"{'ok' if contended > SEEDS / 3 else 'not ok'} 2 - in many of them messages contend ({contended})")
    for line in bad[:5]:
        print("#", line[:500])
    print("1..2")


main()
