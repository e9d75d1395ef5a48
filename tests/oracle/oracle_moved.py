# SPDX-License-Identifier: GPL-3.0-or-later
"""Nonblocking collectives that make progress only in calls of their members, as in docs/PROGRESS.md."""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate

from oracle_matching import COLLECTIVES
from oracle_plans import NONBLOCKING, ORDER, Choice, NonblockingMaker, bytes_of_table, operation_of, root_of


class Way:
    def __init__(self, choice, waits, carried):
        self.choice, self.waits, self.carried = choice, waits, carried

    def named(self):
        return self.choice.algorithm, self.waits, self.carried


class Kind:
    """The possible ways of one kind (operation, members, bytes), and which observations they explain."""

    def __init__(self, table, name, p, size):
        operation = operation_of(name)
        first = table.choose("i" + operation, p, bytes_of_table(name, p, size))
        others = [one for one in ORDER if one in NONBLOCKING[operation] and one != first.algorithm]
        self.ways = []
        for choice in [first, *(Choice(one, []) for one in others)]:
            for waits in (choice.waits, not choice.waits):
                self.ways += [Way(choice, waits, False), Way(choice, waits, True)]
        self.waited, self.left, self.explained = ([0] * len(self.ways) for _ in range(3))

    def best(self):
        best = None
        for i, _ in enumerate(self.ways):
            if self.waited[i] >= 2 and 10 * self.left[i] <= self.waited[i] and (
                    best is None or self.explained[i] > 1.05 * self.explained[best]):
                best = i
        return best


class Messages:
    """The messages of a plan's waves. sent[v, i]: (receiver, its wave, bytes); received[v, i]: (sender, its wave)."""

    def __init__(self, plan):
        sent, received = defaultdict(list), defaultdict(list)
        for v, waves in enumerate(plan.waves):
            for i, wave in enumerate(waves):
                for to, size in wave.sends:
                    sent[v, to].append((i, size))
                for a in wave.receives:
                    received[a, v].append(i)
        self.sent, self.received = defaultdict(list), defaultdict(list)
        for (a, b), sends in sent.items():
            for (i, size), k in zip(sends, received[a, b]):
                self.sent[a, i].append((b, k, size))
                self.received[b, k].append((a, i))


class Waves:
    """Begins and ends of one collective's waves. POSTS: when each member v posted; SEES(v, x, posted): when v is next
    in a call that makes progress."""

    def __init__(self, plan, messages, posts, sees, carried, is_synchronous):
        self.plan, self.posts, self.sees = plan, posts, sees
        self.sent, self.received = messages.sent, messages.received
        self.carried, self.is_synchronous = carried, is_synchronous
        self.begins, self.ends = {}, {}

    def begin(self, v, i, waits):
        if (v, i) not in self.begins:
            start = self.posts[v] if i == 0 else self.end(v, i - 1, waits)
            self.begins[v, i] = self.sees(v, start, True) if i > 0 or waits else start
        return self.begins[v, i]

    def end(self, v, i, waits):
        if (v, i) not in self.ends:
            begin = self.begin(v, i, waits)
            times = [begin, *(self.begin(a, k, waits) for a, k in self.received[v, i])]
            for to, k, size in self.sent[v, i] if self.carried else []:
                synchronous = self.is_synchronous(size)
                met = max(begin, self.begin(to, k, waits)) if synchronous else begin
                times.append(self.sees(to, met, synchronous))
            self.ends[v, i] = max(times)
        return self.ends[v, i]

    def last(self, v, waits):
        return self.end(v, len(self.plan.waves[v]) - 1, waits)


class Passages:
    """The calls of one rank that make progress for others, in order, and when they end."""

    def __init__(self, calls, carried):
        self.calls, self.leaves = calls, [carried.at(call, call.leave) for call in calls]
        self.indices = [call.order for call in calls]
        self.latest = list(accumulate(self.leaves, max))
        assert self.indices == sorted(self.indices)

    def first(self, x, after):
        """Returns the first call that ends at X or later and comes after the call with index AFTER; None: there is
        none."""
        at = max(bisect_right(self.indices, after), bisect_left(self.latest, x))
        while at < len(self.calls) and self.leaves[at] < x:
            at += 1
        return self.calls[at] if at < len(self.calls) else None


class Moved:
    """kinds: what the trace shows for each (operation, members, bytes)."""

    def __init__(self, matching, carried, table, source_limit):
        self.matching, self.carried, self.table, self.limit = matching, carried, table, source_limit
        self.parts = defaultdict(list)
        for _, group in matching.groups:
            if len(group) > 1 and group[0].name in COLLECTIVES and not group[0].blocking:
                for j, part in enumerate(group):
                    self.parts[part.completed_by].append((group, j))
        self.plans, self.kinds = {}, {}
        self.passages = [Passages(calls, carried) for calls in carried.passages]
        self.observe()
        self.decide()

    def kind_of(self, group, j):
        return group[0].name, len(group), group[j].terms.own_bytes()

    def plan(self, group, j, choice):
        """Returns (plan, its messages)."""
        key = id(group), j, choice.algorithm, choice.radix, choice.segment
        if key not in self.plans:
            plan = NonblockingMaker(choice, group, j).make()
            self.plans[key] = plan, Messages(plan)
        return self.plans[key]

    def look(self, group, j, end, way, calls=True):
        """Returns (when member j's last wave ends, as far as calls up to END's leave show; the calls of others on which
        this depends)."""
        root, p, found = root_of(group), len(group), set()
        until, members = self.carried.at(end, end.leave), [one.call for one in (*group[root:], *group[:root])]

        def counts(call, enter):
            return enter <= until if call.rank == end.rank else enter < until

        def sees(v, x, posted):
            if not calls or math.isinf(x):
                return x
            post = members[v]
            call = self.passages[post.rank].first(x, post.order if posted else -1)
            if call is None:
                return math.inf
            enter = self.carried.at(call, call.enter)
            if not counts(call, enter):
                return math.inf
            if call.rank != end.rank:
                found.add(call)
            return max(x, enter)

        posts = [self.carried.at(call, call.enter) for call in members]
        posts = [post if counts(call, post) else math.inf for call, post in zip(members, posts)]
        waves = Waves(*self.plan(group, j, way.choice), posts, sees, calls and way.carried,
                      lambda size: self.limit is not None and size > self.limit)
        return waves.last((j - root) % p, calls and way.waits), found

    def observe(self):
        for end, parts in self.parts.items():
            kinds = {self.kind_of(group, j) for group, j in parts}
            for key in kinds:
                self.kinds.setdefault(key, Kind(self.table, *key))
            if len(kinds) > 1 or self.matching.given[end][1] != len(parts):
                continue
            kind, enter, leave = self.kinds[kinds.pop()], self.carried.at(end, end.enter), self.carried.at(end, end.leave)
            at_once = {}  # through the waves on which it depends
            for i, way in enumerate(kind.ways):
                last = max(self.look(group, j, end, way)[0] for group, j in parts)
                if way.choice not in at_once:
                    at_once[way.choice] = max(enter, *(self.look(group, j, end, way, False)[0] for group, j in parts))
                else_ = at_once[way.choice]
                if last > else_ and not math.isinf(else_):
                    waited = leave >= last
                    kind.waited[i] += waited
                    kind.left[i] += not waited
                    kind.explained[i] += last - else_ if waited else 0

    def decide(self):
        self.found, carried, at_once, left = {}, [], [], False
        for key, kind in self.kinds.items():
            best = kind.best()
            if best is None and kind.waited[0] + kind.left[0] == 0:
                continue
            way = kind.ways[best or 0]
            self.found[key] = (best is not None, way)
            left = left or best is None
            if best is not None:
                (carried if way.carried else at_once).append(key[2])
        self.others = any(moves for moves, _ in self.found.values()) and not left
        self.least = max(min(carried), max(at_once, default=-1) + 1) if carried and self.others else None

    def way_of(self, group, j):
        """Returns (whether the collective makes progress in calls only, its way)."""
        key = self.kind_of(group, j)
        if key in self.found:
            return self.found[key]
        choice = self.table.choose("i" + operation_of(key[0]), key[1], bytes_of_table(*key))
        return self.others, Way(choice, choice.waits, self.least is not None and key[2] >= self.least)

    def edges(self):
        """Generates (call that completes the collective, call for which it waits)."""
        for end, parts in self.parts.items():
            for group, j in parts:
                moves, way = self.way_of(group, j)
                if moves:
                    for call in sorted(self.look(group, j, end, way)[1], key=lambda one: (one.rank, one.order)):
                        yield end, call

    def shown(self):
        """Returns the kinds in the format of mpgsim's JSON."""
        kinds = sorted((*key, moves, *way.named()) for key, (moves, way) in self.found.items())
        return (kinds, self.others) if self.others or any(one[3] for one in kinds) else ([], False)
