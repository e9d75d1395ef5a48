#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference implementation of the perturbed message-passing graph. Written only from docs/MODEL.md, sections 1, 3 and
4, to check mpgsim. It loads a complete text trace ("#mpgtext 1"), builds every node and edge explicitly, and evaluates
D(v) = max over in-edges u -> v ( D(u) + delta - slack ). Perturbations come from signatures, in one replica, and from
constants; with constants alone all arithmetic is exact. It is slow and simple on purpose, because a comparison is worth
more if this side is evidently correct."""

import argparse
import copy
import functools
import gc
import os
import re
import sys
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from oracle_choice import Choice  # noqa: E402
from oracle_costs import can_use  # noqa: E402
from oracle_exact import Fraction  # noqa: E402
from oracle_graph import Builder  # noqa: E402
from oracle_hypotheses import Hypotheses  # noqa: E402
from oracle_signature import read_signature  # noqa: E402
from oracle_matching import Matching  # noqa: E402
from oracle_places import Hosts, Paths, Places  # noqa: E402
from oracle_plans import Table, expands_some  # noqa: E402
from oracle_ratios import Ratios  # noqa: E402
from oracle_trace import OracleError, read_trace  # noqa: E402
from words import own  # noqa: E402

ZERO = Fraction(0)
# objects are freed with their last reference; searching for cycles takes a tenth of the time and finds few
gc.disable()


# --- perturbations ---------------------------------------------------------

class Settings:
    """The perturbations, and how much slack is assumed. noise, latency and byte are None if the signature gives
    them."""

    def __init__(self, absorb=None, noise=None, call_noise=None, latency=None,
                 byte=None, compute_ratio=(), eager_limit=None,
                 source_eager_limit=None, source_latency=None, source_byte=None,
                 signature=None, source=None, path=None, cosched=None,
                 measurement="resample", seed=1, first_replica=0, keep_tracer=False,
                 latency_model="empirical", byte_model="empirical", call_edges=None,
                 noise_model=None, call_noise_of_target=False,
                 sync_reduce=False, deterministic=False, polling="wait", polling_interval=10000, collectives=None,
                 collective_table=None, map=None, source_map=None, suppose=(), carried=False):
        self.absorb = absorb
        self.noise = noise
        self.call_noise = call_noise or (lambda rank: ZERO)
        self.call_noise_of_target = call_noise_of_target
        self.latency = latency
        self.byte = byte
        self.ratios = Ratios(compute_ratio, signature, source)
        self.hypotheses = Hypotheses(suppose, self.ratios)
        self.collectives, self.carried = collectives, carried
        self.sync_reduce = sync_reduce
        self.some = expands_some(self, suppose)
        self.table = (self.some or carried or collectives == "expand" or signature) and Table(collective_table)
        self.scales = None
        self.eager_limit = eager_limit
        self.source_eager_limit = source_eager_limit
        self.source_latency = source_latency
        self.source_byte = source_byte
        self.signature = signature
        self.source = source
        self.path = path and path.replace("-", " ")
        self.map, self.source_map = map, source_map
        self.places = self.source_places = None
        self.of_target = self.of_source = None
        self.cosched = cosched
        self.measurement = measurement
        self.seed = seed
        self.replica = first_replica
        self.keep_tracer, self.is_base = keep_tracer, False
        self.latency_model = latency_model
        self.byte_model = byte_model
        self.noise_model = noise_model
        faithful = absorb == "none" and eager_limit == -1
        self.deterministic = deterministic
        self.polling, self.polling_interval = polling, polling_interval
        self.paper_edges = call_edges == "paper" or (call_edges is None and faithful)

    def drawn_noise(self):
        return self.signature and self.noise_model in ("renewal", "fit")

    def removes_off(self):
        """Returns whether time off the CPU is removed."""
        return bool(self.signature) and not self.is_base

    def removes_tracer(self):
        return bool(self.signature) and not self.keep_tracer

    def tracer_alone(self):
        """Returns settings without perturbations, which only remove the tracer's overhead."""
        alone = copy.copy(self)
        alone.is_base = True
        alone.noise = alone.call_noise = lambda rank: ZERO
        alone.call_noise_of_target = False
        alone.latency = alone.byte = ZERO
        alone.latency_model = alone.byte_model = "empirical"
        alone.ratios = Ratios((), None, None)
        alone.hypotheses = Hypotheses((), alone.ratios)
        return alone

    def kappa(self, call):
        """Returns the noise of a whole call."""
        return self.call_noise(call.rank)

    def posting(self, half):
        """Returns the noise of the call that began half a message, if it delays the message."""
        delays = self.paper_edges and not half.blocking
        return self.kappa(half.call) if delays else ZERO

    def answering(self, message):
        """Returns the noise of calls on the way back to the sender's end."""
        kappas = ZERO
        if self.paper_edges and message.receive.blocking:
            kappas += self.kappa(message.receive.call)
        if self.paper_edges and not message.send.blocking:
            kappas += self.kappa(message.send.completed_by)
        return kappas

    # Paths

    def place(self, trace):
        """Determines where ranks are, and were, from the options and the trace's hosts."""
        if self.map:
            self.places = Places(self.map, trace.ranks)
        if self.source_map:
            self.source_places = Places(self.source_map, trace.ranks)
        elif self.map and any(trace.hosts[rank] for rank in range(trace.ranks)):
            self.source_places = Places.of_hosts(
                [trace.hosts[rank] for rank in range(trace.ranks)])
        self.ratios.place_by(self.source_places, self.places, [trace.hosts[rank] for rank in range(trace.ranks)])
        self.of_target = Paths(self.signature, self.places, self.path, trace.ranks)
        name = self.signature and self.target_path() and self.target_path().name
        self.of_source = Paths(self.source, self.source_places, name, trace.ranks)

    def hosts(self):
        """Returns where ranks are on the target, if not on the trace's hosts."""
        return Hosts(self.places) if self.places else self.were()

    def were(self):
        """Returns where ranks were on the source, if not on the trace's hosts."""
        return Hosts(self.source_places) if self.source_map else None

    def paths(self, a, b):
        """Returns the paths of both machines between two ranks, the first ones that have what messages need; None: the
        same for all ranks."""
        if not self.places and not self.source_places:
            return None
        tried = [(there, here) for there in self.of_target.tried(a, b) for here in self.of_source.tried(a, b)]
        return next((paths for paths in tried[:-1] if can_use(self, paths)), tried[-1])

    def target_path(self):
        if self.places and self.signature:
            return self.of_target.farthest()
        return self.signature.path(self.path)

    def source_path(self):
        if not self.source:
            return None
        if self.source_places:
            return self.of_source.farthest()
        target = self.target_path()
        return self.source.path(target and target.name)

    def target_limit(self):
        """Returns the target's eager limit; None: unknown."""
        if self.eager_limit is not None:
            return self.eager_limit
        path = self.signature and self.target_path()
        return path.eager_limit if path else None

    def source_limit(self):
        if self.source_eager_limit is not None:
            return self.source_eager_limit
        path = self.signature and self.source and self.source_path()
        return path.eager_limit if path else None


# --- answers ---------------------------------------------------------------

def leave_account(builder, call, delays, account):
    """Adds the effect of a call's end to its rank's account (MODEL.md, section 8)."""
    if call in builder.gone:
        account["calls"] -= call.duration
        return
    graph, delta = builder.graph, ZERO
    carried = graph.carried[call.E]
    if call not in builder.met:
        delta = builder.own(call) + builder.noise.lost_in.get(call, ZERO)
        if call not in builder.touched and graph.waits_for_nobody(call.E):
            delta -= builder.off(call)
    own = everything = others = delays[call.S] + max(delta, -call.duration)
    account["calls"] += own - delays[call.S]
    put, brought = ZERO, []
    for u, delta, what, part, all_of_it in carried:
        value = delays[u] + delta
        without = (graph.without(u, delays) if all_of_it else delays[u]) + delta - part
        brought.append((what, value, without))
    for u, what, *edge in graph.arrived[call.E]:
        brought.append((what, *graph.through(u, call.E, edge, delays)))
    for what, value, without in brought:
        everything, others = max(everything, value), max(others, without)
        put += value - without
        account[what] += value - without
    hidden = put - (everything - others)
    account["taken_over"] += others - own + max(ZERO, -hidden)
    account["hidden"] += max(ZERO, hidden)
    account["waiting"] += everything - delays[call.E]


def rank_accounts(builder, delays):
    """Returns each rank's account of its delay, exact."""
    accounts = []
    for calls in builder.trace.calls:
        account = defaultdict(Fraction)
        for before, call in zip(calls, calls[1:]):
            account["compute"] += delays[call.S] - delays[before.E]
        for call in calls[1:-1]:
            leave_account(builder, call, delays, account)
        account["left"] = delays[calls[-1].S]
        accounts.append(account)
    return accounts


def rank_delays(matching, settings, counts=None, carried=None, starts=None):
    """Returns [(traced run time, delay, account)] of every rank, exact, relative to the run without the tracer if its
    overhead is removed. COUNTS: receives the numbers of choices. CARRIED: receives the object that knows which sends
    are carried. STARTS: receives whether Win_starts wait."""
    trace = matching.trace
    settings.place(trace)
    if settings.absorb is None:
        settings.absorb = "clock" if trace.has_clocks() else "wait"
    if settings.absorb == "clock" and not trace.has_clocks():
        raise OracleError("--absorb=clock needs #clocks shared, or a #clock "
                          "line for every rank but 0")
    builder = Builder(matching, settings)
    if carried is not None:
        carried.append(builder.shown)
    if starts is not None:
        starts.append(builder.starts_wait)
    ends = rank_ends(builder, matching, counts)
    if not settings.removes_tracer() or not took_anything(trace):
        return [(traced, delay, account)
                for traced, (delay, account) in zip(traced_times(trace), ends)]
    limit = builder.source_limit
    base = rank_ends(Builder(
        matching, settings.tracer_alone(), (limit, limit), builder), matching)
    return [(traced + without, delay - without, less(account, part))
            for traced, (delay, account), (without, part)
            in zip(traced_times(trace), ends, base)]


def took_anything(trace):
    """Returns whether the tracer's overhead is in any interval."""
    return any(call.enter - before.leave != trace.interval(before, call)
               for calls in trace.calls for before, call in zip(calls, calls[1:]))


def traced_times(trace):
    return [calls[-1].enter - calls[0].leave for calls in trace.calls]


def rank_ends(builder, matching, counts=None):
    """Returns [(delay, account)] of every rank, relative to the trace."""
    choice = None
    if builder.settings.absorb != "none" and not builder.settings.deterministic:
        choice = Choice(builder, builder.whole)
    delays = builder.graph.evaluate(choice)
    if choice and choice.is_void:
        choice.clear()
        choice.redone = 1
        builder.noise.begin_again()
        delays = builder.graph.evaluate()
    if counts is not None and choice:
        counts.update(choice.counts())
    return [(delays[calls[-1].S], account) for calls, account
            in zip(builder.trace.calls, rank_accounts(builder, delays))]


def less(account, part):
    return defaultdict(Fraction, {key: account[key] - part[key]
                                  for key in [*account, *part]})


UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
SIZES = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def quantity(text, units):
    number, unit = re.fullmatch(r"([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\w*)",
                                text).groups()
    if unit not in units and Fraction(number) != 0:
        raise ValueError(f"'{unit}': unknown unit")
    return Fraction(number) * units.get(unit, 0)


def time_ns(text):
    return quantity(text, UNITS)


def size_or_unlimited(text):
    return int(quantity(text, SIZES))


def constant(text):
    kind, value = text.split(":", 1)
    if kind != "const":
        raise ValueError("only const: is known here")
    return time_ns(value)


def rank_set(text):
    ranks = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        ranks.update(range(int(first), int(last or first) + 1))
    return ranks


def constant_on_ranks(text):
    """Parses const:X or const:X@RANKS; returns a function of the rank."""
    value, at, ranks = text.partition("@")
    draw = constant(value)
    if not at:
        return lambda rank: draw
    chosen = rank_set(ranks)
    return lambda rank: draw if rank in chosen else ZERO


def read_call_noise(arguments):
    """Reads the options for noise of calls (kappa): constants, and the target's noise."""
    given = arguments["call_noise"]
    constants = [constant_on_ranks(one) for one in given if one != "signature"]
    arguments["call_noise_of_target"] = "signature" in given
    arguments["call_noise"] = lambda rank: sum((one(rank) for one in constants), ZERO)


@functools.cache
def argument_parser():
    parser = argparse.ArgumentParser(
        description="Reference delays of a perturbed trace.", allow_abbrev=False)
    parser.add_argument("--absorb", choices=["none", "wait", "clock"])
    parser.add_argument("--noise", type=constant_on_ranks)
    parser.add_argument("--call-noise", action="append", default=[])
    parser.add_argument("--call-edges", choices=["own", "paper"])
    parser.add_argument("--sync-reduce", action="store_true")
    parser.add_argument("--latency", type=constant)
    parser.add_argument("--byte", type=constant)
    parser.add_argument("--compute-ratio", action="append", default=[])
    parser.add_argument("--suppose", action="append", default=[])
    parser.add_argument("--carried", choices=["none", "shown"])
    parser.add_argument("--collectives", choices=["measured", "rounds", "expand"])
    parser.add_argument("--collective-table")
    parser.add_argument("--eager-limit", type=size_or_unlimited)
    parser.add_argument("--source-eager-limit", type=size_or_unlimited)
    parser.add_argument("--perturb", action="store_true")  # the question of this oracle
    parser.add_argument("--signature", type=read_signature)
    parser.add_argument("--source", type=read_signature)
    parser.add_argument("--path")
    parser.add_argument("--map")
    parser.add_argument("--source-map")
    parser.add_argument("--cosched", choices=["none", "node", "job"])
    parser.add_argument("--measurement", choices=["resample", "fixed"],
                        default="resample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first-replica", type=int, default=0)
    parser.add_argument("--keep-tracer", action="store_true")
    parser.add_argument("--noise-model", choices=["replay", "renewal", "fit", "ecdf"])
    for what in ("--latency-model", "--byte-model"):
        parser.add_argument(what, choices=["empirical", "fit"], default="empirical")
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--polling", choices=["wait", "work"], default="wait")
    parser.add_argument("--polling-interval", type=time_ns, default=Fraction(10000))
    parser.add_argument("--source-latency", type=time_ns)
    parser.add_argument("--source-byte", type=time_ns)
    parser.add_argument("trace", metavar="TRACE.txt")
    return parser


def parse_arguments(words):
    arguments = vars(argument_parser().parse_args(own(words)))
    arguments["carried"] = arguments["carried"] == "shown"  # with hypotheses, clocks that are measured, one thread a rank
    read_call_noise(arguments)
    del arguments["perturb"]
    return arguments.pop("trace"), Settings(**arguments)


def format_table(answers):
    lines = ["rank\ttraced_ns\tdelay_ns_median\tdelay_ns_p5\tdelay_ns_p95"]
    for rank, (traced, delay, _) in enumerate(answers):
        number = repr(float(delay))
        lines.append(f"{rank}\t{traced}\t{number}\t{number}\t{number}")
    return "\n".join(lines)


def main(words):
    path, settings = parse_arguments(words)
    try:
        with open(path, encoding="ascii") as file:
            trace = read_trace(file)
        print(format_table(rank_delays(Matching(trace), settings)))
    except (OracleError, OSError) as error:
        print(f"oracle.py: {path}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
