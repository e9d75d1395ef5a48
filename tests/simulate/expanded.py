# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that calls a collective compared with one that sends, receives and exchanges the messages of its algorithm
itself (TAP): mpgsim --collectives=expand must give the same results for both, with --predict and, without assumed
slack, for delays. The second program makes the calls of algorithms_members.py."""
import json
import math
import os
import subprocess
import sys

import algorithms_members as members
from algorithms import Case, cases
from algorithms_members import World, run

# numbers of members, and eager limits (-1: none)
WHICH = ((2, -1), (3, 0), (5, -1), (5, 2000), (6, -1), (6, 0), (7, -1), (7, 300), (8, 2000), (12, -1))


def recording(log):
    """Runs the members with functions that write down their sends, receives and exchanges."""
    kept = members.send, members.recv, members.exchange

    def send(world, me, to, data, size):
        log[me].append("Send to=%d tag=0 bytes=%d" % (to, round(size)))
        return kept[0](world, me, to, data, size)

    def recv(world, me, source):
        log[me].append("Recv from=%d tag=0 bytes=100000000" % source)
        return kept[1](world, me, source)

    def exchange(world, me, to, data, size, source):
        log[me].append("Sendrecv to=%d tag=0 bytes=%d from=%d recvtag=0 recvbytes=100000000"
                       % (to, round(size), source))
        return kept[2](world, me, to, data, size, source)
    members.send, members.recv, members.exchange = send, recv, exchange
    return kept


def calls_of(case):
    log = [[] for _ in range(case.p)]
    program, _ = case.program()
    kept = recording(log)
    # replaces the functions in the module only, from where all are called
    run(World(case.p, case.eager, 1, 0), program)
    members.send, members.recv, members.exchange = kept
    return log


def trace(case, log):
    """Returns the trace of a run in which the members make the calls in LOG."""
    lines = ["#mpgtext 1", "#ranks %d" % case.p, "#clocks shared"]
    lines += ["#comm 0 = " + " ".join(str(r) for r in range(case.p))]
    for r in range(case.p):
        now = 1000
        lines.append("%d 0 %d Init" % (r, now))
        now += 1 + (r + 1) * 7919 % 4013
        for call in log[r]:
            name, *keys = call.split(" ")
            lines.append(" ".join(["%d %d %d" % (r, now, now), name, "comm=0", *keys]))
        lines.append("%d %d %d Finalize" % (r, now + 500, now + 600))
    return "\n".join(lines) + "\n"


def constant(value):
    return {"n": 9, "mean": value, "sd": 0, "lag1": 0, "quantiles": [value, value]}


def sizes(key, base, each):
    return [{"size_bytes": s, key: constant(base + each * s)} for s in (0, 100, 5000, 100000)]


def signature(eager):
    network = []
    for i, path in enumerate(("core complex", "node", "between nodes")):
        network.append({
            "path": path, "one_way": "one clock", "eager_limit_bytes": eager, "window_messages": 64,
            "latency": sizes("one_way_ns", 1000.5 * (i + 1), 0.385 + 0.1 * i),
            "bandwidth": sizes("transfer_ns", 900.5 * (i + 1), 0.4),
            "streaming": sizes("message_ns", 300.25 + 111 * i, 0.3),
            "sender": sizes("send_ns", 1500 + 100 * i, 0.41),
            "send_overhead": sizes("send_ns", 140.5 + i, 0.01),
            "receive_overhead": sizes("receive_ns", 95.25 + 3 * i, 0.02)})
    return {"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"},
            "network": network}


PREDICT = ["--predict", "--signature=s.sig"]
DELAYS = ["--absorb=none", "--compute-ratio=2.385", "--latency=const:1000.5ns",
          "--byte=const:0.385ns"]


def ends(mpgsim, path, options):
    answer = subprocess.run([mpgsim, "--json", "--replicas=1", *options, path],
                            capture_output=True, text=True)
    if answer.returncode != 0:
        return answer.stderr.strip()
    return [rank["traced_ns"] + rank["delay_ns"]["median"]
            for rank in json.loads(answer.stdout)["ranks"]]


def differ(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return True
    return len(a) != len(b) or any(abs(x - y) > 1e-6 for x, y in zip(a, b))


def whole(case):
    """Returns the case with a number of bytes that all algorithms can divide."""
    power = members.power_of_two(case.p)
    size = case.p * power // math.gcd(case.p, power) * (37 if case.p % 2 else 130)
    blocks = [61.0 * (case.p - 1) * ((i * 5 + 2) % 7) for i in range(case.p)] if case.blocks else None
    return Case(case.operation, case.algorithm, case.p, case.root, float(size), case.eager, 1,
                case.radix, 0, 1, blocks)


def compare(mpgsim, case, by_map, delays):
    with open("s.sig", "w") as file:
        json.dump(signature(int(case.eager) if case.eager >= 0 else 10 ** 9), file)
    rows = ["%s 1 0 %s%s" % (case.operation, case.algorithm,
                             " radix=%d" % case.radix if case.algorithm == "knomial" else "")]
    if case.algorithm == "two":
        rows += [r for r in ("reduce 1 0 binomial", "bcast 1 0 binomial", "gatherv 1 0 linear",
                             "scatterv 1 0 linear") if r.split()[0] != case.operation]
    with open("table", "w") as file:
        file.write("#mpgcollectives 1\n" + "\n".join(rows) + "\n")
    name, calls = case.operation.capitalize(), []
    for r in range(case.p):
        size = case.blocks[r] if case.blocks else case.bytes
        text = name if case.operation == "barrier" else name + " bytes=%d" % size
        rooted = case.operation in ("bcast", "reduce", "scatter", "scatterv", "gather", "gatherv")
        calls.append([text + " root=%d" % case.root] if rooted else [text])
    with open("collective.text", "w") as file:
        file.write(trace(case, calls))
    with open("messages.text", "w") as file:
        file.write(trace(case, calls_of(case)))
    options = PREDICT + (["--map=block:3"] if by_map else [])
    if delays:
        options = DELAYS + (["--eager-limit=%d" % case.eager] if case.eager >= 0 else [])
    one = ends(mpgsim, "collective.text",
               options + ["--collectives=expand", "--collectives=table=table"])
    other = ends(mpgsim, "messages.text", options)
    return (one, other) if differ(one, other) else None


def main():
    mpgsim, work = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.chdir(work)
    groups, wrong, n = [], {}, 0
    for i, case in enumerate(cases()):
        linear = case.operation.startswith("alltoall") and case.algorithm == "linear"
        if linear or case.segment or (case.p, case.eager) not in WHICH:
            continue # a Waitall completes posted operations in another order
        group = "%s %s" % (case.operation, case.algorithm)
        if group not in groups:
            groups.append(group)
        for delays in (False, True) if i % 3 else (False,):
            n += 1
            found = compare(mpgsim, whole(case), i % 2, delays)
            if found:
                wrong.setdefault(group, "%s%s: %s, its messages %s" %
                                 (case.line(), " delays" if delays else "", *found))
    for i, group in enumerate(groups):
        print("%s %d - %s is its messages" % ("not ok" if group in wrong else "ok", i + 1, group))
        if group in wrong:
            print("# " + wrong[group][:900].replace("\n", " "))
    print("%s %d - %d programs" % ("ok" if n > 800 else "not ok", len(groups) + 1, n))
    print("1..%d" % (len(groups) + 1))


if __name__ == "__main__":
    main()
