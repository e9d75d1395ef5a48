# SPDX-License-Identifier: GPL-3.0-or-later
"""The oracle's graph: its nodes and in-edges, and how calls and collectives become these (docs/MODEL.md, section 4).
Messages are in oracle_messages.py."""

import graphlib
from collections import defaultdict

from oracle_costs import Costs
from oracle_dropped import Dropped
from oracle_exact import Fraction
from oracle_resized import Resized
from oracle_traced_progress import Shown
from oracle_expand import Expansion, PerturbedWires
from oracle_floors import CallFloors, MessageFloors, eager_limits
from oracle_matching import (CONSTRUCTORS, FROM_ROOT, MEETINGS, PREFIXES, TO_ROOT,
                             WINDOW_MEETINGS)
from oracle_messages import Brought, Messages
from oracle_noise import Noise
from oracle_plans import expands, expands_rest
from oracle_scales import Scales
from oracle_starts import place_posts
from oracle_trace import OracleError

ZERO, ROUNDING = Fraction(0), Fraction(1, 1000)


class Graph:
    """Nodes with in-edges (u, delta, slack, least, after) and bounds D(v) >= D(u) - gap. slack: None if there is none
    and none may be subtracted. delta may be a function of D(u). least: what arrives through the edge, before AFTER is
    added, is at least this plus the D(u) without the perturbation of u itself; None: no such bound. late: noise of
    calls on edges into nodes that need it. off: time off the CPU of the call that ends in a node, if that is
    removed."""

    def __init__(self):
        self.edges = defaultdict(list)
        self.bounds = defaultdict(list)
        self.late, self.off = defaultdict(Fraction), defaultdict(Fraction)
        self.sources = set()
        self.whole = set()
        self.lost = defaultdict(list)
        self.absolute = {}
        self.expanded = {}
        self.carried = defaultdict(list)
        self.arrived = defaultdict(list)
        self.exchanged, self.seen, self.starts, self.ends, self.waited = {}, {}, {}, {}, {}

    def edge(self, u, v, delta, slack=ZERO, least=None, after=ZERO):
        self.edges[v].append((u, delta, max(ZERO, slack), least, after))

    def edge_without_slack(self, u, v, delta):
        self.edges[v].append((u, delta, None, None, ZERO))

    def carry(self, u, v, delta, what, put=ZERO, all_of_it=False):
        """Notes an edge into a call's end that brings a message or a collective. WHAT: its line of the account. PUT:
        the part of delta that was added there; ALL_OF_IT: also what was added to node u."""
        self.carried[v].append((u, delta, what, put, all_of_it))

    def carry_arrival(self, message, v, delta, what, slack, least, after, brought,
                      node=None):
        """Adds an edge from an arrival, with its bound and its line of the account."""
        node = node or message.A
        self.edge(node, v, delta, slack, least, after)
        self.arrived[v].append((node, what, delta, max(ZERO, slack), least, after,
                                brought))

    def through(self, u, v, edge, delays):
        """Returns (what an arrival brings to v before slack, the same without its own perturbation)."""
        delta, slack, least, after, brought = edge
        there, without, start = self.seen.get((u, v)) or self.sight(u, delays)
        low = self.lowest(v, least, without, start) + self.left_slack(v, slack)
        value = max(there + delta, low) + after
        if brought is Brought.AGAIN:
            return value, value
        if brought is Brought.BACK:
            return value, max(there, low) + after
        return value, without + after

    def bound(self, u, v, gap):
        self.bounds[v].append((u, gap))

    def sight(self, u, delays):
        """Returns an arrival as it is now: its D, D without its own perturbation, and when it could start, if it took
        another message's request."""
        return delays[u], self.without(u, delays), self.starts.get(u)

    def lowest(self, v, least, without, start):
        """Returns the least that an arrival brings to v, after slack."""
        return without + least if start is None else start - self.ends[v]

    def evaluate(self, choice=None):
        """Computes D of every node, in topological order."""
        self.exchanged, self.seen, self.starts = {}, {}, {}
        if choice:
            return choice.evaluate()
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

    def least_slack(self, v):
        """Returns what is subtracted from the slack of all of v's in-edges."""
        if v in self.whole:
            return ZERO
        return min([slack for u, _, slack, *_ in self.edges[v]
                    if slack is not None and not self.is_local_of_wait(u, v)] + self.lost[v])

    def waits_for_nobody(self, v):
        return len(self.edges[v]) + len(self.lost[v]) == 1

    def is_local_of_wait(self, u, v):
        """Returns whether the edge goes from the begin of a call that waited for others to its end."""
        return v in self.waited and self.waited[v] == u

    def left_slack(self, v, slack, u=None):
        """Returns the slack of edge u -> v that remains. In a call that waited, all edges except the one with the least
        slack lose half."""
        least = self.least_slack(v)
        taken = least if v in self.whole or self.waits_for_nobody(v) else max(ZERO, least - self.off[v])
        if self.is_local_of_wait(u, v):
            return slack
        return slack - (taken / 2 if v in self.waited and slack > least + ROUNDING else taken)

    def without(self, v, delays):
        """Returns D of an arrival or a meeting without its own perturbation."""
        if v in self.exchanged:
            return self.exchanged[v]
        if v[0] == "V":
            return self.without(("A", *v[1:]), delays)
        if v in self.expanded:
            return self.expanded[v](delays, False)
        if v in self.absolute:
            return delays[self.absolute[v]]
        return max(delays[u] + self.late[u, v] - self.left_slack(v, slack, u)
                   for u, _, slack, *_ in self.edges[v])

    def delay(self, v, delays):
        if v in self.expanded:
            return self.expanded[v](delays, True)
        off = ZERO
        if v not in self.whole and self.waits_for_nobody(v):
            off = self.off[v]
        arrivals = []
        for u, delta, slack, least, after in self.edges[v]:
            value = delays[u] + (delta(delays[u]) if callable(delta) else delta)
            value -= ZERO if slack is None else self.left_slack(v, slack, u)
            if least is not None:
                _, without, start = self.sight(u, delays)
                value = max(value, self.lowest(v, least, without, start))
            arrivals.append(value + after - off)
        return max(arrivals + [delays[u] - gap for u, gap in self.bounds[v]])


class Builder(Messages):
    """Turns a matched trace into the graph of docs/MODEL.md, section 4."""

    def __init__(self, matching, settings, limits=None, like=None):
        """LIMITS: eager limits of target and source, if not those of the settings. LIKE: the builder whose floors are
        used, if not the settings'."""
        self.trace = matching.trace
        self.settings = settings
        self.starts_wait = place_posts(matching, settings)
        self.clock = settings.absorb == "clock"
        self.graph = Graph()
        self.costs = Costs(settings)
        self.floor_costs = like.costs if like else self.costs
        self.noise = Noise(self.trace, settings)
        self.transfers = matching.transfers
        self.call_floors = CallFloors(self.trace, settings.source_places)
        self.target_limit, self.source_limit = limits or eager_limits(
            matching, settings, self.clock)
        if not settings.is_base:
            settings.scales = self.find_scales()
        self.shown = settings.carried and Shown(matching, settings, self.target_limit, self.source_limit, self.starts_wait)
        if self.clock:
            self.call_floors.limit_waits(self.calls_that_waited(matching))
        self.floor = like.floor if like else MessageFloors(matching, settings)
        if settings.hypotheses.exchanges:
            matching = settings.hypotheses.insert(matching)
            self.insert(matching)
        self.whole, self.gone, dropped = matching, set(), None
        if settings.hypotheses.drops:
            dropped = Dropped(matching, settings.hypotheses.drops)
            matching, self.gone = dropped.left, dropped.gone
        self.sizes = Resized(settings.hypotheses.resizes, matching)
        self.met = {part.call for _, group in matching.groups for part in group
                    if part.blocking and (part.name in MEETINGS | PREFIXES
                                          or self.is_expanded(group))}
        if self.shown and (dropped or settings.hypotheses.exchanges):
            self.shown = Shown(matching, settings, self.target_limit, self.source_limit, self.starts_wait,
                               self.shown.sends if settings.hypotheses.exchanges else None)
        self.carried = self.shown and self.shown.sends
        self.sort_messages(matching)
        self.waits = self.calls_that_wait(matching)
        if dropped:
            self.add_lost(dropped)
        for calls in self.trace.calls:
            self.add_rank(calls)
        for message in matching.messages:
            self.add_message(message)
        self.add_carried()
        for key, group in matching.groups:
            self.add_collective(key, group)

    def insert(self, matching):
        """From here on the trace includes inserted messages; everything determined before is about the traced run."""
        if not self.clock:
            raise OracleError("no clocks that compare")
        source = self.settings.source_path()
        if not (self.costs.flies() or self.floor.stated or self.floor.curves or (source and source.latency)):
            raise OracleError("no time of a message")
        self.trace = matching.trace
        self.noise = Noise(self.trace, self.settings)
        self.starts_wait = place_posts(matching, self.settings)
        self.transfers = matching.transfers

    def enter(self, call):
        return self.trace.aligned(call.rank, call.enter)

    def leave(self, call):
        return self.trace.aligned(call.rank, call.leave)

    def calls_that_wait(self, matching):
        """Returns the calls whose end has another in-edge than the local one."""
        waits = set(self.touched)
        for message in matching.messages:
            waits.add(message.receive.completed_by)
            waits.update(message.receive.probes)
            if self.synchronous(message) and message.send.completed_by:
                waits.add(message.send.completed_by)
        for _, group in matching.groups:
            waits.update(part.completed_by for part in group)
        waits.update(message.send.completed_by for message, _ in self.carriers)
        waits.update(call for call, _ in self.shown.calls) if self.shown else None
        return waits

    def calls_that_waited(self, matching):
        """Returns the calls that needed something that began after they did."""
        needed = [(message.send.call, end) for message in matching.messages
                  for end in [message.receive.completed_by, *message.receive.probes]]
        for _, group in matching.groups:
            if group[0].name in FROM_ROOT | TO_ROOT and not self.is_expanded(group):
                root = group[group[0].terms.number("root")]
                pairs = [(root, part) for part in group if part is not root]
                if group[0].name in TO_ROOT:
                    pairs = [(part, root) for root, part in pairs]
                needed += [(begun.call, ended.completed_by) for begun, ended in pairs]
        if self.shown and self.shown.any:
            needed += self.calls_needed(matching)
        waited = {end for begin, end in needed if self.enter(begin) > self.enter(end)}
        for message in matching.messages:
            for end in [message.receive.completed_by, *message.receive.probes]:
                if self.enter(end) - self.enter(message.send.call) < self.leave(end) - self.enter(end):
                    waited.add(end)
        return waited

    def may_have_waited(self, call, begun, took=None, usual=None):
        """Notes that the call may have waited for what began at BEGUN, if the usual flight explains its duration better
        than its own time."""
        if not self.clock or call in self.touched or call in self.gone or call.off:
            return
        own = 0 if call in self.absolute_calls else min(call.duration, self.own_floor(call))
        is_long = took is not None and took * own < call.duration * min(took, usual)
        if own < call.duration and (begun > self.enter(call) or is_long):
            self.graph.waited[call.E] = call.S

    def calls_needed(self, matching):
        """Generates (call, needed call of another rank that makes progress for it), including the last call of a
        collective that is one meeting."""
        needed = [(other, call) for call, other in self.shown.calls]
        needed += [(call, message.send.completed_by) for message, call in self.shown.sends.edges(
            lambda message: message.is_synchronous(self.source_limit))]
        for _, group in matching.groups:
            if not group[0].blocking and group[0].name in MEETINGS | PREFIXES and not self.is_expanded(group):
                for j, part in enumerate(group):
                    met = group[:j + 1] if part.name in PREFIXES else group
                    needed.append((max((one.call for one in met), key=self.enter), part.completed_by))
        return needed

    def add_lost(self, dropped):
        """Adds the slack of calls that waited for dropped messages."""
        for message in dropped.messages:
            arrival = (self.start(message) if self.clock else self.enter(message.send.call)) + self.flight(message)
            end = message.receive.completed_by
            self.lose(end, self.clock_slack(max(ZERO, self.leave(end) - arrival)))
            if self.clock and end and end not in self.gone:
                self.may_have_waited_for(message, end, self.flight(message))
            if self.was_synchronous(message):
                self.lose(message.send.completed_by, ZERO)
        for key, group in dropped.matching.groups:
            if key in dropped.groups and len(group) > 1:
                for part in self.may_wait(group):
                    self.lose(part.completed_by, ZERO)

    def may_wait(self, group):
        """Returns the members of a collective that wait for others."""
        name = group[0].name
        if name not in FROM_ROOT | TO_ROOT or name in TO_ROOT and self.settings.sync_reduce:
            return group
        root = group[group[0].terms.number("root")]
        return [root] if name in TO_ROOT else [part for part in group if part is not root]

    def lose(self, call, slack):
        if call and call not in self.gone:
            self.waits.add(call)
            self.graph.lost[call.E].append(slack)

    def add_rank(self, calls):
        self.graph.sources.add(calls[0].E)
        for before, call in zip(calls, calls[1:]):
            self.add_compute(before, call)
        for call in calls[1:-1]:
            self.graph.bound(call.S, call.E, call.duration)
            if call in self.gone:
                self.graph.edge(call.S, call.E, -call.duration)
            elif call not in self.met:
                self.add_local(call)

    def add_compute(self, before, call):
        gap, delta = self.trace.interval(before, call), self.noise.delta(
            before, call, self.covered(before))
        if self.settings.removes_tracer():
            tracer = call.enter - before.leave - gap
            gap, delta = gap + tracer, plus(delta, -tracer)
        self.graph.edge(before.E, call.S, delta)
        self.graph.bound(before.E, call.S, gap)

    def covered(self, call):
        """Returns K: the time before the call's end that its messages cover in the noise record."""
        return sum((2 * self.costs.of(message).typical(message.bytes)
                    for message in self.received[call] + self.probed[call]
                    if self.costs.of(message).flies()), 0.0)

    def add_local(self, call):
        if call in self.touched:
            self.graph.whole.add(call.E)
        slack = ZERO
        if call in self.absolute_calls:
            slack = call.duration
        elif self.settings.absorb != "none" and call in self.waits:
            slack = max(ZERO, call.duration - self.own_floor(call))
        self.graph.off[call.E] = self.off(call)
        loss = self.noise.call_loss(call, lambda: self.own_work(call))
        self.graph.edge(call.S, call.E, plus_loss(loss, self.own(call)), slack)

    def own_work(self, call):
        """Returns the part of a call that was not waiting, when all edges are known."""
        if call in self.absolute_calls:
            return ZERO
        if call not in self.touched and self.graph.waits_for_nobody(call.E):
            return call.duration - self.off(call)
        return min(call.duration - self.off(call), self.own_floor(call))

    def off(self, call):
        """Returns how long the call was off its CPU, if that is removed."""
        return call.off if self.settings.removes_off() else ZERO

    def own(self, call):
        """Returns what the call's own rank does in addition; for a call in absolute times everything it does."""
        own = self.settings.kappa(call) + self.overhead(call)
        return own + self.round_trip(call) if call in self.transfers else own

    def round_trip(self, call):
        """Returns the round trip of all one-sided transfers for which a call waits."""
        return sum(self.costs.parts(self.transfers[call], self.costs.own_u(call)))

    def clock_slack(self, slack):
        return slack if self.clock else ZERO

    # Collectives

    def add_collective(self, key, group):
        name = group[0].name
        if self.is_expanded(group):
            self.add_expanded(("G",) + key, group)
        elif name in MEETINGS:
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

    def find_scales(self):
        """Returns the scales of collectives that are expanded because no near size was measured, or None."""
        settings = self.settings
        if not settings.signature or not self.costs.value or not expands_rest(settings):
            return None
        return Scales(settings.table, self.target_limit, settings.signature, settings.source)

    def is_expanded(self, group):
        return expands(self.settings, group)

    def add_expanded(self, node, group):
        """Adds each member's end by the algorithm, relative to its end without perturbations."""
        expansion = Expansion(self.settings.table, group, self.carried, self.shown and self.shown.moved)
        scales = self.settings.scales.of(group) if self.settings.scales else (1, 1)
        drawn, plain = PerturbedWires(self, True, scales), PerturbedWires(self, False, scales)
        starts = [{"none": ZERO, "wait": -part.call.duration * part.blocking,
                   "clock": self.enter(part.call)}[self.settings.absorb]
                  for part in group]
        usual = [end for end, _ in expansion.leaves(starts, plain)]
        for j, needs in enumerate(expansion.needs(plain)):
            self.add_expanded_end(node + (j,), group, j, needs, expansion,
                                  (drawn, plain, starts, usual))

    def add_expanded_end(self, node, group, j, needs, expansion, costs):
        drawn, plain, starts, usual = costs

        def rule(delays, is_drawn):
            enters = [start + delays.get(one.call.S, ZERO)
                      for start, one in zip(starts, group)]
            ends = expansion.leaves(enters, drawn if is_drawn else plain)
            return ends[j][0] - usual[j]

        self.graph.expanded[node] = rule
        for i in needs:
            self.graph.edge(group[i].call.S, node, ZERO)
        end, slack = group[j].completed_by, ZERO
        kappa = ZERO if group[j].blocking else self.settings.kappa(end)
        if not group[j].blocking:
            slack = self.clock_slack(self.leave(end) - usual[j])
        else:
            held = [group[j]] if expansion.plan.is_tree else group
            longest = max(self.off(part.call) for part in held)
            slack = self.clock_slack(min(longest, self.leave(end) - usual[j]))
            self.graph.whole.add(end.E)
        self.graph.edge(node, end.E, kappa, slack)
        self.graph.carry(node, end.E, kappa, "collectives", all_of_it=True)

    def add_meeting(self, node, group, count):
        """Adds a meeting of the first COUNT members of the group in NODE."""
        members = group[:count]
        latest = max(self.enter(part.call) for part in members)
        shortest = min(part.call.duration for part in members)
        for j, part in enumerate(members):
            stay = part.call.duration - shortest if part.blocking else ZERO
            slack = {"none": ZERO, "wait": stay,
                     "clock": latest - self.enter(part.call)}[self.settings.absorb]
            self.graph.edge(part.call.S, node, self.cost(group, j), slack)

    def add_met(self, node, group, j, count):
        """Adds the edge from the node in which member j has met COUNT members to its end."""
        part = group[j]
        end = part.completed_by
        kappa = ZERO if part.blocking else self.settings.kappa(end)
        self.graph.carry(node, end.E, kappa, "collectives", all_of_it=True)
        if part.blocking:
            self.graph.edge(node, end.E, ZERO, self.held_up(end, group[:count]))
            self.graph.whole.add(end.E)
            return
        last = max((other.call for other in group[:count]), key=self.enter)
        n, size_bytes = rounds_and_bytes(group, j)
        floor = n * self.floor(Fraction(size_bytes, n), last, end) if n else ZERO
        slack = self.leave(end) - self.enter(last) - floor
        self.graph.edge(node, end.E, self.settings.kappa(end), self.clock_slack(slack))
        self.may_have_waited(end, self.enter(last))

    def held_up(self, call, members):
        """Returns for how long a member of a meeting was delayed by members that were off their CPUs in it."""
        last = max(self.enter(part.call) for part in members)
        longest = max(self.off(part.call) for part in members)
        return self.clock_slack(min(longest, self.leave(call) - last - self.call_floors.floor(call)))

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
                self.may_have_waited(end, self.enter(root.call))

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
                self.may_have_waited(end, self.enter(part.call))

            if part is not root and self.settings.sync_reduce:
                self.add_held(root, part)

    def add_held(self, root, part):
        """A contributor's end is not before the root's end or, if it is nonblocking, the root's start."""
        node, at = root.call.S, self.enter(root.call)
        if part.blocking:
            node, at = root.call.E, self.leave(root.call)
        end = part.completed_by
        self.graph.edge(node, end.E, ZERO, self.clock_slack(self.leave(end) - at))
        self.graph.carry(node, end.E, ZERO, "collectives")
        self.may_have_waited(end, at)

    def cost(self, group, j):
        """Returns l_j by the table of collectives, or what was measured instead."""
        n, size_bytes = rounds_and_bytes(group, j, self.sizes.part)
        n, traced_bytes = rounds_and_bytes(group, j)
        kappas = n * self.settings.call_noise(group[j].call.rank)
        measured = self.costs.measured(group, j)
        if measured is not None:
            return measured + kappas
        longer = (size_bytes - traced_bytes) * self.settings.source_byte if size_bytes != traced_bytes else ZERO
        return self.costs.rounds(group[j], n, size_bytes) + longer + kappas


def plus_loss(loss, own):
    """Returns OWN plus the loss to noise, which is a function of the delay or None."""
    return own if loss is None else plus(loss, own)


def plus(delta, more):
    """Returns DELTA, a number or a function of the delay, plus MORE."""
    if callable(delta):
        return lambda delay: delta(delay) + more
    return delta + more


def rounds_and_bytes(group, j, sizes=()):
    """Returns n and b for member j of a collective. SIZES: sizes of resized parts."""
    part, p = group[j], len(group)

    def own_bytes(part):
        return sizes[part] if part in sizes else part.terms.own_bytes()

    own = own_bytes(part)
    rounds = (p - 1).bit_length()
    if p == 1:
        return 0, 0
    if part.name == "Barrier" or part.name in CONSTRUCTORS | WINDOW_MEETINGS:
        return rounds, getattr(part.call, "moved", 0)
    if part.name in PREFIXES | {"Bcast", "Allreduce"}:
        return rounds, rounds * own
    if part.name in TO_ROOT | {"Scatter", "Scatterv"}:
        return 1, own
    if part.name in ("Allgather", "Allgatherv"):
        return rounds, sum(map(own_bytes, group)) - own
    if part.name == "Alltoall":
        return p - 1, (p - 1) * own
    if part.name in ("Alltoallv", "Alltoallw"):
        return p - 1, own if part in sizes else own - part.terms.numbers("bytes")[j]
    return rounds, Fraction(own * (p - 1), p)
