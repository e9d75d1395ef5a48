#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The growth of a traced program by mpgsim, compared with that on a machine that knows each flight (playing.py): times
by size, waits, gains, and classes of messages (TAP). Both growths are means of many draws, with fixed seeds."""

import itertools
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "oracle")]
sys.dont_write_bytecode = True
from closed_forms import main  # noqa: E402
from playing import (  # noqa: E402
    Exponential, Messages, Program, growth, halo, incast, joined, lognormal, predicted, text,
    workers)

DRAWS, WITHIN = 100, 0.03
NOISE = 5000


def hold(what, program, puts, *words, within=WITHIN):
    """Checks that mpgsim with the options WORDS predicts the growth of the program's run time, within the part WITHIN, as
    it is in executions. PUTS: the perturbation of each execution, of the kind that WORDS ask for."""
    true = growth(program, puts)
    got, _ = predicted(text(program), *words, replicas=len(puts))
    assert abs(got - true) <= within * abs(true), f"{what}: {got:.0f} ns, truly {true:.0f}: {got / true:.3f} of it"


def hold_noise(what, program, **more):
    puts = [Exponential(NOISE, seed, **more) for seed in range(DRAWS)]
    ranks = more.get("ranks")
    where = "@" + ",".join(map(str, sorted(ranks))) if ranks else ""
    hold(what, program, puts, f"--noise=exp:{NOISE}ns{where}")


def work(mean, deviation):
    return lambda: round(random.gauss(mean, deviation))


def by_size(latency, byte):
    return lambda size: round(latency + byte * size)


def one_of(*sizes):
    return lambda: random.choice(sizes)


def test_sizes_of_one_power_of_two():
    """Constant L and G: the time of a message depends on its exact size, also between powers of two."""
    for latency, byte in (2000, 0.1), (1000, 0.25):
        sizes = one_of(70000, 130000)
        program = halo(8, 40, work(50000, 5000), by_size(latency, byte), sizes)
        hold_noise("halo, noise", program)
        hold("halo, bytes cheaper", program, [Messages(0, -byte / 2)], f"--byte=const:{-byte / 2}ns")
        program = incast(8, 40, work(50000, 5000), by_size(latency, byte), sizes)
        hold_noise("incast, noise", program)
        hold("incast, bytes cheaper", program, [Messages(0, -byte / 2)], f"--byte=const:{-byte / 2}ns")


def test_sizes_that_are_all_different():
    program = halo(8, 40, work(50000, 5000), by_size(1000, 0.25), lambda: random.randint(65536, 131071))
    hold_noise("noise", program)
    hold("bytes cheaper", program, [Messages(0, -0.125)], "--byte=const:-0.125ns")


def test_flights_that_vary():
    """The additional flight of a message is its own, not the call's, however long the trace is."""
    for steps in 2, 20:
        true = got = 0
        for seed in range(12):
            program = halo(8, steps, work(50000, 5000), lognormal(5000, 1), seed=seed)
            true += growth(program, [Exponential(NOISE, draws) for draws in range(DRAWS // 2)])
            got += predicted(text(program), f"--noise=exp:{NOISE}ns", replicas=DRAWS)[0]
        assert abs(got - true) <= WITHIN * true, f"halo, {steps} steps: {got / true:.3f} of the true growth"
    for together in True, False:
        program = incast(8, 40, work(50000, 5000), lognormal(5000, 1), together=together)
        hold_noise(f"incast, {'one call' if together else 'a call each'}", program)
    hold_noise("master and workers", workers(8, 30, work(100000, 30000), lognormal(5000, 1)))


def test_gains():
    """A message can gain at most what it took: flights of 5 and 20 us, 10 us less."""
    for name, steps, answers, change in (("a pair", 2, True, 4), ("one way", 10, False, 10)):
        flights = itertools.cycle((5000, 20000))
        program = Program(2)
        for _ in range(steps):
            program.work(0, 30000)
            program.send(0, 1, 64, next(flights))
            program.receive(1, 0)
            if answers:
                program.work(1, 1000)
                program.send(1, 0, 64, 5000)
                program.receive(0, 1)
        hold(name, program, [Messages(-1000 * change)], f"--latency=const:-{change}us")


def test_what_lay_ready():
    """Ranks with less work get noise, which does not matter while they would have waited."""
    random.seed(3)
    program, flight = Program(8), lognormal(5000, 1)
    for _ in range(40):
        for rank in range(8):
            program.work(rank, 50000 + 20000 * (rank % 2) + round(random.gauss(0, 5000)))
            for side in (rank - 1) % 8, (rank + 1) % 8:
                program.send(rank, side, 512, flight())
            for side in (rank - 1) % 8, (rank + 1) % 8:
                program.receive(rank, side)
    puts = [Exponential(20000, seed, {0, 2, 4, 6}) for seed in range(DRAWS)]
    hold("uneven halo", program, puts, "--noise=exp:20000ns@0,2,4,6")


def test_independent_jobs():
    """A job's result does not depend on a simultaneous job on other hosts; on its own hosts it may."""
    one = halo(4, 20, work(50000, 5000), lognormal(5000, 1), seed=5)
    other = workers(4, 10, work(20000, 5000), lognormal(900, 1), seed=6)
    words = ["--noise=const:4us@0,2", "--latency=const:3us", "--call-noise=const:100ns"]
    alone = [delays(one, "a", *words), delays(other, "a", "--noise=const:4us@0,2", *words[1:])]
    words[0] = "--noise=const:4us@0,2,4,6"
    both = predicted(joined((one, "a"), (other, "b")), *words, replicas=1)[1]
    got = [rank["delay_ns"]["median"] for rank in both["ranks"]]
    assert got == alone[0] + alone[1], f"{got}, not {alone}"


def delays(program, host, *words):
    result = predicted(joined((program, host)), *words, replicas=1)[1]
    return [rank["delay_ns"]["median"] for rank in result["ranks"]]


if __name__ == "__main__":
    main(globals())
