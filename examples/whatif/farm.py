#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A farm of tasks with mpi4py: farm.py [balance=REGION] [scale=REGION:F] [bytes=N] [rounds=N] [unit=MS]

In each round rank 0 scatters a task to everybody (objects, pickled), all work on theirs (region `task`, uneven), workers
hand in what they found, which rank 0 takes as it comes and merges (region `merge` each), and all agree whether to go on.
Work is sleep, so that ranks may share cores; balance and scale change it as hypotheses of mpgsim suppose it. Prints the
run, ms."""

import ctypes
import sys
import time

from mpi4py import MPI

DONE, BEGIN, END = 3, 10001, 10002
begin = MPI.Wtime()  # MPI has just been initialised
words = dict(word.split("=") for word in sys.argv[1:])
unit, rounds, size = float(words.get("unit", 4)), int(words.get("rounds", 12)), int(words.get("bytes", 600))
scaled, _, factor = words.get("scale", "none:1").partition(":")
mark = getattr(ctypes.CDLL(None), "mpgtrace_region", lambda level, name: None)  # of mpg_region.h: the tracer's, if there is one
world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size


def work(region, units):
    mark(BEGIN, region.encode())
    time.sleep(units * unit / 1e3 * (float(factor) if scaled == region else 1))
    mark(END, region.encode())


def task(number, of):
    """Units of a task."""
    return 1 + (5 * number + 3 * of) % 7


for k in range(rounds):
    tasks = [task(r, k) for r in range(ranks)]
    if words.get("balance") == "task":
        tasks = [sum(tasks) / ranks] * ranks
    mine = world.scatter([(one, bytes(size)) for one in tasks] if rank == 0 else None)
    work("task", mine[0])
    if rank > 0:
        world.send(bytes(size), dest=0, tag=DONE)
    for _ in range(ranks - 1 if rank == 0 else 0):
        world.recv(source=MPI.ANY_SOURCE, tag=DONE)
        work("merge", 0.75)
    world.allreduce(k)
run = world.reduce(MPI.Wtime() - begin, op=MPI.MAX)
if rank == 0:
    print(f"{run * 1e3:.1f}")
MPI.Finalize()
