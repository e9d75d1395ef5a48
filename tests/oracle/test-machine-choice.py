#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests calls complete with mpgsim --predict, compared with arithmetic by hand (TAP). The environment variable
MPGSIM names the program."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from closed_forms import answer, expect, main, path, signature  # noqa: E402

L, O_R, G, SIZE, LAST = 2385, 431.5, 0.371, 1234, 1000
X = L + SIZE * G
ALONE = ["--latency=const:2385ns", "--byte=const:0.371ns"]
MACHINE = signature(path(latency={0: L, SIZE: X}, receive_overhead={0: O_R}))


def trace(*programs):
    """Returns a trace. PROGRAMS: for each rank, (work, took, 'Name args') of all calls except Init and Finalize, which
    LAST ns of work precede. Clock offsets are unknown."""
    lines = ["#mpgtext 1", f"#ranks {len(programs)}"]
    for rank, program in enumerate(programs):
        now = 100 + 7 * rank
        lines.append(f"{rank} 0 {now} Init")
        for work, took, words in program:
            lines.append(f"{rank} {now + work} {now + work + took} {words}")
            now += work + took
        lines.append(f"{rank} {now + LAST} {now + LAST} Finalize")
    return "\n".join(lines) + "\n"


def post(n, source):
    return (0, 40, f"Irecv from={source} tag=0 bytes={SIZE} request={n}")


def waitany(work, requests, done):
    return (work, 50, f"Waitany requests={requests} done={done}")


def send(work, to=0):
    return (work, 5, f"Send to={to} tag=0 bytes={SIZE}")


def ask(text, *words, **signatures):
    """Returns T of every rank's end, without the work before it, and the section "choice" of the JSON."""
    result = answer(text, "--predict", "--replicas=1", *words, **signatures)
    ends = [rank["traced_ns"] + rank["delay_ns"]["median"] - LAST for rank in result["ranks"]]
    return ends, result.get("choice", {})


def ends_of(text, *words, **signatures):
    return ask(text, *words, **signatures)[0]


def counts(text, *words, **signatures):
    choice = ask(text, *words, **signatures)[1]
    return {name: choice[name] for name in choice
            if name != "polling" and not name.startswith("followed") and choice[name]}


def two(first, second, done=1, late=0):
    """Rank 0 takes two messages, in the trace that of request DONE first, and works for 3 us after each."""
    return trace([post(1, 1), post(2, 2), waitany(late, "1,2", done),
                  waitany(3000, 3 - done, 3 - done), (3000, 0, "Comm_rank")],
                 [send(first)], [send(second)])


def test_what_comes_first_is_taken():
    text = two(9000, 5000)
    expect(ends_of(text, *ALONE), 9000 + X + 3000, 9005, 5005)
    expect(ends_of(text, signature=MACHINE), 9000 + X + 3000, 9005, 5005)
    assert counts(text, *ALONE) == {"picks_changed": 1}


def test_in_the_traced_order():
    text = two(9000, 5000)
    expect(ends_of(text, *ALONE, "--without=choice")[:1], 9000 + X + 6000)
    expect(ends_of(text, "--without=choice", signature=MACHINE)[:1], 9000 + X + 6000 + O_R)


def test_equal_times_go_by_the_trace():
    assert counts(two(5000, 5000, done=2), *ALONE) == {}
    assert counts(two(5000, 5000, done=1), *ALONE) == {}


def test_of_what_is_there_the_first_in_the_list():
    text = two(9000, 5000, done=2, late=30000)
    assert counts(text, *ALONE) == {"picks_changed": 1}
    expect(ends_of(text, signature=MACHINE)[:1], 80 + 30000 + 2 * (O_R + 3000))


def test_a_later_wait_for_the_other():
    """The other request takes the first message, which has arrived."""
    text = trace([post(1, 1), post(2, 2), waitany(0, "1,2", 1), (3000, 9, "Wait requests=2")],
                 [send(20000)], [send(5000)])
    expect(ends_of(text, *ALONE)[:1], 20000 + X)
    expect(ends_of(text, *ALONE, "--without=choice")[:1], 20000 + X + 3000)


def test_synchronous_senders_wait_for_their_own():
    text = two(9000, 5000)
    expect(ends_of(text, *ALONE, "--eager-limit=1000"), 9000 + X + 3000, 9000 + X + L, 5000 + X + L)
    assert counts(text, *ALONE, "--eager-limit=1000") == {"picks_changed": 1}


def tests(*more):
    """Rank 0 tests for a message that arrives at 20 us + X."""
    return trace([post(1, 1), (1000, 11, "Test requests=1 done="),
                  (30000, 12, "Test requests=1 done="), *more,
                  (30000, 13, "Test requests=1 done=1")], [send(20000)])


def test_early():
    """The second test succeeds, and costs what receiving costs; the last one is not made."""
    work = "--polling=work"
    expect(ends_of(tests(), work, signature=MACHINE)[:1],
           40 + 1000 + 11 + 30000 + O_R + 30000)
    expect(ends_of(tests(), work, *ALONE)[:1], 40 + 1000 + 11 + 30000 + 12 + 30000)
    expect(ends_of(tests(), work, "--without=choice", signature=MACHINE)[:1],
           40 + 1000 + 11 + 30000 + 12 + 30000 + O_R)
    assert counts(tests(), work, *ALONE) == {"tests_early": 1}


def test_early_while_polling_is_waiting():
    """Intervals of more than 10 us are work, which is done in any case."""
    expect(ends_of(tests(), signature=MACHINE)[:1], 40 + 1000 + 30000 + O_R + 30000)
    expect(ends_of(tests(), *ALONE)[:1], 40 + 1000 + 30000 + 30000)
    expect(ends_of(tests(), "--polling=interval=40us", *ALONE)[:1], 20000 + X)


def test_saved():
    """A failed test for a completed request is not made; an interval of 2 us before it is polling."""
    more = (2000, 17, "Test requests=1 done=")
    expect(ends_of(tests(more), "--polling=work", *ALONE)[:1],
           40 + 1000 + 11 + 30000 + 12 + 2000 + 30000)
    expect(ends_of(tests(more), *ALONE)[:1], 40 + 1000 + 30000 + 30000)
    assert counts(tests(more), *ALONE) == {"tests_early": 1, "tests_saved": 1}


def test_done_beside_others():
    """Of a Waitall for two requests a test has already completed one; it receives only the other one."""
    text = trace([post(1, 1), post(2, 2), (30000, 7, "Testany requests=1,2 done="),
                  (4000, 9, "Waitall requests=1,2")], [send(5000)], [send(70000)])
    expect(ends_of(text, "--polling=work", signature=MACHINE)[:1], 70000 + X)
    text = trace([post(1, 1), post(2, 2), (30000, 7, "Testany requests=1,2 done="),
                  (4000, 9, "Waitall requests=1,2")], [send(5000)], [send(28500)])
    # the second is there 1.3 us after the test, and lies ready
    expect(ends_of(text, "--polling=work", signature=MACHINE)[:1],
           80 + 30000 + O_R + 4000 + O_R)


def test_all_that_is_there():
    """Testsome takes both, one after the other; the Waitall is not made."""
    text = trace([post(1, 1), post(2, 1), (30000, 7, "Testsome requests=1,2 done="),
                  (4000, 9, "Waitall requests=1,2")], [send(5000), send(6000)])
    machine = signature(path(latency={0: L, SIZE: X},
                             receive_overhead={0: 300, SIZE: 417.25}))
    # of the second of the rank o_r(d) - o_r(0)
    expect(ends_of(text, signature=machine)[:1], 80 + 30000 + 417.25 + 117.25 + 4000)


def test_more_is_there():
    """Waitsome receives both, one after the other; the second Waitsome is not made."""
    text = trace([post(1, 1), post(2, 2), (30000, 50, "Waitsome requests=1,2 done=1"),
                  (7000, 50, "Waitsome requests=2 done=2"), (7000, 0, "Comm_rank")],
                 [send(5000)], [send(6000)])
    expect(ends_of(text, signature=MACHINE)[:1], 80 + 30000 + 2 * O_R + 14000)
    assert counts(text, *ALONE) == {"picks_changed": 1}


def test_answers():
    """The answer that follows the first message is sent at 5.1 us + X instead of after it."""
    def text(late):
        return trace([post(1, 1), post(2, 2), waitany(0, "1,2", 1), send(100, 1),
                      waitany(0, 2, 2)],
                     [send(late), (0, 9, f"Recv from=0 tag=0 bytes={SIZE}")], [send(5000)])
    just = int(5100 + 2 * X)
    expect(ends_of(text(just), *ALONE), just + X, just + 5, 5005)
    assert counts(text(just), *ALONE) == {"picks_changed": 1, "answers": 1}
    late = just + 1 + X + 100
    expect(ends_of(text(just + 1), *ALONE), late + 5, late + X, 5005)
    assert counts(text(just + 1), *ALONE) == {"redone": 1}


def test_an_answer_to_a_rendezvous():
    """The rendezvous was requested when its receive was posted; its bytes move in the next call that makes progress."""
    text = trace([(90000, 40, post(1, 1)[2]), post(2, 2), waitany(0, "1,2", 1), send(100, 1),
                  waitany(0, 2, 2)],
                 [(5000, 40, f"Issend to=0 tag=0 bytes={SIZE} request=1"),
                  (200000, 9, f"Recv from=0 tag=0 bytes={SIZE}"), (0, 0, "Wait requests=1")],
                 [send(5000)])
    # the rendezvous was asked for before: its bytes come from Waitany on, behind two posts; the other lies ready
    expect(ends_of(text, *ALONE)[:1], 90080 + SIZE * G)
    expect(ends_of(text, *ALONE, "--without=progress")[:1], 90000 + SIZE * G)
    assert counts(text, *ALONE) == {"picks_changed": 1, "answers": 1}


def collect(last):
    """Returns a trace with three messages, each followed by 8 us of work. LAST: arguments of the last receive."""
    def take(source, any_of):
        return (0, 9, f"Recv from={source} tag=0 bytes={SIZE} {any_of}")
    work = (8000, 0, "Comm_rank")
    return trace([take(1, "any=source"), work, take(2, "any=source"), work, take(3, last), work],
                 [send(7000)], [send(5000)], [send(6000)])


def test_from_any_source():
    expect(ends_of(collect("any=source"), *ALONE)[:1], 5000 + X + 24000)
    expect(ends_of(collect("any=source"), *ALONE, "--without=choice")[:1], 7000 + X + 24000)
    assert counts(collect("any=source"), *ALONE) == {"picks_changed": 3}


def test_from_any_source_then_from_one():
    """The third message has already been taken when the trace waits for it."""
    expect(ends_of(collect(""), *ALONE)[:1], 7000 + X + 24000)
    assert counts(collect(""), *ALONE) == {"redone": 1}


def test_what_comes_of_the_call_is_no_candidate():
    text = trace([post(1, 1), post(2, 2), waitany(0, "1,2", 1), send(0, 2), waitany(0, 2, 2)],
                 [send(9000)], [(0, 9, f"Recv from=0 tag=0 bytes={SIZE}"), send(0)])
    expect(ends_of(text, *ALONE)[:1], 9000 + X + 5 + X + X - 5)
    assert counts(text, *ALONE) == {}


def test_nobody_waits_beyond_the_horizon():
    assert counts(two(9000, 5000), *ALONE, "--horizon=0")["beyond_horizon"] == 1


def test_ranks_of_several_threads_keep_the_order():
    text = two(9000, 5000) + "0.1 500 500 Region_begin name=\"x\"\n"
    lines = text.splitlines()
    lines.insert(3, lines.pop())
    # the other thread computes from the first Waitany on, all that the second took, too
    expect(ends_of("\n".join(lines) + "\n", *ALONE)[:1], 9000 + X + 6000 + 50)


if __name__ == "__main__":
    main(globals())
