# SPDX-License-Identifier: GPL-3.0-or-later
"""mpgscale's statistics of call sites, implemented a second time from docs/GROWTH.md, with the standard library."""

import itertools
import math

MASK = 0xffffffff
RESAMPLES = 2000


def philox(counter, key):
    """Returns Philox4x32-10 (Salmon and others, SC 2011)."""
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        x, y = 0xd2511f53 * a, 0xcd9e8d57 * c
        a, b, c, d = (y >> 32) ^ b ^ k, y & MASK, (x >> 32) ^ d ^ m, x & MASK
        k, m = (k + 0x9e3779b9) & MASK, (m + 0xbb67ae85) & MASK
    return a, b, c, d


def words(count, seed):
    """Returns for each resample a random word for each of COUNT points."""
    return [[philox((b, i, 0, 0), (seed & MASK, seed >> 32))[0] for i in range(count)] for b in range(RESAMPLES)]


def median(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def midranks(values):
    return [sum(v < w for v in values) + (sum(v == w for v in values) + 1) / 2 for w in values]


def pearson(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    aa = sum((x - mean_a) ** 2 for x in a)
    bb = sum((y - mean_b) ** 2 for y in b)
    if aa == 0 or bb == 0:
        return None
    return sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b)) / math.sqrt(aa * bb)


def spearman(x, y):
    return pearson(midranks(x), midranks(y))


def tail(r, count):
    """Returns the probability beyond abs(r) on both sides, by Student's distribution: Simpson's rule with t =
    sqrt(freedom) tan(angle)."""
    freedom = count - 2
    if abs(r) >= 1:
        return 0.0
    begin = math.asin(abs(r))
    steps = 4000

    def integral(low):
        width = (math.pi / 2 - low) / steps
        total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * max(math.cos(low + i * width), 0) ** (freedom - 1)
                    for i in range(steps + 1))
        return total * width / 3
    return integral(begin) / integral(0)


def probability(x, y):
    r = spearman(x, y)
    if len(x) > 9:
        return tail(r, len(x))
    a, b = [round(2 * v) for v in midranks(x)], [round(2 * v) for v in midranks(y)]
    middle = sum(a) * sum(b)

    def distance(order):
        return abs(len(a) * sum(v * w for v, w in zip(a, order)) - middle)
    least = distance(b)
    count = far = 0
    for order in itertools.permutations(b):
        count += 1
        far += distance(order) >= least
    return far / count


def interval(x, y, drawn):
    """Returns the interval of the correlation. X is ascending."""
    if len(set(x)) == len(x):
        return None, None
    places = [[k for k in range(len(x)) if x[k] == x[i]] for i in range(len(x))]
    found = []
    ranks_x = midranks(x)
    for word in drawn:
        z = [y[places[i][word[i] * len(places[i]) >> 32]] for i in range(len(x))]
        r = pearson(ranks_x, midranks(z))
        if r is not None:
            found.append(r)
    if 2 * len(found) < RESAMPLES:
        return None, None
    found.sort()
    return (found[math.ceil(0.025 * len(found) - 1e-9) - 1], found[math.ceil(0.975 * len(found) - 1e-9) - 1])


def discoveries(p):
    order = sorted(range(len(p)), key=lambda i: p[i])
    q, least = [None] * len(p), 1.0
    for i in reversed(range(len(p))):
        least = min(least, p[order[i]] * len(p) / (i + 1))
        q[order[i]] = least
    return q


def correlation(x, y, drawn):
    """Returns r_s with interval and probability or, if it is undefined, the number of points and the reason."""
    if len(set(x)) < 3:
        return {"runs": len(x), "undefined": "fewer than 3 process counts"}
    if len(set(y)) == 1:
        return {"runs": len(x), "undefined": "constant"}
    return {"runs": len(x), "undefined": None, "r_s": spearman(x, y), "p": probability(x, y),
            "interval": interval(x, y, drawn)}


def ends(x, y):
    return (median([b for a, b in zip(x, y) if a == min(x)]), median([b for a, b in zip(x, y) if a == max(x)]))


def ties(values):
    return sum(t * (t - 1) * (2 * t + 5) for t in (values.count(v) for v in set(values)))


def power(x, y):
    """Returns b, its interval, and the medians through which the line goes, in logarithms."""
    slopes = sorted((y[i] - y[k]) / (x[i] - x[k]) for i in range(len(x)) for k in range(i) if x[i] != x[k])
    if not slopes:
        return None, None, None, median(x), median(y)
    n, m = len(x), len(slopes)
    reach = 1.959963984540054 * math.sqrt((n * (n - 1) * (2 * n + 5) - ties(x) - ties(y)) / 18)
    low = min(max(round((m - reach) / 2) - 1, 0), m - 1)
    high = min(max(round((m + reach) / 2), 0), m - 1)
    return median(slopes), slopes[low], slopes[high], median(x), median(y)


def chi_squared(p, freedom):
    """Returns the P quantile of the sum of FREEDOM squared standard normal values, by bisection of the series of the
    incomplete gamma function."""
    half = freedom / 2

    def below(x):
        if x <= 0:
            return 0.0
        term = total = 1 / half
        k = half
        while term > 1e-17 * total:
            k += 1
            term *= x / k
            total += term
        return math.exp(half * math.log(x) - x - math.lgamma(half)) * total
    low, high = 0.0, 1.0
    while below(high) < p:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < p else (low, middle)
    return low + high


def least_squares(x, y):
    """Returns the distances of the points from their least-squares line."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x))
    return [b - mean_y - slope * (a - mean_x) for a, b in zip(x, y)]


def projections(x, y, to, drawn, seed):
    """Returns the time at log N = TO, then that of 500 resamples; all equal if the data do not show the uncertainty."""
    b, _, _, middle_x, middle_y = power(x, y)
    found = [math.exp(middle_y + (b or 0) * (to - middle_x))]
    if b is None or len(x) < 3:
        return found * 501
    off = least_squares(x, y)
    for number in range(500):
        unit = (philox((number, 0, 1, 0), (seed & MASK, seed >> 32))[0] + 0.5) / 2 ** 32
        wide = math.sqrt(len(x) / chi_cached(unit, len(x) - 2))
        z = [middle_y + b * (v - middle_x) + min(max(wide * off[drawn[number][i] * len(x) >> 32], -30), 30)
             for i, v in enumerate(x)]
        slope = median([(z[i] - z[k]) / (x[i] - x[k]) for i in range(len(x)) for k in range(i) if x[i] != x[k]])
        found.append(math.exp(min(max(median(z) + slope * (to - middle_x), -600), 600)))
    return found


CHI = {}


def chi_cached(unit, freedom):
    if (unit, freedom) not in CHI:
        CHI[unit, freedom] = chi_squared(unit, freedom)
    return CHI[unit, freedom]


def bounds(value, values):
    values = sorted(values)
    return (min(value, values[math.ceil(0.025 * len(values) - 1e-9) - 1]),
            max(value, values[math.ceil(0.975 * len(values) - 1e-9) - 1]))
