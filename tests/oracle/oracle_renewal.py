# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawn detours: gap and duration in turn, in blocks that begin in equilibrium (docs/NOISE.md, Renewal)."""

import itertools
import math

from oracle_draws import QUANTUM
from oracle_fits import NORMAL, Fitted, gamma_quantile, nearest
from oracle_signature import Distribution
from oracle_trace import OracleError

DETOURS_A_BLOCK = 256
ROUNDING_NS = 1e-3


class Constant:
    """A constant in place of a distribution."""

    def __init__(self, value):
        self.value = self.mean = value

    def __call__(self, _):
        return self.value

    def lengthy(self, _):
        return self.value


class Measured:
    """A distribution between knots, with its integral."""

    def __init__(self, given):
        self.quantile = Distribution(given)
        p, q = self.quantile.probabilities, self.quantile.quantiles
        self.pieces = [piece for piece in zip(p, p[1:], q, q[1:]) if piece[1] > piece[0]]
        self.mean = sum(self.part(*piece) for piece in self.pieces)

    def __call__(self, u):
        return self.quantile(u)

    @staticmethod
    def part(p0, p1, q0, q1):
        return (p1 - p0) * (q0 + q1) / 2

    def lengthy(self, v):
        """Returns the value at which the integral of the quantiles reaches the part v of the mean."""
        left = v * self.mean
        for piece in self.pieces:
            if left <= self.part(*piece):
                break
            left -= self.part(*piece)
        p0, p1, q0, q1 = piece
        # q0 s + (q1 - q0) s^2 / 2 (p1 - p0) = left, solved without a difference of
        # numbers that are nearly equal.
        slope = (q1 - q0) / (p1 - p0)
        root = math.sqrt(q0 * q0 + 2 * slope * max(0.0, left))
        return min(q1, root)


class Family:
    """A fit, with its mean and its length-weighted values."""

    def __init__(self, fit):
        self.fit = fit
        self.family, self.c, value = fit.family, fit.location, fit.value
        self.value = value
        self.mean = self.c + {
            "exponential": lambda: value["mean"],
            "gamma": lambda: value["shape"] * value["scale"],
            "lognormal": lambda: math.exp(value["mu"] + value["sigma"] ** 2 / 2),
            "weibull": lambda: value["scale"] * math.gamma(1 + 1 / value["shape"]),
        }[self.family]()

    def __call__(self, u):
        return self.fit(u)

    def lengthy(self, v):
        if v < self.c / self.mean:
            return self.fit(v * self.mean / self.c)
        w = (v * self.mean - self.c) / (self.mean - self.c)
        value = self.value
        if self.family == "exponential":
            beyond = value["mean"] * gamma_quantile(2, w)
        elif self.family == "gamma":
            beyond = value["scale"] * gamma_quantile(value["shape"] + 1, w)
        elif self.family == "lognormal":
            sigma = value["sigma"]
            beyond = math.exp(value["mu"] + sigma * sigma + sigma * NORMAL.inv_cdf(w))
        else:
            shape = value["shape"]
            beyond = value["scale"] * gamma_quantile(1 + 1 / shape, w) ** (1 / shape)
        return self.c + beyond


def side_of(given, model):
    if model == "renewal":
        return Measured(given)
    fit = nearest(given)
    if not fit:
        raise OracleError("no family is fitted to it")
    return Family(fit) if isinstance(fit, Fitted) else Constant(fit(0.5))


class CoreRenewal:
    """The distributions from which a core's detours are drawn."""

    def __init__(self, core, detours, model):
        self.quiet = not detours
        if len(detours) == 1:
            self.duration = Constant(detours[0][1])
            self.gap = Constant(core["span_ns"] - detours[0][1])
        elif detours:
            self.gap = side_of(core["gap_ns"], model)
            self.duration = side_of(core["duration_ns"], model)
        if detours:
            self.cycle = self.gap.mean + self.duration.mean
            self.phi = self.duration.mean / self.cycle
            self.block = DETOURS_A_BLOCK * self.cycle


class Renewal:
    """The detours that the ranks of a group meet on a core; the group is named by its lowest rank."""

    def __init__(self, core, draw, lowest):
        self.core, self.draw, self.lowest = core, draw, lowest
        self.blocks = {}

    def v(self, block, k):
        return self.draw(self.lowest, block, QUANTUM, k)

    def drawn(self, block):
        """Generates (begin, end) of the detours in a block, in order, cut off at the block's end."""
        core, number = self.core, 0
        first, second = self.v(block, 1), self.v(block, 2)
        phi = core.phi if block else 0.0
        if first < phi:
            begin, end = 0.0, second * core.duration.lengthy(first / phi)
        else:
            number = 1
            begin = second * core.gap.lengthy((first - phi) / (1 - phi))
            end = begin + core.duration(self.v(block, 4))
        while begin < core.block:
            yield begin, min(end, core.block)
            number += 1
            begin = end + core.gap(self.v(block, 2 * number + 1))
            end = begin + core.duration(self.v(block, 2 * number + 2))

    def detours(self, block):
        """Generates the same, and remembers them, so that iteration may stop and begin again."""
        if block not in self.blocks:
            self.blocks[block] = [], self.drawn(block)
        known, more = self.blocks[block]
        for i in itertools.count():
            if i == len(known):
                one = next(more, None)
                if one is None:
                    return
                known.append(one)
            yield known[i]

    def place(self, t):
        block = math.floor(t / self.core.block)
        return block, t - block * self.core.block

    def detour(self, t):
        """Returns (how long ago the detour at time t began, how long it continues), or None."""
        if self.core.quiet:
            return None
        block, t = self.place(t)
        for begin, end in self.detours(block):
            if begin >= t:
                break
            if t < end:
                return t - begin, end - t
        return None

    def time_for(self, t, work):
        if self.core.quiet:
            return work
        block, at = self.place(t)
        left, lost = work, 0.0
        while True:
            for begin, end in self.detours(block):
                if end <= at:
                    continue
                free = max(0.0, begin - at)
                if left <= free + ROUNDING_NS:
                    return work + lost
                left -= free
                lost += end - max(at, begin)
                at = end
            free = self.core.block - at
            if left <= free:
                return work + lost
            left -= free
            block, at = block + 1, 0.0
