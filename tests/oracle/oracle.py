#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference implementation of the perturbed message-passing graph.

Written from docs/MODEL.md sections 1, 3 and 4 alone, to check mpgsim against.
It loads a whole text trace ("#mpgtext 1"), builds every node and edge
explicitly and evaluates

    D(v) = max over in-edges u -> v ( D(u) + delta - slack )

in exact rational arithmetic.  Perturbations are constants.  Slow and plain on
purpose: clarity is what makes it worth comparing with.
"""

import argparse
import graphlib
import math
import os
import re
import sys
from collections import defaultdict
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from oracle_trace import (  # noqa: E402
    COMPLETIONS, FROM_ROOT, MEETINGS, PREFIXES, TO_ROOT, Matching, OracleError,
    read_trace)

ZERO = Fraction(0)


# --- perturbations ---------------------------------------------------------

class Settings:
    """What is perturbed by how much, and how much slack is believed."""

    def __init__(self, absorb=None, noise=None, call_noise=None, latency=ZERO,
                 byte=ZERO, compute_ratio=Fraction(1), eager_limit=None,
                 source_latency=None, source_byte=None):
        self.absorb = absorb
        self.noise = noise or (lambda rank: ZERO)
        self.call_noise = call_noise or (lambda rank: ZERO)
        self.latency = latency
        self.byte = byte
        self.compute_ratio = compute_ratio
        self.eager_limit = eager_limit
        self.source_latency = source_latency
        self.source_byte = source_byte

    def kappa(self, call):
        return self.call_noise(call.rank)


def size_class(size_bytes):
    """floor(log2(bytes + 1))"""
    return (int(size_bytes) + 1).bit_length() - 1


class CallFloors:
    """The least duration seen for (call name, size class), over all ranks."""

    def __init__(self, trace):
        self.least = {}
        for calls in trace.calls:
            for call in calls:
                key = self.key(call)
                self.least[key] = min(call.duration,
                                      self.least.get(key, call.duration))

    @staticmethod
    def key(call):
        if call.name in COMPLETIONS:
            return call.name, 0
        return call.name, size_class(call.own_bytes())

    def slack(self, call):
        return call.duration - self.least[self.key(call)]


class MessageFloors:
    """l(d): the least time of a message of d bytes on the traced machine.

    Slack needs it under clock only; a message that becomes faster needs it
    wherever clocks are comparable, to arrive no earlier than it left.
    """

    def __init__(self, matching, call_floors, settings):
        self.trace = matching.trace
        self.latency = settings.source_latency
        self.byte = settings.source_byte
        self.stated = self.latency is not None or self.byte is not None
        self.least = {}
        if self.trace.has_clocks() and not self.stated:
            for message in matching.messages:
                if call_floors.slack(message.receive.completed_by) > 0:
                    self.observe(message)

    def observe(self, message):
        send, end = message.send.call, message.receive.completed_by
        flight = max(ZERO, self.trace.aligned(end.rank, end.leave)
                     - self.trace.aligned(send.rank, send.enter))
        key = self.trace.host_pair(send, end), size_class(message.bytes)
        self.least[key] = min(flight, self.least.get(key, flight))

    def __call__(self, size_bytes, sender, receiver):
        """l(size_bytes) between the hosts of two calls."""
        if self.stated:
            return (self.latency or ZERO) + size_bytes * (self.byte or ZERO)
        pair = self.trace.host_pair(sender, receiver)
        for smaller in range(size_class(size_bytes), -1, -1):
            if (pair, smaller) in self.least:
                return self.least[pair, smaller]
        return ZERO


# --- the graph -------------------------------------------------------------

class Graph:
    """Nodes with in-edges (u, delta, slack) and bounds D(v) >= D(u) - gap."""

    def __init__(self):
        self.edges = defaultdict(list)
        self.bounds = defaultdict(list)
        self.sources = set()
        self.carried = defaultdict(list)

    def edge(self, u, v, delta, slack=ZERO):
        self.edges[v].append((u, delta, max(ZERO, slack)))

    def carry(self, u, v, delta, what, put=ZERO, all_of_it=False):
        """An edge into a call's end that brings a message or a collective.

        what: which of the account's lines it belongs to.  put: the part of
        delta that was put into it; all_of_it: and into the node u.
        """
        self.carried[v].append((u, delta, what, put, all_of_it))

    def bound(self, u, v, gap):
        self.bounds[v].append((u, gap))

    def evaluate(self):
        """D of every node, in topological order."""
        order = graphlib.TopologicalSorter(
            {v: [u for u, *_ in self.edges[v] + self.bounds[v]]
             for v in list(self.edges)})
        delays = {v: ZERO for v in self.sources}
        try:
            for v in order.static_order():
                if v not in delays:
                    delays[v] = self.delay(v, delays)
        except graphlib.CycleError as error:
            raise OracleError(f"deadlock: {error.args[1]}") from error
        return delays

    def without(self, v, delays):
        """D of an arrival or a meeting with nothing put into itself."""
        least = min(slack for _, _, slack in self.edges[v])
        return max(delays[u] - (slack - least) for u, _, slack in self.edges[v])

    def delay(self, v, delays):
        least = min(slack for _, _, slack in self.edges[v])
        arrivals = [delays[u] + delta - (slack - least)
                    for u, delta, slack in self.edges[v]]
        return max(arrivals + [delays[u] - gap for u, gap in self.bounds[v]])


class Builder:
    """Turns a matched trace into the graph of docs/MODEL.md section 4."""

    def __init__(self, matching, settings):
        self.trace = matching.trace
        self.settings = settings
        self.clock = settings.absorb == "clock"
        self.graph = Graph()
        self.call_floors = CallFloors(self.trace)
        self.floor = MessageFloors(matching, self.call_floors, settings)
        self.waits = self.calls_that_wait(matching)
        for calls in self.trace.calls:
            self.add_rank(calls)
        for message in matching.messages:
            self.add_message(message)
        for key, group in matching.groups:
            self.add_collective(key, group)

    def enter(self, call):
        return self.trace.aligned(call.rank, call.enter)

    def leave(self, call):
        return self.trace.aligned(call.rank, call.leave)

    def calls_that_wait(self, matching):
        """Calls with another edge into their end than the local one."""
        waits = set()
        for message in matching.messages:
            waits.add(message.receive.completed_by)
            waits.update(message.receive.probes)
            if (message.is_synchronous(self.settings.eager_limit)
                    and message.send.completed_by):
                waits.add(message.send.completed_by)
        for _, group in matching.groups:
            waits.update(part.completed_by for part in group)
        return waits

    def add_rank(self, calls):
        self.graph.sources.add(calls[0].E)
        for before, call in zip(calls, calls[1:]):
            self.add_compute(before, call)
        for call in calls[1:-1]:
            self.graph.bound(call.S, call.E, call.duration)
            if call.name not in MEETINGS | PREFIXES:
                self.add_local(call)

    def add_compute(self, before, call):
        tracer = math.floor(self.trace.overheads[call.rank] + Fraction(1, 2))
        interval = max(0, call.enter - before.leave - tracer)
        delta = (self.settings.noise(call.rank)
                 + (self.settings.compute_ratio - 1) * interval)
        self.graph.edge(before.E, call.S, delta)
        self.graph.bound(before.E, call.S, interval)

    def add_local(self, call):
        slack = ZERO
        if self.settings.absorb != "none" and call in self.waits:
            slack = self.call_floors.slack(call)
        self.graph.edge(call.S, call.E, self.settings.kappa(call), slack)

    def clock_slack(self, slack):
        return slack if self.clock else ZERO

    # Messages

    def add_message(self, message):
        synchronous = message.is_synchronous(self.settings.eager_limit)
        send, post = message.send.call, message.receive.call
        begin = self.enter(send)
        if synchronous and self.clock:
            begin = max(begin, self.enter(post))
        arrival = begin + self.floor(message.bytes, send, post)
        transfer = message.bytes * self.settings.byte
        self.graph.edge(send.S, message.A, self.settings.latency + transfer,
                        self.clock_slack(begin - self.enter(send)))
        if synchronous:
            self.graph.edge(post.S, message.A, transfer,
                            self.clock_slack(begin - self.enter(post)))
            self.add_acknowledgement(message, arrival)
        self.graph.bound(send.S, message.A, arrival - self.enter(send))
        self.add_completion(message, arrival,
                            synchronous or not message.receive.probes)
        for n, probe in enumerate(message.receive.probes):
            self.add_probe(message, probe, arrival, synchronous, n == 0)

    def add_probe(self, message, probe, arrival, synchronous, first):
        """The whole of an eager message, of a synchronous one its envelope."""
        kappa, send = self.settings.kappa(probe), message.send.call
        if not synchronous:
            self.graph.carry(message.A, probe.E, kappa, "messages", all_of_it=first)
            self.graph.edge(message.A, probe.E, kappa,
                            self.clock_slack(self.leave(probe) - arrival))
            return
        floor = self.floor(0, send, probe)
        slack = self.leave(probe) - self.enter(send) - floor
        self.graph.edge(send.S, probe.E, self.settings.latency + kappa,
                        self.clock_slack(slack))
        self.graph.carry(send.S, probe.E, self.settings.latency + kappa, "messages")

    def add_completion(self, message, arrival, is_first):
        end = message.receive.completed_by
        self.graph.carry(message.A, end.E, self.settings.kappa(end), "messages",
                         all_of_it=is_first)
        self.graph.edge(message.A, end.E, self.settings.kappa(end),
                        self.clock_slack(self.leave(end) - arrival))

    def add_acknowledgement(self, message, arrival):
        end = message.send.completed_by
        if end:
            floor = self.floor(0, message.receive.call, end)
            slack = self.leave(end) - arrival - floor
            self.graph.edge(message.A, end.E, self.settings.latency,
                            self.clock_slack(slack))
            self.graph.carry(message.A, end.E, self.settings.latency, "messages",
                             put=self.settings.latency)

    # Collectives

    def add_collective(self, key, group):
        name = group[0].name
        if name in MEETINGS:
            self.add_meeting(("G",) + key, group, len(group))
            for j in range(len(group)):
                self.add_met(("G",) + key, group, j, len(group))
        elif name in PREFIXES:
            for j in range(len(group)):
                self.add_meeting(("G",) + key + (j,), group, j + 1)
                self.add_met(("G",) + key + (j,), group, j, j + 1)
        elif name in FROM_ROOT:
            self.add_from_root(group)
        else:
            self.add_to_root(group)

    def add_meeting(self, node, group, count):
        """node: where the first count members of group meet."""
        members = group[:count]
        latest = max(self.enter(part.call) for part in members)
        shortest = min(part.call.duration for part in members)
        for j, part in enumerate(members):
            stay = part.call.duration - shortest if part.blocking else ZERO
            slack = {"none": ZERO, "wait": stay,
                     "clock": latest - self.enter(part.call)}[self.settings.absorb]
            self.graph.edge(part.call.S, node, self.cost(group, j), slack)

    def add_met(self, node, group, j, count):
        """From the node where member j has met count members to its end."""
        part = group[j]
        end = part.completed_by
        kappa = ZERO if part.blocking else self.settings.kappa(end)
        self.graph.carry(node, end.E, kappa, "collectives", all_of_it=True)
        if part.blocking:
            self.graph.edge(node, end.E, ZERO)
            return
        last = max((other.call for other in group[:count]), key=self.enter)
        n, size_bytes = rounds_and_bytes(group, j)
        floor = n * self.floor(Fraction(size_bytes, n), last, end) if n else ZERO
        slack = self.leave(end) - self.enter(last) - floor
        self.graph.edge(node, end.E, self.settings.kappa(end), self.clock_slack(slack))

    def add_from_root(self, group):
        root = group[group[0].terms.number("root")]
        for j, part in enumerate(group):
            if part is not root:
                end = part.completed_by
                n, size_bytes = rounds_and_bytes(group, j)
                floor = n * self.floor(size_bytes // n, root.call, end)
                slack = self.leave(end) - self.enter(root.call) - floor
                delta = self.cost(group, j) + self.settings.kappa(end)
                self.graph.edge(root.call.S, end.E, delta, self.clock_slack(slack))
                self.graph.carry(root.call.S, end.E, delta, "collectives",
                                 put=self.cost(group, j))

    def add_to_root(self, group):
        root = group[group[0].terms.number("root")]
        end = root.completed_by
        for j, part in enumerate(group):
            if part is not root:
                floor = self.floor(part.terms.own_bytes(), part.call, end)
                slack = self.leave(end) - self.enter(part.call) - floor
                self.graph.edge(part.call.S, end.E, self.cost(group, j),
                                self.clock_slack(slack))
                self.graph.carry(part.call.S, end.E, self.cost(group, j), "collectives",
                                 put=self.cost(group, j))

    def cost(self, group, j):
        """l_j of the table of collectives."""
        n, size_bytes = rounds_and_bytes(group, j)
        per_round = self.settings.latency + self.settings.kappa(group[j].call)
        return n * per_round + size_bytes * self.settings.byte


def rounds_and_bytes(group, j):
    """n and b for member j of a collective."""
    part, p = group[j], len(group)
    own = part.terms.own_bytes()
    rounds = (p - 1).bit_length()
    if p == 1:
        return 0, 0
    if part.name == "Barrier":
        return rounds, 0
    if part.name in PREFIXES | {"Bcast", "Allreduce"}:
        return rounds, rounds * own
    if part.name in TO_ROOT | {"Scatter", "Scatterv"}:
        return 1, own
    if part.name == "Allgather":
        return rounds, (p - 1) * own
    if part.name == "Allgatherv":
        return rounds, sum(other.terms.own_bytes() for other in group) - own
    if part.name == "Alltoall":
        return p - 1, (p - 1) * own
    if part.name in ("Alltoallv", "Alltoallw"):
        return p - 1, own - part.terms.numbers("bytes")[j]
    return rounds, Fraction(own * (p - 1), p)


# --- answers ---------------------------------------------------------------

def leave_account(builder, call, delays, account):
    """Adds what one call's end does to its rank's account (MODEL.md, 8)."""
    graph, kappa = builder.graph, builder.settings.kappa(call)
    carried = graph.carried[call.E]
    if call.name in MEETINGS | PREFIXES:
        kappa = ZERO
    own = everything = others = delays[call.S] + max(kappa, -call.duration)
    account["calls"] += own - delays[call.S]
    put = ZERO
    for u, delta, what, part, all_of_it in carried:
        value = delays[u] + delta
        without = (graph.without(u, delays) if all_of_it else delays[u]) + delta - part
        everything, others = max(everything, value), max(others, without)
        put += value - without
        account[what] += value - without
    hidden = put - (everything - others)
    account["taken_over"] += others - own + max(ZERO, -hidden)
    account["hidden"] += max(ZERO, hidden)
    account["waiting"] += everything - delays[call.E]


def rank_accounts(builder, delays):
    """How every rank's delay came about, exact."""
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


def rank_delays(matching, settings):
    """[(traced run time, delay, account)] of every rank, exact."""
    trace = matching.trace
    if settings.absorb is None:
        settings.absorb = "clock" if trace.has_clocks() else "wait"
    if settings.absorb == "clock" and not trace.has_clocks():
        raise OracleError("--absorb=clock needs #clocks shared, or a #clock "
                          "line for every rank but 0")
    builder = Builder(matching, settings)
    delays = builder.graph.evaluate()
    return [(calls[-1].enter - calls[0].leave, delays[calls[-1].S], account)
            for calls, account in zip(trace.calls, rank_accounts(builder, delays))]


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
    """const:X or const:X@RANKS, as a function of the rank."""
    value, at, ranks = text.partition("@")
    draw = constant(value)
    if not at:
        return lambda rank: draw
    chosen = rank_set(ranks)
    return lambda rank: draw if rank in chosen else ZERO


def parse_arguments(words):
    parser = argparse.ArgumentParser(
        description="Reference delays of a perturbed trace.", allow_abbrev=False)
    parser.add_argument("--absorb", choices=["none", "wait", "clock"])
    parser.add_argument("--noise", type=constant_on_ranks)
    parser.add_argument("--call-noise", type=constant_on_ranks)
    parser.add_argument("--latency", type=constant, default=ZERO)
    parser.add_argument("--byte", type=constant, default=ZERO)
    parser.add_argument("--compute-ratio", type=Fraction, default=Fraction(1))
    parser.add_argument("--eager-limit", type=size_or_unlimited)
    parser.add_argument("--source-latency", type=time_ns)
    parser.add_argument("--source-byte", type=time_ns)
    parser.add_argument("trace", metavar="TRACE.txt")
    arguments = vars(parser.parse_args(words))
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
