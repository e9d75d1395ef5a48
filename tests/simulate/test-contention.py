#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --contention: messages that share ports and memory by a signature's sharing curves (docs/MODEL.md, section 5, Sharing), by
hand; and the simulation in the order of time against the ordinary one on random programs, where nothing is ever full (TAP). MPGSIM
names the program, CONTENTION_SEEDS how many programs are compared (default 24)."""

import json
import math
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(HERE, "..", "oracle")
MPGSIM = os.environ["MPGSIM"]
sys.path.insert(0, ORACLE)
from oracle_draws import WEIGHT, Draws  # noqa: E402

SEEDS = int(os.environ.get("CONTENTION_SEEDS", "24"))
number = 0


def ok(name, good, *why):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    for line in why if not good else []:
        print("#", str(line)[:600])


def always(value):
    """A distribution."""
    return {"n": 2, "mean": value, "quantiles": [value, value]}


def signature(folder, name, bucket=0, opposite=(), leads=(), send_ns=None, **curves):
    """20 us and 8 ns a byte between nodes, of 65536 bytes eager; 500 ns and 0.1 ns a byte on a node, of 4096. CURVES: port and memory,
    a dictionary of pairs and bytes a second each. BUCKET: each message between nodes finds a bucket of so many bytes.
    OPPOSITE: (bytes, pairs, waited share) of opposite messages between nodes. LEADS: (bytes, ns, ns), ascending; leads are uniform
    between both times. SEND_NS: W, the time of a send between nodes."""
    def path(kind, least, byte, limit):
        sizes = [0, limit, limit + 1, 200000, 1000000, 4000000]
        saved = bucket if kind == "between nodes" else 0
        return {"path": kind, "eager_limit_bytes": limit, "one_way": "made up",
                "latency": [{"size_bytes": size, "one_way_ns": always(least + max(size - saved, size / 2) * byte)} for size in sizes]}
    made = {"format": "mpgkit-signature", "version": [4, 4], "header": {"host": "a"},
            "network": [path("node", 500, 0.1, 4096), path("between nodes", 20000, 8, 65536)]}
    if send_ns:
        made["network"][1]["sender"] = [{"size_bytes": size, "send_ns": always(send_ns)} for size in (200000, 1000000)]
    points = [{"placement": placement, "direction": "one", "bytes": 1000000, "pairs": pairs, "bandwidth": always(rate)}
              for key, placement in (("memory", "node"), ("port", "between nodes"))
              for pairs, rate in sorted(curves.get(key, {}).items())]
    if points:
        made["sharing"] = points
    if opposite:
        made["version"][1] = 6
        made["opposite"] = [{"placement": "between nodes", "bytes": size, "pairs": pairs,
                             "bandwidth": always(1e9 * size / ((20000 + 8 * size) * (1 + 0.75 * share)))}
                            for size, pairs, share in opposite]
    if leads:
        made["version"][1] = 8
        made["leads"] = [{"placement": "between nodes", "bytes": size, "pairs": 2,
                          "lead_ns": {"n": 2, "mean": (low + high) / 2, "quantiles": [low, high]}} for size, low, high in leads]
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        json.dump(made, file)
    return os.path.join(folder, name)


def exchange(folder, ranks, partner, size, times=10):
    """Each rank computes for 0.5 ms, then exchanges SIZE bytes with PARTNER(rank); TIMES times."""
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", "#comm 0 = " + " ".join(map(str, range(ranks)))]
    for r in range(ranks):
        now = 1000
        lines.append(f"{r} 0 1000 Init")
        for _ in range(times):
            now += 500000
            lines.append(f"{r} {now} {now} Sendrecv comm=0 to={partner(r)} tag=1 bytes={size} from={partner(r)} recvtag=1 "
                         f"recvbytes={size}")
        lines.append(f"{r} {now} {now + 10} Finalize")
    path = os.path.join(folder, f"exchange-{ranks}-{size}.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return path


def collective(folder, name, ranks, size, text, times=10):
    """Each rank computes for 0.5 ms, then calls NAME with SIZE bytes, TEXT its other arguments; TIMES times."""
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", "#comm 0 = " + " ".join(map(str, range(ranks)))]
    for r in range(ranks):
        lines.append(f"{r} 0 1000 Init")
        for k in range(times):
            now = 1000 + (k + 1) * 500000
            lines.append(f"{r} {now} {now} {name} comm=0 bytes={size} {text}")
        lines.append(f"{r} {now} {now + 10} Finalize")
    path = os.path.join(folder, f"{name}-{ranks}-{size}.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return path


def opposite(folder, same):
    """Rank 0 sends 1000000 bytes to rank 2. 4 ms later rank 2, if SAME, or rank 3 sends as many to rank 0 or 1; all wait in MPI."""
    calls = {0: ["0 Send to=2 tag=1 bytes=1000000"], 1: [], 2: ["0 Recv from=0 tag=1 bytes=1000000"],
             3: ["4000000 Send to=1 tag=1 bytes=1000000"]}
    if same:
        calls = {0: ["0 Irecv from=2 tag=2 bytes=1000000 request=1", "0 Isend to=2 tag=1 bytes=1000000 request=2",
                     "0 Waitall requests=1,2"], 1: [],
                 2: ["0 Irecv from=0 tag=1 bytes=1000000 request=1", "0-4000500 Recv from=3 tag=3 bytes=0",
                     "4000500 Isend to=0 tag=2 bytes=1000000 request=2", "4000500 Waitall requests=1,2"],
                 3: ["4000000 Send to=2 tag=3 bytes=0"]}
    else:
        calls[1] = ["0 Recv from=3 tag=1 bytes=1000000"]
    lines = ["#mpgtext 1", "#ranks 4", "#clocks shared", "#comm 0 = 0 1 2 3"]
    for r in range(4):
        lines.append(f"{r} 0 1000 Init")
        end = 1000
        for call in calls[r]:
            at, name, *rest = call.split()
            begin, end = (1000 + int(x) for x in (at.split("-") * 2)[:2])
            lines.append(f"{r} {begin} {end} {name} {'comm=0 ' if 'Wait' not in name else ''}{' '.join(rest)}")
        lines.append(f"{r} {end} {end + 10} Finalize")
    path = os.path.join(folder, f"opposite-{same}.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return path


def run(*arguments):
    done = subprocess.run([MPGSIM, "--cache=fresh", "--source=none", *arguments], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr.decode().strip()


def answer(*arguments):
    status, text, why = run("--json", "--predict", *arguments)
    return json.loads(text) if status == 0 else {"failed": why}


def ms(x):
    return round(x["run_time_ns"]["median"] / 1e6, 9) if "run_time_ns" in x else x


def by_hand(folder):
    port = signature(folder, "port.sig", port={1: 125e6, 2: 125e6, 4: 100e6})
    four = exchange(folder, 4, lambda r: r ^ 2, 200000)
    # A message alone: 20 us + 1.6 ms. Two at a port of their rate: 20 us + 3.2 ms.
    x = answer("--replicas=2", "--signature", port, "--map=block:2", four)
    ok("two ranks on each of two hosts: each message takes its bytes' time twice", ms(x) == 37.2, ms(x))
    ok("the answer counts them, and says so in a warning",
       x.get("sharing") == {"messages": 80, "delayed": 80, "delay_ns": 80 * 1.6e6} and
       [a for a in x["attention"] if a["topic"] == "sharing" and "--contention=none" in a["text"]], x.get("sharing"), x.get("attention"))
    ok("measured: the same", ms(answer("--contention=measured", "--signature", port, "--map=block:2", four)) == 37.2)
    ok("none: as if each were alone", ms(answer("--contention=none", "--signature", port, "--map=block:2", four)) == 21.2)
    ok("half the bandwidth: of the port, too", ms(answer("--signature", port, "--map=block:2", "--byte=x2", four)) == 69.2)
    # Three pairs: C(3) = 112.5 MB/s, by interpolation; 37.5 MB/s each.
    six = exchange(folder, 6, lambda r: (r + 3) % 6, 200000)
    x = answer("--signature", port, "--map=block:3", six)
    ok("three ranks on each: the capacity for three flows", abs(ms(x) - 10 * (0.52 + 200000 / 37.5e6 * 1e3)) < 1e-6, ms(x))
    # A bucket of 100000 bytes: the first 400000 bytes take 300000 / 125e6 s; 520 us later it holds 65000.
    full = signature(folder, "bucket.sig", bucket=100000, port={1: 125e6, 2: 125e6})
    x = answer("--signature", full, "--map=block:2", four)
    ok("a port with a bucket", abs(ms(x) - (0.52 + 2.4 + 9 * (0.52 + 335000 / 125e3))) < 1e-3, ms(x), x.get("sharing"))
    x = answer("--signature", full, "--map=block:1", exchange(folder, 2, lambda r: r ^ 1, 200000))
    ok("... one rank a host: it hides the work", abs(ms(x) - (0.52 + 0.8 + 9 * 1.6)) < 1e-3, ms(x), x.get("sharing"))
    x = answer("--contention=none", "--signature", full, "--map=block:1", exchange(folder, 2, lambda r: r ^ 1, 200000))
    ok("... none: each as after a rest", ms(x) == 13.2, ms(x))
    faster = signature(folder, "faster.sig", bucket=3000000, port={1: 125e6, 2: 125e6})
    x = answer("--signature", faster, "--map=block:1", exchange(folder, 2, lambda r: r ^ 1, 200000))
    ok("one pair is faster than the curve at all sizes: no bucket", "sharing" not in x, ms(x), x.get("sharing"))
    # Pairwise exchange of 4 ranks in 3 rounds. In the first and the last, one message leaves each host, in the second two: 20 us and
    # 1.6, 3.2 and 1.6 ms. The messages within a host are faster.
    with open(os.path.join(folder, "pairwise"), "w", encoding="ascii") as file:
        file.write("#mpgcollectives 1\nalltoall 2 0 pairwise\nallgather 2 0 ring\n")
    table = ["--collectives=expand", "--collectives=table=" + file.name]
    call = collective(folder, "Alltoall", 4, 200000, "")
    x = answer(*table, "--replicas=1", "--signature", port, "--map=block:2", call)
    ok("alltoall: the messages of a round share", abs(ms(x) - 10 * (0.5 + 3 * 0.02 + 6.4)) < 1e-6, ms(x))
    ok("... they are counted", x.get("sharing") == {"messages": 80, "delayed": 40, "delay_ns": 40 * 1.6e6}, x.get("sharing"))
    ok("... none", abs(ms(answer(*table, "--contention=none", "--signature", port, "--map=block:2", call)) - 10 * (0.56 + 4.8)) < 1e-6)
    x = answer(*table, "--signature", port, "--map=block:2", collective(folder, "Allgather", 4, 200000, ""))
    ok("a ring: one message a port and round, nothing is shared", abs(ms(x) - 10 * (0.56 + 4.8)) < 1e-6 and "sharing" not in x, ms(x))
    memory = signature(folder, "memory.sig", memory={4: 10e9})
    inside = exchange(folder, 4, lambda r: r ^ 1, 2000000)
    # 0.2 ms each; four flows at 10 GB/s together: 0.8 ms.
    x = answer("--signature", memory, "--map=block:4", inside)
    ok("four messages in one memory", abs(ms(x) - 10 * (0.5 + 0.0005 + 0.8)) < 1e-6, ms(x))
    for name, arguments in (("one rank a host", ["--map=block:1", exchange(folder, 2, lambda r: r ^ 1, 200000)]),
                            ("eager messages a byte at a time", ["--map=block:2", exchange(folder, 4, lambda r: r ^ 2, 0)]),
                            ("one recorded host, and no --map", [four])):
        both = [run("--json", "--predict", f"--contention={how}", "--signature", port, *arguments) for how in ("auto", "none")]
        ok(f"{name}: nothing is shared, the same bytes as none",
           both[0] == both[1] and both[0][0] == 0 and b'"sharing"' not in both[0][1], both[0][2], both[1][2])
    plain = signature(folder, "plain.sig")
    both = [run("--json", "--predict", f"--contention={how}", "--signature", plain, "--map=block:2", four) for how in ("auto", "none")]
    ok("a signature without curves: the same bytes", both[0] == both[1] and both[0][0] == 0)
    status, text, _ = run("--signature", port, "--map=block:2", four)
    ok("the short answer", status == 0 and b"Predicted run time    37.2 ms" in text and b"Warning: sharing: " in text, text.decode())
    for arguments, says in ((["--signature", plain, "--map=block:2", four], "plain.sig has no sharing curves"),
                            (["--signature", port, four], "which ranks share a port is unknown (--map)"),
                            (["--signature", port, "--map=block:2", "--where=call", four], "--where"),
                            (["--signature", port, "--map=block:2", "--perturb", four], "--perturb"),
                            (["--target=hdr", "--target=work=wall", "--signature", port, four], "--target")):
        status, _, why = run("--contention=measured", *arguments)
        ok(f"measured is refused: {says}", status in (1, 2) and says in why, why)


def requests_wait(folder):
    """Between nodes 1000000 bytes take 20 us and 8 ms. Port: as fast as one message."""
    curve, same, other = {1: 125e6, 2: 125e6}, opposite(folder, True), opposite(folder, False)
    for name, points, trace, want in (
            ("not measured: they pass each other", [], same, 12.0205),
            ("of one pair: the first ends at 8.02 ms, then the second begins", [(1000000, 1, 1)], same, 16.02),
            ("... if most of the time was waited", [(1000000, 1, 0.4)], same, 12.0205),
            ("... above the largest size that passes", [(100000, 1, 0), (2000000, 1, 0.9)], same, 16.02),
            ("... a larger size that passes", [(1000000, 1, 1), (2000000, 1, 0)], same, 12.0205),
            ("of another pair: passes", [(1000000, 1, 1)], other, 12.02),
            ("... waits for all bytes in the port", [(1000000, 1, 1), (1000000, 2, 1)], other, 16.02),
            ("... waits for 375000 bytes in the port: 3 ms", [(1000000, 1, 1), (1000000, 2, 0.5)], other, 15.02),
            ("... little waited is none", [(1000000, 2, 0.05)], other, 12.02)):
        sig = signature(folder, "opposite.sig", port=curve, opposite=points)
        x = answer("--replicas=2", "--signature", sig, "--map=block:2", trace)
        ok(f"opposite messages, {name}", isinstance(ms(x), float) and abs(ms(x) - want) < 1e-6, ms(x), x.get("sharing"))


def read_envelopes(folder):
    """Rank 0 sends 1000000 bytes, 20 us and 8 ms, to rank 2. Rank 2 waits for a message of rank 3 until 3.9805 ms, then posts the
    receive, computes for 6 ms and waits. If the envelope came before 3.9805 ms, rank 2 asks when it posts; else when it waits. BACK:
    rank 2 posts the receive, sends as many bytes back, and waits 1 us later: these wait for the first bytes if rank 2 asked first."""
    def trace(sends_at, back):
        rows = [(0, 0, 0, "Irecv comm=0 from=2 tag=2 bytes=1000000 request=2")] if back else []
        rows += [(0, sends_at, sends_at, "Isend comm=0 to=2 tag=1 bytes=1000000 request=1"),
                 (0, sends_at, sends_at, "Waitall requests=1,2" if back else "Wait request=1"),
                 (3, 3980000, 3980000, "Send comm=0 to=2 tag=3 bytes=0"),
                 (2, 0, 4000000, "Recv comm=0 from=3 tag=3 bytes=0")]
        late = 4000000 if sends_at < 4000000 else sends_at + 1000000
        rows.append((2, late, late, "Irecv comm=0 from=0 tag=1 bytes=1000000 request=1"))
        if back:
            rows.append((2, late, late, "Isend comm=0 to=0 tag=2 bytes=1000000 request=2"))
        wait = late + 1000 if back else 10000000
        return calls(folder, "read.txt", [], *rows, (2, wait, wait, "Waitall requests=1,2" if back else "Wait request=1"))
    sig = signature(folder, "opposite.sig", port={1: 125e6, 2: 125e6}, opposite=[(1000000, 1, 1)])
    for name, more, sends_at, back, want in (
            ("read in a call: rank 2 asks when it posts", [], 0, False, 11.9805),
            ("... not without the rule", ["--without=request-waits"], 0, False, 17.9805),
            ("... not if it came after the call", [], 4500000, False, 17.9805),
            ("... and bytes in the other direction wait", [], 0, True, 19.9805),
            ("... but cross if it came after the call", [], 4500000, True, 13.5005)):
        x = answer("--replicas=1", *more, "--contention=measured", "--signature", sig, "--map=block:2", trace(sends_at, back))
        ok(f"envelopes: {name}", isinstance(ms(x), float) and abs(ms(x) - want) < 1e-6, ms(x), x.get("failed"), x.get("sharing"))


def uneven_shares(folder):
    """Ranks 0 and 1 send 1000000 bytes each to ranks 2 and 3, twice, through a port as fast as one message; after the first message
    rank 2 computes for 30 ms. Weights by the rule of docs/MODEL.md."""
    curve, leads = {1: 125e6, 2: 125e6}, [(65536, 0, 0), (1048576, 1e6, 5e6), (4194304, 0, 0)]
    rows = [(r, 0, 0, f"Send comm=0 to={r + 2} tag=1 bytes=1000000") for r in (0, 1)]
    rows += [(r, 0, 0, f"Recv comm=0 from={r - 2} tag=1 bytes=1000000") for r in (2, 3)] + [(2, 30000000, 30000000, "Comm_rank")]
    trace = calls(folder, "uneven.txt", [], *rows)
    sig = signature(folder, "uneven.sig", port=curve, leads=leads)

    def weight(seed, rank):
        u = Draws(seed, 0)(rank, 0, WEIGHT)
        ratio = max(1 - 0.125 * (1e6 + abs(2 * u - 1) * 4e6) / 1048576, 0.05)
        return ratio ** ((1 if u > 0.5 else -1) / math.sqrt(2))
    bad, first = [], 0
    for seed in range(1, 41):
        x = answer("--replicas=1", f"--seed={seed}", "--signature", sig, "--map=block:2", trace)
        w = [weight(seed, rank) for rank in (0, 1)]
        end = 16.02 if w[0] < w[1] else 0.02 + 8 * (w[0] + w[1]) / w[0]
        first += w[0] > w[1]
        if not isinstance(ms(x), float) or abs(ms(x) - end - 30) > 1e-4:
            bad.append((seed, ms(x), end + 30, w, x.get("failed")))
    ok(f"uneven shares: rank 2's message ends by the weights in 40 runs, first in {first}", not bad and 10 < first < 30, *bad[:3])
    for name, more, size in (("without the rule", ["--without=uneven-shares"], 1048576), ("leads of 0", [], 4194304)):
        sig = signature(folder, "even.sig", port=curve, leads=[x for x in leads if x[0] <= size] if more else leads[2:])
        x = answer("--replicas=1", *more, "--signature", sig, "--map=block:2", trace)
        ok(f"... equal shares {name}", isinstance(ms(x), float) and abs(ms(x) - 46.02) < 1e-6, ms(x), x.get("failed"))


def sender_is_done(folder):
    """Two messages of 1000000 bytes share a port until 16.02 ms; after sending one, rank 0 computes for 20 ms. W is 0.1 ms: of a
    message alone the hundredth part of the bytes, which crosses in 0.16 ms."""
    curve = {1: 125e6, 2: 125e6}
    copies, waits = signature(folder, "w.sig", port=curve, send_ns=100000), signature(folder, "port.sig", port=curve)
    late = [(0, 20000000, 20000000, "Comm_rank")]

    def sends(sender, to):
        return [(sender, 0, 0, f"Send comm=0 to={to} tag=1 bytes=1000000"), (to, 0, 0, f"Recv comm=0 from={sender} tag=1 bytes=1000000")]
    bcast = [(r, 0, 0, "Bcast comm=1 root=0 bytes=1000000") for r in (0, 2)]
    for name, signed, rows, want in (("a send that copies the bytes", copies, sends(0, 2) + sends(1, 3), 20.18),
                                     ("... of a message alone", copies, sends(0, 2), 20.1),
                                     ("... waits for all bytes", waits, sends(0, 2) + sends(1, 3), 36.02),
                                     ("the root of a Bcast", copies, bcast + sends(1, 3), 20.18),
                                     ("... waits for all bytes", waits, bcast + sends(1, 3), 36.02)):
        x = answer("--replicas=1", "--collectives=expand", "--signature", signed, "--map=block:2",
                   calls(folder, "done.txt", ["0 2"], *rows, *late))
        ok(f"the sender is done: {name}", isinstance(ms(x), float) and abs(ms(x) - want) < 1e-6, ms(x), x.get("sharing"))


def cores(folder):
    """--cores: rank r has core r mod N, ranks of a core compute in turns of 3 ms, 5 us (0.005 ms) apart."""
    plain, port = signature(folder, "plain.sig"), signature(folder, "port.sig", port={1: 125e6, 2: 125e6})
    work = [(r, (r + 1) * 1000000, (r + 1) * 1000000, "Comm_rank") for r in range(4)]
    # Ranks 0 and 2 compute for 1 and 3 ms, 1 and 3 for 2 and 4 ms; the job ends with rank 3, after a switch, on one core after three.
    for n, want in ((4, 4), (7, 4), (2, 6.005), (1, 10.015)):
        x = answer("--replicas=1", "--signature", plain, "--map=block:2", f"--cores={n}", calls(folder, "cores.txt", [], *work))
        ok(f"cores: work of 1, 2, 3 and 4 ms on {n}", isinstance(ms(x), float) and abs(ms(x) - want) < 1e-6, ms(x))
    long = [(r, 7000000, 7000000, "Comm_rank") for r in (0, 2)]
    x = answer("--replicas=1", "--signature", plain, "--map=block:2", "--cores=2", calls(folder, "cores.txt", [], *long))
    ok("... turns: 3, 3, 3, 3, 1 and 1 ms, 5 switches", abs(ms(x) - 14.025) < 1e-6, ms(x))
    # Ranks 0 and 1 compute for 1 ms each, then ranks 2 and 3 post their receives: from 2 ms and two switches on, 2000000 bytes
    # cross a port. The message to rank 3 ends last; then ranks 1 and 3 get the core.
    sends = [(0, 1000000, 1000000, "Send comm=0 to=2 tag=1 bytes=1000000"), (2, 0, 0, "Recv comm=0 from=0 tag=1 bytes=1000000"),
             (1, 1000000, 1000000, "Send comm=0 to=3 tag=1 bytes=1000000"), (3, 0, 0, "Recv comm=0 from=1 tag=1 bytes=1000000")]
    x = answer("--replicas=1", "--signature", port, "--map=block:2", "--cores=1", calls(folder, "cores.txt", [], *sends))
    ok("... and messages that share a port", isinstance(ms(x), float) and abs(ms(x) - 18.02) < 1e-6, ms(x), x.get("sharing"))
    status, text, why = run("--signature", port, "--map=block:2", "--cores=1", calls(folder, "cores.txt", [], *sends))
    ok("... the short answer has the time without a core", status == 0 and b"waiting for a core" in text, text.decode(), why)
    for more, says in ((["--perturb"], "--perturb"), (["--target=hdr"], "--target"), (["--where=call"], "--where")):
        status, _, why = run("--cores=2", "--signature", plain, *more, calls(folder, "cores.txt", [], *work))
        ok(f"... not with {says}", status == 2 and says in why, why)


def calls(folder, name, comms, *rows):
    """ROWS: (rank, begin, end, call), ns after MPI_Init, in each rank's order; COMMS: further communicators, from 1 on."""
    lines = ["#mpgtext 1", "#ranks 4", "#clocks shared", "#comm 0 = 0 1 2 3",
             *(f"#comm {i + 1} = {ranks}" for i, ranks in enumerate(comms))]
    for r in range(4):
        mine = [row for row in rows if row[0] == r]
        end = 1000 + max([row[2] for row in mine], default=0)
        lines += [f"{r} 0 1000 Init", *(f"{r} {1000 + begin} {1000 + until} {call}" for _, begin, until, call in mine),
                  f"{r} {end} {end + 10} Finalize"]
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    return path


def collectives(folder):
    """Messages of collectives share with all others. Two ranks: a Bcast is one message, of 20 us and 8 ns a byte."""
    port = signature(folder, "port.sig", port={1: 125e6, 2: 125e6})
    waits = signature(folder, "waits.sig", port={1: 125e6, 2: 125e6}, opposite=[(1000000, 1, 1), (1000000, 2, 1)])
    pairs = ["0 2", "1 3"]

    def bcast(comm, root, size, begin=0):  # ROOT: number in the communicator
        return [(rank, begin, begin, f"Bcast comm={comm} root={root} bytes={size}") for rank in map(int, pairs[comm - 1].split())]
    sent = [(1, 0, 0, "Send comm=0 to=3 tag=1 bytes=200000"), (3, 0, 0, "Recv comm=0 from=1 tag=1 bytes=200000")]
    for name, signed, rows, want, delayed in (
            ("two Bcasts share a port: twice as long", port, bcast(1, 0, 200000) + bcast(2, 0, 200000), 3.22, 2),
            ("a Bcast and a message between two ranks share it", port, bcast(1, 0, 200000) + sent, 3.22, 2),
            ("one begins when the other is half done", port, bcast(1, 0, 200000) + bcast(2, 0, 200000, 800000), 3.22, 2),
            ("opposite directions share nothing", port, bcast(1, 0, 1000000) + bcast(2, 1, 1000000, 4000000), 12.02, None),
            ("... but the request for the later message waits", waits, bcast(1, 0, 1000000) + bcast(2, 1, 1000000, 4000000), 16.02, 1)):
        x = answer("--replicas=1", "--collectives=expand", "--signature", signed, "--map=block:2", calls(folder, "c.txt", pairs, *rows))
        ok(f"collectives: {name}", isinstance(ms(x), float) and abs(ms(x) - want) < 1e-6 and
           x.get("sharing", {}).get("delayed") == delayed, ms(x), x.get("sharing"))
    # Linear Alltoall of 4 ranks, all messages posted at once: four cross each port out, together 800000 bytes.
    with open(os.path.join(folder, "linear"), "w", encoding="ascii") as file:
        file.write("#mpgcollectives 1\nalltoall 2 0 linear\n")
    x = answer("--replicas=1", "--collectives=expand", "--collectives=table=" + file.name, "--signature", port, "--map=block:2",
               collective(folder, "Alltoall", 4, 200000, "", times=1))
    ok("Alltoall, posted at once: the time of all bytes", abs(ms(x) - (0.5 + 0.02 + 6.4)) < 1e-6, ms(x), x.get("sharing"))
    # 130 ranks are too many for flows: each message to another host takes 20 us and 16 us, the next leaves 16 us later.
    x = answer("--replicas=1", "--collectives=expand", "--collectives=table=" + file.name, "--signature", port, "--map=block:2",
               collective(folder, "Alltoall", 130, 1000, "", times=1))
    ok("... of 130 ranks: by the number of ranks on a host", abs(ms(x) - (0.5 + 127 * 0.016 + 0.036)) < 1e-6, ms(x), x.get("sharing"))


def made(seed, folder):
    """A random program as text, and its number of ranks."""
    draw = random.Random(f"contention {seed}")
    ranks = draw.randint(1, 9)
    commands = [["randomtrace.py", "--seed", str(seed), "--ranks", str(ranks), "--steps", "100", "--clocks",
                 draw.choice(["shared", "unknown"]), "--all-synchronous-safe"],
                ["randomtrace_extras.py", "--seed", str(seed), "--sites", "2", *(["--cpu", "all"] if seed % 3 == 0 else [])]]
    if seed % 4 == 1:
        commands.append(["randomtrace_threads.py", "--seed", str(seed)])
    text = b""
    for script, *rest in commands:
        text = subprocess.run([sys.executable, os.path.join(ORACLE, script), *rest], input=text, check=True,
                              stdout=subprocess.PIPE).stdout
    path = os.path.join(folder, "random.txt")
    with open(path, "wb") as file:
        file.write(text)
    return path, ranks, draw


def differences(a, b, at=""):
    """Paths at which two answers differ by more than 1e-6 ns."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a:
            if key not in ("attention", "assumptions"):
                yield from differences(a[key], b.get(key), f"{at}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{at}[{i}]")
    elif a != b and not (isinstance(a, (int, float)) and isinstance(b, (int, float)) and
                         abs(a - b) <= 1e-6 * max(1, 1e-9 * abs(a))):
        yield f"{at}: {a} and {b}"


def at_random(folder):
    bad = []
    for seed in range(SEEDS):
        wide = signature(folder, "wide.sig", port={2: 1e15}, memory={2: 1e15}, send_ns=[None, 1000, 100000, 2000000][seed % 4])
        path, ranks, draw = made(seed, folder)
        changes = draw.choice([[], ["--collectives=expand"], ["--collectives=rounds"], ["--noise=exp:3us"], ["--eager-limit=-1"],
                               ["--eager-limit=1000", "--call-noise=exp:200ns"],
                               ["--noise=const:1us", "--collectives=expand", "--eager-limit=500"]])
        words = ["--without=choice", "--replicas=3", f"--map={draw.choice(['block', 'cyclic'])}:{draw.randint(1, ranks)}",
                 "--signature", wide, *changes, path]
        x, y = answer("--contention=none", *words), answer("--contention=measured", *words)
        if "failed" in x or "failed" in y:
            if x != y:
                bad.append(f"seed {seed}: {x.get('failed')} and {y.get('failed')}")
            continue
        bad += [f"seed {seed} {changes}: {text}" for text in list(differences(x, y))[:2]]
    ok(f"{SEEDS} random programs with capacities that are never full: the order of time changes nothing", not bad, *bad[:5])


def main():
    with tempfile.TemporaryDirectory() as folder:
        by_hand(folder)
        requests_wait(folder)
        read_envelopes(folder)
        uneven_shares(folder)
        collectives(folder)
        sender_is_done(folder)
        cores(folder)
        at_random(folder)
    print(f"1..{number}")


main()
