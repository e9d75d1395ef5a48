# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties in docs/MODEL.md, section 7, and others that hold for all programs. A rule makes a case for which its
property holds, and checks it: check(case) raises AssertionError with the violation, or cases.Skip."""

import math
import os
import re
import shutil

import cases
import programs
import texts
from cases import (
    FOLDER, SMALL, VALUES, Case, Options, Skip, answer, attempted, delays,
    other, run, settled, times, words_of, written)

import oracle  # isort: skip (programs.py has its place)

NEAR = 1e-6
TIME = re.compile(r"(-?[0-9.]+)(ns|us|ms|s)\b")

# Programs in which calls choose, and what keeps their order nevertheless.
CHOOSES = {"kinds": programs.CHOOSING, "clocks": ("shared", "offsets"), "steps": 120}
KEEPS_ORDER = ("--absorb", "--without=choice")


def matched(text):
    """Returns the oracle's matching of a trace."""
    lines = texts.MEMBERS.sub(r"#comm \1 = \3", text).splitlines()
    try:
        return oracle.Matching(oracle.read_trace(lines))
    except (oracle.OracleError, KeyError) as error:  # a case that was shrunk too far
        raise Skip(str(error)) from error


class Rule:
    """Which cases a rule draws; subclasses change this, and define check(case)."""

    modes = (False, True)
    constant = (False, True)
    machines = (0, 0, 1, 2)
    program = {}
    negative = True
    deterministic = False
    perturbed = True
    quorum = 0.5  # of the cases at least must say something
    values = VALUES

    def __init__(self):
        self.name = type(self).__name__.lower()

    def make(self, draw):
        predict, constant = draw.choice(self.modes), draw.choice(self.constant)
        chooses = not self.deterministic and draw.random() < 0.3
        about = {**self.program, **(CHOOSES if chooses else {})}
        text, safe = programs.program(draw, **about)
        options = Options(draw, texts.trace_of(text), predict, constant)
        options.values = self.values
        machines = options.machines(draw.choice(self.machines), predict)
        words = ["--predict" if predict else "--perturb"] + machines + options.model(safe)
        if chooses:
            words = [w for w in words if not w.startswith(KEEPS_ORDER)]
        if self.perturbed and not (machines and draw.random() < 0.5):
            words += options.perturbations(self.negative)
        if predict and not machines and not any("--latency" in word for word in words):
            words.append(f"--latency={options.distribution()}")
        kept = ["--predict" if predict else "--perturb"] + [w for w in words if w.startswith("--signature")]
        if self.deterministic:
            words = [w for w in words if not w.startswith(("--without=choice", "--horizon"))]
            words.append("--without=choice")
            kept.append("--without=choice")
        case = Case(text, (*words, *options.replicas()), options.files, tuple(kept),
                    draw.randrange(1 << 30))
        return self.finish(case, options)

    def finish(self, case, options):  # what a rule adds
        return settled(case)


def need(condition, text):
    if not condition:
        raise AssertionError(text)


def near(a, b, scale=1.0):
    return abs(a - b) <= NEAR + 1e-12 * max(abs(a), abs(b), scale)


def expect_equal(wanted, got, what):
    """Checks that lists of numbers are equal within 1e-6 ns, or in all but the last digits of large numbers."""
    for rank, (w, g) in enumerate(zip(wanted, got, strict=True)):
        need(near(w, g), f"{what}: rank {rank}: {g!r}, not {w!r}")


def numbers(result):
    """Returns all parts of the JSON that do not repeat the command line."""
    kept = ("run_time_ns", "slowdown_median", "replicas", "ranks", "mean_of_a_rank", "choice",
            "traced_run_time_ns", "recorded_run_time_ns")
    trace = {key: value for key, value in result["trace"].items() if key != "path"}
    return {**{key: result.get(key) for key in kept}, "trace": trace}


def expect_same(a, b, what, place="answer", tolerance=0.0):
    """Checks that values are identical, or equal within a relative tolerance."""
    if isinstance(a, dict) and isinstance(b, dict):
        need(a.keys() == b.keys(), f"{what}: {place}: {list(b)}, not {list(a)}")
        for key in a:
            expect_same(a[key], b[key], what, f"{place}.{key}", tolerance)
    elif isinstance(a, list) and isinstance(b, list):
        need(len(a) == len(b), f"{what}: {place}: {len(b)} items, not {len(a)}")
        for i, (x, y) in enumerate(zip(a, b)):
            expect_same(x, y, what, f"{place}[{i}]", tolerance)
    elif tolerance and isinstance(a, float) and isinstance(b, float):
        need(abs(a - b) <= NEAR + tolerance * max(abs(a), abs(b)),
             f"{what}: {place} is {b!r}, not {a!r}")
    else:
        need(a == b, f"{what}: {place} is {b!r}, not {a!r}")


# --- accounts --------------------------------------------------------------

class Account(Rule):
    """A rank's account adds up: what is added and taken over, minus what is absorbed, is left; in a prediction all
    parts together are the run. The job's run time is that of its longest rank."""

    def check(self, case):
        result = answer(case)
        taken_out = case.has("--signature") and not case.has("--without=tracer")
        for rank in result["ranks"]:
            self.rank(rank, "--predict" in case.words, taken_out and (
                "overhead_" in case.text or " Flush" in case.text))
        count = len(result["ranks"])
        for key, mean in result["mean_of_a_rank"].items():
            total = math.fsum(rank["account"][key] for rank in result["ranks"])
            need(near(mean, total / count), f"mean of a rank: {key} {mean!r}")
        replicas = [one["run_time_ns"] for one in result["replicas"]]
        need(near(result["run_time_ns"]["mean"], math.fsum(replicas) / len(replicas)),
             "run time: the mean is not that of the replicas")
        if len(replicas) == 1:
            need(near(max(times(result)), replicas[0]), "run time: not the longest rank's")

    def rank(self, rank, predict, difference):
        """DIFFERENCE: of two accounts, with and without the tracer's overhead, which has any sign."""
        account, number = rank["account"], rank["rank"]
        if predict:
            parts = ("compute", "noise", "calls", "messages", "collectives", "threads")
            run_ns = rank["traced_ns"] + rank["delay_ns"]["mean"]
            sums = [("run_ns", parts, ())]
            need(near(account["run_ns"], run_ns), f"rank {number}: run {run_ns!r}")
            never_negative = ("compute", "messages", "collectives", "threads")
        else:
            sums = [("injected_ns", ("compute", "calls", "messages", "collectives"), ()),
                    ("absorbed_ns", ("absorbed_waiting", "absorbed_hidden"), ()),
                    ("net_ns", ("injected", "propagated"), ("absorbed",))]
            need(near(account["net_ns"], rank["delay_ns"]["mean"]), f"rank {number}: left")
            never_negative = ("propagated", "absorbed_waiting", "absorbed_hidden")
        scale = sum(map(abs, account.values()))
        for key, plus, minus in sums:
            total = math.fsum([account[f"{part}_ns"] for part in plus]
                              + [-account[f"{part}_ns"] for part in minus])
            need(near(account[key], total, scale),
                 f"rank {number}: {key} is {account[key]!r}, its parts are {total!r}")
        for part in () if difference else never_negative:
            need(account[f"{part}_ns"] >= -NEAR - 1e-12 * scale,
                 f"rank {number}: {part} is {account[f'{part}_ns']!r}")


class Identity(Rule):
    """Without a perturbation nothing changes; a machine compared with itself is no perturbation."""

    modes = (False,)
    machines = (0, 1)
    perturbed = False

    def finish(self, case, options):
        words = [word for word in case.words
                 if not word.startswith(("--source=eager", "--models=noise", "--call-noise"))]
        if case.has("--signature"):
            words.append("--source={target}")
            words = [w for w in words if not w.startswith("--eager-limit")]
        kept = [*case.kept, "--source={target}"] if case.has("--signature") else [*case.kept]
        places = [w.replace("--map", "--source=map") for w in words if w.startswith("--map") and not w.startswith("--map=path")]
        if case.has("--signature"):  # on which its ranks are where they were
            words += places
            kept += places
        return settled(case.but(words=tuple(words), kept=tuple(kept)))

    def check(self, case):
        result = answer(case)
        for rank in result["ranks"]:
            for key, value in rank["account"].items():
                need(abs(value) <= NEAR, f"rank {rank['rank']}: {key} is {value!r}")
            need(abs(rank["delay_ns"]["largest"]) <= NEAR and
                 abs(rank["delay_ns"]["least"]) <= NEAR, f"rank {rank['rank']} is delayed")


# --- more is later ---------------------------------------------------------

class Monotone(Rule):
    """A larger perturbation makes no rank end earlier, if calls complete what they completed in the trace. With a
    machine the times of messages come from the command line, because otherwise a later end of a call may cover a
    detour, and an earlier arrival may cost more."""

    deterministic = True
    machines = (0, 0, 1, 2)

    def finish(self, case, options):
        words, kept = list(case.words), list(case.kept)
        if case.has("--signature"):
            words = [w for w in words if not w.startswith(("--latency", "--byte"))]
            words += [f"--latency={options.distribution()}",
                      f"--byte={options.distribution(SMALL)}"]
            kept += words[-2:]
        return settled(case.but(words=tuple(words), kept=tuple(kept)))

    def check(self, case):
        before = answer(case)
        draw = case.draw()
        for _ in range(2):
            words, what = self.more(list(case.words), draw, case)
            after = other(case.but(words=tuple(words)))
            for old, new in zip(before["ranks"], after["ranks"]):
                a, b = old["delay_ns"], new["delay_ns"]
                for key in ("least", "mean", "largest"):
                    need(b[key] >= a[key] - NEAR - 1e-12 * (abs(a[key]) + new["traced_ns"]),
                         f"{what}: rank {old['rank']} is earlier: {key} {b[key]!r} < {a[key]!r}")

    def more(self, words, draw, case):
        """Returns words with one parameter larger, and its description."""
        options = [i for i, word in enumerate(words) if re.match(
            r"--(noise|call-noise|latency|byte)=(const|exp|gamma|lognormal|pareto|normal)", word)]
        if options and draw.random() < 0.7:
            i = draw.choice(options)
            factor = draw.choice([1.01, 1.5, 4.0])
            first = TIME.search(words[i])
            value = float(first[1])
            larger = value * factor if value > 0 else value / factor
            if re.search("(normal|gamma):", words[i]):  # which shift only by their means
                return self.added(words, draw, case)
            # a heavier pareto, exponential or constant is larger everywhere
            words[i] = words[i][:first.start(1)] + repr(larger) + words[i][first.end(1):]
            return words, words[i]
        return self.added(words, draw, case)

    def added(self, words, draw, case):
        """Returns words with one more option for some ranks, which adds to the others."""
        option = draw.choice(["--noise", "--call-noise"])
        if option == "--noise" and case.has("--signature") and not case.has("--noise="):
            option = "--call-noise"  # it would replace the machine's
        if option == "--call-noise" and case.has("--call-noise=signature"):
            option = "--compute-ratio"
        if option == "--compute-ratio":
            old = [word for word in words if word.startswith(option) and "@" not in word]
            ratio = float(old[0].split("=")[1]) if old else 1
            words = [word for word in words if word not in old]
            return words + [f"{option}={ratio * 1.25}"], option
        return words + [f"{option}=const:{draw.choice(VALUES)}"], option


class Absorbing(Rule):
    """Without absorption no rank ends earlier than with it, for perturbations that delay, messages whose protocol
    stays, and collectives that synchronize."""

    modes = (False,)
    machines = (0,)
    negative = False
    deterministic = True
    program = {"clocks": ("shared", "offsets")}

    def finish(self, case, options):
        unfit = ("--absorb", "--source=eager", "--collectives", "--compute-ratio=0",
                 "--noise=normal", "--call-noise=normal", "--latency=normal", "--byte=normal")
        words = [w for w in case.words if not w.startswith(unfit + ("--paper=call-edges", "--paper=own-edges"))]
        words += [f"--noise={options.distribution(negative=False)}".replace("normal:", "gamma:"),
                  "--absorb=none", "--paper=own-edges"]
        return settled(case.but(words=tuple(words), kept=(*case.kept, "--absorb=none", "--paper=own-edges")))

    def check(self, case):
        most = answer(case)
        for absorb in ("wait", "clock"):
            words = [w.replace("--absorb=none", f"--absorb={absorb}") for w in case.words]
            some = other(case.but(words=tuple(words)))
            for rank, (a, b) in enumerate(zip(delays(most), delays(some))):
                need(b <= a + NEAR + 1e-12 * abs(a), f"{absorb}: rank {rank}: {b!r} > {a!r}")


# --- the same question, asked otherwise ------------------------------------

class Again(Rule):
    """The output is identical with options in another order, with the trace from standard input, as a native trace, and
    with its lines in another order."""

    def check(self, case):
        first = attempted(case)
        if first.returncode:
            answer(case)
        draw = case.draw()
        text = first.stdout
        need(attempted(case).stdout == text, "it is not the same again")
        words = list(case.words)
        draw.shuffle(words)
        for name in ("--noise", "--call-noise", "--latency", "--byte", "--compute-ratio"):
            places = [i for i, word in enumerate(words) if word.startswith(name + "=")]
            kept = [word for word in case.words if word.startswith(name + "=")]
            for i, word in zip(places, kept):
                words[i] = word
        expect_same(numbers(answer(case)), numbers(other(case.but(words=tuple(words)))),
                    "options in another order")
        self.elsewhere(case, text)
        for change in (texts.by_time, texts.by_turns):
            lines = case.with_trace(change(case.trace()))
            expect_same(numbers(answer(case)), numbers(other(lines)), change.__name__)

    def elsewhere(self, case, text):
        """Checks the trace from standard input, and as a native trace: only the path in the output differs."""
        path = written("trace", case.text)
        words = words_of(case)
        piped = run([*cases.MPGSIM, "--json", *words, "-"], case.text)
        need(piped.stdout == text.replace(f'"{path}"', '"-"', 1), "standard input: another answer")
        native = os.path.join(FOLDER.name, "native")
        shutil.rmtree(native, ignore_errors=True)
        imported = run([*cases.MPGTRACE, "import", "--text", path, "-o", native])
        need(imported.returncode == 0, f"it cannot be imported: {imported.stderr}")
        found = run([*cases.MPGSIM, "--json", *words, native])
        need(found.stdout == text.replace(f'"{path}"', f'"{native}"', 1),
             f"a native trace: another answer {found.stderr}")


class Prefix(Rule):
    """Replica k is the same, whatever other replicas are simulated."""

    constant = (False,)

    def finish(self, case, options):
        words = [w for w in case.words if not w.startswith("--replicas")]
        return settled(case.but(words=tuple(words)))

    def replicas(self, case, n, first):
        return other(case, f"--replicas={n}", f"--replicas=first={first}")

    def check(self, case):
        answer(case, "--replicas=1")
        many = self.replicas(case, 64, 0)["replicas"]
        expect_same(many[:8], self.replicas(case, 8, 0)["replicas"], "the first 8 of 64")
        first = case.draw().randrange(64)
        alone = self.replicas(case, 1, first)
        expect_same(many[first:first + 1], alone["replicas"], "one alone")
        need(many[first]["run_time_ns"] == max(times(alone)) or near(
            many[first]["run_time_ns"], max(times(alone))), "one alone: its ranks")


class Clocks(Rule):
    """A shift of all clocks changes nothing if known offsets are shifted too. A prediction needs no clocks, unless
    calls with a choice use traced times."""

    def check(self, case):
        result, draw = answer(case), case.draw()
        trace = case.trace()
        shifts = [draw.choice([0, -7, 4001, 100000000, draw.randint(-90000, 900000)])
                  for _ in range(trace.ranks)]
        moved = texts.shifted(trace, shifts)
        expect_same(numbers(result), numbers(other(case.with_trace(moved))), f"shifts {shifts}",
                    tolerance=1e-12)  # absolute times, where calls choose
        if "--predict" in case.words and (not case.has("--signature") or case.has("--source=eager")):
            about = tuple(line for line in moved.about if not line.startswith("#clock"))
            kept = case if case.has("--without=choice") else case.but(words=(
                *(word for word in case.words if "--horizon" not in word), "--without=choice"))
            expect_same(numbers(other(kept)), numbers(other(kept.with_trace(moved.but(about=about)))),
                        "without clocks")


class Names(Rule):
    """Labels of communicators and windows, numbers of requests and messages, and tags are only names."""

    def check(self, case):
        result = answer(case)
        add = case.draw().randint(1, 1000)

        def another(kind, number):
            return 3 * number + add if kind != "tags" else 1000 + add - number

        renamed = case.with_trace(texts.relabelled(case.trace(), another))
        expect_same(numbers(result), numbers(other(renamed)), "other names")


class Renumbered(Rule):
    """The number of a rank does not matter if nothing is drawn and no call has a choice."""

    constant = (True,)
    machines = (0,)
    deterministic = True

    def check(self, case):
        result, draw = answer(case), case.draw()
        trace = case.trace()
        to = list(range(trace.ranks))
        draw.shuffle(to)
        words = []
        for word in case.words:
            text, at, ranks = word.partition("@")
            if word.startswith("--compute-ratio"):
                text, at, ranks = word, "", ""
            some = ",".join(str(to[int(rank)]) for rank in ranks.split(",")) if at else ""
            words.append(text + at + some)
        there = other(case.with_trace(texts.permuted(trace, to)).but(words=tuple(words)))
        for before, after in enumerate(to):
            for key in ("delay_ns", "account", "traced_ns"):
                expect_same(result["ranks"][before][key], there["ranks"][after][key],
                            f"rank {before} as {after}", key, 1e-12)


class Scaled(Rule):
    """Twice the times give twice the result, unless a call's cost is assumed to be at most 1 us because all calls of
    its class waited."""

    machines = (0,)
    deterministic = True
    program = {"tracer": False}

    def finish(self, case, options):
        words = list(case.words)
        if "--predict" in words and not case.has("--polling"):
            words.append("--polling=interval=" + options.draw.choice(["600ns", "10us"]))
        elif case.has("--polling=wait") and "--predict" in words:
            words.append("--polling=interval=10us")
        return settled(case.but(words=tuple(words), kept=case.kept + tuple(
            word for word in words if word.startswith("--polling"))))

    def check(self, case):
        try:
            self.compare(case)
        except AssertionError as wrong:
            if "--predict" not in case.words and self.is_limited(case):
                raise Skip("a call of which all waited") from wrong
            raise

    def is_limited(self, case):
        _, settings = oracle.parse_arguments(["--absorb=clock", "-"])
        matching = matched(case.with_trace(texts.scaled(case.trace(), 2)).text)
        if not matching.trace.has_clocks():
            return False
        settings.place(matching.trace)
        floors = oracle.Builder(matching, settings).call_floors
        return any(floors.least[key] > floors.MAX_OF_WAITS for key in floors.limited)

    def compare(self, case):
        def twice(match):
            return f"{2 * float(match[1])!r}{match[2]}"

        once = answer(case)
        words = tuple(TIME.sub(twice, word) for word in case.words)
        doubled = other(case.with_trace(texts.scaled(case.trace(), 2)).but(words=words))
        tolerance = 0.0 if all(map(self.exact, case.words)) else 1e-9
        for a, b in zip(once["ranks"], doubled["ranks"], strict=True):
            for key, value in a["account"].items():
                need(abs(2 * value - b["account"][key]) <= NEAR + tolerance * abs(value),
                     f"rank {a['rank']}: {key} is {b['account'][key]!r}, twice is {2 * value!r}")
            need(abs(2 * a["delay_ns"]["mean"] - b["delay_ns"]["mean"])
                 <= NEAR + tolerance * abs(a["delay_ns"]["mean"]), f"rank {a['rank']}: delay")

    def exact(self, word):
        return not re.search("=(exp|normal|gamma|lognormal|pareto)", word)


class Asides(Rule):
    """Calls that take part in no communication count as computation, whether or not the trace contains them; a rank
    without communication does not change the other ranks."""

    machines = (0,)
    constant = (True,)
    program = {"tracer": False, "cpu": False, "clocks": ("shared", "offsets")}

    def check(self, case):
        result, draw = answer(case), case.draw()
        trace = case.trace()
        asides = texts.with_asides(trace, lambda: draw.random() < 0.3)
        expect_equal(delays(result), delays(other(case.with_trace(asides))), "asides")
        beside = other(case.with_trace(texts.with_bystander(trace)))
        expect_equal(delays(result), delays(beside)[:-1], "a bystander")


RULES = [rule() for rule in (
    Account, Identity, Monotone, Absorbing, Again, Prefix, Clocks, Names, Renumbered, Scaled,
    Asides)]
