# SPDX-License-Identifier: GPL-3.0-or-later
"""The source's interruptions, removed from its intervals in distribution (docs/NOISE.md, Removal of the source's
noise)."""

import bisect
import itertools
import math
from collections import Counter, defaultdict

from oracle_replay import Losses, bin_of, bound_of

ENOUGH = 8
MAX_BINS = 128
FINEST = 1024
MAX_WINDOWS = 16
FULL_WINDOW = 512
SHORTEST_WINDOW = 20  # 2^20 ns
STEPS = 16
FIRST_STEP = 16  # from 1 ns on
ROUNDS = 60
FIRST_THINNED = 21
OF_CHANCE = 1024
EQUAL_PARTS = 64
SAME_PROBABILITY = 1e-9
MIN_SHARE = 1e-6


def step_begin(s):
    """Returns e(s), the begin of step s."""
    return bound_of(s, STEPS)


class Law:
    """The distribution of a loss: none, or uniform from e(s) to e(s + 1)."""

    def __init__(self, none, steps):
        """STEPS: probabilities of the steps from FIRST_STEP on."""
        self.none, self.steps = none, steps
        self.below = list(itertools.accumulate(steps, initial=none))

    @classmethod
    def of(cls, some):
        """Returns the mean distribution over several cores, whose losses have steps a fourth as wide."""
        steps, none = [], 0.0
        for losses in some:
            for number, mass in losses.mass.items():
                s = number // 4 - FIRST_STEP
                if s < 0:
                    none += mass / len(some)
                    continue
                steps += [0.0] * (s + 1 - len(steps))
                steps[s] += mass / len(some)
        return cls(none, steps)

    def mixed(self, other, part):
        """Returns the mixture with PART of the other distribution."""
        if not part:
            return self
        steps = [(1 - part) * a + part * b for a, b in itertools.zip_longest(
            self.steps, other.steps, fillvalue=0.0)]
        return Law((1 - part) * self.none + part * other.none, steps)

    def at_most(self, loss):
        """Returns the probability of a loss of at most LOSS."""
        if loss < 0:
            return 0.0
        s = math.floor(STEPS * math.log2(loss + 1)) - FIRST_STEP
        if s < 0:
            return self.none
        if s >= len(self.steps):
            return self.below[-1]
        low, high = step_begin(s + FIRST_STEP), step_begin(s + FIRST_STEP + 1)
        return self.below[s] + self.steps[s] * (loss - low) / (high - low)

    def quantile(self, u):
        u -= SAME_PROBABILITY
        if u <= self.none:
            return 0.0
        s = bisect.bisect_left(self.below, u) - 1
        if s >= len(self.steps):
            return step_begin(FIRST_STEP + len(self.steps))
        low, high = step_begin(s + FIRST_STEP), step_begin(s + FIRST_STEP + 1)
        return low + (high - low) * (u - self.below[s]) / self.steps[s]


class Laws:
    """The distributions of losses for each length of work, over all cores."""

    def __init__(self, records):
        self.records = records
        self.lost = sum(record.lost for record in records) / len(records)
        self.at = {}

    def tabulated(self, k):
        """Returns the distribution for work of 2^(k/8) ns."""
        if k not in self.at:
            self.at[k] = Law.of([Losses(record, 2.0 ** (k / 8)) for record in self.records])
        return self.at[k]

    def of(self, work, step=1):
        """Interpolates linearly in log2 between every STEPth of these."""
        place = 8 / step * math.log2(max(1.0, work))
        k = math.floor(place)
        return self.tabulated(step * k).mixed(self.tabulated(step * (k + 1)), place - k)

    def coarse(self, work):
        return self.of(work, 2)


class Histogram:
    """The numbers of intervals by length."""

    def __init__(self, lengths):
        self.n = len(lengths)
        self.bins = FINEST
        while self.bins > 1 and len(self.count(lengths)) > MAX_BINS:
            self.bins //= 2
        self.counts = dict(sorted(self.count(lengths).items()))

    def count(self, lengths):
        return Counter(bin_of(y, self.bins) for y in lengths)

    def bounds(self, number):
        return bound_of(number, self.bins), bound_of(number + 1, self.bins)

    def middle(self, number):
        return sum(self.bounds(number)) / 2

    def at(self, u):
        """Returns (the bin that contains the quantile u, the place in it)."""
        below = 0
        for number, n in self.counts.items():
            if below + n >= u * self.n:
                low, high = self.bounds(number)
                return number, low + (high - low) * (u * self.n - below) / n
            below += n
        raise AssertionError


class Density:
    """The density of work: shares of bins, uniform in each bin."""

    def __init__(self, edges):
        self.edges = edges
        self.shares = []

    def bin(self, value):
        return min(max(bisect.bisect_right(self.edges, value) - 1, 0), len(self.edges) - 2)

    def width(self, j):
        return self.edges[j + 1] - self.edges[j]

    def between(self, low, high):
        """Returns (share, mean) of the work from LOW to HIGH, or None."""
        share = moment = 0.0
        first = max(0, bisect.bisect_right(self.edges, low) - 1)
        for j in range(first, len(self.shares)):
            a, b = max(low, self.edges[j]), min(high, self.edges[j + 1])
            if a >= high:
                break
            if b > a and self.shares[j]:
                part = self.shares[j] * (b - a) / self.width(j)
                share, moment = share + part, moment + part * (a + b) / 2
        return (share, moment / share) if share > 0 else None


class Removal:
    """The removal for the intervals of one window."""

    def __init__(self, lengths, laws):
        self.laws = laws
        self.histogram = Histogram(lengths)
        self.n = self.histogram.n
        _, self.median = self.histogram.at(0.5)
        self.typical = laws.of(self.median * (1 - laws.lost))
        self.density = Density(self.edges())
        self.fit()
        self.parts = {number: self.losses(number) for number in self.histogram.counts}
        lost, time = self.sums()
        most = self.most(laws.lost * time)
        if lost > most:
            self.parts = {number: [part * (most / lost) for part in parts] for number, parts in self.parts.items()}

    def most(self, mean):
        """Returns the most that all intervals can have lost: the mean plus two standard deviations."""
        first = second = 0.0
        for s, mass in enumerate(self.typical.steps, FIRST_STEP):
            low, high = step_begin(s), step_begin(s + 1)
            first += mass * (low + high) / 2
            second += mass * (low * low + low * high + high * high) / 3
        return mean + 2 * math.sqrt(mean * (second / first if first > 0 else 0.0))

    def edges(self):
        histogram = self.histogram
        number, _ = histogram.at(0.5)
        low, high = histogram.bounds(number)
        quartiles = histogram.at(0.75)[1] - histogram.at(0.25)[1]
        width = max(high - low, 2 * quartiles / self.n ** (1 / 3))
        growth = 2 ** (1 / 16) - 1
        least = histogram.bounds(min(histogram.counts))[0]
        most = histogram.bounds(max(histogram.counts))[1]
        edges = [max(0.0, least - self.typical.quantile(0.5))]
        while edges[-1] <= most:
            edges.append(edges[-1] + max(width, growth * abs(edges[-1] - self.median)))
        return edges

    # Work's density

    def fit(self):
        density, histogram = self.density, self.histogram
        bins = len(density.edges) - 1
        met, begun, below = [0.0] * bins, [0.0] * bins, 0
        for number, n in histogram.counts.items():
            middle = histogram.middle(number)
            met[density.bin(middle)] += n
            work = middle - self.typical.quantile((below + n / 2) / self.n)
            begun[density.bin(work)] += n
            below += n
        shares = [(a + b) / 2 / self.n for a, b in zip(met, begun)]
        reached = [b for b in range(bins) if met[b]]
        ends = [[(b, p) for b, p in self.ends_of(j, reached) if p > 0] for j in range(bins)]
        for number in range(1, ROUNDS + 1):
            shares = self.round(shares, met, ends, number >= FIRST_THINNED)
        density.shares = shares

    def ends_of(self, j, reached):
        """Returns [(b, the probability that work of bin j ends in bin b)]."""
        edges = self.density.edges
        low, width = edges[j], self.density.width(j)
        found = dict.fromkeys(reached, 0.0)
        for part in (1, 3, 5):
            work = low + part / 6 * width
            law = self.laws.coarse(work)
            for b in reached:
                if b >= j:
                    found[b] += (law.at_most(edges[b + 1] - work)
                                 - law.at_most(edges[b] - work)) / 3
        return found.items()

    def round(self, shares, met, ends, thins):
        expected = defaultdict(float)
        for share, some in zip(shares, ends):
            if share:
                for b, p in some:
                    expected[b] += p * share
        masses = [share and share * sum(met[b] * p / expected[b] for b, p in some)
                  for share, some in zip(shares, ends)]
        if thins:
            chance = 2 * max(1.0, self.n / OF_CHANCE)
            thinned = [0.0 if mass - chance < MIN_SHARE * self.n else mass - chance for mass in masses]
            masses = thinned if any(thinned) else masses
        whole = sum(masses)
        if whole <= 0:
            return shares
        return [mass / whole for mass in masses]

    # Losses

    def losses(self, number):
        """Returns what intervals of a bin lost: the means of parts of equal probability."""
        weights = self.weights(self.histogram.middle(number))
        whole = sum(weight for weight, _ in weights)
        if whole <= 0:
            return [0.0] * EQUAL_PARTS
        parts, part, left = [], 0.0, whole / EQUAL_PARTS
        for weight, loss in sorted(weights, key=lambda one: one[1]):
            while weight > left and len(parts) < EQUAL_PARTS - 1:
                parts.append((part + left * loss) * EQUAL_PARTS / whole)
                weight, part, left = weight - left, 0.0, whole / EQUAL_PARTS
            part, left = part + weight * loss, left - weight
        return parts + [part / (whole / EQUAL_PARTS - left)] * (EQUAL_PARTS - len(parts))

    def weights(self, y):
        """Returns [(weight, loss)] for an interval of y ns."""
        density = self.density
        j = density.bin(y)
        none = self.laws.coarse(y).none * density.shares[j] / density.width(j)
        weights = [(none, 0.0)] if none > 0 else []
        s = FIRST_STEP
        while step_begin(s) <= y - density.edges[0]:
            low, high = step_begin(s), step_begin(s + 1)
            work = density.between(y - high, y - low)
            if work:
                loss = min(max(y - work[1], low), high)
                steps = self.laws.coarse(y - loss).steps
                if s - FIRST_STEP < len(steps) and steps[s - FIRST_STEP] > 0:
                    weights.append((steps[s - FIRST_STEP] * work[0] / (high - low), loss))
            s += 1
        return weights

    def loss(self, y, u):
        return self.parts[bin_of(y, self.histogram.bins)][int(EQUAL_PARTS * u)]

    def sums(self):
        """Returns (what all intervals lost, their total length)."""
        lost = sum(n * sum(self.parts[number]) / EQUAL_PARTS
                   for number, n in self.histogram.counts.items())
        return lost, sum(n * self.histogram.middle(number)
                         for number, n in self.histogram.counts.items())


class Windows:
    """A class of intervals, divided into windows by their begin."""

    def __init__(self, intervals, measure):
        """INTERVALS: with the attribute since, ns after MPI_Init. MEASURE: function that returns y of an interval."""
        k, last = SHORTEST_WINDOW, max(one.since for one in intervals)
        while last // 2 ** k >= MAX_WINDOWS:
            k += 1
        self.length = 2 ** k
        some = defaultdict(list)
        for one in intervals:
            some[one.since // self.length].append(measure(one))
        self.place, self.lengths = {}, [[]]
        for number in sorted(some):
            if len(self.lengths[-1]) >= FULL_WINDOW:
                self.lengths.append([])
            self.lengths[-1] += some[number]
            self.place[number] = len(self.lengths) - 1
        if len(self.lengths) > 1 and len(self.lengths[-1]) < FULL_WINDOW:
            rest = self.lengths.pop()
            self.lengths[-1] += rest
        self.removals = [None] * len(self.lengths)

    def fit(self, laws):
        for i, lengths in enumerate(self.lengths):
            if len(lengths) >= ENOUGH:
                self.removals[i] = Removal(lengths, laws)

    def removal(self, interval):
        """Returns the removal of the interval's window, or None."""
        place = self.place[interval.since // self.length]
        return self.removals[min(place, len(self.lengths) - 1)]
