#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs by mpgsim --predict and by other simulators: without contention SimGrid's replay (one latency and one
bandwidth) and LogGOPSim (latency alone); with contention SimGrid's replay, two ranks on each host, whose port each message
shares with the others (mpgtarget(5), PortBandwidth), and on SimGrid's own fat trees, tori and dragonflies, with SimGrid's routes
(LinkBandwidth). Messages are eager, blocking or not; computation between them is uneven.

other_simulators.py [RUNS [FIRST]]

SMPIRUN, LOGGOPSIM and TXT2BIN name the programs (default smpirun, none, none); a simulator that is not named is left
out. Prints a line for each program whose run times differ by 1 ns or more, and how many agree. Exit 1 if any
differs."""

import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

MPGSIM = os.environ.get("MPGSIM", "mpgsim")
SMPIRUN = os.environ.get("SMPIRUN", "smpirun")
LOGGOPSIM, TXT2BIN = os.environ.get("LOGGOPSIM"), os.environ.get("TXT2BIN")
LATENCY_NS, BYTE_NS, EAGER = 5000, 0.5, 65536
HEADER = 16  # bytes that SimGrid's messages carry more; its link's latency is shorter by what these take
SETTINGS = ["smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "smpi/os:0:0:0", "smpi/or:0:0:0", "smpi/ois:0:0:0",
            f"smpi/async-small-thresh:{EAGER + 1}", f"smpi/send-is-detached-thresh:{EAGER + 1}", "network/TCP-gamma:0",
            "network/crosstraffic:0", "network/weight-S:0", "surf/precision:1e-12", "maxmin/precision:1e-9", "network/optim:Full"]


class Program:
    """Operations of each rank: (name, ...) in order; a wait names the operation that it waits for. APART: only between ranks of
    two hosts, of two ranks each."""

    def __init__(self, rng, apart=False, ranks=None):
        self.cluster = None  # topology, and name and parameters of the cluster of SimGrid
        self.ranks, self.apart, self.delayed = ranks or rng.choice([4, 6, 8] if apart else [2, 3, 4, 6, 8]), apart, 0
        self.ops = [[] for _ in range(self.ranks)]
        self.tag, open_ = 0, [[] for _ in range(self.ranks)]
        for _ in range(rng.choice([20, 60, 200]) * (3 if ranks else 1)):
            kind = rng.choice(["work", "work", "send", "isend", "irecv", "wait"])
            rank = rng.randrange(self.ranks)
            if kind == "work":
                self.ops[rank].append(("work", rng.randrange(100, 30000)))
            elif kind != "wait":
                self.message(rng, kind, open_)
            elif open_[rank]:
                self.ops[rank].append(("wait", open_[rank].pop(rng.randrange(len(open_[rank])))))
        for rank, left in enumerate(open_):
            self.ops[rank] += [("wait", op) for op in left]

    def message(self, rng, kind, open_):
        """Adds a message between two random ranks, sent and received in the way of KIND."""
        self.tag += 1
        a, b = rng.sample(range(self.ranks), 2)
        if self.apart and a // 2 == b // 2:
            b = (b + 2) % self.ranks
        size = rng.randrange(1, EAGER - HEADER)
        sent = ("isend" if kind == "isend" else "send", a, b, self.tag, size)
        received = ("irecv" if kind == "irecv" else "recv", a, b, self.tag, size)
        self.ops[a].append(sent)
        self.ops[b].append(received)
        if kind == "isend":
            open_[a].append(sent)
        if kind == "irecv":
            open_[b].append(received)

    def mpgtext(self, header=0):
        """With HEADER more bytes for each message."""
        lines = ["#mpgtext 1", f"#ranks {self.ranks}"]
        for rank, ops in enumerate(self.ops):
            now, requests = 0, {}
            lines.append(f"{rank} 0 0 Init")
            for op in ops:
                if op[0] == "work":
                    now += op[1]
                    continue
                if op[0] == "wait":
                    lines.append(f"{rank} {now} {now} Wait requests={requests[op[1]]}")
                    continue
                name, a, b, tag, size = op
                text = f"{rank} {now} {now} {name.capitalize()} " + (f"to={b}" if rank == a else f"from={a}")
                if name[0] == "i":
                    requests[op] = len(requests) + 1
                    text += f" request={requests[op]}"
                lines.append(f"{text} tag={tag} bytes={size + header}")
            lines.append(f"{rank} {now} {now} Finalize")
        return "\n".join(lines) + "\n"

    def simgrid(self, rank):
        lines = [f"{rank} init"]
        for op in self.ops[rank]:
            if op[0] == "work":
                lines.append(f"{rank} compute {op[1]}")
            elif op[0] == "wait":
                lines.append(f"{rank} wait {op[1][1]} {op[1][2]} {op[1][3]}")
            else:
                name, a, b, tag, size = op
                lines.append(f"{rank} {name} {b if rank == a else a} {tag} {size} 6")
        return "\n".join([*lines, f"{rank} finalize"]) + "\n"

    def goal(self):
        lines = [f"num_ranks {self.ranks}"]
        for rank, ops in enumerate(self.ops):
            lines.append(f"rank {rank} {{")
            before, posted = [], {}
            for n, op in enumerate([*ops, ("work", 0)]):
                if op[0] == "wait":
                    before.append(posted[op[1]])
                    continue
                label = f"l{n}"
                if op[0] == "work":
                    lines.append(f"{label}: calc {op[1]}")
                else:
                    name, a, b, tag, size = op
                    lines.append(f"{label}: send {size}b to {b} tag {tag}" if rank == a else f"{label}: recv {size}b from {a} tag {tag}")
                lines += [f"{label} requires {other}" for other in before]
                if op[0] in ("isend", "irecv"):
                    posted[op] = label
                else:
                    before = [label]
            lines.append("}")
        return "\n".join(lines) + "\n"


def write(name, text):
    with open(name, "w", encoding="ascii") as out:
        out.write(text)


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def by_mpgsim(program, byte_ns):
    write("calls.txt", program.mpgtext())
    done = subprocess.run([MPGSIM, "--predict", "--json", "--replicas=1", f"--latency=const:{LATENCY_NS}ns", f"--byte=const:{byte_ns}ns",
                           f"--eager-limit={EAGER}", "calls.txt"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["run_time_ns"]["median"]


def by_ports(program, byte_ns):
    """SimGrid's bytes: each message has its header."""
    write("calls.txt", program.mpgtext(HEADER))
    keys = {"CommStartupTime": 0, "HopTime": f"{LATENCY_NS - HEADER * byte_ns}ns", "ByteTransferTime": f"{byte_ns}ns",
            "ClusterSize": 2, "PortBandwidth": 1e9 / byte_ns, "Policy": "offload"}
    done = subprocess.run([MPGSIM, "--json", "--target=ideal", "--target=work=wall",
                           *(f"--target={key}={value}" for key, value in keys.items()), "calls.txt"],
                          capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    program.delayed = answer["extrapolation"]["delayed"]
    return answer["run_time_ns"]["median"]


# Topologies of mpgtarget(5), and SimGrid's clusters: name and parameters. SimGrid's torus goes the other way round where both ways
# are equally long, so its sizes are odd. SimGrid's dragonfly has the cable to group j at router j of each group, also of group j.
TOPOLOGIES = [("fattree:4x4:2", "FAT_TREE", "2;4,4;1,2;1,1"), ("fattree:2x3x4:2x2", "FAT_TREE", "3;2,3,4;1,2,2;1,1,1"),
              ("fattree:3x2x2:1x3", "FAT_TREE", "3;3,2,2;1,1,3;1,1,1"), ("torus:9", "TORUS", "9"), ("torus:5x3", "TORUS", "5,3"),
              ("torus:3x3x3", "TORUS", "3,3,3"), ("dragonfly:4x4x2", "DRAGONFLY", "4,1;1,1;4,1;2"),
              ("dragonfly:5x5x1", "DRAGONFLY", "5,1;1,1;5,1;1")]


def sizes_of(topology):
    return [int(size) for size in topology.split(":")[1].split("x")]


def place(topology, host):
    """SimGrid's host in the place of our HOST."""
    if not topology.startswith("dragonfly"):
        return host
    _, routers, hosts = sizes_of(topology)
    group, router, own = host // hosts // routers, host // hosts % routers, host % hosts
    theirs = group if router == routers - 1 else router + (router >= group)
    return (group * routers + theirs) * hosts + own


def by_links(program, byte_ns):
    write("calls.txt", program.mpgtext(HEADER))
    topology = program.cluster[0]
    keys = {"CommStartupTime": 0, "ByteTransferTime": f"{byte_ns}ns", "Topology": topology, "LinkBandwidth": 1e9 / byte_ns,
            "Policy": "offload"}
    if not topology.startswith("torus"):
        keys["PortBandwidth"] = 1e9 / byte_ns
    done = subprocess.run([MPGSIM, "--json", "--target=ideal", "--target=work=wall",
                           *(f"--target={key}={value}" for key, value in keys.items()), "calls.txt"],
                          capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    program.delayed = answer["extrapolation"]["delayed"]
    return answer["run_time_ns"]["median"]


def ports_of_simgrid(program):
    """A link in each direction of each host, as fast as one message, and between them the latency, shared by nobody."""
    hosts, of = range(program.ranks // 2), range(program.ranks)
    return [*(f"<host id='h{r}' speed='1Gf'/>" for r in of),
            *(f"<link id='{way}{h}' bandwidth='{1 / BYTE_NS:g}GBps' latency='0'/>" for h in hosts for way in ("out", "in")),
            f"<link id='l' bandwidth='{1 / BYTE_NS:g}GBps' latency='{LATENCY_NS - HEADER * BYTE_NS:g}ns' sharing_policy='FATPIPE'/>",
            *(f"<route src='h{a}' dst='h{b}' symmetrical='NO'><link_ctn id='out{a // 2}'/><link_ctn id='l'/>"
              f"<link_ctn id='in{b // 2}'/></route>" for a in of for b in of if a // 2 != b // 2), "</zone></platform>"]


def by_simgrid(program):
    ranks = range(program.ranks)
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1"><zone id="z" routing="Full">', *(f"<host id='h{r}' speed='1Gf'/>" for r in ranks),
             f"<link id='l' bandwidth='{1 / BYTE_NS:g}GBps' latency='{LATENCY_NS - HEADER * BYTE_NS:g}ns' sharing_policy='FATPIPE'/>",
             *(f"<route src='h{a}' dst='h{b}'><link_ctn id='l'/></route>" for a in ranks for b in ranks if a < b), "</zone></platform>"]
    if program.apart:
        lines[3:] = ports_of_simgrid(program)
    if program.cluster:
        lines[2:] = ['<platform version="4.1"><zone id="z" routing="Full">',
                     f"<cluster id='c' prefix='h' suffix='' radical='0-{math.prod(sizes_of(program.cluster[0])) - 1}' speed='1Gf' "
                     f"bw='{1 / BYTE_NS:g}GBps' lat='0us' topology='{program.cluster[1]}' topo_parameters='{program.cluster[2]}'/>",
                     "</zone></platform>"]
    write("platform.xml", "\n".join(lines))
    for rank in ranks:
        write(f"{rank}.ti", program.simgrid(rank))
    write("hosts", "".join(f"h{place(program.cluster[0], r) if program.cluster else r}\n" for r in ranks))
    write("traces", "".join(f"{r}.ti\n" for r in ranks))
    text = output_of(SMPIRUN, "-np", str(program.ranks), "-platform", "platform.xml", "-hostfile", "hosts", "-replay", "traces",
                     *(f"--cfg={setting}" for setting in SETTINGS), "--log=root.fmt:%.9r:%m%n")
    # replayers that begin when others have ended print a time, too
    found = re.findall(r"^([0-9.]+):.*Simulation time", text, re.MULTILINE)
    return float(found[-1]) * 1e9 if found else text[-300:]


def by_loggopsim(program):
    write("program.goal", program.goal())
    output_of(TXT2BIN, "-i", "program.goal", "-o", "program.bin")
    text = output_of(LOGGOPSIM, "-f", "program.bin", "-L", str(LATENCY_NS), "-o", "0", "-g", "0", "-G", "0", "-O", "0", "-S", str(EAGER))
    ends = [int(end) for end in re.findall(r"Host \d+: (\d+)", text)]
    return max(ends) if ends else text[-300:]


def compare(name, other, own, byte_ns, first, number):
    same = delayed = 0
    for seed in range(first, first + number):
        cluster = TOPOLOGIES[seed % len(TOPOLOGIES)] if own is by_links else None
        program = Program(random.Random(f"{name} {seed}"), own is by_ports, cluster and math.prod(sizes_of(cluster[0])))
        program.cluster = cluster
        theirs, ours = other(program), own(program, byte_ns)
        delayed += program.delayed > 0
        if isinstance(theirs, str) or abs(theirs - ours) >= 1:
            print(f"seed {seed}: {name} {theirs}, mpgsim {ours}")
        else:
            same += 1
    print(f"{name}: {same} of {number} the same to the ns" + (f", {delayed} with messages that delay others" if delayed else ""),
          flush=True)
    return same == number


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 112
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    others = []
    if shutil.which(SMPIRUN):
        others = [("SimGrid", by_simgrid, by_mpgsim, BYTE_NS), ("SimGrid's ports", by_simgrid, by_ports, BYTE_NS),
                  ("SimGrid's links", by_simgrid, by_links, BYTE_NS)]
    if LOGGOPSIM and TXT2BIN:
        others.append(("LogGOPSim", by_loggopsim, by_mpgsim, 0))
    if not others:
        sys.exit("other_simulators.py: neither SMPIRUN, nor LOGGOPSIM and TXT2BIN, name a program")
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        all_same = all([compare(*other, first, number) for other in others])
        os.chdir("/")
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
