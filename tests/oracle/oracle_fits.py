# SPDX-License-Identifier: GPL-3.0-or-later
"""The family fitted to a distribution in a signature, as a function of a probability (docs/MODEL.md, section 3, Fitted
families)."""

import functools
import math
from statistics import NormalDist

NORMAL = NormalDist()
FAMILIES = ["exponential", "gamma", "lognormal", "weibull"]


def incomplete_gamma(a, x):
    """Returns (P(a, x), Q(a, x)): by the series below a + 1, by the continued fraction above."""
    if x <= 0:
        return 0.0, 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-17:
            n += 1
            term *= x / n
            total += term
        return front * total, 1 - front * total
    b = x + 1 - a
    c, d = 1e300, 1 / b
    value, change, i = d, 0.0, 0
    while abs(change - 1) > 1e-16:
        i += 1
        b += 2
        factor = i * (a - i)
        d = 1 / (factor * d + b)
        c = b + factor / c
        change = c * d
        value *= change
        if i > 100000:
            break
    return 1 - front * value, front * value


@functools.lru_cache(2 ** 18)
def gamma_quantile(a, u):
    """Returns P^-1(a, u), by Newton's method in logarithms; a step that would leave the interval halves it instead."""
    low, high = -700.0, math.log(a + 60 * math.sqrt(a) + 800)
    at, scale = math.log(a), math.lgamma(a)
    for _ in range(200):
        x = math.exp(at)
        below, above = incomplete_gamma(a, x)
        off = below - u if u < 0.5 else 1 - u - above
        if off < 0:
            low = at
        else:
            high = at
        slope = math.exp(a * at - x - scale)
        by = off / slope if slope > 0 else math.inf
        if abs(by) < 1e-9:  # what is left is its square
            return math.exp(at - by)
        at = at - by if low < at - by < high else (low + high) / 2
    return math.exp((low + high) / 2)


class Fitted:
    """A fit as in mpgsig(5)."""

    def __init__(self, given):
        self.family = given["family"]
        self.location = given.get("location", 0.0)
        self.value = {one["name"]: one["value"] for one in given["parameters"]}

    def __call__(self, u):
        value = self.value
        if u <= 0:
            return self.location
        if self.family == "exponential":
            beyond = -value["mean"] * math.log1p(-u)
        elif self.family == "gamma":
            beyond = value["scale"] * gamma_quantile(value["shape"], u)
        elif self.family == "lognormal":
            beyond = math.exp(value["mu"] + value["sigma"] * NORMAL.inv_cdf(u))
        else:
            beyond = value["scale"] * (-math.log1p(-u)) ** (1 / value["shape"])
        return self.location + beyond


def nearest(distribution):
    """Returns the fit from which a distribution of mpgsig(5) is drawn, or None."""
    least, most = distribution["quantiles"][0], distribution["quantiles"][-1]
    if least == most:
        return lambda u: least
    fits = [fit for fit in distribution.get("fits", [])
            if fit["family"] in FAMILIES and fit.get("tail_fraction", 1) == 1]
    if not fits:
        return None
    return Fitted(min(fits, key=lambda fit: fit["distance"]))
