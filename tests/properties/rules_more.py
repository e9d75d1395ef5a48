# SPDX-License-Identifier: GPL-3.0-or-later
"""More properties, like those in rules.py: traces that mpgsim writes, chains, different words for the same question,
damaged programs."""

import json
import os
import random
import re
import shutil

import cases
import programs
import texts
from cases import (
    FOLDER, Case, Options, Refused, Skip, answer, attempted, delays, other, run, settled, times, written)
from rules import (
    NEAR, TIME, Identity, Rule, expect_equal, expect_same, matched, near, need, numbers)


class Retraced(Rule):
    """The trace that mpgsim writes has the replica's times, in an order that MPI permits: nothing is received before it
    was sent and, in a prediction, flew. Simulated alone it has no delay. (If threads use each other's requests, the
    model does not determine the order.)"""

    program = {"threads": False}

    def finish(self, case, options):
        words = [w for w in case.words if not w.startswith("--replicas")]
        return settled(case.but(words=(*words, "--replicas=1"),
                                kept=(*case.kept, "--replicas=1")))

    def written(self, case):
        """Returns the JSON, and the written trace as text."""
        answer(case)
        folder = os.path.join(FOLDER.name, "retraced")
        shutil.rmtree(folder, ignore_errors=True)
        done = attempted(case, f"--output-trace={folder}")
        if done.returncode == 1 and "cannot be written" in done.stderr:
            raise Skip(done.stderr)
        need(done.returncode == 0, f"it is not written: {done.stderr}")
        printed = run([*cases.MPGTRACE, "print", folder])
        need(printed.returncode == 0, printed.stderr)
        return json.loads(done.stdout), printed.stdout

    def check(self, case):
        result, text = self.written(case)
        again = other(case.but(text=text, words=("--source=none",)))
        for rank, (one, traced) in enumerate(zip(times(result), again["ranks"])):
            need(abs(one - traced["traced_ns"]) <= 1 + 1e-12 * one,
                 f"rank {rank}: {traced['traced_ns']!r}, perturbed or predicted {one!r}")
            need(traced["delay_ns"]["mean"] == 0, f"rank {rank} is delayed")
        self.messages(case, text)

    def messages(self, case, text):
        """Checks the messages. In perturb mode negative noise of calls also shortens waits for messages, so such cases
        are left out."""
        predict = "--predict" in case.words
        if not predict and (case.has("--call-noise=normal") or case.has("--call-noise=const:-")):
            return
        if not (predict or case.trace().has("#clock")):
            return
        per = {"latency": 0.0, "byte": 0.0}
        for word in case.words if predict else ():
            match = re.match(r"--(latency|byte)=const:([0-9.]+)(ns|us)$", word)
            if match:
                per[match[1]] += float(match[2]) * (1000 if match[3] == "us" else 1)
        if not predict and any(took < 0 for _, took, _ in self.flights(case.text)):
            raise Skip("it was so in the trace")  # that was shrunk
        for end, took, size in self.flights(text):
            least = per["latency"] + per["byte"] * size
            need(took >= least - 1, f"rank {end.rank}: {end.name} ends {took} ns after its "
                 f"message was sent, which flies {least} ns")

    def flights(self, text):
        """Generates for each message the call that completes its receive, the time since it was sent, and its bytes."""
        matching = matched(text)
        aligned = matching.trace.aligned
        for message in matching.messages:
            end, send = message.receive.completed_by, message.send.call
            if end:
                took = aligned(end.rank, end.leave) - aligned(send.rank, send.enter)
                yield end, float(took), message.bytes


class Chain(Rule):
    """A token that goes k times around p ranks is delayed by k p times the delay of one hop."""

    def make(self, draw):
        p, laps = draw.randint(2, 12), draw.randint(1, 9)
        size, work, took = draw.randint(0, 9999), draw.randint(20, 500), draw.randint(1, 19)
        flight = draw.randint(600, 5000)
        lines, left = [], [100] * p
        for hop in range(p * laps):
            rank, to = hop % p, (hop + 1) % p
            sent = left[rank] + work
            lines.append(f"{rank} {sent} {sent + took} Send to={to} tag=3 bytes={size}")
            left[rank] = sent + took
            enter, left[to] = left[to] + work, sent + flight + work
            lines.append(f"{to} {enter} {left[to]} Recv from={rank} tag=3 bytes={size}")
        head = ["#mpgtext 1", f"#ranks {p}", "#clocks shared"]
        head += [f"{rank} 0 100 Init" for rank in range(p)]
        lines += [f"{rank} {left[rank] + work} {left[rank] + work + 7} Finalize"
                  for rank in range(p)]
        x, kappa, latency = (draw.randint(0, 1 << 16) / 8 for _ in range(3))
        words = [f"--noise=const:{x}ns", f"--call-noise=const:{kappa}ns",
                 f"--latency=const:{latency}ns", f"--byte=const:{draw.randint(0, 99) / 64}ns"]
        words += draw.choice([["--predict"]] + [["--absorb=" + a] for a in ("none", "wait", "clock")])
        return Case("\n".join(head + lines) + "\n", tuple(words), {}, tuple(words),
                    p * 1000 + laps)

    def check(self, case):
        trace, result = case.trace(), answer(case)
        p, laps = trace.ranks, case.seed % 1000
        if case.seed // 1000 != p or len(trace.calls) != 2 * p * laps + 2 * p:
            raise Skip("not a chain any more")  # of a case that was shrunk
        x, kappa, latency, byte = (float(re.search("const:([0-9.]+)", word)[1])
                                   for word in case.words[:4])
        predict = case.has("--predict")
        send = next(call for call in trace.calls if call.name == "Send")
        work = (send.enter - 100 if predict else 0) + x
        hop = work + latency + byte * int(send.keys["bytes"]) + kappa
        after = (send.leave - send.enter if predict else 0) + kappa
        wanted = [p * laps * hop + work] + [((laps - 1) * p + rank) * hop + 2 * work + after
                                            for rank in range(1, p)]
        expect_equal(wanted, times(result) if predict else delays(result), "the chain")


# --- the same by other words -----------------------------------------------

def of_one(words, option):
    """Returns the place of an option's only word, or None."""
    places = [i for i, word in enumerate(words) if word.startswith(f"--{option}=")]
    return places[0] if len(places) == 1 else None


def in_two(case, draw, predict):
    """Splits one constant into two that add up to it."""
    words = list(case.words)
    for option in draw.sample(["noise", "call-noise", "latency", "byte"], 4):
        i = of_one(words, option)
        match = i is not None and re.match(r"(--.*=const:)(-?[0-9.]+)(ns|us)(.*)$", words[i])
        if match:
            part = float(match[2]) * draw.choice([0.25, 0.5, 0.125])
            rest = float(match[2]) - part
            words[i:i + 1] = [f"{match[1]}{value!r}{match[3]}{match[4]}"
                              for value in (part, rest)]
            return words
    return None


def by_ranks(case, draw, predict):
    """Splits an option for all ranks into one for some and one for the others."""
    words, ranks = list(case.words), range(case.trace().ranks)
    for option in draw.sample(["noise", "call-noise"], 2):
        i = of_one(words, option)
        if i is None or "@" in words[i] or len(ranks) < 2 or "signature" in words[i]:
            continue
        some = set(draw.sample(ranks, draw.randint(1, len(ranks) - 1)))
        words[i:i + 1] = [words[i] + "@" + ",".join(str(rank) for rank in ranks if (rank in some) == one)
                          for one in (True, False)]
        return words
    return None


CLOCK = "--absorb=clock"
DEFAULTS = [  # options that say what is so without them; those that exclude them; the modes
    ("--compute-ratio=1", (), (False, True)), ("--polling=wait", (), (False, True)),
    ("--polling=interval=10us", ("--polling",), (True,)),
    ("--seed=1", (), (False, True)), ("--replicas=first=0", (), (False, True)),
    ("--lenient", (), (False, True)),
    ("--collectives=measured", (), (False, True))]
WITH_MACHINE = [("--models=measurement=resample", (), (False, True)),
                ("--models=latency=empirical", ("--latency",), (False, True)),
                ("--models=byte=empirical", ("--byte",), (False, True))]
ALONE = [("--latency=const:0", (), (False,)), ("--byte=const:0", (), (False, True)),
         ("--noise=const:0", (), (False, True)), ("--call-noise=const:0", (), (False, True))]


def by_default(case, draw, predict):
    """Adds an option whose value is the default."""
    words = list(case.words)
    choices = DEFAULTS + (WITH_MACHINE if case.has("--signature") else ALONE)
    for word, excluded, modes in draw.sample(choices, len(choices)):
        given = any(other.startswith((word.rpartition("=")[0] + "=", *excluded)) for other in words)
        if predict in modes and not given:
            return words + [word]
    return None


EDGES = ("--paper=own-edges", "--paper=call-edges")


def has_edges(case):
    return any(case.has(word) for word in EDGES)


def without_noise_of_calls(case, draw, predict):
    """Adds the paper's edges, which have no effect without noise of calls."""
    words = list(case.words)
    if predict or case.has("--call-noise") or has_edges(case):
        return None
    return words + [draw.choice(EDGES)]


def faithful(case, draw, predict):
    """Adds the option for the paper's edges to the paper's run, which has them anyway."""
    words = list(case.words)
    if {"--absorb=none", "--eager-limit=-1"} <= set(words):
        return words + ["--paper=call-edges"] if not has_edges(case) else None
    return None


class Equal(Rule):
    """Different words for the same question give the same result."""

    ways = (in_two, by_ranks, by_default, by_default, without_noise_of_calls, faithful)

    def check(self, case):
        result, draw = answer(case), case.draw()
        asked = 0
        for way in self.ways:
            words = way(case, draw, "--predict" in case.words)
            if not words:
                continue
            asked += 1
            said = f"{way.__name__}: {' '.join(sorted(set(words) - set(case.words)))}"
            expect_same(numbers(result), numbers(other(case.but(words=tuple(words)))), said,
                        tolerance=1e-9 if way is in_two else 0.0)
        if not asked:
            raise Skip("there are no other words")


class Faithful(Equal):
    """The same for the paper's run."""

    modes = (False,)
    machines = (0,)
    ways = (faithful, in_two)

    def finish(self, case, options):
        text, _ = self.safe_program(case)
        unfit = ("--absorb", "--eager-limit", "--source=eager", *EDGES, "--horizon")
        words = [w for w in case.words if not w.startswith(unfit) and "@" not in w]
        words += ["--absorb=none", "--eager-limit=-1",
                  f"--call-noise={options.distribution()}"]
        return settled(case.but(text=text, words=tuple(words), kept=(
            *case.kept, "--absorb=none", "--eager-limit=-1")))

    def safe_program(self, case):
        draw = random.Random(f"faithful {case.seed}")
        while True:
            text, safe = programs.program(draw)
            if safe:
                return text, safe


# --- not whole -------------------------------------------------------------

class Unchosen(Rule):
    """If no call changes its choice, the order is that of the trace: --without=choice has no effect."""

    modes = (False, False, False, True)
    machines = (0, 0, 0, 1)
    program = {"clocks": ("shared", "offsets"), "kinds": programs.CHOOSING, "steps": 120}
    values = ["0.385ns", "2.385ns", "31.25ns"]
    quorum = 0  # often some do

    def finish(self, case, options):
        unfit = ("--absorb", "--without=choice", "--horizon")
        return settled(case.but(words=tuple(w for w in case.words if not w.startswith(unfit))))

    def check(self, case):
        result = answer(case)
        choice = result.get("choice")
        if not choice:
            raise Skip("there is no choice")
        if any(choice[key] for key in ("picks_changed", "tests_early", "tests_saved")):
            raise Skip("some choose otherwise")
        kept = other(case, "--without=choice")
        expect_same([result["ranks"], result["run_time_ns"]], [kept["ranks"], kept["run_time_ns"]],
                    "--without=choice", tolerance=1e-9)


class Waited(Rule):
    """A prediction does not depend on how long calls in the trace waited for others."""

    modes = (True,)
    machines = (0, 1)
    deterministic = True  # without clocks, choices go by traced times where they cannot wait
    program = {"threads": False}

    def finish(self, case, options):
        limit = f"--source=eager-limit={options.draw.choice([100, 8192])}"
        words = [word for word in case.words if not word.startswith("--source=eager")]
        return settled(case.but(words=(*words, limit), kept=(*case.kept, limit)))

    def check(self, case):
        result, draw = answer(case), case.draw()
        trace = case.trace()
        members = {comm: len(there) for comm, there in trace.members().items()}
        late, calls = {}, []
        for call in trace.calls:
            before = late.get(call.rank, 0)
            waits = call.name == "Recv" and call.keys["from"] != "null" or (
                call.name in ("Barrier", "Allreduce", "Alltoall", "Allgather")
                and members[call.keys["comm"]] > 1)
            if waits and "failed" not in call.keys and draw.random() < 0.3:
                late[call.rank] = before + draw.randint(1, 90000)
            calls.append(call.but(enter=call.enter + before,
                                  leave=call.leave + late.get(call.rank, 0)))
        about = tuple(line for line in trace.about if not line.startswith("#clock"))
        longer = case.with_trace(trace.but(about=about, calls=tuple(calls)))
        expect_equal(times(result), times(other(longer)), "longer waits")


class Ratio(Rule):
    """A machine that needs twice as long for everything that the program does doubles the run time."""

    modes = (True,)
    constant = (True,)
    machines = (0,)

    def finish(self, case, options):
        words = [w for w in case.words if not w.startswith("--compute-ratio")]
        return settled(case.but(words=(*words, "--compute-ratio=0.8125")))

    def check(self, case):
        result = answer(case)
        ratio = [word for word in case.words if word.startswith("--compute-ratio=")]
        words = [w if w in ratio or w.startswith("--polling")
                 else TIME.sub(lambda match: f"{2 * float(match[1])!r}{match[2]}", w)
                 for w in case.words if w not in ratio]
        words.append(f"--compute-ratio={2 * float(ratio[0].split('=')[1]) if ratio else 2}")
        expect_equal([2 * time for time in times(result)],
                     times(other(case.but(words=tuple(words)))), "twice as long")


class Swept(Rule):
    """A row of a table equals a run with its values, replica by replica; threads change nothing."""

    def finish(self, case, options):
        draw, sweeps = options.draw, []
        settings = {"noise": "0ns,2.385us", "call-noise": "311.5ns,77.25ns", "byte": "0.375ns,1.25ns",
                    "latency": "40us,1.7us,0ns", "compute-ratio": "0.75,1.6",
                    "eager-limit": "4096,1048576"}
        if "--predict" not in case.words:
            words = [word for word in case.words if not word.startswith("--absorb=")]
            by_clock = attempted(settled(case.but(words=(*words, CLOCK), kept=(*case.kept, CLOCK))))
            settings["absorb"] = "none,wait" if CLOCK in by_clock.stderr else "none,wait,clock"
        words = list(case.words)
        for name in draw.sample(list(settings), draw.choice([1, 1, 2])):
            words = [word for word in words if not word.startswith(f"--{name}=")]
            sweeps.append(f"--sweep={name}={settings[name]}")
        sweeps.append(f"--threads={draw.choice([1, 2, 3])}")
        return settled(case.but(words=(*words, *sweeps), kept=(*case.kept, *sweeps)))

    def check(self, case):
        table = answer(case)
        need("rows" in table, "there is no table")
        words = [word for word in case.words if not word.startswith(("--sweep=", "--threads="))]
        units = {one["name"]: one["unit"] for one in table["parameters"]}
        for row in table["rows"]:
            values = [f"--{name}=const:{value!r}ns" if units[name] == "ns" else f"--{name}={value}"
                      for name, value in row["values"].items()]
            alone = other(case.but(words=(*words, *values)))
            expect_same([one["run_time_ns"] for one in alone["replicas"]],
                        row["replicas_run_time_ns"], f"row {row['row']}, {' '.join(values)}")


class Damaged(Identity):
    """A trace without some of its lines is refused with a message; with --lenient it is simulated without delay.
    (Without --without=choice a message in an order that MPI does not permit is waited for, for a tick.)"""

    machines = (0,)

    def finish(self, case, options):
        trace, draw = case.trace(), options.draw
        calls = list(trace.calls)
        for _ in range(draw.randint(1, 6)):
            if len(calls) > 1:
                del calls[draw.randrange(len(calls))]
        words = [w for w in case.words if not w.startswith(
            ("--source=eager", "--horizon", "--without=choice"))]
        kept = "--lenient", "--without=choice"
        return settled(case.with_trace(trace.but(calls=tuple(calls))).but(
            words=(*words, *kept), kept=kept))

    def check(self, case):
        strict = tuple(word for word in case.words if word != "--lenient")
        try:
            answer(case.but(words=strict))
        except (Skip, AssertionError) as refusal:
            if "without a word" in str(refusal) or "exit -" in str(refusal):
                raise
        try:
            result = answer(case)
        except Refused as refusal:
            raise Skip(str(refusal)) from refusal
        expect_equal([0] * len(result["ranks"]), delays(result), "what is left of it")
        for rank in result["ranks"]:
            account = rank["account"]
            need(abs(account["injected_ns"]) <= NEAR, f"rank {rank['rank']}: something was put in")


class Supposed(Damaged):
    """Such a trace with --lenient and hypotheses is refused with a message or simulated, in both modes; the output is
    byte for byte the same with any number of threads, also without hypotheses."""

    modes = (False, True)
    machines = (0, 1)
    perturbed = True

    def finish(self, case, options):
        draw, trace = options.draw, case.trace()
        calls = list(trace.calls)
        for _ in range(draw.randint(0, 6)):
            if len(calls) > 1:
                del calls[draw.randrange(len(calls))]
        unfit = *EDGES, "--source=eager", "--horizon"
        words = [word for word in case.words if not word.startswith(unfit)]
        verb = draw.choice(["drop", "resize"])
        factor = draw.choice(["0", "0.5", "300"])
        tag = draw.choice(sorted({call.keys["tag"] for call in calls if "tag" in call.keys}) or ["0"])
        select = draw.choice(["", "", f" from=0-{trace.ranks - 1}", f" from=0-{trace.ranks - 1}", f" tag={tag}", " to=0"])
        supposed = [f"--hypothesis={verb}{select}" + f" factor={factor}" * (verb == "resize")]
        if any(call.keys.get("name") == '"work"' for call in calls):
            supposed.append(f"--hypothesis=scale work factor={draw.choice(['0', '0.385', '3'])}")
        words += [*supposed, "--lenient", *(() if "--predict" in words else ("--source=byte=0.125ns",))]
        return settled(case.with_trace(trace.but(calls=tuple(calls))).but(
            words=tuple(dict.fromkeys(words)), kept=("--lenient", *case.kept)))

    def check(self, case):
        without = case.but(words=tuple(word for word in case.words if not word.startswith("--hypothesis")))
        for one in (without, case):
            done = [attempted(one, f"--threads={threads}") for threads in (1, 2, 3)]
            for again in done[1:]:
                need((again.returncode, again.stdout) == (done[0].returncode, done[0].stdout), "threads change the answer")
        if done[0].returncode or not case.has("--hypothesis"):
            raise Skip(done[0].stderr)


class Excerpt(Identity):
    """A part of a run, between any two times, is simulated without delay, and with a common clock takes as long as the
    times are apart on each rank that is between MPI_Init and MPI_Finalize at both."""

    machines = (0,)
    program = {"tracer": False}

    def finish(self, case, options):
        draw, last = options.draw, max(call.leave for call in case.trace().calls)
        first = min(call.leave for call in case.trace().calls if call.name.startswith("Init"))
        begin, end = sorted(draw.randrange(1, max(2, last - first)) for _ in range(2))
        words = tuple(w for w in case.words if not w.startswith(("--source=eager", "--horizon", "--absorb=clock")))
        edges = draw.choice([(f"--from={begin}ns",), (f"--until={end}ns",), (f"--from={begin}ns", f"--until={end}ns")])
        return settled(case.but(words=(*words, *edges), kept=(*case.kept, *edges)))

    def check(self, case):
        if "Psend_init" in case.text:
            raise Skip("a part may end before the last Pready")
        super().check(case)
        edges = dict(w[2:].split("=") for w in case.words if w.startswith(("--from=", "--until=")))
        if len(edges) < 2 or "#clocks shared" not in case.text:
            return
        begin, end = (int(edges[key][:-2]) for key in ("from", "until"))
        calls = case.trace().calls
        inits = {call.rank: call.leave for call in calls if call.name.startswith("Init")}
        ends = {call.rank: call.enter for call in calls if call.name == "Finalize"}
        zero = min(inits.values())
        for rank in answer(case)["ranks"]:
            number = rank["rank"]
            if inits[number] <= zero + begin and zero + end <= ends[number]:
                need(near(rank["traced_ns"], end - begin), f"rank {number} runs {rank['traced_ns']!r} ns")


MORE = [rule() for rule in (
    Retraced, Chain, Equal, Faithful, Unchosen, Waited, Ratio, Swept, Damaged, Supposed, Excerpt)]
