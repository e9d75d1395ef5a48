# SPDX-License-Identifier: GPL-3.0-or-later
"""The family that a signature has fitted to a distribution, as a function of a
probability (docs/MODEL.md section 3, Fitted families)."""

import math
from statistics import NormalDist

NORMAL = NormalDist()
FAMILIES = ["exponential", "gamma", "lognormal", "weibull"]


def incomplete_gamma(a, x):
    """(P(a, x), Q(a, x)): the series below a + 1, the continued fraction above."""
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


def gamma_quantile(a, u):
    """P^-1(a, u): by halving the interval, in logarithms."""
    low, high = -700.0, math.log(a + 60 * math.sqrt(a) + 800)
    for _ in range(90):
        middle = (low + high) / 2
        below, above = incomplete_gamma(a, math.exp(middle))
        if below < u if u < 0.5 else above > 1 - u:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)


class Fitted:
    """One fit of mpgsig(5)."""

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
    """The fit to draw from of a distribution as mpgsig(5) has it, or None."""
    least, most = distribution["quantiles"][0], distribution["quantiles"][-1]
    if least == most:
        return lambda u: least
    fits = [fit for fit in distribution.get("fits", [])
            if fit["family"] in FAMILIES and fit.get("tail_fraction", 1) == 1]
    if not fits:
        return None
    return Fitted(min(fits, key=lambda fit: fit["distance"]))
