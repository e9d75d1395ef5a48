# SPDX-License-Identifier: GPL-3.0-or-later
"""One-sided transfers that wait for a call of their target, as in docs/MODEL.md, section 10."""

import math
from collections import Counter, defaultdict

from oracle_windows import ENDS, FENCES, MOVES, MOVES_WITH_REQUEST

SEES = {"Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap", "Raccumulate", "Rget_accumulate", "Win_start",
        "Win_complete", "Win_wait", "Win_test"} | ENDS


class Transfer:
    def __init__(self, call, target, number):
        self.call, self.target, self.number = call, target, number
        self.kind = call.name, sum(int(call.args.get(key, 0)) for key in ("bytes", "recvbytes"))


class Served:
    """kinds[starting]: the kinds of transfer that wait in the call that starts them (True), or in the one that
    completes them (False)."""

    def __init__(self, matching, carried):
        self.trace, self.carried = matching.trace, carried
        self.passages = [sorted([*seen, *(call for call in calls[1:] if call.name in SEES)], key=lambda one: one.order)
                         for seen, calls in zip(carried.passages, self.trace.calls)]
        self.kinds = self.find_kinds()

    def look(self, lasting):
        """Generates (starting, call, its transfers) for all calls that start or complete some. LASTING(transfer):
        whether one in progress counts."""
        for calls in self.trace.calls:
            under_way = defaultdict(dict)
            for call in calls[1:-1]:
                win = call.number("win") if "win" in call.args else None
                if call.name in MOVES | MOVES_WITH_REQUEST and call.args["to"] != "null":
                    to = call.number("to")
                    one = Transfer(call, self.trace.comms[self.trace.windows[win]][to], to)
                    if one.target == call.rank:
                        continue
                    if call.name in MOVES and lasting(one):
                        under_way[win][to] = one
                    yield True, call, [one]
                elif call.name in FENCES:
                    under_way[win].clear()
                elif call.name in ENDS and "to" in call.args:
                    one = under_way[win].pop(call.number("to"), None)
                    yield False, call, [one] if one else []
                elif call.name in ENDS or call.name == "Win_complete":
                    yield False, call, list(under_way[win].values())
                    under_way[win].clear()

    def server(self, transfer):
        begin = self.carried.at(transfer.call, transfer.call.enter)
        for call in self.passages[transfer.target]:
            if self.carried.at(call, call.leave) >= begin:
                return call
        return None

    def find_kinds(self):
        waited, left = Counter(), Counter()
        for starting, call, transfers in self.look(lambda one: True):
            enter, leave = self.carried.at(call, call.enter), self.carried.at(call, call.leave)
            found = []
            for one in transfers:
                server = self.server(one)
                at = self.carried.at(server, server.enter) if server else math.inf
                found.append((at if at < leave else math.inf, -one.target, one.kind))
            at, _, kind = max(found, default=(-math.inf, 0, None))
            if at > enter:
                (left if math.isinf(at) else waited)[starting, kind] += 1
        return {one for one in waited if waited[one] >= 2 and 10 * left[one] <= waited[one]}

    def edges(self):
        """Generates (call, call of the target for which it waits)."""
        for starting, call, transfers in self.look(lambda one: (False, one.kind) in self.kinds):
            for one in transfers:
                server = self.server(one)
                if (starting, one.kind) in self.kinds and server and self.carried.at(server, server.enter) < self.carried.at(
                        call, call.leave):
                    yield call, server

    def shown(self):
        names = {kind for _, kind in self.kinds}
        return sorted((*kind, (True, kind) in self.kinds, (False, kind) in self.kinds) for kind in names)
