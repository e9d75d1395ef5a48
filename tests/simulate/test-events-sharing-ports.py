#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports and memory of hosts that messages share (docs/MODEL.md, section 5, Sharing): by hand, and on random patterns of messages
against the simulator of sharing.py (TAP). MPGSIM names the program, SHARING_SEEDS how many patterns
(default 60)."""

import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sharing import Run, answer, near, pattern, shares, text  # noqa: E402

SEEDS = int(os.environ.get("SHARING_SEEDS", "60"))
number = 0


def ok(name, good, *why):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    for line in why if not good else []:
        print("#", str(line)[:600])


def by_hand(folder):
    """Bytes take 1 ns each; the send itself takes nothing."""
    keys = ["--target=ByteTransferTime=1ns", "--target=CommStartupTime=0", "--target=ClusterSize=2", "--target=ClusterByte=1ns"]
    two = [[("send", 2, 1000000)], [("send", 3, 1000000)], [("receive", 0)], [("receive", 1)]]
    got, x = answer(folder, text(two), *keys, "--target=PortBandwidth=1e9")
    ok("two pairs through one port, each alone as fast as the port: twice as long", near(got, [0, 0, 2e6, 2e6]), got, x)
    got, x = answer(folder, text(two), *keys, "--target=PortBandwidth=2e9")
    ok("through a port of twice the capacity: as alone, to the bit", got == [0, 0, 1e6, 1e6] and x["delayed"] == 0, got, x)
    got, x = answer(folder, text(two), *keys, "--target=PortBandwidth=1.5e9")
    ok("of 1.5 times: 4 / 3", near(got, [0, 0, 4e6 / 3, 4e6 / 3]) and x["delayed"] == 2, got, x)
    # Port out of 0-1 has three flows; two of them end in 2-3, one in 4-5, which a fourth from 6-7 shares: with C = 1, the three
    # flows of the first port get 1/3 each, the fourth 2/3.
    three = [[("send", 2, 300000), ("send", 4, 300000)], [("send", 3, 300000)], [("receive", 0)], [("receive", 1)],
             [("receive", 0)], [("receive", 6)], [("send", 5, 600000)], []]
    got, x = answer(folder, text(three), *keys, "--target=PortBandwidth=1e9")
    ok("three flows of a port, one shared with a fourth at another port: 1/3 each and 2/3",
       near(got, [0, 0, 9e5, 9e5, 9e5, 9e5, 0, 0]), got, x)
    # The textbook's line of two links: flow A crosses both, B the first, C the second of half the capacity (two senders bound it).
    line = [[("send", 2, 250000)], [("send", 4, 750000)], [("receive", 0)], [("receive", 6)], [("receive", 1)], [],
            [("send", 3, 750000)], []]
    got, x = answer(folder, text(line), *keys, "--target=PortBandwidth=1e9")
    # out(0-1): A, B; in(2-3): A, C. A gets 1/2, B and C 1/2; A is done at 500000; B and C have 500000 left at rate 1.
    ok("a flow through two ports, another on each: 1/2, 1/2, 1/2, then the rest alone",
       near(got, [0, 0, 5e5, 1e6, 1e6, 0, 0, 0]), got, x)
    both = [[("send", 2, 1000000), ("receive", 2)], [], [("send", 0, 1000000), ("receive", 0)], []]
    got, x = answer(folder, text(both), *keys, "--target=PortBandwidth=1e9")
    ok("both directions of a port share nothing", got == [1e6, 0, 1e6, 0] and x["delayed"] == 0, got, x)
    inside = [[("send", 1, 1000000), ("receive", 1)], [("send", 0, 1000000), ("receive", 0)]]
    got, x = answer(folder, text(inside), *keys, "--target=MemoryBandwidth=1e9", "--target=PortBandwidth=1")
    ok("both directions of memory share it; a port has no part in it", near(got, [2e6, 2e6]), got, x)
    late = [[("send", 2, 1000000)], [("work", 500000), ("send", 3, 1000000)], [("receive", 0)], [("receive", 1)]]
    got, x = answer(folder, text(late), *keys, "--target=PortBandwidth=1e9")
    ok("one begins when the other is half done", near(got, [0, 5e5, 1.5e6, 2e6]), got, x)
    late[0][0], late[2][0] = ("send", 2, 1000000), ("receive", 0)
    got, x = answer(folder, text(two), "--target=ByteTransferTime=0", "--target=CommStartupTime=0", "--target=ClusterSize=2",
                    "--target=PortBandwidth=1e9")
    ok("bytes that take no time share the port alone", near(got, [0, 0, 2e6, 2e6]), got, x)
    # Both at 1 byte/ns: the bucket of 200000 bytes is empty after 200000 ns; 1600000 bytes at 1 byte/ns follow.
    got, x = answer(folder, text(two), *keys, "--target=PortBandwidth=1e9", "--target=PortBucket=200000")
    ok("a bucket lets two pass at their own rates until it is empty", near(got, [0, 0, 1.8e6, 1.8e6]), got, x)
    got, x = answer(folder, text(two), "--target=ByteTransferTime=0", "--target=CommStartupTime=0", "--target=ClusterSize=2",
                    "--target=PortBandwidth=1e9", "--target=PortBucket=2000000")
    ok("... and bytes that take no time at once", got is not None and max(got) <= 1, got, x)
    # After 150000 ns without flows it holds 150000 again.
    again = [[("send", 2, 1000000), ("receive", 2), ("work", 150000), ("send", 2, 1000000)],
             [("send", 3, 1000000), ("receive", 3), ("work", 150000), ("send", 3, 1000000)],
             [("receive", 0), ("send", 0, 0), ("receive", 0)], [("receive", 1), ("send", 1, 0), ("receive", 1)]]
    got, x = answer(folder, text(again), *keys, "--target=PortBandwidth=1e9", "--target=PortBucket=200000")
    ok("the port refills it", near(got, [1.95e6, 1.95e6, 3.8e6, 3.8e6]), got, x)
    wait = "\n".join(["#mpgtext 1", "#ranks 4", "#clocks shared", "#comm 0 = 0 1 2 3"] +
                     [f"{r} 0 1000 Init" for r in range(4)] +
                     [f"{r} 1000 1000 {'Send' if r < 2 else 'Recv'} comm=0 {'to' if r < 2 else 'from'}={r ^ 2} tag=3 bytes=1000000"
                      for r in range(4)] + [f"{r} 1000 1010 Finalize" for r in range(4)]) + "\n"
    got, x = answer(folder, wait, *keys, "--target=PortBandwidth=1e9", "--target=Policy=offload", "--eager-limit=1000")
    ok("senders of synchronous messages wait for the bytes", near(got, [2e6] * 4), got, x)
    alone, y = answer(folder, wait, *keys, "--target=Policy=offload", "--eager-limit=1000")
    ok("without capacities for one message", near(alone, [1e6] * 4), alone, y)


def at_random(folder):
    bad, delayed, other = [], 0, []
    for seed in range(SEEDS):
        draw = random.Random(f"sharing {seed}")
        programs = pattern(draw, draw.randint(2, 12))
        m = {"hop": draw.choice([0, 117.0, 2385.0]), "byte": draw.choice([0.371, 1.7, 0]), "cluster": draw.choice([1, 2, 3]),
             "send": draw.choice([0, 1385.0]), "service": draw.choice([0, 617.0]), "near_send": draw.choice([0, 85.0]),
             "near_byte": draw.choice([0.2385, 1.1]), "port": draw.choice([0, 0.3e9, 1e9, 2.385e9]),
             "memory": draw.choice([0, 1.1e9, 4e9]), "bucket": draw.choice([0, 0, 30000, 250001])}
        keys = {"HopTime": f"{m['hop']}ns", "ByteTransferTime": f"{m['byte']}ns", "CommStartupTime": f"{m['send']}ns",
                "ServiceTime": f"{m['service']}ns", "ClusterSize": m["cluster"]}
        if m["cluster"] > 1:
            keys.update(ClusterStartup=f"{m['near_send']}ns", ClusterByte=f"{m['near_byte']}ns")
        m["bucket"] = m["bucket"] if m["port"] else 0
        for key, value in (("PortBandwidth", m["port"]), ("MemoryBandwidth", m["memory"]), ("PortBucket", m["bucket"])):
            if value:
                keys[key] = value
        got, x = answer(folder, text(programs), *[f"--target={k}={v}" for k, v in keys.items()])
        if got is None:
            bad.append(f"seed {seed}: {x}")
            continue
        run = Run(programs, m)
        want = run.run()
        delayed += run.delayed > 0
        if not near(got, want):
            bad.append(f"seed {seed}: {m}: {got} for {want}")
        if x.get("delayed", 0) != run.delayed:
            other.append(f"seed {seed}: {x.get('delayed')} for {run.delayed}")
    ok(f"{SEEDS} random patterns of messages on clusters", not bad, *bad[:5])
    ok(f"in many of them messages are delayed ({delayed})", delayed > SEEDS / 3)
    ok("as many messages are delayed", not other, *other[:5])


# --- requests that wait ---

def exchange(ranks, messages):
    """As mpgtext(5): each rank receives all its messages (from, to, bytes, begin) from the start on, and sends each at its begin."""
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", "#comm 0 = " + " ".join(map(str, range(ranks)))]
    for r in range(ranks):
        lines.append(f"{r} 0 1000 Init")
        request, time = 1, 1000
        for tag, (a, b, size, _) in enumerate(messages):
            if b == r:
                lines.append(f"{r} 1000 1000 Irecv comm=0 from={a} tag={tag} bytes={size} request={request}")
                request += 1
        for begin, tag in sorted((x[3], tag) for tag, x in enumerate(messages) if x[0] == r):
            time = 1000 + begin
            lines.append(f"{r} {time} {time} Isend comm=0 to={messages[tag][1]} tag={tag} bytes={messages[tag][2]} request={request}")
            request += 1
        if request > 1:
            lines.append(f"{r} {time} {time} Waitall requests={','.join(map(str, range(1, request)))}")
        lines.append(f"{r} {time} {time + 10} Finalize")
    return "\n".join(lines) + "\n"


def requested(messages, m):
    """When MESSAGES end, by the rules of docs/MODEL.md: at H the receiver asks; the request passes its port after the bytes ahead; the
    bytes begin when the opposite messages of the two ranks have ended that began at least lambda before H."""
    def host(rank):
        return rank // m["cluster"]
    def crossed(a, b):
        if host(a) == host(b):
            return [("memory", host(a))] if m["memory"] else []
        return [("out", host(a)), ("in", host(b))]
    def limit(resource):
        return (m["memory"] if resource[0] == "memory" else m["port"]) / 1e9
    def opposite(i, j):
        return (messages[i][0], messages[i][1]) == (messages[j][1], messages[j][0]) and \
            min(messages[i][2], messages[j][2]) >= m["wait"] > 0
    hop = [0 if host(a) == host(b) else m["hop"] for a, b, _, _ in messages]
    asked = [x[3] + hop[i] for i, x in enumerate(messages)]
    todo = [(t, 0, i) for i, t in enumerate(asked)] # 0: the receiver asks, 1: the request has passed its port
    begun, left, ends, awaited, now = {}, {}, {}, {}, 0.0
    while todo or left or awaited:
        flows = sorted(left)
        bounds = [1 / (m["near_byte"] if host(messages[i][0]) == host(messages[i][1]) else m["byte"]) for i in flows]
        rates = dict(zip(flows, shares([(x, crossed(*messages[i][:2])) for i, x in zip(flows, bounds)], limit)))
        then = min([now + left[i] / rates[i] for i in flows] + [x[0] for x in todo])
        for i in flows:
            left[i] -= rates[i] * (then - now)
            if left[i] <= 1e-7:
                ends[i] = then
                del left[i]
        now = then
        ready = [i for i in awaited if all(j in ends for j in awaited[i])]
        for i in ready:
            del awaited[i]
        for x in [x for x in todo if x[0] <= now]:
            todo.remove(x)
            a, b, size, _ = messages[x[2]]
            before = min(asked[x[2]] - hop[x[2]] + 1e-6, asked[x[2]])
            if x[1] == 0 and m["queue"] and host(a) != host(b):
                port = [(j, bound) for j, bound in zip(flows, bounds) if j in left and ("out", host(b)) in crossed(*messages[j][:2])]
                ahead = sum(left[j] for j, _ in port if begun[j] < before)
                if ahead > 0:
                    todo.append((now + min(ahead, m["queue"]) / min(limit(("out", host(b))), sum(x for _, x in port)), 1, x[2]))
                    continue
            wait = [j for j in left if opposite(x[2], j) and begun[j] < before]
            if wait:
                awaited[x[2]] = wait
            else:
                ready.append(x[2])
        for i in ready:
            if crossed(*messages[i][:2]):
                begun[i], left[i] = now, messages[i][2]
            else:
                ends[i] = now + messages[i][2] * m["near_byte"]
    return ends


def waiting_by_hand(folder):
    """Bytes take 1 ns each; 0 and 1 are on one host, 2 and 3 on another."""
    keys = ["--target=ByteTransferTime=1ns", "--target=CommStartupTime=0", "--target=ClusterSize=2", "--target=ClusterByte=1ns",
            "--target=PortBandwidth=1e9", "--target=Policy=offload", "--eager-limit=1000"]
    late = [(0, 2, 1000000, 0), (2, 0, 1000000, 500000)]
    for name, more, messages, want in (
            ("pass at once, without the keys", [], late, [1.5e6, 0, 1.5e6, 0]),
            ("of one pair, from 1 byte on: the second begins when the first ends", ["OppositeWait=1"], late, [2e6, 0, 2e6, 0]),
            ("smaller messages pass at once", ["OppositeWait=1000001"], late, [1.5e6, 0, 1.5e6, 0]),
            ("of two pairs: they pass at once", ["OppositeWait=1"], [(0, 2, 1000000, 0), (3, 1, 1000000, 500000)],
             [1e6, 1.5e6, 1e6, 1.5e6]),
            ("... but not with a queue in the port", ["PortQueue=1e9"], [(0, 2, 1000000, 0), (3, 1, 1000000, 500000)],
             [1e6, 2e6, 1e6, 2e6]),
            ("... which holds 200000 bytes", ["PortQueue=200000"], [(0, 2, 1000000, 0), (3, 1, 1000000, 500000)],
             [1e6, 1.7e6, 1e6, 1.7e6]),
            ("they began together", ["OppositeWait=1", "PortQueue=1e9"], [(0, 2, 1000000, 0), (2, 0, 1000000, 0)], [1e6, 0, 1e6, 0]),
            ("they began within a latency", ["OppositeWait=1", "PortQueue=1e9", "HopTime=10us"],
             [(0, 2, 1000000, 0), (2, 0, 1000000, 9999)], [1.019999e6, 0, 1.019999e6, 0]),
            ("a latency apart, the second waits", ["OppositeWait=1", "HopTime=10us"],
             [(0, 2, 1000000, 0), (2, 0, 1000000, 10000)], [2.01e6, 0, 2.01e6, 0]),
            ("three in turns", ["OppositeWait=1"], late + [(0, 2, 1000000, 1200000)], [3e6, 0, 3e6, 0])):
        got, x = answer(folder, exchange(4, messages), *keys, *[f"--target={key}" for key in more])
        ok(f"opposite messages: {name}", near(got, want), got, x)


def waiting_at_random(folder):
    bad, waited = [], 0
    for seed in range(SEEDS):
        draw = random.Random(f"waiting {seed}")
        ranks, cluster = draw.randint(3, 9), draw.choice([1, 2, 3])
        m = {"hop": draw.choice([0, 2385.0]), "byte": draw.choice([0.371, 1.7]), "cluster": cluster,
             "near_byte": draw.choice([0.2385, 1.1]) if cluster > 1 else 0, "port": draw.choice([0.3e9, 1e9, 2.385e9]),
             "memory": draw.choice([0, 1.1e9, 4e9]), "wait": draw.choice([0, 1, 30000]),
             "queue": draw.choice([0, 20000, 150001, 1000000000])}
        pairs = [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
        few = draw.sample(pairs, min(len(pairs), 4))
        few += [(b, a) for a, b in few]
        messages = [(*draw.choice(few), draw.choice([2001, 8000, 40001, 200003]), draw.randint(0, 1000000))
                    for _ in range(draw.randint(5, 40))]
        keys = {"HopTime": f"{m['hop']}ns", "ByteTransferTime": f"{m['byte']}ns", "CommStartupTime": "0", "ClusterSize": cluster,
                "PortBandwidth": m["port"], "Policy": "offload", "OppositeWait": m["wait"], "PortQueue": m["queue"]}
        if cluster > 1:
            keys["ClusterByte"] = f"{m['near_byte']}ns"
        if m["memory"]:
            keys["MemoryBandwidth"] = m["memory"]
        got, x = answer(folder, exchange(ranks, messages), "--eager-limit=2000", *[f"--target={k}={v}" for k, v in keys.items()])
        ends, plain = requested(messages, m), requested(messages, {**m, "wait": 0, "queue": 0})
        want = [max([ends[i] for i, y in enumerate(messages) if r in y[:2]], default=0) for r in range(ranks)]
        waited += ends != plain
        if not near(got, want):
            bad.append(f"seed {seed}: {m}: {got} for {want}, {x if got is None else ''}")
    ok(f"{SEEDS} random patterns of messages whose requests may wait", not bad, *bad[:5])
    ok(f"in many of them requests wait ({waited})", waited > SEEDS / 3)


def refusals(folder):
    two = text([[("send", 1, 10)], [("receive", 0)]])
    for keys, says in ((["--target=PortBandwidth=1e9", "--target=Contention=1"],
                        "Contention: it and PortBandwidth exclude each other"),
                       (["--target=MemoryBandwidth=1e9", "--target=Contention=1"],
                        "Contention: it and MemoryBandwidth exclude each other"),
                       (["--target=PortBucket=1000"], "PortBucket says nothing without PortBandwidth"),
                       (["--target=PortQueue=1000"], "PortQueue says nothing without PortBandwidth"),
                       (["--target=OppositeWait=1000"], "OppositeWait says nothing without PortBandwidth, MemoryBandwidth or LinkBandwidth"),
                       (["--target=PortBandwidth=0"], "PortBandwidth: '0' is not 1 to 1e+18"),
                       (["--target=PortBandwidth=1e9", "--target=engine=graph", "--target=BarrierAlgorithm=rounds",
                         "--target=Policy=offload"], "has a PortBandwidth, which only --target=engine=events simulates")):
        got, why = answer(folder, two, *keys)
        ok(f"refused: {says}", got is None and says in why and "\n" not in why, why)


def main():
    with tempfile.TemporaryDirectory() as folder:
        by_hand(folder)
        at_random(folder)
        waiting_by_hand(folder)
        waiting_at_random(folder)
        refusals(folder)
    print(f"1..{number}")


main()
