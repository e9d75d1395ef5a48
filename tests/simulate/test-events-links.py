#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topologies with links (docs/MODEL.md, section 5, Sharing): routes and shares by hand, random patterns of messages against the
simulator of sharing.py, background traffic by other jobs, with a signature, the example of docs/MACHINES.md, and every error (TAP).
MPGSIM names the program, top_srcdir the source folder, LINK_SEEDS how many patterns (default 60)."""

import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sharing import MPGSIM, Net, Run, answer, near, pattern, text  # noqa: E402

SEEDS = int(os.environ.get("LINK_SEEDS", "60"))
number = 0


def ok(name, good, *why):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    for line in why if not good else []:
        print("#", str(line)[:600])


def keys_of(**keys):
    return [f"--target={key}={value}" for key, value in keys.items()]


def programs_of(ranks, messages):
    """Each of MESSAGES, (from, to, bytes), is sent at once, and received in the order of the list."""
    programs = [[] for _ in range(ranks)]
    for a, b, size in messages:
        programs[a].append(("send", b, size))
    for a, b, _ in messages:
        programs[b].append(("receive", a))
    return programs


# --- by hand ---

def hops_by_hand(folder):
    """A message of no bytes takes the hops alone, 1 us each."""
    for topology, pairs in (("torus:7", {(0, 1): 1, (0, 3): 3, (0, 4): 3, (6, 0): 1, (2, 6): 3}),
                            ("torus:8", {(0, 4): 4, (7, 1): 2}),
                            ("torus:4x3x2", {(0, 23): 1 + 1 + 1, (0, 2): 2, (5, 22): 1 + 1 + 1, (1, 13): 1}),
                            ("fattree:4x2:2", {(0, 3): 2, (0, 4): 4, (7, 3): 4}),
                            ("fattree:2x2x2:2x2", {(0, 1): 2, (0, 2): 4, (0, 4): 6, (3, 5): 6}),
                            # 3 groups of 4 routers of 2 hosts; group 0 reaches 1 by router 0, 2 by router 1; 2 reaches 0 by 0, 1 by 1
                            ("dragonfly:3x4x2", {(0, 1): 2, (0, 2): 3, (0, 8): 3, (0, 16): 4, (2, 16): 3, (7, 23): 5, (16, 8): 5})):
        hosts = max(max(pair) for pair in pairs) + 1
        bad = []
        for (a, b), hops in pairs.items():
            got, x = answer(folder, text(programs_of(hosts, [(a, b, 0)])), *keys_of(Topology=topology, HopTime="1us"))
            if got is None or abs(got[b] - 1000 * hops) > 1e-6:
                bad.append(f"{a} to {b}: {x if got is None else got[b]} for {hops}")
        ok(f"hops of {topology}", not bad, *bad)


def shares_by_hand(folder):
    """Bytes take 1 ns each on a link alone, and half of it on the way to a link."""
    def run(name, ranks, messages, want, **keys):
        got, x = answer(folder, text(programs_of(ranks, messages)),
                        *keys_of(CommStartupTime=0, ByteTransferTime="0.5ns", LinkBandwidth="1e9", **keys))
        ok(name, got is not None and near([got[rank] for rank in want], list(want.values())), got, x)
    # fattree:2x2:1: hosts 0, 1 and 2, 3; one cable upwards at each switch
    run("two flows over one link of a fat tree take twice as long", 4, [(0, 2, 1000000), (1, 3, 1000000)], {2: 2e6, 3: 2e6},
        Topology="fattree:2x2:1")
    run("... in two directions of its cable share nothing", 4, [(0, 2, 1000000), (3, 1, 1000000)], {2: 1e6, 1: 1e6},
        Topology="fattree:2x2:1")
    run("... with two parents, by the destinations 2 and 3: a link each", 4, [(0, 2, 1000000), (1, 3, 1000000)],
        {2: 1e6, 3: 1e6}, Topology="fattree:2x2:2")
    run("... both to destination 2, by the same parent", 4, [(0, 2, 1000000), (1, 2, 500000)], {2: 1.5e6},
        Topology="fattree:2x2:2")
    run("... within a switch: no link", 4, [(0, 1, 1000000), (1, 0, 1000000)], {0: 5e5, 1: 5e5}, Topology="fattree:2x2:1")
    # torus:6, links 0-1 and 1-2: A from 0 to 2, B from 0 to 1, C from 1 to 2: 1/2 each; A, of 250000 bytes, ends first
    run("three flows over two links: 1/2 each, then the rest alone", 6, [(0, 2, 250000), (0, 1, 750000), (1, 2, 750000)],
        {1: 1e6, 2: 1e6}, Topology="torus:6")
    # A from 0 to 3 over three links, with B on the first, C and D on the second, E on the third: 1/3 for A, C, D; 2/3 for B, E
    run("five flows over three links: max-min's 1/3, 2/3, 1/3, 1/3, 2/3", 8,
        [(0, 3, 300000), (0, 1, 600000), (1, 2, 300000), (1, 2, 300000), (2, 3, 600000)], {1: 9e5, 2: 9e5, 3: 9e5},
        Topology="torus:8")
    run("a ring's two ways share nothing", 6, [(0, 2, 1000000), (0, 4, 1000000)], {2: 1e6, 4: 1e6}, Topology="torus:6")
    run("the first dimension comes first: 0 to 4 and 0 to 1 share a link of 3 x 3", 9, [(0, 4, 1000000), (0, 1, 1000000)],
        {1: 2e6, 4: 2e6}, Topology="torus:3x3")
    run("... and the second later: 0 to 4 and 0 to 3 share none", 9, [(0, 4, 1000000), (0, 3, 1000000)], {3: 1e6, 4: 1e6},
        Topology="torus:3x3")
    run("messages between two groups of a dragonfly share its one cable", 12, [(0, 4, 1000000), (3, 7, 1000000)],
        {4: 2e6, 7: 2e6}, Topology="dragonfly:3x4x1")
    run("messages between further groups do not", 12, [(0, 4, 1000000), (2, 8, 1000000)], {4: 1e6, 8: 1e6},
        Topology="dragonfly:3x4x1")
    got, x = answer(folder, text(programs_of(4, [(0, 2, 1000000), (1, 3, 1000000)])),
                    *keys_of(CommStartupTime=0, ByteTransferTime="0.5ns", Topology="fattree:2x2:1", LinkBandwidth="1e9",
                             PortBandwidth="0.25e9"))
    ok("the narrower of port and link decides", near(got, [0, 0, 4e6, 4e6]) and x["delayed"] == 2, got, x)
    got, x = answer(folder, text(programs_of(8, [(0, 4, 1000000), (1, 2, 1000000)])),
                    *keys_of(CommStartupTime=0, ByteTransferTime="0.1ns", Topology="fattree:2x2x2:1x1", LinkBandwidth="1e9:0.25e9"))
    ok("a bandwidth for each level", near([got[2], got[4]], [4e6 / 3, 4e6]), got, x)
    plain, x = answer(folder, text(programs_of(4, [(0, 2, 1000000), (1, 3, 1000000)])),
                      *keys_of(CommStartupTime=0, ByteTransferTime="0.5ns", Topology="fattree:2x2:1", LinkBandwidth="2e9"))
    ok("one link of twice the bandwidth: 1 ms for both", near(plain, [0, 0, 1e6, 1e6]), plain, x)


# --- at random ---

def at_random(folder):
    bad, delayed, other = [], 0, []
    nets = ["fattree:2x3:2", "fattree:2x2x3:2x2", "fattree:3x2x2:1x3", "torus:6", "torus:7", "torus:3x4", "torus:2x3x2",
            "dragonfly:3x2x2", "dragonfly:4x3x1", "dragonfly:7x2x1"]
    for seed in range(SEEDS):
        draw = random.Random(f"links {seed}")
        net = Net(nets[seed % len(nets)], [])
        net.bandwidths = [draw.choice([0.2e9, 0.4123e9, 1e9]) for _ in range(net.levels)]
        cluster = draw.choice([1, 1, 2])
        programs = pattern(draw, draw.randint(4, net.hosts * cluster))
        m = {"net": net, "hop": draw.choice([0, 117.0]), "byte": draw.choice([0.371, 1.7, 0]), "cluster": cluster,
             "send": draw.choice([0, 1385.0]), "service": draw.choice([0, 617.0]), "near_send": 85.0, "near_byte": 0.2385,
             "port": draw.choice([0, 0, 1e9]), "memory": draw.choice([0, 4e9]), "bucket": draw.choice([0, 0, 30000]),
             "background": draw.choice([0, 0.2385])}
        keys = {"Topology": net.text, "LinkBandwidth": ":".join(map(repr, net.bandwidths)), "HopTime": f"{m['hop']}ns",
                "ByteTransferTime": f"{m['byte']}ns", "CommStartupTime": f"{m['send']}ns", "ServiceTime": f"{m['service']}ns"}
        m["bucket"] = m["bucket"] if m["port"] else 0
        if cluster > 1:
            keys.update(ClusterSize=cluster, ClusterStartup=f"{m['near_send']}ns", ClusterByte=f"{m['near_byte']}ns")
        for key, value in (("PortBandwidth", m["port"]), ("MemoryBandwidth", m["memory"]), ("PortBucket", m["bucket"]),
                           ("Background", m["background"])):
            if value:
                keys[key] = value
        got, x = answer(folder, text(programs), *keys_of(**keys))
        if got is None:
            bad.append(f"seed {seed}: {x}")
            continue
        run = Run(programs, m)
        want = run.run()
        delayed += run.delayed > 0
        if not near(got, want):
            bad.append(f"seed {seed}: {m}: {keys}: {got} for {want}")
        if x.get("delayed", 0) != run.delayed:
            other.append(f"seed {seed}: {keys}: {x.get('delayed')} for {run.delayed}")
    ok(f"{SEEDS} random patterns of messages over {len(nets)} topologies", not bad, *bad[:5])
    ok(f"in many of them messages are delayed ({delayed})", delayed > SEEDS / 3)
    ok("as many messages are delayed", not other, *other[:5])


# --- background traffic ---

def runs_of(folder, trace, *arguments):
    """The run time of each replica."""
    path = os.path.join(folder, "a.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write(trace)
    done = subprocess.run([MPGSIM, "--json", "--cache=fresh", "--target=ideal", *arguments, path], check=True,
                          stdout=subprocess.PIPE)
    return [replica["run_time_ns"] for replica in json.loads(done.stdout)["replicas"]]


def farthest(values, distribution):
    """Kolmogorov and Smirnov's distance of VALUES from DISTRIBUTION, times the root of their number."""
    n, ordered = len(values), sorted(values)
    return math.sqrt(n) * max(max(distribution(x) - i / n, (i + 1) / n - distribution(x)) for i, x in enumerate(ordered))


def background(folder):
    """Bytes take no time but on links: a message of 1e6 bytes over links of 1 byte/ns takes 1e6 / (1 - the largest background)."""
    keys = {"CommStartupTime": 0, "ByteTransferTime": 0, "Topology": "torus:8", "LinkBandwidth": "1e9"}
    one, two = text(programs_of(8, [(0, 1, 1000000)])), text(programs_of(8, [(0, 2, 1000000)]))
    got, x = answer(folder, one, *keys_of(**keys, Background=0.2))
    ok("others use a fifth of a link: 1.25 times as long", near([got[1]], [1.25e6]), got, x)
    normal = statistics.NormalDist(0.3, 0.1).cdf
    for name, trace, distribution, law in (
            ("normal:0.3,0.1", one, "normal:0.3,0.1", normal),
            ("exp:0.1", one, "exp:0.1", lambda x: -math.expm1(-x / 0.1)),
            ("normal:0.3,0.1 on two links, each with a draw of its own", two, "normal:0.3,0.1", lambda x: normal(x) ** 2)):
        shares = [1 - 1e6 / run for run in runs_of(folder, trace, *keys_of(**keys, Background=distribution), "--replicas=1000")]
        far = farthest(shares, law)
        ok(f"background {name}: in law (Kolmogorov and Smirnov, 0.1 % by chance)", far < 1.95, far)
    runs = runs_of(folder, one, *keys_of(**keys, Background="normal:0.5,1"), "--replicas=200")
    ok("draws below 0 count as 0, above 0.99 as 0.99", min(runs) == 1e6 and abs(max(runs) - 1e8) < 1 and
       sum(abs(run - 1e8) < 1 for run in runs) > 50, min(runs), max(runs))
    again = text([[("send", 1, 1000000), ("receive", 1), ("send", 1, 1000000)],
                  [("receive", 0), ("send", 0, 0), ("receive", 0)]] + [[] for _ in range(6)])
    whole = runs_of(folder, one, *keys_of(**keys, Background="exp:0.2"), "--replicas=20")
    twice = runs_of(folder, again, *keys_of(**keys, Background="exp:0.2"), "--replicas=20")
    ok("the share stays for the whole run, and equal seeds draw equally", near(twice, [2 * run for run in whole]), twice, whole)
    other = runs_of(folder, one, *keys_of(**keys, Background="exp:0.2"), "--replicas=20", "--seed=7")
    ok("another seed draws others", all(abs(a - b) > 1 for a, b in zip(whole, other)), whole, other)
    runs = [runs_of(folder, two, *keys_of(**keys, Background="exp:0.2"), "--replicas=20", f"--threads={n}") for n in (1, 3)]
    ok("threads change nothing", runs[0] == runs[1])


# --- with a signature ---

def with_signature(folder):
    """Messages cost by the signature, 20 us and 8 ns a byte between nodes; a file has the links alone."""
    def always(value):
        return {"n": 2, "mean": value, "quantiles": [value, value]}
    latency = [{"size_bytes": size, "one_way_ns": always(20000 + 8 * size)} for size in (0, 65536, 200000, 1000000)]
    made = {"format": "mpgkit-signature", "version": [4, 4], "header": {"host": "a"},
            "network": [{"path": "node", "eager_limit_bytes": 2000000, "one_way": "made up",
                         "latency": [{"size_bytes": size, "one_way_ns": always(500 + size / 10)} for size in (0, 1000000)]},
                        {"path": "between nodes", "eager_limit_bytes": 2000000, "one_way": "made up", "latency": latency}]}
    path, machine = os.path.join(folder, "a.sig"), os.path.join(folder, "links.par")
    with open(path, "w", encoding="ascii") as file:
        json.dump(made, file)
    trace = os.path.join(folder, "b.txt")
    with open(trace, "w", encoding="ascii") as file:
        file.write(text(programs_of(8, [(0, 4, 1000000), (2, 6, 1000000), (1, 0, 1000000)])))

    def run(lines, *arguments):
        with open(machine, "w", encoding="ascii") as file:
            file.write(lines)
        done = subprocess.run([MPGSIM, "--json", "--predict", "--source=none", "--cache=fresh", "--replicas=1", "--target=work=wall",
                               f"--target={machine}", "--signature", path, *arguments, trace], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        x = json.loads(done.stdout) if done.returncode == 0 else {}
        return [rank["run_ns"] for rank in x.get("extrapolation", {}).get("ranks", [])], done.stderr.decode()
    # nodes of two ranks: 0 and 1 of the tree's first switch, 2 and 3 of its second; one link between, as fast as a message
    links = "Topology = fattree:2x2:1\nLinkBandwidth = 125e6\n"
    got, why = run(links, "--map=block:2")
    ok("with a signature and --map: its costs, the nodes' links", len(got) == 8 and
       near([got[4], got[6], got[0]], [20000 + 16e6, 20000 + 16e6, 500 + 1e5]), got, why)
    got, why = run("Topology = fattree:2x2:2\nLinkBandwidth = 125e6\n", "--map=block:2")
    ok("two links: nobody waits", len(got) == 8 and near([got[4], got[6]], [20000 + 8e6] * 2), got, why)
    _, why = run(links, "--map=block:1")
    ok("more nodes than hosts are refused", "links.par:1: Topology: fattree:2x2:1 has 4 hosts, and the ranks are on 8" in why, why)


def worked_example(folder):
    """The example of docs/MACHINES.md: its trace, its commands and their tables."""
    with open(os.path.join(os.environ["top_srcdir"], "docs", "MACHINES.md"), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    begin = lines.index("#mpgtext 1")
    with open(os.path.join(folder, "two.txt"), "w", encoding="ascii") as file:
        file.write("\n".join(lines[begin:lines.index("", begin)]) + "\n")
    for at, line in enumerate(lines):
        if line.startswith("$ mpgsim ") and line.endswith(" two.txt"):
            done = subprocess.run([MPGSIM, *line.split()[2:]], cwd=folder, check=False, stdout=subprocess.PIPE, text=True)
            want, got = lines[at + 2:lines.index("", at)], [x.strip() for x in done.stdout.splitlines()]
            ok(f"docs/MACHINES.md: {line[2:]}", len(want) > 2 and all(row in got for row in want), *want, *got)


def refusals(folder):
    two = text([[("send", 1, 10)], [("receive", 0)]])
    for keys, says in (({"Topology": "fattree:4x4"}, "'fattree:4x4' is not fattree:M1xM2...:W2..., with up to 6 sizes from 1"),
                       ({"Topology": "fattree:4x4:2x2"}, "is not fattree:"), ({"Topology": "fattree:4x0:2"}, "is not fattree:"),
                       ({"Topology": "torus:4x"}, "'torus:4x' is not torus:D1xD2..., with up to 6 sizes from 2"),
                       ({"Topology": "torus:1x4"}, "is not torus:"), ({"Topology": "torus:2x2x2x2x2x2x2"}, "is not torus:"),
                       ({"Topology": "torus:4x4:2"}, "is not torus:"), ({"Topology": "torus:-4"}, "is not torus:"),
                       ({"Topology": "dragonfly:4x4"}, "is not dragonfly:GROUPSxROUTERSxHOSTS, with up to 3 sizes from 1"),
                       ({"Topology": "star:4"}, "'star:4' is none of fattree:..., torus:..., dragonfly:..."),
                       ({"Topology": "torus:99999999999"}, "is not torus:"),
                       ({"Topology": "torus:2000x2000"}, "has more than 1048576 hosts or 4194304 links"),
                       ({"Topology": "dragonfly:2x9000x1"}, "has more than 1048576 hosts or 4194304 links"),
                       ({"Topology": "torus:3000"}, "has routes of more than 1000 links"),
                       ({"Topology": "fattree:1x1:1"}, "Topology: fattree:1x1:1 has 1 host, and the ranks are on 2"),
                       ({"LinkBandwidth": "1e9"}, "LinkBandwidth says nothing without a Topology with sizes, like torus:8x8"),
                       ({"Topology": "torus", "LinkBandwidth": "1e9"}, "says nothing without a Topology with sizes"),
                       ({"Topology": "torus:4", "Background": "0.5"}, "Background says nothing without LinkBandwidth"),
                       ({"Topology": "torus:4", "LinkBandwidth": "0"}, "LinkBandwidth: '0' is not 1 to 1e+18"),
                       ({"Topology": "torus:4", "LinkBandwidth": "1e9:"}, "LinkBandwidth: '' is not a number"),
                       ({"Topology": "torus:4", "LinkBandwidth": "1:1:1:1:1:1:1"}, "'1:1:1:1:1:1:1' has more than 6 bandwidths"),
                       ({"Topology": "torus:4", "LinkBandwidth": "1e9:1e9"}, "LinkBandwidth: 2 of them, and torus:4 has 1 level of links"),
                       ({"Topology": "torus:4", "LinkBandwidth": "1e9", "Background": "1"}, "Background: '1' is more than 0.99"),
                       ({"Topology": "torus:4", "LinkBandwidth": "1e9", "Background": "-0.1"}, "Background: '-0.1' can be negative"),
                       ({"Topology": "torus:4", "LinkBandwidth": "1e9", "Background": "5us"}, "'5us' is not a number"),
                       ({"Topology": "torus:4", "Contention": "1"}, "Contention: it and a Topology with sizes exclude each other"),
                       ({"Topology": "torus:4", "LinkBandwidth": "1e9", "engine": "graph", "BarrierAlgorithm": "rounds",
                         "Policy": "offload"}, "has a LinkBandwidth, which only --target=engine=events simulates")):
        got, why = answer(folder, two, *keys_of(**keys))
        ok(f"refused: {says}", got is None and says in why and "\n" not in why, why)


def main():
    with tempfile.TemporaryDirectory() as folder:
        hops_by_hand(folder)
        shares_by_hand(folder)
        at_random(folder)
        background(folder)
        with_signature(folder)
        worked_example(folder)
        refusals(folder)
    print(f"1..{number}")


main()
