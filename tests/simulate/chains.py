# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthetic measurements of messages, the signatures that sigmake makes of them, and programs whose run time is a sum
or a maximum of message times."""

import json
import os
import random
import subprocess

from answers import answer, write

SIGMAKE = os.environ.get("SIGMAKE", "sigmake")


# --- measurements ---

def write_launch(folder, launch, there, back, size=8):
    """Writes pingpong results with these one-way times of successive exchanges, in ns."""
    os.makedirs(folder, exist_ok=True)
    lines = ["#mpgresults 1", "# benchmark: pingpong", "# host: made", "# cpu: made", "# kernel: 6.1", "# clock: tsc",
             "# date: 2026-11-20T10:00:00Z", "# mpgkit: 0.1.0", f"# launch: {launch}", "# path: node", "# clocks: shared",
             "# one_way_error_ns: 0", "# columns: size_bytes rtt_ns forward_ns backward_ns"]
    lines += [f"{size} {a + b:.3f} {a:.3f} {b:.3f}" for a, b in zip(there, back)]
    with open(f"{folder}/pingpong-launch{launch}-node.samples", "w", encoding="ascii") as out:
        out.write("\n".join(lines) + f"\n# end {min(len(there), len(back))}\n")


def make_signature(folder, name):
    with open(name, "w", encoding="ascii") as out:
        subprocess.run([SIGMAKE, folder], stdout=out, stderr=subprocess.DEVNULL, check=True)


def read(name):
    with open(name, encoding="ascii") as lines:
        return json.load(lines)


def messages_alone(signature):
    """Returns SIGNATURE with its one-way times only."""
    path = signature["network"][0]
    found = {key: signature[key] for key in ("format", "version", "header")}
    found["network"] = [{key: path[key] for key in ("path", "one_way", "latency")}]
    return found


def save(signature, name):
    with open(name, "w", encoding="ascii") as out:
        json.dump(signature, out)


# --- programs ---

def write_program(name, ranks, calls, later=(), work_ns=0):
    """CALLS: (rank, text) in order, which took no time. LATER: further calls, before which ranks work, except those
    that receive."""
    lines = [f"{rank} 0 0 Init" for rank in range(ranks)]
    lines += [f"{rank} 0 0 {text}" for rank, text in calls]
    lines += [f"{rank} {0 if text.startswith('Recv') else work_ns} {work_ns} {text}" for rank, text in later]
    write(name, ranks, lines + [f"{rank} {work_ns} {work_ns} Finalize" for rank in range(ranks)])


def send(a, b, size=8):
    return a, f"Send comm=0 to={b} tag=1 bytes={size}"


def receive(a, b, size=8):
    return a, f"Recv comm=0 from={b} tag=1 bytes={size}"


def write_ping_pong(name, n, size=8):
    """Writes a program whose run is the sum of N messages there and N back."""
    once = [send(0, 1, size), receive(1, 0, size), send(1, 0, size), receive(0, 1, size)]
    write_program(name, 2, once * n)


def write_ring(name, ranks, steps, size=8):
    write_program(name, ranks, [call for _ in range(steps) for rank in range(ranks)
                                for call in (send(rank, (rank + 1) % ranks, size), receive(rank, (rank - 1) % ranks, size))])


def write_pairs(name, pairs, before, size=8):
    """Writes a program with one message for each pair of ranks, after BEFORE others that arrived long ago. Returns the
    work in the run, in ns."""
    work_ns = 100000000
    both = [call for pair in range(pairs) for call in (send(2 * pair, 2 * pair + 1, size), receive(2 * pair + 1, 2 * pair, size))]
    write_program(name, 2 * pairs, both * before, both, work_ns)
    return work_ns


def runs(name, signature, replicas, *options):
    """Returns the run times of all replicas, in ns."""
    found = answer("--predict", "--source=none", f"--signature={signature}", f"--replicas={replicas}",
                   "--sweep=compute-ratio=1,2", *options, name)
    return found["rows"][0]["replicas_run_time_ns"]


# --- by themselves ---

def ring_time(ranks, steps, draw):
    """Returns the run time of a ring: a step begins when the rank has received, and its message then takes DRAW()."""
    at = [0.0] * ranks
    for _ in range(steps):
        there = [x + draw() for x in at]
        at = [max(at[rank], there[rank - 1]) for rank in range(ranks)]
    return max(at)


def shuffled(items, seed):
    items = list(items)
    random.Random(seed).shuffle(items)
    return items
