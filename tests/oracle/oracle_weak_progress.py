# SPDX-License-Identifier: GPL-3.0-or-later
"""Weak progress of sends (docs/MODEL.md, section 10), computed from all calls of each rank."""

from collections import Counter

import oracle_weak_progress_trees as trees
from oracle_expand import Expansion
from oracle_matching import COLLECTIVES, COMPLETIONS, CONSTRUCTORS, NEIGHBORS, STANDARD_SENDS
from oracle_plans import expands
from oracle_windows import WithRequest

SEES = (COLLECTIVES | CONSTRUCTORS | COMPLETIONS | NEIGHBORS
        | {"Send", "Ssend", "Bsend", "Rsend", "Recv", "Sendrecv", "Probe", "Iprobe", "Mprobe", "Improbe", "Mrecv",
           "Win_fence", "Finalize"})


class Carried:
    """limits[blocking]: larger sends are carried, that is, wait for a call of their receiver; None: none are. in_call:
    the limit for trees whose receiver is in a call."""

    def __init__(self, matching, settings, eager_limit):
        """SETTINGS: which collectives are expanded, and by which table. EAGER_LIMIT: the target's."""
        self.settings, self.eager_limit, self.times = settings, eager_limit, {}
        self.trace, self.matching = matching.trace, matching
        self.passages = [[call for call in calls[1:] if call.name in SEES and not completes_transfers(matching, call)]
                         for calls in self.trace.calls]
        self.messages = [one for one in matching.messages if isinstance(one.key[0], int)
                         and one.send.terms.name in STANDARD_SENDS and one.send.completed_by
                         and one.receive.call.rank != one.send.call.rank]
        self.limits, self.in_call = self.find_limits()
        self.in_trees = 0  # how many wait there

    def at(self, call, time):
        """Returns a time that can be compared with others; whole numbers as int, which takes a tenth of the time."""
        key = call.rank, time
        if key not in self.times:
            exact = self.trace.aligned(*key)
            self.times[key] = exact.numerator if exact.denominator == 1 else exact
        return self.times[key]

    def carrier(self, message, when_posted, ends=None):
        """Returns the first call of the receiver that ends after the message could start. If the receiver was already
        in it, and it ended before the send ENDS, returns the next one, if that begins by then."""
        begin, poster = self.at(message.send.call, message.send.call.enter), message.receive.call
        calls = [call for call in self.passages[poster.rank]
                 if self.at(call, call.leave) >= begin and (not when_posted or call.order >= poster.order)]
        if (ends is not None and len(calls) > 1 and self.at(calls[0], calls[0].enter) < begin
                and self.at(calls[0], calls[0].leave) < ends and self.at(calls[1], calls[1].enter) <= ends):
            return calls[1]
        return calls[0] if calls else None

    def find_limits(self):
        completed, received = {}, {}
        for message in self.messages:
            completed.setdefault(message.send.completed_by, []).append(message)
        for message in self.matching.messages:
            sent = self.at(message.send.call, message.send.call.enter)
            received.setdefault(message.receive.completed_by, []).append(sent)
        waited, left = {True: Counter(), False: Counter()}, {True: Counter(), False: Counter()}
        for call, messages in completed.items():
            found = []
            for message in messages:
                carrier = self.carrier(message, False)
                if carrier:
                    comes = self.at(carrier, carrier.enter)
                    if comes > self.at(message.send.call, message.send.call.enter):
                        found.append((comes, message))
            comes, message = max(found, key=lambda one: one[0], default=(None, None))
            if message is None or comes <= self.at(call, call.enter) or max(received.get(call, [comes - 1])) >= comes:
                continue
            one = waited if self.at(call, call.leave) >= comes else left
            one[message.send.blocking][message.bytes] += 1
        in_call = Counter(), Counter()
        for size, was_in_call, has_waited in self.of_trees():
            kinds = in_call if was_in_call else (left[True], waited[True])
            kinds[has_waited][size] += 1
        return ({kind: limit(waited[kind], left[kind]) for kind in (True, False)},
                limit(in_call[True], in_call[False], 1))

    def of_trees(self):
        """Adds the observations from blocking collectives."""
        for _, group in self.matching.groups:
            if group[0].blocking and expands(self.settings, group):
                expansion = Expansion(self.settings.table, group)
                if len(expansion.plan.phases) == 1 and expansion.plan.phases[0]:
                    yield from trees.observe(expansion.plan.phases[0], trees.Times(expansion, self))

    def held(self, expansion):
        """Returns (sender, receiver) of the messages in a first phase, if it is a tree, that wait for their
        receiver."""
        tree = expansion.plan.phases[0]
        if not tree:
            return set()
        found = trees.held(tree, trees.Times(expansion, self), self.limits[True], self.in_call, self.eager_limit)
        self.in_trees += len(found)
        return found

    def saw(self, call):
        """Returns when the last call before this one that makes progress ended; None: there is none."""
        before = [one for one in self.passages[call.rank] if one.order < call.order]
        return self.at(before[-1], before[-1].leave) if before else None

    def inserted_edges(self):
        """Generates edges of inserted messages: the receiving call ends when the message has arrived."""
        most = self.limits[True]
        for message in self.matching.messages if most is not None else ():
            if message.is_inserted and message.bytes > most and not message.is_synchronous(self.eager_limit):
                receiver, begin = message.receive.call, self.at(message.send.call, message.send.call.enter)
                yield message, next(call for call in self.passages[receiver.rank]
                                    if call is receiver or self.at(call, call.leave) >= begin)

    def edges(self, was_synchronous):
        """Generates (message, call): the message's send ends no earlier than the call begins."""
        yield from self.inserted_edges()
        for message in self.messages:
            most = self.limits[message.send.blocking]
            if most is not None and message.bytes > most:
                when_posted = was_synchronous(message) or not message.send.blocking
                end = message.send.completed_by
                ends = self.at(end, end.leave)
                carrier = self.carrier(message, when_posted, ends)
                if carrier and self.at(carrier, carrier.enter) <= ends:
                    yield message, carrier


def completes_transfers(matching, call):
    """Returns whether the call completes only requests of one-sided transfers."""
    given = [one for one in matching.given.get(call, ([], 0))[0] if one]
    return bool(given) and all(isinstance(one, WithRequest) for one in given)


def limit(waited, left, often=2):
    """Returns the limit: below the smallest size at which most sends waited, above the largest size at which too many
    did not; None: there is none."""
    eager = max((size for size, n in left.items() if 10 * n > waited[size]), default=-1)
    sizes = [size for size, n in waited.items() if n >= often and size > eager]
    return min(sizes) - 1 if sizes else None
