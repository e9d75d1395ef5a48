# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that the trace shows about calls that wait for a call of another rank (docs/MODEL.md, section 10)."""

from oracle_weak_progress import Carried
from oracle_moved import Moved
from oracle_served import Served


class Shown:
    """calls: (call, the call for which it waits), for transfers and collectives; transfers: the calls of the former."""

    def __init__(self, matching, settings, eager_limit, source_limit, starts_wait, like=None):
        """LIKE: the traced run, whose limits show which sends are carried."""
        self.sends = Carried(matching, settings, eager_limit)
        if like:
            self.sends.limits, self.sends.in_call = like.limits, like.in_call
        self.served = Served(matching, self.sends)
        self.moved = Moved(matching, self.sends, settings.table, None)
        self.moved.limit = source_limit
        served = list(self.served.edges())
        self.calls = served + list(self.moved.edges())
        self.transfers = {call for call, _ in served}
        self.any = (any(limit is not None for limit in self.sends.limits.values()) or bool(self.served.kinds) or starts_wait
                    or self.moved.others or any(moves for moves, _ in self.moved.found.values()))
