#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sharing of processors (docs/MACHINES.md): on random programs no processor does more than one thing at a time, with
any policy, switching and quanta (TAP). MPGSIM names the program, SHARING_SEEDS how many programs (default 25)."""

import itertools
import json
import os
import random
import subprocess
import tempfile

MPGSIM = os.environ["MPGSIM"]
SEEDS = int(os.environ.get("SHARING_SEEDS", "25"))


def program(draw, places):
    """Returns a program as mpgtext(5): ranks that get, send, send synchronously and meet, in an order in which all can
    be done; those of processor 0 have the most work."""
    n = len(places)
    now = [1000] * n
    most = [300 if p == 0 else 10 for p in places]
    lines = [[f"{i} 0 1000 Init", f"{i} 1000 1000 Win_create comm=0 win=0", f"{i} 1000 1000 Win_lock_all win=0"]
             for i in range(n)]

    def call(rank, until, text):
        lines[rank].append(f"{rank} {now[rank]} {until} {text}")
        now[rank] = until
    for k in range(draw.randint(4, 14)):
        a, b = draw.sample(range(n), 2)
        kind = draw.choice(["Send", "Send", "Ssend", "Get", "Barrier"])
        now[a] += draw.randint(0, most[a]) * 1000 + 385
        if kind == "Get":
            call(a, now[a], f"Get win=0 to={b} recvbytes=8")
            if draw.random() < 0.7:
                call(a, now[a], f"Win_flush win=0 to={b}")
        elif kind == "Barrier":
            for i in range(n):
                now[i] += draw.randint(0, most[i]) * 1000
            end = max(now)
            for i in range(n):
                call(i, end, "Barrier comm=0")
        else:
            now[b] += draw.randint(0, most[b]) * 1000
            end = max(now[a], now[b])
            call(a, end if kind == "Ssend" else now[a], f"{kind} comm=0 to={b} tag={k} bytes=8")
            call(b, end, f"Recv comm=0 from={a} tag={k} bytes=8")
    for i in range(n):
        now[i] += draw.randint(1, 2 * most[i]) * 1000
        call(i, now[i], "Win_unlock_all win=0")
        call(i, now[i] + 1000, "Finalize")
    return "\n".join(["#mpgtext 1", f"#ranks {n}", "#clocks shared", "#comm 0 = " + " ".join(map(str, range(n))),
                      "#window 0 = 0 0", *itertools.chain(*lines)]) + "\n"


def early(draw):
    """Ranks 0 and 1, on one processor, wait. Rank 2 makes a request to rank 0, and soon afterwards, while the processor
    switches, sends both the messages for which they wait."""
    work = [draw.randint(500, 1500) * 1000 for _ in range(2)]
    first, at = draw.randint(1, 100) * 1000, draw.randint(300, 400) * 1000
    sent, other = at + draw.randint(1, 70) * 1000, at + draw.randint(71, 400) * 1000
    return f"""#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
#window 0 = 0 0
0 0 1000 Init
0 1000 1000 Win_create comm=0 win=0
0 2000 {sent} Recv comm=0 from=2 tag=1 bytes=8
0 {sent + work[0]} {sent + work[0] + 1000} Finalize
1 0 1000 Init
1 1000 1000 Win_create comm=0 win=0
1 {first} {other} Recv comm=0 from=2 tag=2 bytes=8
1 {other + work[1]} {other + work[1] + 1000} Finalize
2 0 1000 Init
2 1000 1000 Win_create comm=0 win=0
2 1000 1000 Win_lock_all win=0
2 {at} {at} Get win=0 to=0 recvbytes=8
2 {sent} {sent} Send comm=0 to=0 tag=1 bytes=8
2 {other} {other} Send comm=0 to=1 tag=2 bytes=8
2 {other} {other} Win_flush win=0 to=0
2 {other} {other} Win_unlock_all win=0
2 {other} {other + 1000} Finalize
"""


def long_work(work_ns):
    """Three ranks compute for WORK_NS; in the middle of this the third one sends the first one a message."""
    return f"""#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
0 0 1000 Init
0 1000 1000 Irecv comm=0 from=2 tag=1 bytes=8 request=1
0 {work_ns + 1000} {work_ns + 1000} Wait requests=1
0 {work_ns + 1000} {work_ns + 1000} Finalize
1 0 1000 Init
1 {work_ns + 1000} {work_ns + 1000} Finalize
2 0 1000 Init
2 {work_ns // 3} {work_ns // 3} Send comm=0 to=0 tag=1 bytes=8
2 {work_ns} {work_ns} Finalize
"""


def turns_at_once(path):
    """Quanta of a billionth of the work: the number of events must not grow with the work. Returns what is wrong."""
    work_ns = 10 ** 12
    with open(path, "w", encoding="ascii") as file:
        file.write(long_work(work_ns))
    done = subprocess.run(
        [MPGSIM, "--json", "--cache=fresh", "--target=ideal", "--target=work=wall", "--target=Processors=1",
         "--target=SwitchTime=1us", "--target=Quantum=1us", path], check=False, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, timeout=100)
    if done.returncode:
        return done.stderr.decode().strip()
    x = json.loads(done.stdout)["extrapolation"]
    runs = [r["run_ns"] for r in x["ranks"]]
    # three times the work, and a switch of 1 us for each microsecond of it
    if any(abs(run / (6 * work_ns) - 1) > 1e-6 for run in runs) or x["events"] > 200:
        return f"runs {runs}, {x['events']} events"
    return None


def wrong_in(ranks, places):
    """Returns what is impossible in the result's RANKS on PLACES; None: nothing."""
    run = max(r["run_ns"] for r in ranks)
    for p in set(places):
        busy = sum(r["work_ns"] + r["service_ns"] for r in ranks if places[r["rank"]] == p)
        if busy > run * (1 + 1e-12):
            return f"processor {p} is busy for {busy} ns of {run}"
    for r in ranks:
        if r["run_ns"] < r["work_ns"] or r["wait_ns"] < -1e-3 or r["processor_ns"] < -1e-3:
            return f"rank {r['rank']}: {r}"
    return None


def main():
    bad, runs, switched = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path, places_path = os.path.join(folder, "a.txt"), os.path.join(folder, "map")
        for seed in range(SEEDS):
            draw = random.Random(f"sharing {seed}")
            n = draw.randint(3, 5)
            processors = draw.randint(1, n - 1)
            places = [0, 0] + [draw.randrange(processors) for _ in range(n - 2)]
            if seed % 2:
                processors, places = 2, [0, 0, 1]
            with open(path, "w", encoding="ascii") as file:
                file.write(early(draw) if seed % 2 else program(draw, places))
            with open(places_path, "w", encoding="ascii") as file:
                file.write("\n".join(map(str, places)) + "\n")
            for policy, switch in itertools.product(["none", "interrupt", "poll", "offload"], [0, 50.385]):
                quantum = draw.choice([0, 41]) if policy in ("none", "offload") else 0
                done = subprocess.run(
                    [MPGSIM, "--json", "--cache=fresh", "--target=ideal", "--target=ServiceTime=5us",
                     f"--target=Policy={policy}", f"--target=Processors={processors}", f"--map={places_path}",
                     f"--target=SwitchTime={switch}us", f"--target=Quantum={quantum}us", path], check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                case = f"seed {seed}, {policy}, switch {switch}, quantum {quantum}"
                if done.returncode:
                    bad.append(f"{case}: {done.stderr.decode().strip()}")
                    continue
                ranks = json.loads(done.stdout)["extrapolation"]["ranks"]
                wrong = wrong_in(ranks, places)
                runs += 1
                switched += switch > 0 and any(r["processor_ns"] > 0 for r in ranks)
                if wrong:
                    bad.append(f"{case}: {wrong}")
    print(f"{'ok' if not bad else 'not ok'} 1 - {runs} runs on shared processors: one thing at a time")
    print(f"{'ok' if switched > SEEDS else 'not ok'} 2 - in many of them processors are switched ({switched})")
    with tempfile.TemporaryDirectory() as folder:
        wrong = turns_at_once(os.path.join(folder, "a.txt"))
    print(f"{'ok' if not wrong else 'not ok'} 3 - turns of short quanta are taken together")
    for line in bad[:5] + [wrong or ""]:
        print("#", line[:500])
    print("1..3")


main()
