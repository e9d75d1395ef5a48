#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim moves a program from a noisy machine to a quiet one and back: 16 ranks with 400 barriers, whose noise is
inserted here, detour by detour (TAP). The environment variable MPGSIM names the program."""

import bisect
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import closed_forms  # noqa: E402

RANKS, STEPS, WORK, BARRIER = 16, 400, 1000000, 2000
SPAN = 2 * 10 ** 9


def noise_of(seed):
    """Returns the detours of one core, 4 % of the time, at random times: (start, duration)."""
    source, detours, now = random.Random(seed), [], 0
    while True:
        now += 1 + int(source.expovariate(1 / 4000000))
        duration = source.choice([40000, 90000, 400000])
        if now + duration >= SPAN:
            return detours
        detours.append((now, duration))
        now += duration


def core(detours):
    return {"core": 0, "span_ns": SPAN, "detours": {
        "start_ns": [start for start, _ in detours],
        "duration_ns": [duration for _, duration in detours]}}


def machine(detours):
    given = closed_forms.signature(noise=[core(detours)])
    given["version"] = [3, 0]
    return given


def end_of(detours, starts, begin, work):
    """Returns when work that begins at BEGIN is done, with every detour on its way."""
    now, i = begin, bisect.bisect_right(starts, begin)
    while i < len(detours) and detours[i][0] < now + work:
        work -= detours[i][0] - now
        now = detours[i][0] + detours[i][1]
        i += 1
    return now + work


def run(noises):
    """Returns (trace, run time) of the program with this noise for each rank."""
    starts = [[start for start, _ in noise] for noise in noises]
    programs, now = [[] for _ in noises], 100
    for _ in range(STEPS):
        enters = [end_of(noise, first, now, WORK)
                  for noise, first in zip(noises, starts)]
        now = max(enters) + BARRIER
        for program, enter in zip(programs, enters):
            program.append(f"{enter} {now} Barrier site=1")
    lines = ["#mpgtext 1", f"#ranks {len(noises)}", "#clocks shared", "#site 1 = ?+0x10"]
    for rank, program in enumerate(programs):
        for call in ["0 100 Init", *program, f"{now + 5} {now + 9} Finalize"]:
            lines.append(f"{rank} {call}")
    return "\n".join(lines) + "\n", now + 5 - 100


QUIET, NOISY = [[]] * RANKS, [noise_of(seed) for seed in range(RANKS)]
RECORD = machine(noise_of("record"))
SILENCE = machine([])


def predicted(text, target, source):
    result = closed_forms.answer(text, "--replicas=32", "--models=cosched=none",
                                 signature=target, source=source)
    return result["run_time_ns"]["median"]


def test_from_noisy_to_quiet():
    """At least four fifths of the gain are predicted, and no more than 1.1 times."""
    (noisy, traced), (_, true) = run(NOISY), run(QUIET)
    gain = traced - predicted(noisy, SILENCE, RECORD)
    assert 0.8 * (traced - true) <= gain <= 1.1 * (traced - true), \
        f"{gain} of {traced - true}"


def test_from_quiet_to_noisy():
    """The prediction is within 2 % of the run."""
    (quiet, _), (_, true) = run(QUIET), run(NOISY)
    got = predicted(quiet, RECORD, SILENCE)
    assert abs(got - true) <= 0.02 * true, f"{got}, not {true}"


def test_a_noisy_machine_stays_itself():
    noisy, traced = run(NOISY)
    got = predicted(noisy, RECORD, RECORD)
    assert got == traced, f"{got}, not {traced}"


PERIOD, LOST = 2000000, 200000


def growths(ranks, work, noise, cosched, replicas):
    """Returns for each replica of a run of work and a barrier: growth of the run, and mean growth of the last rank's
    computation."""
    lines = ["#mpgtext 1", f"#ranks {ranks}", "#clocks shared", *[f"#host {rank} one" for rank in range(ranks)]]
    for rank in range(ranks):
        lines += [f"{rank} 0 100 Init", f"{rank} {100 + work} {200 + work} Barrier",
                  f"{rank} {200 + work} {200 + work} Finalize"]
    result = closed_forms.answer("\n".join(lines) + "\n", "--source=none", "--models=measurement=fixed", f"--models=cosched={cosched}",
                                 f"--replicas={replicas}", signature=closed_forms.signature(noise=noise))
    return ([one["run_time_ns"] - result["traced_run_time_ns"] for one in result["replicas"]],
            result["ranks"][-1]["account"]["compute_ns"])


def within(values, want, sd):
    """Checks that the mean is WANT, within four standard errors."""
    got, error = sum(values) / len(values), sd / len(values) ** 0.5
    assert abs(got - want) <= 4 * error, f"{got}, not {want} +- {error}"


TICKS = [(k * PERIOD + 700000, LOST) for k in range(SPAN // PERIOD)]


def test_ranks_start_at_work():
    """1 us of work meets a detour with the probability of its share of a gap of 1.8 ms, whatever the number of ranks:
    no rank starts inside a detour."""
    for ranks in 1, 16, 128:
        hit = 1 - (1 - 1000 / (PERIOD - LOST)) ** ranks
        within(growths(ranks, 1000, [core(TICKS)], "none", 1000)[0], LOST * hit,
               LOST * (hit * (1 - hit)) ** 0.5)


def test_a_core_in_a_detour_starts_at_its_end():
    """The first core is quiet. The other core's ranks start anywhere in a period or, if that is in a detour, at its
    end."""
    both = [dict(core(detours), core=i, together=True) for i, detours in enumerate([[], TICKS])]
    work = 500000
    hit = work / PERIOD
    within([growths(2, work, both, "node", 4000)[1]] * 4000, LOST * hit, LOST * (hit * (1 - hit)) ** 0.5)


if __name__ == "__main__":
    closed_forms.main(globals())
