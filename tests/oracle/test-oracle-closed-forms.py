#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks oracle.py against results derived by hand, and against properties (TAP). Values such as 2.385 are awkward on
purpose, because 1 and 2 hide missing factors."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import oracle  # noqa: E402
from oracle_exact import Fraction  # noqa: E402
from scripts import made  # noqa: E402

X = Fraction("2.385")
LAMBDA = Fraction("17.25")
KAPPA = Fraction("0.625")
BETA = Fraction("0.125")
MODES = ["none", "wait", "clock"]
FIXED = ["--absorb", "none"]


def delays(lines, *words):
    """Returns D at each rank's Finalize, for these command-line words."""
    _, settings = oracle.parse_arguments(list(words) + ["-"])
    matching = oracle.Matching(oracle.read_trace(lines))
    return [delay for _, delay, _ in oracle.rank_delays(matching, settings)]


def trace(ranks, *programs, clocks="#clocks shared"):
    """Returns a trace. PROGRAMS: for each rank, lines 'enter leave Name args' of all calls except Init and Finalize.
    Init leaves at 100, Finalize enters at 100000."""
    members = " ".join(map(str, range(ranks)))
    lines = ["#mpgtext 1", f"#ranks {ranks}", f"#comm 0 = {members}", clocks]
    for rank, program in enumerate(programs):
        for call in ["0 100 Init", *program, "100000 100010 Finalize"]:
            lines.append(f"{rank} {call}")
    return lines


def all_noise(x=X):
    return ["--noise", f"const:{float(x)}ns", "--latency", f"const:{float(LAMBDA)}ns",
            "--call-noise", f"const:{float(KAPPA)}ns", "--byte",
            f"const:{float(BETA)}ns"]


def random_trace(seed, *words):
    return made("randomtrace.py", "--seed", str(seed), "--ranks", str(1 + seed % 7),
                "--steps", "120", *words).splitlines()


# --- closed forms ----------------------------------------------------------

def ring(p, turns, size_bytes):
    """Returns a trace in which a token goes around, sent first by rank 0."""
    programs = [[] for _ in range(p)]
    now = 1000
    for _ in range(turns):
        for rank in range(p):
            to = (rank + 1) % p
            programs[rank].append(
                f"{now} {now + 5} Send comm=0 to={to} tag=0 bytes={size_bytes}")
            programs[to].append(f"{now + 6} {now + 10} Recv comm=0 from={rank} "
                                f"tag=0 bytes={size_bytes}")
            now += 20
    return trace(p, *programs)


def test_ring():
    p, turns, size_bytes = 5, 7, 24
    hop = X + LAMBDA + KAPPA + BETA * size_bytes
    expected = [turns * p * hop + X] + [
        ((turns - 1) * p + j) * hop + X + KAPPA + X for j in range(1, p)]
    assert delays(ring(p, turns, size_bytes), *FIXED, *all_noise()) == expected


def test_ring_of_the_paper():
    noise = ["--noise", "const:100ns"]
    assert delays(ring(128, 10, 0), *FIXED, *noise)[0] == 10 * 128 * 100 + 100


def collective(name, enters, leaves, args=""):
    return trace(len(enters), *[
        [f"{a} {b} {name} comm=0 {args}"] for a, b in zip(enters, leaves)])


ENTERS = [1000, 1400, 1100, 1300, 1200]
LEAVES = [1500, 1510, 1520, 1530, 1540]


def test_call_noise_as_printed():
    """[MPG], Eq. 1 and 2, with noise of the sender's calls, then of the receiver's."""
    words = ["--absorb", "none", "--eager-limit=-1"]
    flight = ["--latency", "const:500ns", "--byte", "const:1ns"]
    eq1 = trace(2, ["2000 3000 Send comm=0 to=1 tag=1 bytes=1000"],
                ["2000 3000 Recv comm=0 from=0 tag=1 bytes=1000"])
    eq2 = trace(2, ["2000 2100 Isend comm=0 to=1 tag=1 bytes=1000 request=1",
                    "3000 3500 Wait requests=1"],
                ["2000 2100 Irecv comm=0 from=0 tag=1 bytes=1000 request=1",
                 "3000 3500 Wait requests=1"])
    for lines, more, paper, own in [
            (eq1, [*flight, "--call-noise", "const:70ns"], [2070, 1570], [2000, 1570]),
            (eq2, [*flight, "--call-noise", "const:70ns@0"], [2140, 1570], [2000, 1500]),
            (eq2, ["--call-noise", "const:70ns@1"], [70, 140], [0, 140])]:
        assert delays(lines, *words, *more) == paper
        assert delays(lines, *words, *more, "--paper=own-edges") == own


def test_barrier():
    cost = 3 * (LAMBDA + KAPPA)
    lines = collective("Barrier", ENTERS, LEAVES)
    assert delays(lines, *FIXED, *all_noise()) == [X + cost + X] * 5


def test_allreduce():
    cost = 3 * (LAMBDA + KAPPA) + 3 * 40 * BETA
    lines = collective("Allreduce", ENTERS, LEAVES, "bytes=40")
    assert delays(lines, *FIXED, *all_noise()) == [X + cost + X] * 5


def test_alltoall_reduce_scatter_allgather():
    for name, rounds, moved in [("Alltoall", 4, 4 * 40),
                                ("Reduce_scatter", 3, Fraction(40 * 4, 5)),
                                ("Allgather", 3, 4 * 40)]:
        cost = rounds * (LAMBDA + KAPPA) + moved * BETA
        lines = collective(name, ENTERS, LEAVES, "bytes=40")
        assert delays(lines, *FIXED, *all_noise()) == [X + cost + X] * 5


def test_varying_collectives():
    lines = trace(3, *[[f"1000 1100 Alltoallv comm=0 bytes={sizes}"]
                       for sizes in ("900,1,2", "3,900,4", "5,6,900")])
    assert delays(lines, *FIXED, "--byte", "const:1ns") == [11, 11, 11]
    lines = trace(3, *[[f"1000 1100 Allgatherv comm=0 bytes={size}"]
                       for size in (7, 20, 300)])
    assert delays(lines, *FIXED, "--byte", "const:1ns") == [320, 320, 320]


def test_meeting_slack():
    """Rank 0 arrived 400 early and stayed for 500; the shortest stay is 110."""
    lines = collective("Barrier", ENTERS, LEAVES)
    noise = ["--noise", "const:1000ns@0"]
    for mode, slack in [("none", 0), ("wait", 500 - 110), ("clock", 400)]:
        late = 1000 - slack
        assert delays(lines, "--absorb", mode, *noise) == [late + 1000] + [late] * 4


def test_scan():
    lines = collective("Scan", ENTERS, LEAVES, "bytes=8")
    result = delays(lines, *FIXED, "--noise", "const:100ns@2")
    assert result == [0, 0, 200, 100, 100]


def test_scan_slack():
    """Only members 0..i determine the least stay: rank 0 alone has no slack."""
    lines = collective("Scan", ENTERS, LEAVES, "bytes=8")
    result = delays(lines, "--absorb", "clock", "--noise", "const:1000ns@0")
    assert result == [2000, 600, 600, 600, 600]


def test_bcast():
    lines = collective("Bcast", [1000, 900, 800, 700, 600], LEAVES,
                       "root=0 bytes=40")
    cost = 3 * (LAMBDA + KAPPA) + 3 * 40 * BETA
    assert delays(lines, *FIXED, *all_noise()) == (
        [X + KAPPA + X] + [X + cost + KAPPA + X] * 4)


def test_scatter_and_gather():
    cost = LAMBDA + KAPPA + 40 * BETA
    lines = collective("Scatter", ENTERS, LEAVES, "root=1 bytes=40")
    other = X + cost + KAPPA + X
    assert delays(lines, *FIXED, *all_noise()) == [
        other, X + KAPPA + X, other, other, other]
    lines = collective("Gather", ENTERS, LEAVES, "root=1 bytes=40")
    other = X + KAPPA + X
    assert delays(lines, *FIXED, *all_noise()) == [
        other, X + cost + X, other, other, other]


def test_reduce_slack():
    """Slack of the message from rank 0 to the root's end: 2000 - 1000 - l(40). Rank 0's Reduce, of 10, is the floor, so
    the local edge has a slack of 90, less than the message's, which is therefore reduced by 90."""
    lines = trace(2, ["1000 1010 Reduce comm=0 root=1 bytes=40"],
                  ["1900 2000 Reduce comm=0 root=1 bytes=40"])
    words = ["--absorb", "clock", "--source=latency=100ns", "--source=byte=0.5ns", "--noise", "const:5000ns@0"]
    message, local = 2000 - 1000 - 120, 100 - 10
    assert delays(lines, *words) == [10000, 5000 - (message - local)]


def test_alone():
    """A single rank: no rounds; a meeting passes D on, other collectives add kappa."""
    for name, expected in [("Barrier", 0), ("Scan", 0), ("Bcast", KAPPA),
                           ("Gather", KAPPA)]:
        lines = collective(name, [1000], [1100], "root=0 bytes=8")
        assert delays(lines, *FIXED, *all_noise(0)) == [expected]


def pair(send, receive, send_times="1000 1100", receive_times="1500 1700"):
    return trace(2, [f"{send_times} {send} comm=0 to=1 tag=3 bytes=40"],
                 [f"{receive_times} {receive} comm=0 from=0 tag=3 bytes=40"])


def test_eager():
    lines = pair("Send", "Recv")
    assert delays(lines, *FIXED, "--noise", "const:10ns@1") == [0, 20]
    assert delays(lines, *FIXED, *all_noise()) == [
        X + KAPPA + X, X + LAMBDA + 40 * BETA + KAPPA + X]


def test_synchronous():
    for name, words in [("Ssend", []), ("Send", ["--eager-limit", "39"])]:
        lines = pair(name, "Recv")
        assert delays(lines, *FIXED, *words, *all_noise()) == [
            X + LAMBDA + 40 * BETA + LAMBDA + X,
            X + LAMBDA + 40 * BETA + KAPPA + X]
        assert delays(lines, *FIXED, *words, "--noise", "const:10ns@1") == [10, 20]
    lines = pair("Send", "Recv")
    assert delays(lines, *FIXED, "--eager-limit", "40", "--noise",
                  "const:10ns@1") == [0, 20]


def test_synchronous_slack():
    """The second receive is 500 later than its send, and 300 later than its envelope, which flies 200. It waited: it
    took 4 times its floor, the 50 of the first, and its message took 400 from when both could begin, twice its usual
    time. So it has no slack: the receive ends 1600 - 300 late."""
    lines = trace(2, [f"{times} Ssend comm=0 to=1 tag=3 bytes=0"
                      for times in ("200 250", "1000 1700")],
                  [f"{times} Recv comm=0 from=0 tag=3 bytes=0"
                   for times in ("200 250", "1500 1700")])
    assert delays(lines, "--absorb", "clock", "--source=latency=200ns",
                  "--noise", "const:800ns@0") == [1300 + 800, 1300]


def test_wait_slack():
    """The second Recv takes 900 longer than the first, which is the floor."""
    lines = trace(2, ["1000 1010 Send comm=0 to=1 tag=0 bytes=4",
                      "5000 5010 Send comm=0 to=1 tag=0 bytes=4",
                      "6000 6100 Barrier comm=0"],
                  ["1000 1100 Recv comm=0 from=0 tag=0 bytes=4",
                   "4200 5200 Recv comm=0 from=0 tag=0 bytes=4",
                   "6000 6100 Barrier comm=0"])
    noise = ["--noise", "const:600ns@1"]
    for mode, last in [("none", 1800), ("wait", 900), ("clock", 900)]:
        assert delays(lines, "--absorb", mode, *noise) == [last, last + 600]


def test_observed_floor():
    """Of two receives the second waits, and its message took 200: the floor. The first ended 120 after its send began
    but did not wait. So the third's message has a slack of 1100 - 200, its Recv of 200 - 100: 800 of the sender's delay
    are absorbed."""
    lines = trace(2, ["1000 1010 Send comm=0 to=1 tag=0 bytes=4",
                      "5000 5010 Send comm=0 to=1 tag=0 bytes=4",
                      "8000 8010 Send comm=0 to=1 tag=0 bytes=4"],
                  ["1020 1120 Recv comm=0 from=0 tag=0 bytes=4",
                   "4200 5200 Recv comm=0 from=0 tag=0 bytes=4",
                   "8900 9100 Recv comm=0 from=0 tag=0 bytes=4"])
    assert delays(lines, "--absorb", "clock", "--noise", "const:1000ns@0")[1] == 2200
    assert delays(lines, "--absorb", "clock", "--source=latency=0",
                  "--noise", "const:1000ns@0")[1] == 2000


def test_floor_between_hosts():
    """The 200 seen between hosts is no floor for messages within one host. Rank 2's Recv is the floor of Recv, so only
    its message, of 1200, has slack. If no other message was seen between its hosts, it took no more than the 300 in
    which both ranks were ready."""
    lines = trace(3, ["5000 5010 Send comm=0 to=1 tag=0 bytes=4",
                      "8000 8010 Send comm=0 to=2 tag=0 bytes=4"],
                  ["4200 5200 Recv comm=0 from=0 tag=0 bytes=4"],
                  ["8900 9200 Recv comm=0 from=0 tag=0 bytes=4"])
    words = ["--absorb", "clock", "--noise", "const:3000ns@0"]
    assert delays(lines, *words)[1:] == [3000, 6000 - (1200 - 200)]
    lines.insert(4, "#host 1 far")
    assert delays(lines, *words)[1:] == [3000, 6000 - (1200 - 300)]


def test_requests():
    """Delay arrives where the message is completed, not where its receive is posted."""
    lines = trace(2, ["1000 1010 Isend comm=0 to=1 tag=0 bytes=4 request=1",
                      "1020 1030 Waitall requests=1"],
                  ["1000 1010 Irecv comm=0 from=0 tag=0 bytes=4 request=7",
                   "1020 1030 Test requests=7 done=",
                   "1040 1050 Waitany requests=7 done=7"])
    assert delays(lines, *FIXED, "--latency", "const:50ns", "--call-noise",
                  "const:20ns") == [40, 70]


def test_compute_ratio():
    lines = trace(1, ["1000 1100 Barrier comm=0"])
    assert delays(lines, "--compute-ratio", "0.5") == [-(900 + 98900) / 2]


def test_faster_computer_cannot_beat_the_message():
    """Rank 1 computes in no time, but the message still has its traced flight."""
    lines = pair("Send", "Recv", receive_times="1500 1700")
    sender, receiver = delays(lines, *FIXED, "--compute-ratio", "0")
    assert sender == -99900 + 100
    assert receiver == -900 - (100000 - 1700)


def test_clamps():
    """Negative latency: a message does not arrive before it left. It took 700 from the send's begin to the receive's
    end, which is the most that it can gain. It does not delay rank 1 if that is 500 earlier, but does if it is 900
    earlier."""
    lines = pair("Send", "Recv", receive_times="1000 1700")
    words = ["--source=latency=60ns", "--latency", "const:-1000ns"]
    assert delays(lines, *FIXED, *words, "--noise", "const:-500ns@1") == [0, -500 - 500]
    assert delays(lines, *FIXED, *words, "--noise", "const:-900ns@1") == [0, -700 - 900]


# --- properties ------------------------------------------------------------

def test_identity():
    for seed in range(40):
        lines = random_trace(seed, "--all-synchronous-safe")
        for mode in MODES:
            for limit in ("-1", "4KiB", "1GiB"):
                result = delays(lines, "--absorb", mode, "--eager-limit", limit)
                assert not any(result), f"seed {seed}, {mode}, {limit}"


def test_random_traces_are_plausible():
    """Matches are those that the generator intended, and nothing ends before it began."""
    for seed in range(40):
        matching = oracle.Matching(oracle.read_trace(
            random_trace(seed, "--clocks", "offsets")))
        aligned = matching.trace.aligned
        for message in matching.messages:
            send, end = message.send.call, message.receive.completed_by
            assert aligned(end.rank, end.leave) > aligned(send.rank, send.enter)
            terms = message.receive.terms
            if terms.name != "Recv_init" and "neighbor" not in terms.name.lower():
                key = "recvbytes" if "sendrecv" in terms.name.lower() else "bytes"
                assert terms.number(key) == message.bytes, f"seed {seed}"


def test_persistent():
    """The message leaves at the Start, and is synchronous because of the Ssend_init."""
    lines = trace(2, ["1000 1010 Ssend_init comm=0 to=1 tag=0 bytes=4 persistent=1",
                      "1020 1030 Start persistent=1 requests=1",
                      "1040 1050 Wait requests=1"],
                  ["1000 1010 Recv_init comm=0 bytes=9 persistent=1 any=source,tag",
                   "1020 1030 Start persistent=1 requests=1 matched=1:0:0",
                   "1040 1050 Wait requests=1"])
    assert delays(lines, *FIXED, "--noise", "const:100ns@0") == [400, 200]
    assert delays(lines, *FIXED, "--noise", "const:100ns@1") == [200, 400]


def test_clock_shift():
    for seed in range(20):
        shared = random_trace(seed)
        shifted = random_trace(seed, "--clocks", "offsets")
        for mode in MODES:
            words = ["--absorb", mode, "--noise", "const:333ns@0,2", *all_noise()[2:]]
            assert delays(shared, *words) == delays(shifted, *words), f"seed {seed}"


def test_monotone():
    options = ["--noise", "--call-noise", "--latency", "--byte"]
    for seed in range(20):
        lines = random_trace(seed)
        for mode in MODES:
            values = dict.fromkeys(options, 10)
            words = ["--without=choice", "--absorb", mode]
            before = delays(lines, *words, *words_of(values))
            for option in options:
                values[option] += 37
                after = delays(lines, *words, *words_of(values))
                assert all(map(Fraction.__le__, before, after)), f"seed {seed}"
                before = after


def words_of(values):
    return [word for option, value in values.items()
            for word in (option, f"const:{value}ns")]


def test_less_absorbed_is_later():
    for seed in range(20):
        lines = random_trace(seed)
        none = delays(lines, *FIXED, *all_noise(333))
        for mode in ("wait", "clock"):
            some = delays(lines, "--without=choice", "--absorb", mode, *all_noise(333))
            assert all(map(Fraction.__le__, some, none)), f"seed {seed}"


def main():
    tests = [(name, test) for name, test in globals().items()
             if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        try:
            test()
            verdict = "ok"
        except AssertionError as error:
            verdict = "not ok"
            failed += 1
            line = error.__traceback__.tb_next.tb_lineno
            print(f"# {name}, line {line}: {error}")
        print(f"{verdict} {number} - {name[5:].replace('_', ' ')}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
