#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --predict compared with arithmetic by hand, at awkward values: pipeline, tree, butterfly, stencil, wavefront,
master and workers, LogGP, rendezvous, polling, places, CPU times, collectives, windows (TAP). The environment variable
MPGSIM names the program."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from closed_forms import (  # noqa: E402
    answer, collective, expect, main, path, signature)

L, O_S, O_R, G = 2385, 617, 431.5, 0.371
SIZE = 1234
X = L + SIZE * G
ALONE = ["--latency=const:2385ns", "--byte=const:0.371ns"]
LAST = 1000
LOGGP = signature(path(latency={0: L, 100000: L + 100000 * G}, send_overhead={0: O_S},
                       receive_overhead={0: O_R}))


def send(to, size=SIZE):
    return f"Send to={to} tag=0 bytes={size}"


def receive(source, size=SIZE):
    return f"Recv from={source} tag=0 bytes={size}"


def trace(*programs, more=()):
    """Returns a trace. PROGRAMS: for each rank, (work, took, 'Name args') of all calls except Init and Finalize, which
    LAST ns of work precede. Waits do not matter for a prediction, and are missing."""
    lines = ["#mpgtext 1", f"#ranks {len(programs)}", *more]
    for rank, program in enumerate(programs):
        now = 100 + 7 * rank
        lines.append(f"{rank} 0 {now} Init")
        for work, took, words in program:
            lines.append(f"{rank} {now + work} {now + work + took} {words}")
            now += work + took
        lines.append(f"{rank} {now + LAST} {now + LAST} Finalize")
    return "\n".join(lines) + "\n"


def times(text, *words, **signatures):
    """Returns T of every rank's end, without the work before it."""
    result = answer(text, "--predict", "--replicas=1", *words, **signatures)
    return [rank["traced_ns"] + rank["delay_ns"]["median"] - LAST
            for rank in result["ranks"]]


# --- shapes of programs ----------------------------------------------------

def test_pipeline():
    """p stages with work w, n blocks: p w + (p - 1) X + (n - 1) (w + s)."""
    p, n, w, s = 5, 17, 3001, 43
    stages = [[*[(0, 9, receive(r - 1))][:r], (w, s, send(r + 1))] for r in range(p - 1)]
    programs = [stage * n for stage in stages]
    programs.append([(0, 9, receive(p - 2)), (w, 0, "Comm_rank")] * n)
    expect(times(trace(*programs), *ALONE)[-1:], p * w + (p - 1) * X + (n - 1) * (w + s))


def test_binomial_tree():
    """The k-th child of a parent has its message k o_s + X later."""
    levels = 4
    programs, wanted = [], []
    for r in range(1 << levels):
        bits = [j for j in reversed(range(levels)) if r >> j & 1]
        free = bits[-1] if bits else levels
        parent = [(0, 5, receive(r - (1 << bits[-1])))] if bits else []
        programs.append(parent + [(0, 5, send(r + (1 << j)))
                                  for j in reversed(range(free))])
        above = [levels, *bits]
        arrival = sum(X + (high - 1 - j) * O_S for high, j in zip(above, bits))
        wanted.append(arrival + free * O_S)
    small = {"latency": {0: X}}
    machine = signature(path(send_overhead={0: O_S}, receive_overhead={0: O_R}, **small))
    expect(times(trace(*programs), signature=machine), *wanted)


def test_butterfly():
    """What one rank begins with reaches another after X for each bit in which they differ, and an overhead for each
    other bit."""
    levels, step = 3, 977
    ranks = range(1 << levels)
    work = [step * (r * 5 % 8) for r in ranks]
    machine = signature(path(latency={0: X}, send_overhead={0: O_S},
                             receive_overhead={0: O_R}))
    programs = [[(0 if j else work[r], 5, f"Sendrecv to={r ^ 1 << j} tag=0 "
                  f"bytes={SIZE} from={r ^ 1 << j} recvtag=0 recvbytes={SIZE}") for j in range(levels)]
                for r in ranks]
    wanted = [max(work[q] + (q ^ r).bit_count() * X
                  + (levels - (q ^ r).bit_count()) * (O_S + O_R) for q in ranks)
              for r in ranks]
    expect(times(trace(*programs), signature=machine), *wanted)


def stencil(works, steps):
    programs = []
    for r, w in enumerate(works):
        program, number = [], 0
        for _ in range(steps):
            near = [q for q in (r - 1, r + 1) if 0 <= q < len(works)]
            ids = [number + i for i in range(1, 2 * len(near) + 1)]
            number += len(ids)
            calls = [f"Irecv from={q} tag=0 bytes={SIZE}" for q in near]
            calls += [f"Isend to={q} tag=0 bytes={SIZE}" for q in near]
            for i, call in enumerate(calls):
                program.append((0 if i else w, 0, f"{call} request={ids[i]}"))
            program.append((0, 3, "Waitall requests=" + ",".join(map(str, ids))))
        programs.append(program)
    return trace(*programs)


def test_stencil():
    """With equal work w each step takes w + X. A rank with more work delays others by their distance."""
    p, n, w = 6, 11, 4003
    expect(times(stencil([w] * p, n), *ALONE), *[n * (w + X)] * p)
    slow, more = 2, 3 * X
    works = [w] * p
    works[slow] += int(more)
    wanted = [n * w + n * int(more) if r == slow else
              n * w + (n - abs(r - slow) + 1) * int(more) + abs(r - slow) * X
              for r in range(p)]
    expect(times(stencil(works, n), *ALONE), *wanted)


def test_wavefront():
    """Receives from north and west, sends to south, then east: (i + j + 1) w + (i + j) X + j s."""
    rows, columns, w, s = 4, 5, 2003, 71
    programs, wanted = [], []
    for i in range(rows):
        for j in range(columns):
            r = i * columns + j
            calls = [receive(r - columns)] * (i > 0) + [receive(r - 1)] * (j > 0)
            sends = [send(r + columns)] * (i < rows - 1) + [send(r + 1)] * (j < columns - 1)
            sends = sends or ["Comm_rank"]
            program = [(0, 6, call) for call in calls]
            program += [(0 if k else w, s, call) for k, call in enumerate(sends)]
            programs.append(program)
            wanted.append((i + j + 1) * w + (i + j) * X + j * s + s * len(sends))
    expect(times(trace(*programs), *ALONE), *wanted)


def master_and_workers(workers, w):
    master = [(0, 8, send(r)) for r in range(1, workers + 1)]
    master += [(0, 8, receive(r)) for r in range(1, workers + 1)]
    return trace(master, *[[(0, 8, receive(0)), (w, 8, send(0))]] * workers)


def test_master_and_workers():
    """A task departs every o_s, or every gap if that is longer; results return at the same rate."""
    workers, w = 7, 9001
    for gap in (None, 503.25, 1031.5):
        lists = {"streaming": {0: gap, 100000: gap}} if gap else {}
        machine = signature(path(latency={0: X}, send_overhead={0: O_S},
                                 receive_overhead={0: O_R}, **lists))
        each = max(min(O_S, gap), gap) if gap else O_S
        expect(times(master_and_workers(workers, w), signature=machine)[:1],
               2 * X + w + (workers - 1) * each)


# --- messages --------------------------------------------------------------

def chain(n, size, w):
    """A message goes back and forth, n messages in all."""
    programs = [[], []]
    for i in range(n):
        programs[i % 2].append((w, 20, send(1 - i % 2, size)))
        programs[1 - i % 2].append((0, 200, receive(i % 2, size)))
    return trace(*programs)


def test_chain():
    """n messages and the work before each, with times from the command line and by LogGP, also at a size beyond the
    measured ones."""
    for size in (0, 1, SIZE, 99999, 100000, 1000003):
        for n in (1, 2, 301):
            wanted = n * (617 + L + size * G)
            expect([times(chain(n, size, 617), *ALONE)[n % 2]], wanted)
    for size in (0, 100000, 1000003):
        for n in (1, 2, 301):
            expect([times(chain(n, size, 617), signature=LOGGP)[n % 2]],
                   n * (617 + L + size * G))


def test_compute_ratio():
    """The ratio multiplies work, and the durations of calls that wait for nobody."""
    text = trace([(1003, 77, "Isend to=null tag=0 bytes=0 request=1"),
                  (507, 11, "Waitall requests=1")])
    expect(times(text, "--compute-ratio=1.5", *ALONE),
           1.5 * (1003 + 77 + 507 + 11) + 0.5 * LAST)


def test_received_together():
    """m messages that arrive at the same time are completed one after the other; further ones from the same rank at the
    cost of their bytes only."""
    machine = signature(path(latency={0: L}, receive_overhead={0: O_R, SIZE: O_R + 100}))
    for senders in ([1, 2, 3, 4, 5], [1, 1, 1, 1]):
        posts = [(0, 0, f"Irecv from={r} tag=0 bytes={SIZE} request={i}")
                 for i, r in enumerate(senders, 1)]
        wait = (0, 4, "Waitall requests=" + ",".join(map(str, range(1, len(posts) + 1))))
        programs = [[(0, 0, f"Isend to=0 tag=0 bytes={SIZE} request={k + 1}")
                     for k in range(senders.count(r))] for r in sorted(set(senders))]
        for program in programs:
            ids = ",".join(str(k + 1) for k in range(len(program)))
            program.append((0, 0, f"Waitall requests={ids}"))
        further = len(senders) - len(set(senders))
        expect(times(trace(posts + [wait], *programs), signature=machine)[:1],
               L + (len(senders) - 1 - further) * (O_R + 100) + further * 100)


def rendezvous(early, late):
    return trace([(early, 50, send(1))], [(late, 60, receive(0))])


def test_rendezvous():
    """The message continues when its envelope has arrived and the receive is posted. Its sender waits for an answer (by
    the command line's latency), or otherwise as long as measured senders do, and at least for its receiver; the sender
    of a small Ssend waits for the way back."""
    for early, late in ((100, 50001), (50001, 100), (100, 2000)):
        met = max(early + L, late)
        expect(times(rendezvous(early, late), "--eager-limit=-1", *ALONE),
               met + SIZE * G + L, met + SIZE * G)
        machine = signature(path(eager_limit=1000, latency={0: L, SIZE: X},
                                 sender={0: 3001, SIZE: 5003}))
        expect(times(rendezvous(early, late), signature=machine),
               met - L + 5003, met + SIZE * G)
        machine = signature(path(eager_limit=1000, latency={0: L, SIZE: X},
                                 sender={0: 101, SIZE: 203}))
        expect(times(rendezvous(early, late), signature=machine), met, met + SIZE * G)
        machine = signature(path(eager_limit=100000, latency={0: L, SIZE: X},
                                 sender={0: 101, SIZE: 203}))
        small = rendezvous(early, late).replace(" Send ", " Ssend ")
        expect(times(small, signature=machine), met + L, met + SIZE * G)


def test_places():
    """block:2 and cyclic:2 differ in which ranks are near."""
    near, far = path(latency={0: 311}), path(latency={0: 9001})
    near["path"], far["path"] = "node", "between nodes"
    machine = signature()
    machine["network"] = [near, far]
    text = trace([(0, 5, send(1)), (0, 5, send(2))], [(0, 5, receive(0))],
                 [(0, 5, receive(0))])
    expect(times(text, "--map=block:2", signature=machine)[1:], 311, 5 + 9001)
    expect(times(text, "--map=cyclic:2", signature=machine)[1:], 9001, 5 + 311)
    expect(times(text, signature=machine)[1:], 9001, 5 + 9001)
    expect(times(text, "--map=path=node", signature=machine)[1:], 311, 5 + 311)


# --- other calls, and computation -------------------------------------------

def test_polling():
    """Repeated polls are not work, if the option says so."""
    asked = [(0, 30, f"Irecv from=0 tag=0 bytes={SIZE} request=1")]
    asked += [(411, 13, "Test requests=1 done=")] * 5
    asked += [(10001, 13, "Test requests=1 done="), (0, 9, "Wait requests=1")]
    text = trace([(3001, 5, "Isend to=1 tag=0 bytes=1234 request=1"),
                  (0, 0, "Wait requests=1")], asked)
    begin = 30 + 411
    expect(times(text, *ALONE)[1:], max(begin + 10001, 3001 + X))
    expect(times(text, "--polling=interval=12us", *ALONE)[1:], max(begin, 3001 + X))
    expect(times(text, "--polling=work", *ALONE)[1:], 30 + 5 * (411 + 13) + 10001 + 13)


def test_received_behind_one_that_costs_nothing():
    """The earlier message waits for the cost of receiving the later one, although only that one costs something."""
    machine = signature(path(latency={SIZE: 1000}, receive_overhead={SIZE: O_R}))
    machine["network"].append({**path(latency={SIZE: 3000}), "path": "between nodes"})
    for near, end in ((7100, 5000 + 3000 + O_R), (7600, 7600 + 1000)):
        text = trace([(0, 40, f"Irecv from={n} tag=0 bytes={SIZE} request={n}")
                      for n in (1, 2)] + [(0, 9, "Waitall requests=1,2")],
                     [(near, 5, send(0))], [(5000, 5, send(0))])
        expect(times(text, "--map=block:2", signature=machine)[:1], end)


def test_cpu_time():
    """Work is the CPU time if that is smaller."""
    lines = trace([(5003, 40, "Isend to=null tag=0 bytes=0 request=1"),
                   (2003, 5, "Wait requests=1")]).splitlines()
    for i, value in ((2, 0), (3, 4001), (4, 9999), (5, LAST)):
        lines[i] += f" values={value}"
    lines.insert(2, "#values cpu_ns")
    expect(times("\n".join(lines) + "\n", "--latency=const:0"), 4001 + 40 + 2003 + 5)


def test_collectives():
    """As measured, as messages scaled to the measurement, or as rounds of messages."""
    works = [100, 5003, 777, 3001, 2003]
    machine = signature(path(latency={0: L}, send_overhead={0: O_S}), collectives=collective("barrier", 4, {0: 3100.25}))
    for p in (4, 5, 2):
        barrier = trace(*[[(w, 9, "Barrier")] for w in works[:p]])
        rounds = (p - 1).bit_length()
        expect(times(barrier, *ALONE), *[max(works[:p]) + rounds * L] * p)
    expect(times(trace(*[[(w, 9, "Barrier")] for w in works[:4]]), signature=machine), *[5003 + 3100.25] * 4)
    # 4 members take 2 L + 2 O_S up and down. Of 5 members member 1 comes last, its message arrives L later, and the root
    # sends to member 4 after 3 others.
    scale = 3100.25 / (2 * L + 2 * O_S)
    there = 5003 + scale * L
    with open("linear", "w", encoding="ascii") as file:
        file.write("#mpgcollectives 1\nbarrier 1 0 linear\n")
    found = times(trace(*[[(w, 9, "Barrier")] for w in works]), "--collectives=table=linear", signature=machine)
    os.unlink("linear")
    expect(found, there + scale * 4 * O_S, *[there + scale * (i * O_S + L) for i in range(4)])


def test_window():
    """The unlock waits for the transferred data, there and back."""
    window = (0, 0, "Win_create win=0 bytes=8")
    text = trace([window, (100, 0, "Win_lock win=0 to=1"),
                  (0, 0, "Put win=0 to=1 bytes=1000"), (0, 0, "Get win=0 to=1 bytes=234"),
                  (0, 8, "Win_unlock win=0 to=1"), (0, 3, "Win_sync win=0")], [window],
                 more=["#window 0 = 0 0"])
    expect(times(text, *ALONE)[:1], L + 100 + X + L + 3)


if __name__ == "__main__":
    main(globals())
