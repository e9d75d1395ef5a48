#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Are wrong results found, and reduced to small cases? For false properties, and for an mpgsim with a deliberate error,
the smallest program is known (TAP)."""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import cases  # noqa: E402
import check_properties  # noqa: E402
import operations  # noqa: E402
import programs  # noqa: E402
import rules  # noqa: E402
import shrink  # noqa: E402
import texts  # noqa: E402

from closed_forms import main  # noqa: E402

SECONDS = 60
WRONG = """import subprocess, sys, json
run = subprocess.run({mpgsim!r} + sys.argv[1:], capture_output=True, text=True)
sys.stderr.write(run.stderr)
text = run.stdout
if run.returncode == 0 and {word!r} in open(sys.argv[-1]).read():
    answer = json.loads(text)
    answer["ranks"][0]["account"]["{key}"] += {error}
    text = json.dumps(answer)
sys.stdout.write(text)
sys.exit(run.returncode)
"""


def first_that(fails, make):
    """Returns the first of some hundred cases that fails."""
    for seed in range(400):
        case = make(random.Random(f"shrinking {seed}"))
        if fails(case):
            return case
    raise AssertionError("no case fails")


def answered(case):
    try:
        return cases.answer(case)
    except (cases.Skip, AssertionError):
        return None


def random_case(draw):
    """Returns a case with options that perturb, and some that do not matter."""
    text, safe = programs.program(draw, ranks=7, steps=50)
    options = cases.Options(draw, texts.trace_of(text), False, False)
    words = (*options.model(safe), *options.perturbations(), *options.replicas())
    return cases.settled(cases.Case(text, words, {}, (), 1))


def meets_three(case):
    trace = case.trace()
    return answered(case) and any(
        len({trace.calls[line].rank for line in unit}) >= 3
        and trace.calls[unit[0]].name in ("Barrier", "Allreduce", "Alltoall")
        for unit in operations.units(trace))


def test_a_meeting_of_three():
    """False property: no program has a collective of three ranks. Smallest: three ranks, each of which begins, meets,
    and ends at once."""
    small = shrink.shrunk(first_that(meets_three, random_case), meets_three, SECONDS)
    trace = small.trace()
    assert (trace.ranks, len(trace.calls), small.words) == (3, 9, ()), small.shown()
    assert not any(call.leave or call.keys.get("bytes", "0") != "0"
                   for call in trace.calls), small.shown()


def long_message(case):
    return answered(case) and any(
        call.name == "Send" and int(call.keys["bytes"]) > 4096 for call in case.trace().calls)


def test_a_long_message():
    """A message of more than some bytes; smallest: one send and receive with just enough bytes."""
    small = shrink.shrunk(first_that(long_message, random_case), long_message, SECONDS)
    trace = small.trace()
    sent = [int(call.keys["bytes"]) for call in trace.calls if call.name == "Send"]
    assert len(trace.calls) <= 2 * trace.ranks + 3 and trace.ranks <= 2, small.shown()
    assert len(sent) == 1 and 4096 < sent[0] < 2 * 4097, small.shown()


def later_by_messages(case):
    """Returns whether a rank is delayed by 1000 ns by a latency."""
    without = case.but(words=tuple(w for w in case.words if not w.startswith("--latency")))
    a, b = answered(case), answered(without)
    return case.has("--latency=const") and a and b and any(
        later - sooner >= 1000 for later, sooner in zip(cases.delays(a), cases.delays(b)))


def test_options():
    """A violation of "no latency delays a rank by 1000 ns" needs that option, with a number."""
    small = shrink.shrunk(first_that(later_by_messages, random_case), later_by_messages,
                          SECONDS)
    assert len(small.words) == 1 and len(small.trace().calls) <= 7, small.shown()
    value, unit = rules.TIME.search(small.words[0]).groups()
    value = float(value) * {"ns": 1, "us": 1000}[unit]
    assert value == int(value) and 125 <= value < 2000, small.shown()


def found_and_small(rule, word, key, error):
    """Returns the reduced case that a rule finds with an mpgsim that is wrong for programs with WORD."""
    wrong = cases.written("wrong.py", WRONG.format(mpgsim=cases.MPGSIM, word=word, key=key,
                                                   error=error))
    right = cases.MPGSIM
    cases.MPGSIM = [sys.executable, "-S", wrong]
    try:
        for seed in range(100):
            case = rule.make(random.Random(f"wrong {seed}"))
            try:
                what = check_properties.wrong(rule, case)
            except cases.Skip:
                continue
            if what:
                return shrink.shrunk(case, lambda one: check_properties.fails_so(
                    rule, one, what), SECONDS)
    finally:
        cases.MPGSIM = right
    raise AssertionError("nothing is wrong")


def test_an_identity_that_is_none():
    """mpgsim adds a nanosecond to programs with a synchronous send; smallest: this send and its receive."""
    rule = rules.Identity()
    rule.machines = (0,)
    small = found_and_small(rule, " Ssend ", "net_ns", 1.0)
    trace = small.trace()
    assert len(trace.calls) <= 2 * trace.ranks + 3 and trace.ranks <= 2, small.shown()
    assert set(small.words) <= {"--perturb"}, small.shown()


def test_an_account_that_does_not_add_up():
    """mpgsim's account is wrong by a thousandth of a nanosecond in programs with a Scan; smallest: one rank with a
    Scan."""
    rule = rules.Account()
    rule.modes = (False,)
    small = found_and_small(rule, " Scan ", "propagated_ns", 0.001)
    assert len(small.trace().calls) == 3 and len(small.words) <= 2, small.shown()


if __name__ == "__main__":
    main(globals())
