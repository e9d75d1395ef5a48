# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that remains when hypotheses drop messages and collectives (docs/MODEL.md, section 10)."""

import copy

from oracle_matching import CONSTRUCTORS, NEIGHBORS, NONBLOCKING_NEIGHBORS, PERSISTENT_NEIGHBORS, WINDOW_MEETINGS, Together
from oracle_trace import OracleError

UNTAGGED = set(NEIGHBORS) | set(NONBLOCKING_NEIGHBORS) | set(PERSISTENT_NEIGHBORS)


def rank_set(text):
    ranks = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        ranks.update(range(int(first), int(last or first) + 1))
    return ranks


class Select:
    """Selects messages and collectives; region= and site= are not supported."""

    def __init__(self, words):
        self.args = dict(word.split("=") for word in words)
        low, _, high = self.args.get("bytes", "-").partition("-")
        self.least, self.most = int(low or 0), int(high or 2 ** 62)
        self.of_messages = bool({"from", "to", "tag"} & set(self.args))

    def has(self, key, value):
        return self.args.get(key, value) == value

    def of_rank(self, key, rank):
        return key not in self.args or rank in rank_set(self.args[key])

    def call(self, call, terms, size):
        return (self.has("call", call.name) and self.has("comm", terms.args["comm"])
                and self.least <= size <= self.most)

    def message(self, one):
        send = one.send
        if one.is_inserted:
            return False
        tag = None if send.terms.name in UNTAGGED else send.terms.args["tag"]
        return (self.call(send.started, send.terms, one.bytes) and self.has("tag", tag)
                and self.of_rank("from", send.call.rank) and self.of_rank("to", send.receiver))

    def part(self, part):
        return not self.of_messages and self.call(part.call, part.terms, part.terms.own_bytes())


class Dropped:
    """left: the matching without the dropped ones; gone: calls that were only for them."""

    def __init__(self, matching, selects):
        self.messages = {one for one in matching.messages if any(select.message(one) for select in selects)}
        self.groups = {key for key, group in matching.groups if self.drops(group, selects)}
        self.matching, self.left = matching, copy.copy(matching)
        self.left.messages = [one for one in matching.messages if one not in self.messages]
        self.left.groups = [one for one in matching.groups if one[0] not in self.groups]
        self.gone = self.about_them_alone(matching)

    @staticmethod
    def drops(group, selects):
        if group[0].name in CONSTRUCTORS | WINDOW_MEETINGS:
            return False
        chosen = [any(select.part(part) for select in selects) for part in group]
        if any(chosen) and not all(chosen):
            raise OracleError("a collective is dropped on a part of its ranks")
        return chosen[0]

    def about_them_alone(self, matching):
        of_half, about = {}, {}
        for one in matching.messages:
            is_dropped = one in self.messages
            of_half[one.send] = of_half[one.receive] = is_dropped
            for call in (one.send.started, *one.send.readies, one.receive.call, *one.receive.probes):
                about.setdefault(call, []).append(is_dropped)
        for key, group in matching.groups:
            for part in group:
                of_half[part] = key in self.groups
                about.setdefault(part.call, []).append(key in self.groups)
        for call, half in matching.asked.items():
            about.setdefault(call, []).extend([of_half[half]] if half in of_half else [])
        for call, (given, _) in matching.given.items():
            about.setdefault(call, []).extend(of_half[half] for half in halves_of(given) if half in of_half)
        return {call for call, some in about.items() if some and all(some)}


def halves_of(requests):
    """Generates the halves of messages in these requests; those with MPI_PROC_NULL have no message."""
    for request in requests:
        yield from request.halves if isinstance(request, Together) else [request]
