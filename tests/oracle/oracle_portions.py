# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Waitsome leaves for later (docs/MODEL.md section 6, In portions)."""

from oracle_exact import Fraction
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
        self.intervals = [max(0, after.enter - before.leave) for before, after
                          in zip([call, *self.inner], [*self.inner, self.last])]
        self.at_once = self.find_interval()
        self.each, rest = divmod(len(self.inner), count)
        self.is_divided = count > 1 and (self.at_once is not None or (
            rest == 0 and len(self.inner) <= 65536))
        self.ends = (self.is_divided and self.at_once is None
                     and self.ends_with_intervals())
        self.owed = [None] * count

    def find_interval(self):
        """That which all is worked on in, as its place, or None: by calls."""
        if not self.inner:
            return 0
        longest = max(self.intervals)
        if longest * 2 * self.count > (self.count + 1) * sum(self.intervals):
            return self.intervals.index(longest)
        return None

    def ends_with_intervals(self):
        """Whether a portion is calls and the intervals after them."""
        inner = self.intervals[self.each:-1:self.each]
        assert len(inner) == self.count - 1
        mean = Fraction(sum(inner), len(inner))
        return abs(self.intervals[0] - mean) > abs(self.intervals[-1] - mean)

    def put(self, owed):
        """owed: (when it arrives, what it is), those for later."""
        late = sorted(owed, key=lambda pair: pair[0])
        self.owed = [None] * (self.count - len(late)) + late

    def begin_in(self, call):
        """Portions that begin in the interval before call: (what part of it is over, when they can)."""
        place = [*self.inner, self.last].index(call)
        if self.at_once is not None:
            begun = [(n, Fraction(n, self.count)) for n in range(1, self.count)
                     if place == self.at_once]
        else:
            n, rest = divmod(place, self.each)
            begun = [(n, Fraction(self.ends))] if rest == 0 and 0 < n < self.count else []
        return [(part, self.owed[n][0]) for n, part in begun if self.owed[n]]

    def before(self, call):
        """When what begins where the interval before call does can, or None."""
        return next((when for part, when in self.begin_in(call) if part == 0), None)

    def waited_within(self, call, begin, length):
        """In the interval before call, of that length: how long what begins later in it waits."""
        waited = Fraction(0)
        for part, when in self.begin_in(call):
            if part > 0:
                waited += max(Fraction(0), when - (begin + length * part + waited))
        return waited

    def not_begun(self, call):
        """What portions wait for that begin after call, one of those in between."""
        if call not in self.inner:
            return []
        place, current = self.inner.index(call), 0
        if self.at_once is None:
            current = place // self.each
        elif place >= self.at_once:
            return []
        return [owed[1] for owed in self.owed[current + 1:] if owed]
