#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim --where=call|callsite|rank|pair and --where=path of calls that choose (TAP; docs/MODEL.md, sections 5, 6 and 8): the
account of a Waitany, tests and receives from anybody by hand, in both modes; a slow rank, a slow link and a noisy
callsite are named, with their shares.

Rank 0 chooses in all programs, and then works for REST, so that its run is the longest. L is a message's latency on the traced
machine (--source=latency), X what is added to it, or in predict mode its latency. Times of 0 between calls have noise, too."""

import os
import tempfile

from answers import answer, finish, ok, write
from path_rules import expect, near, predicted, rows_of, shares, whole

REST, L, X = 90001, 127, 53.25
PERTURB = ["--source=latency=127ns", "--latency=const:53.25ns"]
PREDICT = ["--latency=const:53.25ns"]
LATE = 4127.5  # before each call of a slow rank
SLOW = "--noise=const:4127.5ns@1"


def account(name, found, by, names, columns, expected):
    """Compares rows of mpgsim --where with values by hand; calls include the computation before them. EXPECTED: COLUMNS
    in ns, of a rank or pair; otherwise summed over ranks."""
    weight = 1 if by in ("rank", "pair") else found["trace"]["ranks"]
    got = {tuple(r[n] for n in names): [r[c] * weight for c in columns] for r in whole(rows_of(found, by))}
    got = {k[0] if len(k) == 1 else k: v for k, v in got.items() if any(abs(x) > 1e-9 for x in v)}
    right = got.keys() == expected.keys() and all(near(a, b, b) for k in expected for a, b in zip(got[k], expected[k]))
    ok(name, right, f"{got} for {expected}")


DELAY = ["injected_ns", "propagated_ns", "absorbed_waiting_ns", "absorbed_hidden_ns", "passed_on_ns"]
TIME = ["compute_ns", "calls_ns", "messages_ns", "run_ns"]


def joined(segments):
    """Returns rank, call, the rank for which it waits, and the end of each segment; calls include the computation
    before them."""
    found = []
    for s in segments:
        follows = found and found[-1][:2] == (s["rank"], s["call"]) and found[-1][4] == "computation" and s["part"] == "call"
        if follows and s["from_rank"] is None:
            found.pop()
        found.append((s["rank"], s["call"], s["from_rank"], s["end_ns"], s["part"]))
    return [f[:4] for f in found]


def expect_segments(name, found, expected):
    """Compares the critical path: rank, call, the rank for which it waits, and the end of each segment."""
    path = found["critical_path"]
    got = joined(path["segments"])
    right = len(got) == len(expected) and all(a[:3] == b[:3] and near(a[3], b[3], b[3]) for a, b in zip(got, expected))
    ok(name, right and near(path["run_ns"], expected[-1][3], REST), f"{got} for {expected}")


def senders(*at):
    """Returns the lines of ranks 1, 2 ..., which work until AT and send to rank 0."""
    return [line for r, t in enumerate(at, 1) for line in
            (f"{r} 0 0 Init", f"{r} {t} {t} Send comm=0 to=0 tag=1 bytes=8", f"{r} {t} {t} Finalize")]


# ---- MPI_Waitany: rank 1 sends at 1009, rank 2 at 3011; rank 0 completes any, computes for 211, waits for the other ----

S1, S2, WORK = 1009, 3011, 211


def write_any():
    first, last = S1 + L, S2 + L
    write("any.txt", 3, ["0 0 0 Init", "0 0 0 Irecv comm=0 from=1 tag=1 bytes=8 request=1", "0 0 0 Irecv comm=0 from=2 tag=1 bytes=8 request=2",
                         "0 0 0 Waitany requests=", "0 0 0 Wait requests=", f"0 31 {first} Waitany requests=1,2 done=1",
                         f"0 {first + WORK} {last} Wait request=2", f"0 {last + REST} {last + REST} Finalize", *senders(S1, S2)])


def check_any():
    write_any()
    # Rank 2's message arrives at 3011 + L + X and completes the Waitany, in place of rank 1's, which completed it at 1009 + L in
    # the trace. So the Waitany propagates the 2002 by which rank 2 sends later than rank 1, and X is injected. Rank 1's message
    # arrives at 1009 + LATE + L + X and completes the Wait: a delay of 1009 + LATE + X - 3011 = 2178.75, X of it injected. The
    # Wait is entered with a delay of 2002 + X = 2055.25, so it propagates 2178.75 - X - 2055.25.
    found = answer(*PERTURB, SLOW, "--where=call,rank,pair", "any.txt")
    left = S1 + LATE + X - S2
    over = left - X - (S2 - S1 + X)
    ok("a Waitany that another one wins", found["choice"]["picks_changed"] == 1 and over == 70.25, found["choice"])
    account("its account, by call: 1 is late at its Send, and at its own end", found, "call", ["call"], DELAY,
            {"MPI_Send": [LATE, 0, 0, 0, LATE], "MPI_Waitany": [X, S2 - S1, 0, 0, S2 - S1 + X], "MPI_Wait": [X, over, 0, 0, over + X],
             "MPI_Finalize": [LATE, 0, 0, 0, LATE]})
    account("by rank", found, "rank", ["rank"], DELAY, {0: [2 * X, S2 - S1 + over, 0, 0, left], 1: [2 * LATE, 0, 0, 0, 2 * LATE]})
    account("by pair: each of who sent what came", found, "pair", ["from", "to"], DELAY,
            {(None, None): [2 * LATE, 0, 0, 0, 2 * LATE], (2, 0): [X, S2 - S1, 0, 0, S2 - S1 + X], (1, 0): [X, over, 0, 0, over + X]})
    # the path: rank 1's noise and X, minus the 2002 by which rank 1's message came before rank 2's in the trace
    expect("the slow rank is named, its share exact", shares(found, "rank", "rank"),
           {1: {"share": LATE / (LATE + X), "injected_ns": LATE}, 0: {"share": X / (LATE + X), "injected_ns": X, "absorbed_ns": S2 - S1}})
    # on the target rank 2's message arrives at 3011 + X, before rank 1's at 1009 + LATE + X: rank 0 waits, or computes
    found = predicted(*PREDICT, SLOW, "--where=call,rank", "--where=path", "any.txt")
    come = S1 + LATE + X
    waits = [S2 + X - 31, come - (S2 + X + WORK)]
    account("predict, by call: each waits for its own", found, "call", ["call"], TIME,
            {"MPI_Waitany": [31, 0, waits[0], S2 + X], "MPI_Wait": [WORK, 0, waits[1], WORK + waits[1]],
             "MPI_Send": [S1 + S2, 0, 0, S1 + S2 + LATE], "MPI_Finalize": [REST, 0, 0, REST + LATE]})
    expect_segments("its critical path", found, [(1, "MPI_Send", None, S1 + LATE), (0, "MPI_Wait", 1, come), (0, "MPI_Finalize", None, come + REST)])
    expect("and its shares", shares(found, "rank", "rank"),
           {1: {"share": (S1 + LATE) / (come + REST), "noise_ns": LATE}, 0: {"share": (X + REST) / (come + REST)}})


def check_mixture():
    # in each replica rank 1 loses LATE or nothing; its own run time shows which. If it lost nothing, only the two X are injected;
    # only the second X is on the path, since rank 2's message comes last
    write_any()
    with open("two", "w", encoding="ascii") as out:
        out.write("0\n4127.5\n")
    given = ["--noise=file:two@1", "--replicas=96"]
    for ask, of, base in ((answer, PERTURB, L + REST), (predicted, PREDICT, REST)):
        found = ask(*of, *given, "--where=rank", "any.txt")
        runs = [r["run_time_ns"] - base - X for r in found["replicas"]]
        late = sum(1 for r in runs if near(r, S1 + LATE, REST))
        ok(f"{found['mode']}: two worlds", 0 < late < 96 and sum(1 for r in runs if near(r, S2, REST)) == 96 - late, runs)
        path = {r["rank"]: r["path"] for r in rows_of(found, "rank")}
        if found["mode"] == "perturb":
            total = late * (LATE + X) + (96 - late) * X
            parts = {0: 96 * X, 1: late * LATE, 2: 0}
        else:
            total = late * (S1 + LATE + X + REST) + (96 - late) * (S2 + X + REST)
            parts = {0: 96 * (X + REST), 1: late * (S1 + LATE), 2: (96 - late) * S2}
        right = all(near(path[r]["share"], parts[r] / total) for r in parts)
        ok("shares are over all paths, by how often each is there", right, ({r: path[r]["share"] for r in path}, parts, total))


# ---- MPI_Test: two that fail, at 2003 and 3011, and one that does not, at 4201, of what is there at 4001 + L ----

def check_tests():
    sent = 4001
    write("tests.txt", 2, ["#site 1 = ?+0x11", "#site 2 = ?+0x12", "0 0 0 Init", "0 0 0 Irecv comm=0 from=1 tag=1 bytes=8 request=1 site=1",
                           "0 2003 2014 Test requests=1 done= site=2", "0 3011 3024 Test requests=1 done= site=2",
                           "0 4201 4218 Test requests=1 done=1 site=2", f"0 {4218 + REST} {4218 + REST} Finalize", "1 0 0 Init",
                           "1 0 0 Region_begin name=\"slow\"", f"1 {sent} {sent} Region_end name=\"slow\"",
                           f"1 {sent} {sent} Send comm=0 to=0 tag=1 bytes=8", f"1 {sent} {sent} Finalize"])
    # A test takes 11 at least, so that of the third's 17 it is 6 that waited; it waits for what comes later than that. What came
    # lay there 90 before its end, 84 more than those 6
    late = 523.5
    given = ["--noise=const:523.5ns@1", "--where=call,rank,pair", "tests.txt"]
    found = answer(*PERTURB, *given)
    account("a test that would fail waits: 84 of slack", found, "call", ["call"], DELAY,
            {"MPI_Send": [late, 0, 0, 0, late], "MPI_Test": [X, late, 84, 0, late + X - 84], "MPI_Finalize": [late, 0, 0, 0, late]})
    account("by pair", found, "pair", ["from", "to"], DELAY,
            {(None, None): [2 * late, 0, 0, 0, 2 * late], (1, 0): [X, late, 84, 0, late + X - 84]})
    expect("the slow rank is named", shares(found, "rank", "rank"),
           {1: {"share": late / (late + X), "injected_ns": late}, 0: {"share": X / (late + X), "injected_ns": X, "absorbed_ns": 84}})
    # 1 takes 0.37 of its time: the first test finds it, and neither of the others is made. Both were 13 and 17 long
    found = answer("--source=latency=127ns", "--polling=work", "--compute-ratio=0.37@slow", "--where=call,rank", "tests.txt")
    ok("it comes earlier: one test finds it, the other one that failed is not made", (found["choice"]["tests_early"], found["choice"]["tests_saved"]) == (1, 1),
       found["choice"])
    account("what is not made is absorbed by waiting", found, "rank", ["rank"], DELAY,
            {0: [0, 0, 13 + 17, 0, -13 - 17], 1: [-0.63 * sent, 0, 0, 0, -0.63 * sent]})
    # on the target, where work between tests is work: 2003 + 997 + 1177, and 11 + 13 that failing tests take
    come = sent + late + X
    found = predicted(*PREDICT, "--polling=work", "--where=path", *given)
    account("predict, tests are work: the third waits", found, "call", ["call"], TIME,
            {"MPI_Test": [4177, 24, come - 4201, come], "MPI_Send": [sent, 0, 0, sent + late], "MPI_Finalize": [REST, 0, 0, REST + late]})
    expect_segments("its critical path", found, [(1, "MPI_Send", None, sent + late), (0, "MPI_Test", 1, come), (0, "MPI_Finalize", None, come + REST)])
    found = predicted(*PREDICT, "--polling=wait", *given)
    account("tests wait: from 2003 on", found, "rank", ["rank"], TIME, {0: [2003 + REST, 0, come - 2003, come + REST], 1: [sent, 0, 0, sent + 2 * late]})
    # Each call of 0 loses 31.5, each of its five intervals 7.25: three calls and their intervals are the tests'. The message is there
    # by the third anyway, for which its own kappa is hidden
    found = answer("--source=latency=127ns", "--call-noise=const:31.5ns@0", "--noise=const:7.25ns@0", "--polling=work", "--where=callsite,call", "tests.txt")
    each, total = 31.5 + 7.25, 4 * (31.5 + 7.25) + 7.25
    sites = {(r["callsite"][0], r["call"]): r["path"] for r in whole(rows_of(found, "callsite"))}
    expect("a noisy callsite is named, its share exact", {s: sites[s] for s in sites if sites[s]["share"]},
           {("?+0x12", "MPI_Test"): {"share": 3 * each / total, "calls_ns": 94.5, "noise_ns": 21.75},
            ("?+0x11", "MPI_Irecv"): {"share": each / total, "injected_ns": each}, ("unknown", "MPI_Finalize"): {"share": 7.25 / total}})
    account("its account", found, "call", ["call"], DELAY,
            {"MPI_Irecv": [each, 0, 0, 0, each], "MPI_Test": [3 * each, 0, 0, 0, 3 * each], "MPI_Finalize": [7.25, 0, 0, 0, 7.25]})


# ---- MPI_ANY_SOURCE: rank 1 sends at 1009, rank 2 at 1303; rank 0 receives, computes for 2999, receives ----

def check_open():
    t1, t2, work = 1009, 1303, 2999
    enters = t1 + L + work
    write("open.txt", 3, ["0 0 0 Init", f"0 31 {t1 + L} Recv comm=0 from=1 tag=1 bytes=8 any=source",
                          f"0 {enters} {enters} Recv comm=0 from=2 tag=1 bytes=8 any=source", f"0 {enters + REST} {enters + REST} Finalize",
                          *senders(t1, t2)])
    # rank 1 loses 557.5: rank 2's message comes first, 294 later than rank 1's in the trace; rank 1's message arrives before its
    # receive, so that its X is hidden
    found = answer(*PERTURB, "--noise=const:557.5ns@1", "--where=rank,pair", "open.txt")
    ok("both receives take the other's", found["choice"]["picks_changed"] == 2, found["choice"])
    account("what lies ready passes nothing on", found, "pair", ["from", "to"], DELAY,
            {(None, None): [1115, 0, 0, 0, 1115], (2, 0): [X, t2 - t1, 0, 0, t2 - t1 + X], (1, 0): [X, 0, 0, X, 0]})
    kinds = {(r["from"], r["to"]): r["class"] for r in rows_of(found, "pair")}
    ok("so it is tolerant, and the other sensitive", (kinds[2, 0], kinds[1, 0]) == ("sensitive", "tolerant"), kinds)
    expect("on the path is nothing of 1's", shares(found, "rank", "rank"),
           {0: {"share": 1, "messages_ns": X, "order_ns": t2 - t1, "injected_ns": t2 - t1 + X}, 2: {"injected_ns": 0, "per_compute": t2}})
    # rank 1 loses 4127.5: the second receive waits for rank 1's message. In the trace it took rank 2's, which had arrived at
    # 1303 + L, 2705 before the receive
    found = answer(*PERTURB, SLOW, "--where=rank,pair", "open.txt")
    first, left, ready = t2 - t1 + X, t1 + LATE + L + X - enters, enters - (t2 + L)
    over = left + ready - X - first
    account("later than the second is asked for: slack that 2's had", found, "pair", ["from", "to"], DELAY,
            {(None, None): [2 * LATE, 0, 0, 0, 2 * LATE], (2, 0): [X, t2 - t1, 0, 0, first], (1, 0): [X, over, ready, 0, left - first]})
    account("by rank", found, "rank", ["rank"], DELAY,
            {0: [2 * X, t2 - t1 + over, ready, 0, left], 1: [2 * LATE, 0, 0, 0, 2 * LATE]})
    # absorbed on the path: these 2705, and the 294 by which rank 1's message came before rank 2's; together the work of 2999
    expect("the slow rank is named, its share exact", shares(found, "rank", "rank"),
           {1: {"share": LATE / (LATE + X), "injected_ns": LATE}, 0: {"share": X / (LATE + X), "injected_ns": X, "absorbed_ns": work}})
    found = predicted(*PREDICT, SLOW, "--where=call,rank", "--where=path", "open.txt")
    come = t1 + LATE + X
    account("predict: both waits", found, "rank", ["rank"], TIME,
            {0: [31 + work + REST, 0, (t2 + X - 31) + (come - (t2 + X + work)), come + REST], 1: [t1, 0, 0, t1 + 2 * LATE], 2: [t2, 0, 0, t2]})
    expect_segments("its critical path", found, [(1, "MPI_Send", None, t1 + LATE), (0, "MPI_Recv", 1, come), (0, "MPI_Finalize", None, come + REST)])


# ---- a slow link: rank 1 is on another node than ranks 0 and 2 ----

PATH = ('{"path": "%s", "one_way": "one clock", "latency": [{"size_bytes": 8, "one_way_ns": {"n": 9, "mean": %s, "sd": 0, "lag1": 0, '
        '"quantiles": [%s, %s]}}]}')


def check_link():
    near_ns, far_ns = 97.5, 4789.25
    write_any()
    for name, paths in (("source.sig", [("node", near_ns)]), ("target.sig", [("node", near_ns), ("between nodes", far_ns)])):
        with open(name, "w", encoding="ascii") as out:
            out.write('{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up"}, "network": [%s]}' %
                      ", ".join(PATH % (path, ns, ns, ns) for path, ns in paths))
    with open("far", "w", encoding="ascii") as out:
        out.write("a\nb\na\n")
    given = ["--perturb", "--signature=target.sig", "--map=far", "--where=call,rank,pair", "any.txt"]
    # rank 1's message takes far - near longer than in the trace: rank 2's comes first, 2002 later than rank 1's in the trace, as
    # above. Rank 1's arrives at 1009 + L + far - near and completes the request of rank 2's. far - near is injected; hidden of it
    # are the delay of 2002 before the Wait, and the 2002 by which rank 1 sent before rank 2
    found = answer("--source=latency=127ns", "--source=source.sig", "--source=map=block:3", *given)
    more = far_ns - near_ns
    left = S1 + more - S2
    account("a slow link: what it adds is put in, where others hide none of it", found, "pair", ["from", "to"], DELAY,
            {(2, 0): [0, S2 - S1, 0, 0, S2 - S1], (1, 0): [more, 0, 0, more - (left - (S2 - S1)), left - (S2 - S1)]})
    expect("it is named, its share exact", shares(found, "pair", "from", "to"),
           {(1, 0): {"share": 1, "messages_ns": more, "absorbed_ns": S2 - S1, "delay_ns": left}, (None, None): {"injected_ns": 0, "per_compute": S1 + REST}})
    found = predicted("--source=none", "--where=path", *given)
    come = S1 + far_ns
    expect("predict: the link is named, its share exact", shares(found, "pair", "from", "to"),
           {(1, 0): {"time_ns": far_ns, "share": far_ns / (come + REST)}, (None, None): {"time_ns": S1 + REST}})
    account("and what waits for it", found, "call", ["call"], TIME,
            {"MPI_Waitany": [31, 0, S2 + near_ns - 31, S2 + near_ns], "MPI_Wait": [WORK, 0, come - (S2 + near_ns + WORK), come - (S2 + near_ns)],
             "MPI_Send": [S1 + S2, 0, 0, S1 + S2], "MPI_Finalize": [REST, 0, 0, REST]})
    expect_segments("its critical path", found, [(1, "MPI_Send", None, S1), (0, "MPI_Wait", 1, come), (0, "MPI_Finalize", None, come + REST)])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_any()
        check_mixture()
        check_tests()
        check_open()
        check_link()
        os.chdir("/")
    finish()


main()
