#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgsim held against arithmetic by hand for shapes of programs, perturbed and predicted, at
awkward values: pipeline, tree, butterfly, stencils of one and two dimensions, wavefront, master
and workers; two of [MPG]'s exchanges predicted; the four ranks of [SILAS], Table 2 (TAP).

A traced run here is one in which messages fly FLIGHT ns and nothing else takes time but what is
said; with that for a floor, the delay is what the shape's formula gives for the perturbed values
less what it gives for the traced ones. Without slack it is the longest sum of perturbations.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
sys.dont_write_bytecode = True
from closed_forms import answer, expect, main  # noqa: E402

SIZE, FLIGHT = 1234, 3002
X, KAPPA = 77.375, 23.25              # noise of an interval, of a call
LAMBDA, BETA = 311.875, 0.375
MORE = LAMBDA + SIZE * BETA           # that a message takes more
LAST = 1000
NOISE = [f"--noise=const:{X}ns", f"--call-noise=const:{KAPPA}ns"]
PERTURBED = [*NOISE, f"--latency=const:{LAMBDA}ns", f"--byte=const:{BETA}ns"]
TOTAL = FLIGHT + MORE
PREDICTED = ["--predict", *NOISE, f"--latency=const:{TOTAL - SIZE * BETA}ns",
             f"--byte=const:{BETA}ns"]


class Run:
    """A run without noise: what each rank does, and when."""

    def __init__(self, programs):
        """PROGRAMS: for each rank, (work, took, operation, partners). Operations: 'send', 'receive', 'both' ways with
        one partner, 'around' with several, 'region' with its name."""
        self.programs = programs
        self.lines = [[] for _ in programs]
        self.now = [100] * len(programs)
        self.arrivals = {}
        self.requests = [0] * len(programs)

    def send(self, rank, to):
        self.arrivals.setdefault((rank, to), []).append(self.now[rank] + FLIGHT)

    def here(self, rank, sources):
        """Returns when the next message from each source has arrived, or None."""
        if not all(self.arrivals.get((source, rank)) for source in sources):
            return None
        return max(self.arrivals[source, rank].pop(0) for source in sources)

    def call(self, rank, end, words):
        self.lines[rank].append(f"{rank} {self.now[rank]} {end} {words}")
        self.now[rank] = end

    def step(self, rank, todo):
        """Performs an operation; yields while it waits."""
        work, took, what, partners = todo
        self.now[rank] += work
        if what == "region":
            begin = self.now[rank] - work
            self.lines[rank].append(f'{rank} {begin} {begin} Region_begin name="{partners}"')
            self.lines[rank].append(f'{rank} {self.now[rank]} {self.now[rank]} Region_end '
                                    f'name="{partners}"')
            return
        name = {"send": "Send", "receive": "Recv", "both": "Sendrecv"}.get(what)
        words = f"{name} to={partners[0]} bytes={SIZE}"
        if what == "around":
            words = self.post(rank, partners)
        if what != "receive":
            for to in partners:
                self.send(rank, to)
        if what == "send":
            self.call(rank, self.now[rank] + took, words)
            return
        arrival = self.here(rank, partners)
        while arrival is None:
            yield
            arrival = self.here(rank, partners)
        if what == "receive":
            words = f"Recv from={partners[0]} bytes={SIZE}"
        elif what == "both":
            words += f" from={partners[0]} recvbytes={SIZE}"
        self.call(rank, max(self.now[rank] + took, arrival), words)

    def post(self, rank, partners):
        ids = []
        for name, key in (("Irecv", "from"), ("Isend", "to")):
            for partner in partners:
                self.requests[rank] += 1
                ids.append(str(self.requests[rank]))
                self.call(rank, self.now[rank], f"{name} {key}={partner} bytes={SIZE} "
                          f"request={ids[-1]}")
        return "Waitall requests=" + ",".join(ids)

    def go(self, rank):
        for todo in self.programs[rank]:
            yield from self.step(rank, todo)

    def text(self):
        """Returns the trace, with one more rank, whose calls take the least time that calls can: none."""
        running = {rank: self.go(rank) for rank in range(len(self.programs))}
        while running:
            before = sum(map(len, self.lines)), len(running)
            for rank, steps in list(running.items()):
                if next(steps, "over") == "over":
                    del running[rank]
            assert (sum(map(len, self.lines)), len(running)) != before, "they wait for each other"
        p = len(self.programs)
        idle = [f"100 100 Send to=null bytes={SIZE}", f"100 100 Recv from=null bytes={SIZE}",
                f"100 100 Sendrecv to=null from=null bytes={SIZE} recvbytes={SIZE}",
                "100 100 Irecv from=null bytes=0 request=1", "100 100 Waitall requests=1"]
        lines = ["#mpgtext 1", f"#ranks {p + 1}", "#clocks shared"]
        for rank, calls in enumerate([*self.lines, [f"{p} {call}" for call in idle]]):
            end = (self.now[rank] if rank < p else 100) + LAST
            lines += [f"{rank} 0 100 Init", *calls, f"{rank} {end} {end} Finalize"]
        return "\n".join(lines) + "\n"


def check(programs, end, more=(), none=True):
    """Checks end(w, x, kappa, flight) of each rank, with LAST and all noise of its intervals; w: factor of all work.
    Checked in perturb and predict mode, with noise of all kinds, with messages and with work alone."""
    text = Run(programs).text()
    p = len(programs)
    traced = end(1, 0, 0, FLIGHT)
    expect([rank["traced_ns"] for rank in answer(text)["ranks"]][:p], *traced)
    floor = [f"--source=latency={FLIGHT}ns", "--source=byte=0"]
    messages = [f"--latency=const:{LAMBDA}ns", f"--byte=const:{BETA}ns"]
    cases = [(PERTURBED, PREDICTED, 1, X, KAPPA, TOTAL),
             (messages, ["--predict", *PREDICTED[3:]], 1, 0, 0, TOTAL),
             (NOISE, ["--predict", *NOISE, f"--latency=const:{FLIGHT}ns"], 1, X, KAPPA, FLIGHT)]
    if more:
        cases = [([f"--compute-ratio=1.875@{more}"], ["--predict", f"--latency=const:{FLIGHT}ns",
                                                      f"--compute-ratio=1.875@{more}"],
                  1.875, 0, 0, FLIGHT)]
    for words, predict, w, x, kappa, flight in cases:
        wanted = end(w, x, kappa, flight)
        expect(delays(text, p, "--absorb=clock", *floor, *words),
               *[new - old for new, old in zip(wanted, traced)])
        if none:
            expect(delays(text, p, "--absorb=none", *words),
                   *[new - old for new, old in zip(wanted, traced)])
        found = answer(text, *predict, "--replicas=1")["ranks"]
        expect([rank["traced_ns"] + rank["delay_ns"]["median"] for rank in found][:p], *wanted)


def delays(text, p, *words):
    found = answer(text, "--replicas=1", *words)["ranks"]
    return [rank["delay_ns"]["median"] for rank in found][:p]


# --- shapes ----------------------------------------------------------------

def test_pipeline():
    """p stages with work w, n blocks: the first block reaches the last stage (p - 1)(w + flight) after the begin, each
    further one w + s after the previous one, with the noise of two intervals and two calls, because a stage in the
    middle receives and sends."""
    p, n, w, s = 5, 17, 3001, 43
    programs = [[*[(0, 0, "receive", [r - 1])][:r], (w, s, "send", [r + 1])] * n
                for r in range(p - 1)] + [[(0, 0, "receive", [p - 2])] * n]

    def end(_, x, kappa, flight):
        each = w + s + 2 * x + 2 * kappa
        ends = [n * (w + s + x + kappa)]
        ends += [(r + 1) * (w + x) + r * (flight + kappa) + (n - 1) * each + s + kappa
                 for r in range(1, p - 1)]
        ends.append((p - 1) * (w + x + flight + kappa) + (n - 1) * each)
        return [one + LAST + x for one in ends]

    check(programs, end)


def test_binomial_tree():
    """A parent's k-th child has its message after k sends, k + 1 intervals, and a flight."""
    levels, s = 4, 43
    programs, places = [], []
    for r in range(1 << levels):
        bits = [j for j in reversed(range(levels)) if r >> j & 1]
        free = bits[-1] if bits else levels
        parent = [(0, 0, "receive", [r - (1 << bits[-1])])] if bits else []
        programs.append(parent + [(0, s, "send", [r + (1 << j)]) for j in reversed(range(free))])
        places.append(([high - 1 - j for high, j in zip([levels, *bits], bits)], free))

    def end(_, x, kappa, flight):
        return [sum(k * (s + kappa) + (k + 1) * x + flight + kappa for k in before)
                + free * (x + s + kappa) + LAST + x for before, free in places]

    check(programs, end)


def test_butterfly():
    """What one rank begins with reaches another after a flight for each bit in which they differ; each level has the
    noise of an interval and a call."""
    levels, step = 3, 977
    works = [step * (r * 5 % 8) for r in range(1 << levels)]
    programs = [[(0 if j else works[r], 0, "both", [r ^ 1 << j]) for j in range(levels)]
                for r in range(1 << levels)]

    def end(_, x, kappa, flight):
        return [max(work + (q ^ r).bit_count() * flight for q, work in enumerate(works))
                + levels * (x + kappa) + LAST + x for r in range(1 << levels)]

    check(programs, end, none=False)
    expect(delays(Run(programs).text(), 8, "--absorb=none", *PERTURBED),
           *[levels * (MORE + X + KAPPA) + X] * 8)


def stencil(shape, steps, w, slow):
    """Returns programs on a grid that exchange messages with all neighbours. SLOW: the rank that works in a region."""
    rows, columns = shape
    programs = []
    for i in range(rows):
        for j in range(columns):
            near = [a * columns + b for a, b in ((i - 1, j), (i, j - 1), (i, j + 1), (i + 1, j))
                    if 0 <= a < rows and 0 <= b < columns]
            work = [(w, 0, "region", "slow")] if (i, j) == slow else []
            programs.append([*work, (0 if work else w, 0, "around", near)] * steps)
    return programs


def test_stencils():
    """With equal work a step takes w + flight. A rank whose work is longer by more than two flights (to a neighbour and
    back) waits for nobody; it delays a rank at distance d in d - 1 fewer steps, d flights later."""
    w, steps = 8008, 7
    for shape, slow in (((1, 6), (0, 2)), ((3, 4), (1, 2)), ((4, 2), (0, 1))):
        ranks = [(i, j) for i in range(shape[0]) for j in range(shape[1])]

        def end(ratio, x, kappa, flight, ranks=ranks, slow=slow):
            more = (ratio - 1) * w
            if not more:
                return [steps * (w + flight) + LAST] * len(ranks)
            assert more > 2 * flight and not x and not kappa
            ends = []
            for i, j in ranks:
                away = abs(i - slow[0]) + abs(j - slow[1])
                ends.append(steps * w + (steps - away + 1) * more + away * flight
                            if away else steps * (w + more))
            return [one + LAST for one in ends]

        check(stencil(shape, steps, w, slow), end, more="slow", none=False)
        text = Run(stencil(shape, steps, w, slow)).text()
        for words, each in (([f"--latency=const:{LAMBDA}ns"], LAMBDA), (PERTURBED[2:], MORE)):
            for absorb in ("none", "wait", "clock"):
                expect(delays(text, len(ranks), f"--absorb={absorb}", *words),
                       *[steps * each] * len(ranks))


def test_wavefront():
    """Receives from north, then west, sends to south, then east. A step to the east takes w, the send to the south, two
    intervals and two calls, and a flight. One to the south has no send and, in the first column, which receives nothing
    from the west, one interval and one call less. The longest path goes east first."""
    rows, columns, w, s = 4, 5, 2003, 71
    programs, sends = [], []
    for i in range(rows):
        for j in range(columns):
            r = i * columns + j
            from_ = [r - columns] * (i > 0) + [r - 1] * (j > 0)
            to = [r + columns] * (i < rows - 1) + [r + 1] * (j < columns - 1)
            programs.append([(0, 0, "receive", [q]) for q in from_]
                            + [(0 if k else w, s, "send", [q]) for k, q in enumerate(to)])
            sends.append(len(to))

    def end(_, x, kappa, flight):
        hop, ends = w + x + flight + kappa, []
        for i in range(rows):
            for j in range(columns):
                there = j * (hop + s + x + kappa) + i * (hop + (x + kappa) * (j > 0))
                n = sends[i * columns + j]
                ends.append(there + n * (s + x + kappa) + w * (n > 0) + LAST + x)
        return ends

    check(programs, end)


def test_master_and_workers():
    """The last of W tasks departs after W intervals and W - 1 sends, and its result returns."""
    workers, w, s = 7, 30011, 211
    master = [(0, s, "send", [r]) for r in range(1, workers + 1)]
    master += [(0, 0, "receive", [r]) for r in range(1, workers + 1)]
    programs = [master] + [[(0, 0, "receive", [0]), (w, s, "send", [0])]] * workers

    def end(_, x, kappa, flight):
        def got(r):
            return r * x + (r - 1) * (s + kappa) + flight + kappa
        ends = [got(workers) + w + x + flight + kappa]
        ends += [got(r) + w + x + s + kappa for r in range(1, workers + 1)]
        return [one + LAST + x for one in ends]

    check(programs, end, none=False)
    own = 2 * workers * (X + KAPPA) + X  # the master's calls alone, each of which has no slack
    there = (workers + 2) * X + (workers + 1) * KAPPA
    for words, more in ((PERTURBED, MORE), (NOISE, 0)):
        expect(delays(Run(programs).text(), 1, "--absorb=none", *words), max(own, there + 2 * more))


# --- from the papers -------------------------------------------------------

def test_printed_exchanges_predicted():
    """Predictions of [MPG]'s Eq. 1 and 2; the first is a blocking pair. The bytes continue when the sender's envelope
    has arrived and the receive is posted; the sender is done when it hears that the message has arrived, the receiver
    after its noise. If the receiver posts and waits with two calls, the bytes continue in the second one; in the paper,
    in the first."""
    blocking = ["Send to=1 bytes=1000", "Recv from=0 bytes=1000"]
    posted = ["Isend to=1 bytes=1000 request=1", "Irecv from=0 bytes=1000 request=1"]
    words = ["--predict", "--eager-limit=-1", "--latency=const:500.5ns", "--byte=const:1.375ns",
             "--call-noise=const:70.25ns@1"]
    for works in ((2000, 3000), (3000, 2000)):
        there = max(works[0] + 500.5, works[1]) + 1375
        lines = ["#mpgtext 1", "#ranks 2"]
        for r, work in enumerate(works):
            lines += [f"{r} 0 1000 Init", f"{r} {1000 + work} {6000 + work} {blocking[r]}",
                      f"{r} {7000 + work} {7001 + work} Finalize"]
        found = answer("\n".join(lines) + "\n", *words)["ranks"]
        expect([rank["traced_ns"] + rank["delay_ns"]["median"] for rank in found],
               there + 500.5 + 1000, there + 70.25 + 1000)
        lines = ["#mpgtext 1", "#ranks 2"]
        for r, work in enumerate(works):
            lines += [f"{r} 0 1000 Init", f"{r} {1000 + work} {1100 + work} {posted[r]}",
                      f"{r} {1300 + work} {6000 + work} Wait requests=1",
                      f"{r} {7000 + work} {7001 + work} Finalize"]
        waits = works[1] + 100 + 70.25 + 200  # the receiver, in whose Wait the library sees to the message
        seen = max(works[0] + 500.5, waits) + 1375
        for moved, more in ((seen, []), (there, ["--without=progress"])):
            found = answer("\n".join(lines) + "\n", *words, *more)["ranks"]
            expect([rank["traced_ns"] + rank["delay_ns"]["median"] for rank in found],
                   moved + 500.5 + 1000, moved + 70.25 + 1000)


def test_queue_predicted():
    """Messages are served in the order of arrival: a single server with 8 us each (Lindley)."""
    posts = [f"0 {1100 + 10 * r} {1110 + 10 * r} Irecv from={r} bytes=8 request={r}"
             for r in (1, 2, 3)]
    lines = ["#mpgtext 1", "#ranks 4", *[f"{r} 0 1000 Init" for r in range(4)], *posts]
    lines += [f"{r} {49000 + 1000 * r} {49010 + 1000 * r} Send to=0 bytes=8" for r in (1, 2, 3)]
    lines += ["0 1300 50100 Waitany requests=1,2,3 done=1",
              "0 58100 58110 Waitany requests=2,3 done=2",
              "0 66110 66120 Waitany requests=3 done=3"]
    lines += [f"{r} 74120 74200 Finalize" for r in range(4)]
    for latency, more in ((2385.5, 0), (311.25, 9001.5), (0, 100.25), (617.5, -9385.25)):
        late = [more * r if more > 0 else -more * (3 - r) for r in (1, 2, 3)]  # or the last first
        come = [48000 + 1000 * r + late[r - 1] + latency for r in (1, 2, 3)]
        for order, words in ((sorted(come), []), (come, ["--without=choice"])):
            ready = 0
            for arrival in order:
                ready = max(ready, arrival) + 8000
            found = answer("\n".join(lines) + "\n", "--predict", f"--latency=const:{latency}ns",
                           *[f"--noise=const:{one}ns@{r}" for r, one in enumerate(late, 1)],
                           *words)["ranks"]
            expect([found[0]["traced_ns"] + found[0]["delay_ns"]["median"]], ready)


def table_2(iterations):
    """Returns a trace: 48 ms of work; foo, 20 r ms; bar, 10 (4 - r) + 10 ms except on rank 0, which takes the others'
    messages as they arrive, 5 ms each; and a barrier. foo of rank 0 takes one tick."""
    ms = 1000000
    foo = [1, 20 * ms, 40 * ms, 60 * ms]
    lines = [f"{r} 0 100 Init" for r in range(4)]
    lines += ["0 100 100 Irecv from=null bytes=0 request=999",  # a Waitany can take no time
              "0 100 100 Waitany requests=999 done=999"]
    for k in range(iterations):
        begin = 100 + k * 133 * ms
        for r in range(4):
            at = begin + 48 * ms
            lines.append(f'{r} {at} {at} Region_begin name="foo{r}"')
            at += foo[r]
            lines.append(f'{r} {at} {at} Region_end name="foo{r}"')
            if r:
                at += (10 * (4 - r) + 10) * ms
                lines.append(f"{r} {at} {at} Send to=0 bytes=8")
                lines.append(f"{r} {at} {begin + 133 * ms} Barrier")
                continue
            ids = [str(3 * k + q) for q in (1, 2, 3)]
            lines += [f"0 {at} {at} Irecv from={q} bytes=8 request={ids[q - 1]}" for q in (1, 2, 3)]
            for q in (1, 2, 3):
                arrival = begin + (98 + 10 * q) * ms
                lines.append(f"0 {at} {arrival} Waitany requests={','.join(ids[q - 1:])} "
                             f"done={ids[q - 1]}")
                at = arrival + 5 * ms
            lines.append(f"0 {at} {begin + 133 * ms} Barrier")
    lines += [f"{r} {100 + iterations * 133 * ms} {100 + iterations * 133 * ms} Finalize"
              for r in range(4)]
    return "\n".join(["#mpgtext 1", "#ranks 4", "#clocks shared", *lines]) + "\n"


def test_four_ranks_of_table_2():
    """With foo of 30 ms on all ranks the last worker is the first to send: 123 ms an iteration in the order of arrival,
    still 133 in the order of the trace."""
    ms, iterations = 1000000, 10
    ratios = ["--compute-ratio=30000000@foo0", "--compute-ratio=1.5@foo1",
              "--compute-ratio=0.75@foo2", "--compute-ratio=0.5@foo3"]
    text = table_2(iterations)
    for mode in (["--source=latency=0"], ["--predict", "--latency=const:0"]):
        for words, each in (([], 123), (["--without=choice"], 133)):
            result = answer(text, *mode, *words, *ratios)
            expect([result["run_time_ns"]["median"]], iterations * each * ms)


if __name__ == "__main__":
    main(globals())
