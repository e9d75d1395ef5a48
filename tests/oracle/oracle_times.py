# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference implementation of predict mode: how long a traced program takes on the target (docs/MODEL.md, section 5),
in one replica. Written only from that text, to check mpgsim --predict. Every node has a time, computed from the nodes
before it as the text says."""

import graphlib
import os
import sys
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from oracle_exact import Fraction  # noqa: E402
from oracle_traced_progress import Shown  # noqa: E402
from oracle_chosen import Chosen  # noqa: E402
from oracle_expand import Expansion, PredictedWires  # noqa: E402
from oracle_floors import CallFloors, limit_shown  # noqa: E402
from oracle_graph import rounds_and_bytes  # noqa: E402
from oracle_matching import (FROM_ROOT, MEETINGS, NONBLOCKING_COLLECTIVES,  # noqa: E402
                             NONBLOCKING_NEIGHBORS, PREFIXES)
from oracle_plans import expands  # noqa: E402
from oracle_starts import place_posts  # noqa: E402
from oracle_target import Target  # noqa: E402
from oracle_trace import OracleError  # noqa: E402
from oracle_intervals import found_nothing  # noqa: E402
from oracle_work import Work  # noqa: E402

ZERO = Fraction(0)
WAITS = {"Wait", "Waitall", "Waitany", "Waitsome"}
TESTS = {"Test", "Testall", "Testany", "Testsome"}
SENDS = {"Send", "Ssend", "Bsend", "Rsend"}
ONLY_START = set("""
    Isend Issend Ibsend Irsend Irecv Imrecv Isendrecv Isendrecv_replace Start Startall Pready Pready_range Pready_list
    Comm_idup Comm_idup_with_info Grequest_start Request_free Cancel Put Get Accumulate Get_accumulate Fetch_and_op
    Compare_and_swap Rput Rget Raccumulate Rget_accumulate""".split())
ONLY_START |= {*NONBLOCKING_COLLECTIVES, *NONBLOCKING_NEIGHBORS}


def makes_progress(call):
    """Returns whether the library makes progress with posted operations in this call, which does not send."""
    return not ("failed" in call.args or call.name in ONLY_START or call.name.endswith("_init")
                or call.name.startswith("File_"))


class Values:
    """Nodes, each with those before it and a function for its time."""

    def __init__(self):
        self.before = {}
        self.rule = {}

    def add(self, node, before, rule):
        self.before[node] = list(before)
        self.rule[node] = rule

    def evaluate(self):
        times = {}
        try:
            for node in graphlib.TopologicalSorter(self.before).static_order():
                times[node] = self.rule[node](times)
        except graphlib.CycleError as error:
            raise OracleError(f"deadlock: {error.args[1]}") from error
        return times


class Limits:
    """Which messages wait for their receiver, on the target and on the source."""

    def __init__(self, settings, target, matching):
        self.target, self.source = target.limit(), self.of_source(settings, target)
        if self.target is None and self.source is None and settings.hypotheses and matching.trace.has_clocks():
            self.target = limit_shown(matching, None)
        if self.target is None:
            self.target = self.source
        if self.source is None:
            self.source = self.target

    @staticmethod
    def of_source(settings, target):
        """Returns the source's own eager limit, as far as it is known."""
        if settings.source_eager_limit is not None:
            return settings.source_eager_limit
        if not settings.source or not settings.signature:
            return None
        path = target.path.chosen  # the map says nothing of the source
        path = settings.source.path(path and path.name)
        return path.eager_limit if path else None

    def synchronous(self, message):
        return message.is_synchronous(self.target)

    def was_synchronous(self, message):
        return message.is_synchronous(self.source)


class Times:
    """Builds the nodes of a matched trace, and computes their times in one replica."""

    def __init__(self, matching, settings):
        self.settings, self.trace = settings, matching.trace
        self.target = Target(settings, self.trace.ranks)
        self.limits = Limits(settings, self.target, matching)
        settings.scales = self.target.scales(settings.table, self.limits.target)
        self.work = Work(self.trace, settings)
        self.floors = CallFloors(self.trace)
        before, like = matching, None
        if settings.hypotheses.exchanges:
            matching = settings.hypotheses.insert(matching)
            self.trace = matching.trace
            self.work = Work(self.trace, settings)
        self.matching = matching
        self.starts_wait = place_posts(matching, settings)
        self.values = Values()
        self.ends = defaultdict(list)
        self.done, self.early, self.ruled = set(), {}, {}
        self.accounts = [defaultdict(Fraction) for _ in range(self.trace.ranks)]
        self.sort()
        if settings.carried and matching is not before:
            like = Shown(before, settings, self.limits.target, self.limits.source, place_posts(before, settings)).sends
        self.shown = settings.carried and Shown(matching, settings, self.limits.target, self.limits.source, self.starts_wait,
                                                like)
        self.carried = self.shown and self.shown.sends
        for message in matching.messages:
            self.add_message(message)
        for key, group in matching.groups:
            self.add_collective(key, group)
        if self.carried:
            self.add_carried(self.carried)
        self.add_threads()

    def sort(self):
        """Determines for every call its messages, and whether it waited on the source."""
        self.sent, self.received = defaultdict(list), defaultdict(list)
        self.probed = defaultdict(list)
        self.roots = defaultdict(list)
        self.meets, self.was_waiting = set(), set()
        for message in self.matching.messages:
            send = message.send
            self.sent[send.call].append(message)
            self.received[message.receive.completed_by].append(message)
            for probe in message.receive.probes:
                self.probed[probe].append(message)
            if send.blocking and self.limits.was_synchronous(message):
                self.was_waiting.add(send.call)
        for messages in self.sent.values():
            messages.sort(key=lambda message: message.send.index)

    # Ranks

    def add_threads(self):
        intervals = defaultdict(list)
        for interval in self.work.intervals:
            intervals[interval.call].append(interval)
        for calls in self.trace.calls:
            self.values.add(calls[0].E, [], lambda times: ZERO)
        for call, some in intervals.items():
            self.add_intervals(call, some)
        for calls in self.trace.threads():
            last = None
            for call in calls:
                for message in self.sent[call]:
                    self.add_departure(message, last)
                    last = message
                if call.S in self.values.rule and call.name != "Finalize":
                    self.add_end(call)

    def covered(self, interval):
        if interval.node != interval.before.E or not (
                interval.follows or interval.call.name == "Finalize"):
            return 0.0
        before = interval.before
        return sum(2 * self.target.typical(message)
                   for message in self.received[before] + self.probed[before])

    def add_intervals(self, call, intervals):
        """Adds intervals. Of several that end at one call, MPI_Finalize, the last one counts."""
        def rule(times):
            ends = [times[one.node] + self.compute(one, times[one.node])
                    for one in intervals]
            if call.name == "Finalize":
                self.accounts[call.rank]["threads"] = max(ends) - next(
                    end for end, one in zip(ends, intervals) if one.is_main)
            return max(ends)

        self.values.add(call.S, [one.node for one in intervals], rule)

    def compute(self, interval, begin):
        took = self.work.time(interval, begin, self.covered(interval))
        account = self.accounts[interval.rank]
        if interval.polls(self.settings) and interval.call.name != "Win_sync":
            account["polled"] += interval.length
        elif interval.is_main:
            work = self.work.on_target(interval, interval.recorded())
            account["compute"] += work
            account["noise"] += took - work
        return took

    def add_end(self, call):
        own = self.own_rule(call)
        edges = [self.bring(message, call) for message in self.received[call]]
        edges += self.ends[call]
        before = [call.S, *(node for nodes, *_ in edges for node in nodes)]

        def rule(times):
            values = [brought(times) for _, brought, _ in edges]
            start = times[call.S]
            first = start if call in self.meets else own(times)
            end = max(values) if call in self.meets else max([first, *values])
            if call.thread == self.trace.calls[call.rank][0].thread:
                account = self.accounts[call.rank]
                self.ruled[call] = end
                account["calls"] += first - start
                if end != first:
                    account[edges[values.index(end)][2]] += end - first
            return end

        self.values.add(call.E, before, rule)

    # Messages

    def add_departure(self, message, last):
        """Adds the departure of a message: not before its call, nor too soon after the previous departure."""
        start, leaves = message.send.call.S, left(message)
        if last is None:
            self.values.add(leaves, [start], lambda times: times[start])
            return
        before, gap = left(last), self.target.gap(last)
        self.values.add(leaves, [start, before], lambda times:
                        max(times[start], times[before] + gap))

    def add_message(self, message):
        latency, transfer = self.target.message(message)
        leaves, post = left(message), self.seen_to(message).S
        if not self.limits.synchronous(message):
            self.values.add(message.A, [leaves], lambda times:
                            times[leaves] + max(ZERO, latency + transfer))
        else:
            self.add_rendezvous(message, latency, transfer, post)
        self.values.add(message.V, [message.A], lambda times: times[message.A])
        for probe in message.receive.probes:
            self.add_probe(message, probe, latency)

    def seen_to(self, message):
        """Returns the first call of the receiver, from the one that posts the receive on, in which the library makes
        progress; where messages progress during computation, this one."""
        post = message.receive.call
        calls = self.trace.calls[post.rank]
        if self.settings.without == "progress" or sum(rank == post.rank for rank, _ in self.trace.first) > 1:
            return post
        if self.settings.without != "overlap" and self.target.overlaps(message):
            return post
        return next(call for call in calls if call.order >= post.order
                    and (self.waits_to_send(call) if call.name in SENDS else makes_progress(call)))

    def waits_to_send(self, call):
        """Returns whether the call waits, or may wait, for its receiver."""
        limit = self.carried and self.carried.limits[True]
        return "failed" not in call.args and any(
            self.limits.synchronous(message)
            or (self.carried and limit is not None and message in self.carried.messages and message.bytes > limit)
            for message in self.sent[call])

    def add_rendezvous(self, message, latency, transfer, post):
        leaves, met = left(message), ("H", *message.key)
        self.values.add(met, [leaves, post], lambda times:
                        max(times[leaves] + latency, times[post]))
        self.values.add(message.A, [met], lambda times: times[met] + transfer)
        end = message.send.completed_by
        if end:
            self.add_sender_done(message, end, met, latency)

    def add_sender_done(self, message, end, met, latency):
        waiting = self.target.waiting(message)
        if self.settings.latency is not None:
            back = self.target.way_back(message)
            self.awaits(end, [message.A], lambda times: times[message.A] + back, "messages")
        elif self.limits.target is None or message.bytes <= self.limits.target:
            back = self.target.way_back(message)
            self.awaits(end, [met], lambda times: times[met] + back, "messages")
        elif waiting is None:
            self.awaits(end, [message.A], lambda times: times[message.A], "messages")
        else:
            self.awaits(end, [met], lambda times:
                        times[met] + max(ZERO, waiting - latency), "messages")

    def add_carried(self, carried):
        for message, call in carried.edges(self.limits.was_synchronous):
            self.awaits(message.send.completed_by, [call.S], lambda times, call=call: times[call.S], "messages")
        for end, call in self.shown.calls:
            self.awaits(end, [call.S], lambda times, call=call: times[call.S], "messages")

    def awaits(self, end, nodes, rule, what):
        """WHAT: the line of the account for this wait."""
        self.ends[end].append((nodes, rule, what))

    def add_probe(self, message, probe, latency):
        kappa, leaves = self.settings.kappa(probe), left(message)
        if self.limits.synchronous(message):
            self.awaits(probe, [leaves], lambda times:
                        times[leaves] + latency + max(ZERO, kappa), "messages")
        else:
            self.awaits(probe, [message.V], lambda times:
                        times[message.V] + max(ZERO, kappa), "messages")

    def in_order(self, call, times):
        """Returns the messages that a call receives, in the order of arrival."""
        messages = [message for message in self.received[call]
                    if message.V not in self.done]
        messages.sort(key=lambda message: message.receive.place)
        messages += self.early.get(call, [])
        return sorted(messages, key=lambda message: times[message.V])

    def receive_overheads(self, call, times):
        """Returns [(message, o_r or None)] in the order of arrival."""
        seen, overheads = set(), []
        for message in self.in_order(call, times):
            sender = message.send.call.rank
            overheads.append((message, self.target.receives(message, sender in seen)))
            seen.add(sender)
        return overheads

    def bring(self, message, call):
        """Adds what a message brings to the end of the call that receives it."""
        kappa = self.settings.kappa(call)

        def rule(times):
            if message.V in self.done:
                return times[call.S]
            overheads = self.receive_overheads(call, times)
            place = [one for one, _ in overheads].index(message)
            behind = sum(one or ZERO for _, one in overheads[place + 1:])
            return times[message.V] + max(ZERO, behind + kappa)

        return [one.V for one in self.received[call]], rule, "messages"

    # What calls cost

    def own_rule(self, call):
        kappa = self.settings.kappa(call)
        return lambda times: times[call.S] + max(ZERO, kappa + self.cost(call, times))

    def send_overheads(self, call):
        overheads = []
        for message in self.sent[call]:
            synchronous = self.limits.synchronous(message)
            if not (synchronous and message.send.blocking):
                overheads.append(self.target.sends(message, not synchronous))
        return overheads

    def cost(self, call, times):
        if call.is_local():
            return call.duration - call.off
        costs = self.send_overheads(call)
        costs += [one for _, one in self.receive_overheads(call, times)]
        costs.append(self.root_cost(call))
        if call in self.matching.transfers:
            costs.append(self.target.round_trip(call, self.matching.transfers[call]))
        costs = [one for one in costs if one is not None]
        return sum(costs) if costs else self.other_cost(call)

    def root_cost(self, call):
        """Returns the cost of what the call sends for collectives, or None."""
        parts = [(part, m) for part, m in self.roots[call] if m > 0]
        if not parts:
            return None
        one = self.target.root(call, max(own_part(part) for part, _ in parts))
        return None if one is None else sum(m for _, m in parts) * one

    def other_cost(self, call):
        """Returns the cost of a call that takes part in no message."""
        if self.ends[call] or self.received[call] or call.exchange:
            return ZERO
        took, rho = call.duration - call.off, self.settings.compute_ratio
        if self.settings.polling == "wait" and found_nothing(call):
            return ZERO
        if (call.name in WAITS or (call.name in TESTS and not found_nothing(call))
                or call in self.was_waiting):
            took = min(took, self.floors.floor(call))
        return rho * took

    # Collectives

    def add_collective(self, key, group):
        name, node = group[0].name, ("G",) + key
        if expands(self.settings, group):
            self.add_expanded(node, group)
        elif name in MEETINGS:
            self.add_meeting(node, group, len(group))
            for part in group:
                self.add_met(node, part)
        elif name in PREFIXES:
            for j, part in enumerate(group):
                self.add_meeting(node + (j,), group, j + 1)
                self.add_met(node + (j,), part)
        elif name in FROM_ROOT:
            self.add_from_root(group)
        else:
            self.add_to_root(group)

    def add_meeting(self, node, group, count):
        entries = [(part.call.S, self.took(group, j))
                   for j, part in enumerate(group[:count])]
        self.values.add(node, [start for start, _ in entries], lambda times:
                        max(times[start] + took for start, took in entries))

    def add_met(self, node, part):
        end = part.completed_by
        kappa = ZERO if part.blocking else max(ZERO, self.settings.kappa(end))
        self.awaits(end, [node], lambda times: times[node] + kappa, "collectives")
        if part.blocking:
            self.meets.add(end)

    def add_expanded(self, node, group):
        """Adds every member's end, when those have arrived on whom it depends."""
        expansion = Expansion(self.settings.table, group, self.carried, self.shown and self.shown.moved)
        wires = PredictedWires(self.target, self.limits.target,
                               self.settings.latency is not None,
                               self.settings.scales.of(group)[0] if self.settings.scales else 1)
        for j, (part, needs) in enumerate(zip(group, expansion.needs(wires))):
            def rule(times, j=j):
                enters = [times.get(one.call.S, ZERO) for one in group]
                return expansion.leaves(enters, wires)[j][0]

            end = part.completed_by
            kappa = ZERO if part.blocking else max(ZERO, self.settings.kappa(end))
            self.values.add(node + (j,), [group[i].call.S for i in needs], rule)
            self.awaits(end, [node + (j,)], lambda times, j=j, kappa=kappa:
                        times[node + (j,)] + kappa, "collectives")
            if part.blocking:
                self.meets.add(end)

    def add_from_root(self, group):
        p, root = len(group), group[group[0].terms.number("root")]
        m = (p - 1).bit_length() if root.name == "Bcast" else p - 1
        self.roots[root.call].append((root, m))
        for j, part in enumerate(group):
            if part is not root:
                end = part.completed_by
                took = max(ZERO, self.took(group, j) + self.settings.kappa(end))
                self.awaits(end, [root.call.S], lambda times, took=took:
                            times[root.call.S] + took, "collectives")

    def add_to_root(self, group):
        root = group[group[0].terms.number("root")]
        for j, part in enumerate(group):
            if part is not root:
                self.roots[part.call].append((part, 1))
                took = self.took(group, j)
                self.awaits(root.completed_by, [part.call.S],
                            lambda times, start=part.call.S, took=took:
                            times[start] + took, "collectives")
                if self.settings.sync_reduce:
                    node = root.call.E if part.blocking else root.call.S
                    self.awaits(part.completed_by, [node], lambda times, node=node:
                                times[node], "collectives")

    def took(self, group, j):
        """Returns l_j."""
        n, size_bytes = rounds_and_bytes(group, j)
        kappas = self.target.kappas(group[j], n)
        measured = self.target.measured(group, j)
        took = self.target.rounds(group[j], n, size_bytes) if measured is None else measured
        return max(ZERO, took + kappas)

    # Answers

    def run_times(self, choice=None):
        """Returns [(run time, account)] of every rank."""
        times = choice.evaluate() if choice else self.values.evaluate()
        for call, end in self.ruled.items():  # what is chosen otherwise is waited for
            self.accounts[call.rank]["messages"] += times[call.E] - end
        return [(times[calls[-1].S], account)
                for calls, account in zip(self.trace.calls, self.accounts)]


def own_part(part):
    """Returns the bytes of a collective that are the rank's own; of a list, the root's."""
    sizes = part.terms.numbers("bytes")
    return sizes[part.terms.number("root")] if len(sizes) > 1 else sizes[0]


def left(message):
    """Returns the node of the message's departure."""
    return ("I", *message.key)


def predicted(matching, settings, counts=None, carried=None, starts=None):
    """Returns [(run time, account)] of every rank in the settings' replica. COUNTS: receives the numbers of choices.
    CARRIED: receives the object that knows which sends are carried. STARTS: receives whether Win_starts wait."""
    times = Times(matching, settings)
    if carried is not None:
        carried.append(times.shown)
    if starts is not None:
        starts.append(times.starts_wait)
    if settings.deterministic:
        return times.run_times()
    choice = Chosen(times)
    runs = times.run_times(choice)
    if choice.is_void:
        runs = Times(matching, settings).run_times()
        choice.clear()
        choice.redone = 1
    if counts is not None:
        counts.update(choice.counts())
    return runs
