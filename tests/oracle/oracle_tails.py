# SPDX-License-Identifier: GPL-3.0-or-later
"""Tails of launches (docs/MODEL.md, section 3): what the few samples of a launch show of its slowest times on average,
compared with all launches together."""

import bisect
import functools
import itertools
import math

REACH = [0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8]
LOGARITHMS = [-10 + step / 4 for step in range(54)]


def independent_samples(given, launches):
    """Returns the number of independent samples in one of LAUNCHES of a distribution; None: unknown."""
    intervals = given.get("intervals", [])
    if not intervals:
        return None
    worth = math.prod(min(one["independent"], given["n"]) for one in intervals) ** (1 / len(intervals))
    return max(16, worth / max([launches, *(one.get("launches", 1) for one in intervals)]))


class Shape:
    """The mean of the launches' distribution functions (probabilities, times), each time divided by its launch's
    median."""

    def __init__(self, launches):
        self.y = sorted({y for _, times in launches for y in times})
        shares = [self.shares(p, times) for p, times in launches]
        self.below = [sum(one[0] for one in at) / len(launches) for at in zip(*shares)]
        self.upto = [sum(one[1] for one in at) / len(launches) for at in zip(*shares)]

    def shares(self, p, times):
        """Returns for each y the share of times below it, and the share of times up to it."""
        found = []
        for y in self.y:
            first, after = bisect.bisect_left(times, y), bisect.bisect_right(times, y)
            if first < after:
                found.append((p[first], p[after - 1]))
            elif first in (0, len(times)):
                found.append((float(first > 0),) * 2)
            else:
                a, b = times[first - 1:first + 1]
                found.append((p[first - 1] + (p[first] - p[first - 1]) * (y - a) / (b - a),) * 2)
        return found

    def __call__(self, u):
        i = min(bisect.bisect_left(self.upto, u), len(self.y) - 1)
        if i == 0 or self.below[i] <= u:
            return self.y[i]
        part = (u - self.upto[i - 1]) / (self.below[i] - self.upto[i - 1])
        return self.y[i - 1] + (self.y[i] - self.y[i - 1]) * part


@functools.lru_cache(None)
def weights(t):
    """Returns the weights of a gamma distribution with shape t + 1/2, by the trapezoid rule in the logarithm."""
    found = [math.exp((t + 0.5) * x - math.exp(x)) for x in LOGARITHMS]
    return [one / sum(found) for one in found]


def ratios(shape, n):
    """Returns the factors of the times at 1 - t / n."""
    seen = [shape(max(0.0, 1 - math.exp(x) / n)) for x in LOGARITHMS]
    found = []
    for t in REACH[:-1]:
        mean = sum(w * y for w, y in zip(weights(t), seen))
        found.append(shape(1 - t / n) / mean if mean > 0 else 1.0)
    return [*found, 1.0]


def factor(u, n, ratio):
    t = (1 - u) * n
    if t >= REACH[-1]:
        return 1.0
    i = max(1, bisect.bisect_left(REACH, t))
    return ratio[i - 1] + (ratio[i] - ratio[i - 1]) * (t - REACH[i - 1]) / (REACH[i] - REACH[i - 1])


def complete_tails(given, launches):
    """Corrects the tails of LAUNCHES, distributions whose knots are replaced. GIVEN: the distribution of all
    launches."""
    n, medians = independent_samples(given, len(launches)), [one(0.5) for one in launches]
    if len(launches) < 2 or n is None or min(medians) <= 0:
        return
    shape = Shape([(one.probabilities, [x / median for x in one.quantiles]) for one, median in zip(launches, medians)])
    ratio = ratios(shape, n)
    for one in launches:
        knots = [(u, x * factor(u, n, ratio)) for u, x in zip(one.probabilities, one.quantiles)]
        knots += [(u, one(u) * r) for u, r in zip((1 - t / n for t in REACH), ratio) if u not in one.probabilities]
        knots.sort(key=lambda knot: knot[0])
        one.probabilities = [u for u, _ in knots]
        one.quantiles = list(itertools.accumulate((x for _, x in knots), max))
