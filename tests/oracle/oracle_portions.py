# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Waitsome leaves for later (docs/MODEL.md section 6, In portions)."""

from fractions import Fraction

from oracle_matching import COLLECTIVES, COMPLETIONS, CONSTRUCTORS, NEIGHBORS
from oracle_matching import WINDOW_MEETINGS

ENDS = COMPLETIONS | COLLECTIVES | CONSTRUCTORS | NEIGHBORS | WINDOW_MEETINGS


def stretch_after(trace, call):
    """The calls between this one and the one that ends what follows it, and that one."""
    calls = trace.calls[call.rank]
    after = calls[calls.index(call) + 1:]
    for n, one in enumerate(after):
        if one.name in ENDS or one is calls[-1]:
            return after[:n], one
    raise AssertionError("a rank has an end")


class Portions:
    """Of one call, in the order in which they begin: what each waits for."""

    def __init__(self, trace, call, count):
        self.call, self.count = call, count
        self.inner, self.last = stretch_after(trace, call)
        self.at_once = self.is_worked_on_at_once()
        self.is_divided = count > 1 and (self.at_once or len(self.inner) % count == 0)
        self.owed = [None] * count

    def is_worked_on_at_once(self):
        """In the first interval; else by calls."""
        if not self.inner:
            return True
        work = [max(0, call.enter - before.leave) for before, call
                in zip([self.call, *self.inner], self.inner)]
        return work[0] * 2 * self.count > (self.count + 1) * sum(work)

    def put(self, owed):
        """owed: (when it arrives, what it is), those for later."""
        late = sorted(owed, key=lambda pair: pair[0])
        self.owed = [None] * (self.count - len(late)) + late

    def before(self, call):
        """When the portion that begins with the interval before call can, or None."""
        if self.at_once:
            return None
        each = len(self.inner) // self.count
        place = (self.inner + [self.last]).index(call)
        if place % each or not 0 < place // each < self.count:
            return None
        owed = self.owed[place // each]
        return owed and owed[0]

    def waited_within(self, begin, length):
        """In the only interval, of that length: how long its portions wait."""
        waited = Fraction(0)
        for n in range(1, self.count):
            at = begin + length * Fraction(n, self.count) + waited
            if self.owed[n]:
                waited += max(Fraction(0), self.owed[n][0] - at)
        return waited

    def not_begun(self, call):
        """What portions wait for that begin after call, one of those in between."""
        if self.at_once or call not in self.inner:
            return []
        each = len(self.inner) // self.count
        current = self.inner.index(call) // each
        return [owed[1] for owed in self.owed[current + 1:] if owed]
