#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim between two synthetic machines, compared with arithmetic by hand: chains of messages, LogGP, costs of calls,
changed protocols, collectives (TAP). The environment variable MPGSIM names the program."""

import atexit
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from closed_forms import (  # noqa: E402
    END, answer, collective, delays, expect, main, path, same, signature, spread,
    trace)

FIXED = "--absorb=none"
MODES = ["--absorb=none", "--absorb=wait", "--absorb=clock"]
SIZES = [8, 1024, 8192, 32768]
TARGET = {8: 5300, 1024: 6100, 4096: 7340, 65536: 19000}
SOURCE = {8: 450, 1024: 710, 4096: 1530, 65536: 9100}


def chain(n, size):
    """Returns a trace in which a message goes back and forth, n messages in all; calls take no longer than necessary,
    and each receive waits."""
    programs, now = [[], []], 1000
    for i in range(n):
        a, b = i % 2, 1 - i % 2
        programs[a].append(f"{now} {now + 20} Send to={b} tag=0 bytes={size}")
        programs[b].append(f"{now - 10} {now + 200} Recv from={a} tag=0 bytes={size}")
        now += 230
    assert now < END
    return trace(2, *programs)


def between(table, size):
    """Interpolates linearly in d between the sizes of a table."""
    sizes = sorted(table)
    for low, high in zip(sizes, sizes[1:]):
        if low <= size <= high:
            part = (size - low) / (high - low)
            return table[low] * (1 - part) + table[high] * part
    raise AssertionError


def test_chain_of_constants():
    """n messages grow by n times the difference of the one-way times, at every size."""
    target, source = signature(path(latency=TARGET)), signature(path(latency=SOURCE))
    for size in SIZES:
        for n in (1, 12, 301):
            more = n * (between(TARGET, size) - between(SOURCE, size))
            for mode in MODES:
                got = delays(chain(n, size), mode, signature=target, source=source)
                expect([got[n % 2]], more)


def test_two_protocols():
    """A machine with two protocols, each with times linear in the bytes, is known at every size between the measured
    ones if the ends of both protocols are measured; otherwise each side of the limit uses its own nearest size."""
    def times(size):
        return 500 + 0.375 * size if size <= 4000 else 2100 + 0.1875 * size

    quiet = signature(path(latency={1: 0}))
    machine = signature(path(4000, latency={size: times(size) for size in (
        0, 64, 4000, 4001, 1 << 20)}))
    for size in (1, 63, 1777, 3999, 4000, 4001, 4002, 65536, 999999):
        got = delays(chain(2, size), FIXED, signature=machine, source=quiet)
        expect(got[:1], 2 * times(size))
    apart = signature(path(4000, latency={size: times(size) for size in (64, 2000, 8000)}))
    for size, near in ((1999, 1999), (2001, 2000), (4000, 2000), (4001, 8000), (7999, 8000)):
        got = delays(chain(2, size), FIXED, signature=apart, source=quiet)
        expect(got[:1], 2 * times(near))


def test_real_machine_without_a_size():
    """A measured size that is left out follows from its neighbours, on average within 4 %, from 4096 bytes to 1 MiB."""
    with open(os.path.join(os.environ["top_srcdir"], "results", "reference", "reference.sig"),
              encoding="ascii") as file:
        measured = json.load(file)["network"][0]
    median = {one["size_bytes"]: middle(one["one_way_ns"]) for one in measured["latency"]}
    limit = measured["eager_limit_bytes"]
    quiet, errors = signature(path(latency={1: 0})), []
    for size in [size for size in median if 4096 < size <= 1 << 20]:
        rest = {other: value for other, value in median.items() if other != size}
        got = delays(chain(2, size), FIXED, signature=signature(path(limit, latency=rest)), source=quiet)
        errors.append(abs(got[0] / 2 / median[size] - 1))
    assert len(errors) >= 8 and sum(errors) / len(errors) <= 0.04, errors


def middle(given):
    """Returns the median of a distribution in a signature."""
    p, x = given["probabilities"], given["quantiles"]
    i = next(i for i in range(len(p)) if p[i + 1] >= 0.5)
    return x[i] + (x[i + 1] - x[i]) * (0.5 - p[i]) / (p[i + 1] - p[i])


def test_chain_of_draws():
    """With distributions: n times the difference of their means, within 3 %."""
    shape = [0.8, 0.9, 1, 1.1, 3]
    target, source = [signature(path(latency={
        size: spread(*(value * x for x in shape)) for size, value in table.items()}))
        for table in (TARGET, SOURCE)]
    mean = sum((a + b) / 2 for a, b in zip(shape, shape[1:])) / 4
    n = 4000
    for size in SIZES:
        more = n * mean * (between(TARGET, size) - between(SOURCE, size))
        got = answer(chain(n, size), FIXED, "--replicas=8", signature=target,
                     source=source)["ranks"][0]["delay_ns"]["mean"]
        assert abs(got - more) <= 0.03 * more, f"{size} bytes: {got}, not {more}"


def test_chain_without_source():
    """Without a source the target's least one-way time stands for the traced one."""
    target = signature(path(latency={8: spread(400, 400), 100: spread(500, 900)}))
    expect(delays(chain(12, 8), FIXED, signature=target)[:1], 0)
    got = answer(chain(4000, 100), FIXED, "--replicas=8", signature=target)
    got = got["ranks"][0]["delay_ns"]["mean"]
    assert abs(got - 4000 * 200) <= 0.03 * 4000 * 200, got


def test_loggp():
    """Above the largest latency size the slope of transfers counts: L + o + (d - d') G."""
    machines = [(1000, 0.25), (300, 0.0625)]
    target, source = [signature(path(
        latency={1: first, 1001: first + 1000 * each},
        bandwidth={4096: 7777, 8192: 7777 + 4096 * each})) for first, each in machines]
    size = 50001
    more = 700 + (size - 1) * (0.25 - 0.0625)
    expect(delays(chain(6, size), FIXED, signature=target, source=source)[:1], 6 * more)


def test_slope_of_medians():
    """The slope is the same for every draw: the least time of 1 GiB lies above that of 1 MiB by the slope of the
    medians, even if the least time at the largest size is smaller."""
    transfers = {1 << 19: spread(900, 1000, 1100), 1 << 20: spread(200, 2000, 9000)}
    target = signature(path(latency={8: spread(1, 2, 3), 1 << 20: spread(100, 3000, 4000)},
                            bandwidth=transfers))
    source = signature(path(latency={8: 0}))
    size = 1 << 30
    slope = 1000 / (1 << 19)
    result = answer(chain(1, size), FIXED, "--replicas=2000", signature=target, source=source)
    got = result["ranks"][1]["delay_ns"]
    more = (size - (1 << 20)) * slope
    assert more + 100 <= got["least"] <= more + 200, got
    assert abs(got["median"] - more - 3000) <= 150, got


def test_slope_of_latencies():
    """With fewer than two sizes of transfers it is the slope of the two largest latency sizes."""
    target = signature(path(latency={1: 50, 1001: 1000, 2001: 3500},
                            bandwidth={512: 800}))
    source = signature(path(latency={8: 200}))
    more = 3500 + (9001 - 2001) * 2.5 - 200
    expect(delays(chain(2, 9001), FIXED, signature=target, source=source)[:1], 2 * more)


def test_transfers_alone():
    """Without latencies a message costs what it takes more than one of the smallest size."""
    target = signature(path(bandwidth={512: 800, 2048: 3100, 8192: 9999}))
    source = signature(path(bandwidth={64: 100, 8192: 1700}))
    cost = (9999 - 800) - (1700 - 100)
    expect(delays(chain(2, 8192), FIXED, signature=target, source=source)[:1], 2 * cost)
    expect(delays(chain(2, 0), FIXED, signature=target, source=source)[:1], 0)


def test_overheads_within_messages():
    """The time of a message, and of one in a stream, contains its calls' overheads, in both modes."""
    def machine(factor):
        return signature(path(latency={8: 200 * factor}, send_overhead={8: 870 * factor},
                              receive_overhead={8: 350 * factor}))

    text = trace(2, ["1000 1300 Send to=1 tag=0 bytes=8"], ["2000 2300 Recv from=0 tag=0 bytes=8"])
    got = delays(text, FIXED, signature=machine(3), source=machine(1))
    expect(got, 400, 400)
    run = answer(text, "--predict", "--source=none", signature=machine(3))
    expect([rank["account"]["calls_ns"] for rank in run["ranks"]], 600, 600)
    stream = signature(path(latency={8: 200}, send_overhead={8: spread(10, 90, 870)}, streaming={8: 70}))
    run = answer(text, "--predict", "--source=none", "--replicas=200", signature=stream)
    assert run["ranks"][0]["account"]["calls_ns"] <= 70, run["ranks"][0]


def test_a_machine_stays_itself():
    one = signature(path(eager_limit=4096, latency={8: spread(1, 7, 90), 99: same(4)},
                         send_overhead={8: spread(3, 9)},
                         receive_overhead={8: spread(3, 77)}),
                    collective("barrier", 2, {0: spread(100, 1000)}))
    program = ["1000 1100 Barrier"]
    for mode in MODES:
        for text in (chain(31, 10000), trace(2, program, program)):
            expect(delays(text, mode, signature=one, source=one), 0, 0)


# --- what calls cost -------------------------------------------------------

FLIES = {"latency": {0: 5000}}
NEAR = signature(path(**FLIES, send_overhead={8: 100, 1024: 340},
                      receive_overhead={8: 60, 1024: 75}))
FAR = signature(path(**FLIES, send_overhead={8: 3100, 1024: 4100},
                     receive_overhead={8: 900, 1024: 1300}))
MOVE = {"signature": FAR, "source": NEAR}


def sends(name, size=8, more=""):
    return f"1000 1100 {name} to=1 tag=0 bytes={size}{more}"


def receives(name="Recv", size=8):
    return f"1000 1700 {name} from=0 tag=0 bytes={size}"


def test_send_overhead():
    for mode in MODES:
        for name in ("Send", "Bsend", "Rsend"):
            text = trace(2, [sends(name)], [receives()])
            expect(delays(text, mode, **MOVE)[:1], 3000)


def test_synchronous_send_has_none():
    """The send waits for the message and for the answer, which cost the same."""
    text = trace(2, [sends("Ssend")], [receives()])
    expect(delays(text, FIXED, **MOVE)[:1], 0)
    text = trace(2, [sends("Issend", 8, " request=1"), "2000 2100 Wait requests=1"],
                 [receives()])
    expect(delays(text, FIXED, **MOVE)[:1], 3000)


def test_sends_started_at_once():
    """Each message of a call costs its own overhead, by its size."""
    text = trace(2, ["500 510 Send_init to=1 tag=0 bytes=8 persistent=1",
                     "520 530 Send_init to=1 tag=0 bytes=1024 persistent=2",
                     "1000 1100 Startall persistent=1,2 requests=1,2",
                     "1200 1300 Waitall requests=1,2"],
                 [receives(), "2000 2100 Recv from=0 tag=0 bytes=1024"])
    expect(delays(text, FIXED, **MOVE)[:1], (3100 - 100) + (4100 - 340))


def test_receive_overhead():
    text = trace(2, [sends("Send")], [receives()])
    expect(delays(text, FIXED, **MOVE)[1:], 900 - 60)


def test_receives_completed_at_once():
    """The receives complete one after the other: the first message to arrive is followed by the others' costs."""
    posts = [f"{500 + i} {501 + i} Irecv from=0 tag={i} bytes=8 request={i + 1}"
             for i in range(3)]
    text = trace(2, [f"{1000 + 200 * i} {1050 + 200 * i} Send to=1 tag={i} bytes=8"
                     for i in range(3)], [*posts, "1000 2500 Waitall requests=1,2,3"])
    expect(delays(text, FIXED, **MOVE)[1:], 6000)
    expect(receive_growth(text, {8: 900}, {8: 60}), 840)  # looked for once
    text = text.replace("bytes=8", "bytes=1024")
    expect(receive_growth(text, {8: 900, 1024: 1300}, {8: 60, 1024: 75}),
           1225 + 2 * (400 - 15))
    expect(receive_growth(text, {8: 900, 1024: 800}, {8: 60, 1024: 75}),
           725 + 2 * (0 - 15))
    posts = [f"{500 + i} {501 + i} Irecv from={i} tag=0 bytes=8 request={i + 1}"
             for i in range(2)]
    text = trace(3, ["1000 1050 Send to=2 tag=0 bytes=8"], [
        "1200 1250 Send to=2 tag=0 bytes=8"], [*posts, "1000 2500 Waitall requests=1,2"])
    expect(receive_growth(text, {8: 900}, {8: 60}), 2 * 840)


def receive_growth(text, target, source):
    """Returns the growth of the last rank if machines differ in the cost of receiving."""
    return delays(text, FIXED, signature=signature(path(
        latency={0: 5000}, receive_overhead=target)), source=signature(path(
            latency={0: 5000}, receive_overhead=source)))[-1:]


def test_overhead_without_source():
    """What the target's call costs, minus the least that the call took in the trace."""
    text = trace(2, [sends("Send"), "3000 3040 Send to=1 tag=0 bytes=8"],
                 [receives(), "4000 4500 Recv from=0 tag=0 bytes=8"])
    got = delays(text, FIXED, signature=FAR)
    expect(got[:1], 2 * (3100 - 40))


def test_times_in_the_send_stand_for_overhead():
    """Only one of the two machines has an overhead."""
    target = signature(path(latency={0: 500}, sender={8: 2000}))
    source = signature(path(latency={0: 500}, sender={8: 700}, send_overhead={8: 1}))
    text = trace(2, [sends("Send")], [receives()])
    expect(delays(text, FIXED, signature=target, source=source)[:1], 1300)
    expect(delays(text, FIXED, signature=source, source=target)[:1], -100)


# --- protocols -------------------------------------------------------------

SHM = signature(path(eager_limit=100, latency={0: 500, 1000: 1200}, send_overhead={8: 60}))
TCP = signature(path(eager_limit=65536, latency={0: 700}, send_overhead={8: 250}))
CLOCK = ["--absorb=clock", "--source=latency=400ns"]


def late_receiver(send, *more):
    """Returns a trace whose receive is posted at 5000; another, short one determines the floor of Recv."""
    return trace(2, [send, *more, "20000 20010 Send to=1 tag=9 bytes=1000"],
                 ["5000 6100 Recv from=0 tag=0 bytes=1000",
                  "30000 30100 Recv from=0 tag=9 bytes=1000"])


def test_synchronous_becomes_eager():
    """The send that waited until 6000 now ends with its overhead."""
    text = trace(2, ["1000 6000 Send to=1 tag=0 bytes=1000"],
                 ["5000 6100 Recv from=0 tag=0 bytes=1000"])
    expect(delays(text, *CLOCK, signature=TCP, source=SHM)[:1], 1000 + 250 - 6000)


def test_synchronous_becomes_eager_later_completed():
    """The Wait that waited now takes as long as the shortest Wait."""
    text = trace(2, ["1000 1100 Isend to=1 tag=0 bytes=1000 request=1",
                     "2000 6000 Wait requests=1",
                     "7000 7100 Isend to=1 tag=0 bytes=8 request=2",
                     "8000 8030 Wait requests=2"],
                 ["5000 6100 Recv from=0 tag=0 bytes=1000",
                  "7500 7600 Recv from=0 tag=0 bytes=8"])
    sends_more = 2 * (250 - 60)
    expect(delays(text, *CLOCK, signature=TCP, source=SHM)[:1],
           sends_more + 2000 + 30 - 6000)


def test_eager_becomes_synchronous():
    """The send waits for the receiver, then for the bytes (the envelope has arrived) and for the way back; or for the
    envelope, if that arrives last."""
    text = trace(2, ["1000 1100 Send to=1 tag=0 bytes=1000"],
                 ["5000 5100 Recv from=0 tag=0 bytes=1000"])
    more = 5000 + (1200 - 500) + 500 - 1100
    expect(delays(text, *CLOCK, signature=SHM, source=TCP)[:1], more)
    text = text.replace("5000 5100 Recv", "1300 2100 Recv")
    more = 1000 + 1200 + 500 - 1100
    expect(delays(text, *CLOCK, signature=SHM, source=TCP)[:1], more)


def test_eager_becomes_synchronous_later_completed():
    text = trace(2, ["1000 1100 Isend to=1 tag=0 bytes=1000 request=1",
                     "2000 2050 Wait requests=1"],
                 ["5000 5100 Recv from=0 tag=0 bytes=1000"])
    expect(delays(text, *CLOCK, signature=SHM, source=TCP)[:1],
           5000 + (1200 - 500) + 500 - 2050)


def test_protocol_needs_clocks():
    """Without common clocks the target's protocol applies to both machines."""
    text = trace(2, ["1000 1100 Send to=1 tag=0 bytes=1000"],
                 ["5000 5100 Recv from=0 tag=0 bytes=1000"])
    for mode in ("--absorb=none", "--absorb=wait"):
        both = delays(text, mode, signature=SHM, source=TCP)
        limit = delays(text, mode, "--source=eager-limit=100", signature=SHM, source=TCP)
        expect(both, *limit)


# --- collectives -----------------------------------------------------------

def everybody(p, line):
    return trace(p, *[[f"{1000 + 7 * r} {2000 + 11 * r} {line}"] for r in range(p)])


MEASURED = signature(path(latency={0: 500}), [
    *collective("allreduce", 4, {8: 5000, 1024: 9000}),
    *collective("alltoall", 4, {8: 7000}), *collective("barrier", 4, {0: 4000}),
    *collective("bcast", 4, {8: 3000})])
BEFORE = signature(path(latency={0: 200}), [
    *collective("allreduce", 4, {8: 1000, 1024: 2500}),
    *collective("alltoall", 4, {8: 1900}), *collective("barrier", 4, {0: 900}),
    *collective("bcast", 4, {8: 800})])
BOTH = {"signature": MEASURED, "source": BEFORE}


def test_measured_collectives():
    for line, more in (("Barrier", 3100), ("Allreduce bytes=8", 4000),
                       ("Alltoall bytes=8", 5100)):
        expect(delays(everybody(4, line), FIXED, **BOTH), *[more] * 4)


def test_measured_between_sizes():
    part = (100 - 8) / (1024 - 8)
    more = 4000 * (1 - part) + 6500 * part
    expect(delays(everybody(4, "Allreduce bytes=100"), FIXED, **BOTH), *[more] * 4)


def with_table(*rows):
    """Returns the option for a table with these rows."""
    with tempfile.NamedTemporaryFile("w", encoding="ascii", delete=False) as file:
        file.write("\n".join(["#mpgcollectives 1", *rows]) + "\n")
    atexit.register(os.unlink, file.name)
    return "--collectives=table=" + file.name


def test_scaled_tree():
    """A Bcast of 4 members takes two messages of 1000 and 400; measured were 3000 and 800. So a message takes 1500
    instead of 400."""
    expect(delays(everybody(4, "Bcast root=1 bytes=8"), FIXED, with_table("bcast 1 0 binomial"), **BOTH),
           2200, 0, 1100, 1100)


def test_scaled_to_other_processes():
    """An Allreduce of 4 members takes two rounds of 1000 and 400; measured were 5000 and 1000. So a round takes 2500
    instead of 500. With 5 members a pair is combined before, and one member gets the result after the rounds."""
    doubling = with_table("allreduce 1 0 recursive_doubling")
    expect(delays(everybody(5, "Allreduce bytes=8"), FIXED, doubling, **BOTH), 6000, 4000, 4000, 4000, 6000)
    expect(delays(everybody(2, "Allreduce bytes=8"), FIXED, doubling, **BOTH), 2000, 2000)
    expect(delays(everybody(8, "Allreduce bytes=8"), FIXED, doubling, **BOTH), *[6000] * 8)


def test_scaled_to_other_sizes():
    """Sizes beyond the measured ones have the factors of the largest and of the smallest: 9000 and 2500 for two rounds,
    5000 and 1000."""
    doubling = with_table("allreduce 1 0 recursive_doubling")
    expect(delays(everybody(4, "Allreduce bytes=4096"), FIXED, doubling, **BOTH), *[6500] * 4)
    expect(delays(everybody(4, "Allreduce bytes=4"), FIXED, doubling, **BOTH), *[4000] * 4)


def test_unmeasured_collectives():
    """Expanded into messages, each of which costs 300 more, whatever its size."""
    expect(delays(everybody(4, "Scan bytes=8"), FIXED, with_table("scan 1 0 linear"), **BOTH), 0, 300, 600, 900)
    expect(delays(everybody(4, "Allgather bytes=8"), FIXED, with_table("allgather 1 0 bruck"), **BOTH), *[600] * 4)
    expect(delays(everybody(4, "Reduce root=0 bytes=8"), FIXED, with_table("reduce 1 0 binary"), **BOTH), 600, 300, 0, 0)


def test_collectives_of_one_machine_only():
    """The source lacks the collective, so messages are compared: up to member 0 and down."""
    source = signature(path(latency={0: 200}))
    expect(delays(everybody(4, "Barrier"), FIXED, with_table("barrier 1 0 linear"), signature=MEASURED, source=source),
           300, 600, 600, 600)


def test_collectives_by_rounds():
    expect(delays(everybody(4, "Reduce root=0 bytes=8"), FIXED, "--collectives=rounds", **BOTH), 300, 0, 0, 0)
    expect(delays(everybody(5, "Barrier"), FIXED, "--collectives=rounds", **BOTH), *[900] * 5)


def test_waits_no_more_and_flew_less_than_its_floor():
    """Of two receives the first waited 287 ns for its message, which is the floor. The second message flew 96 ns, so by
    the floor it arrives after the call that received it left. On the target, where it flies 86.75 ns and its send does
    not wait, it is not received before it arrives."""
    text = trace(2, ["1000 1000 Send to=1 bytes=8", "5000 5000 Send to=1 bytes=8"],
                 ["900 1287 Recv from=0 bytes=8", "5086 5096 Recv from=0 bytes=8"])
    found = delays(text, "--absorb=clock", signature=signature(path(100, latency={8: 86.75})),
                   source=signature(path(-1)))
    expect(found, 0, 86.75 - 96)


def grown(sends, receives, send, receive, predict, *more):
    """Returns what a latency of 200 ns adds to each rank of one rendezvous of 1000 bytes (500 ns), sent and received at
    these times. SEND, RECEIVE: begins of the calls that wait, or None for blocking calls."""
    came = max(sends, receives) + 500
    if send is None:
        calls = [[f"{sends} {came} Send to=1 bytes=1000"], [f"{receives} {came} Recv from=0 bytes=1000"]]
    else:
        calls = [[f"{sends} {sends} Isend to=1 bytes=1000 request=1", f"{send} {came} Wait requests=1"],
                 [f"{receives} {receives} Irecv from=0 bytes=1000 request=1", f"{receive} {came} Wait requests=1"]]
    lines = ["#mpgtext 1", "#ranks 2", "#clocks shared"]
    for rank, program in enumerate(calls):
        lines += [f"{rank} {call}" for call in ["0 100 Init", *program, f"{came} {came} Finalize"]]
    words = ["--eager-limit=100", *(["--predict", "--byte=const:0.5ns", *more] if predict else
                                    ["--absorb=clock", "--source=latency=0", "--source=byte=0.5ns"])]

    def ends(latency):
        result = answer("\n".join(lines) + "\n", *words, f"--latency=const:{latency}ns")
        return [one["delay_ns"]["median"] for one in result["ranks"]]

    return [more - less for more, less in zip(ends(200), ends(0))]


def test_a_rendezvous_has_one_latency_there_and_one_back():
    """The sender asks and is answered, the receiver is asked, in both modes. A late receiver hides the asking."""
    for predict in False, True:
        for calls in (None, None), (1100, 1150):
            at_once = calls + (predict, "--without=progress")
            expect(grown(1000, 1000, *at_once), 400, 200)  # both early
            expect(grown(1050, 1000, *at_once), 400, 200)  # the sender is late
            expect(grown(1000, 1090, *at_once), 310, 110)  # the receiver is late by less than a latency
        expect(grown(1000, 4000, None, None, predict), 200, 0)  # by more


def test_a_rendezvous_is_seen_to_in_a_call_of_its_receiver():
    """In predict mode the receiver's Wait at 1150 makes progress, so the asking is hidden until then; with a blocking
    receive the receive itself does."""
    for sends, receives in (1000, 1000), (1050, 1000), (1000, 1090), (1120, 1000):
        asked = max(sends + 200, 1150) - max(sends, 1150)
        expect(grown(sends, receives, 1130, 1150, True), asked + 200, asked)
    expect(grown(1000, 1090, None, None, True), 310, 110)


if __name__ == "__main__":
    main(globals())
