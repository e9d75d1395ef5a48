# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of successive quanta of time, drawn with the measured correlation (docs/NOISE.md, Quanta)."""

import math

from oracle_draws import PHASE, QUANTUM
from oracle_fits import NORMAL
from oracle_signature import Distribution

FIRST_CALL = 512
MAX_LAGS = 256
MAX_WEIGHTS = 512
LEFT_OFF = 1e-4
EPSILON = 2.0 ** -53


def regression(correlations, n):
    """Returns the coefficients of the autoregression with these correlations, as far as a process can have them."""
    beyond = [k for k, r in enumerate(correlations[:MAX_LAGS], 1)
              if abs(r) > 3 / math.sqrt(n)]
    last = max(beyond, default=0)
    a, left = [], 1.0
    for k in range(last):
        partial = (correlations[k] - sum(
            a[i] * correlations[k - 1 - i] for i in range(k))) / left
        if abs(partial) >= 1:
            break
        a = [a[i] - partial * a[k - 1 - i] for i in range(k)] + [partial]
        left *= 1 - partial * partial
    return a


def response(a):
    """Returns the response to one innovation, scaled to variance 1; [1]: independent quanta."""
    weights = [1.0]
    while a and len(weights) < MAX_WEIGHTS:
        weights.append(sum(one * weights[-1 - i] for i, one in enumerate(a)
                           if i < len(weights)))
    whole, n = sum(w * w for w in weights), len(weights)
    left = 0.0
    while n > 1 and left + weights[n - 1] ** 2 <= LEFT_OFF * whole:
        left += weights[n - 1] ** 2
        n -= 1
    scale = math.sqrt(sum(w * w for w in weights[:n]))
    return [w / scale for w in weights[:n]]


class CoreQuanta:
    """The quanta of one core."""

    def __init__(self, core):
        self.length = core["ftq"]["quantum_ns"]
        self.lost = Distribution(core["ftq"]["lost_ns"])
        self.weights = response(regression(core.get("autocorrelation", []),
                                           core["ftq"]["lost_ns"]["n"]))


class Quanta:
    """The clock of one rank: u(t), and how long work takes."""

    def __init__(self, core, draw, lowest):
        """LOWEST: lowest rank of those whose quanta begin at the same time and have the same losses."""
        self.core, self.draw, self.rank = core, draw, lowest
        self.losses = {}
        self.done = [0.0]  # work done before each quantum
        self.phase = draw(lowest, 0, PHASE) * core.length

    def v(self, q):
        return self.draw(self.rank, q + FIRST_CALL, QUANTUM)

    def loss(self, q):
        if q not in self.losses:
            u = self.v(q)
            if len(self.core.weights) > 1:
                x = sum(w * NORMAL.inv_cdf(self.v(q - j))
                        for j, w in enumerate(self.core.weights))
                u = NORMAL.cdf(x)
            self.losses[q] = min(self.core.length, max(0.0, self.core.lost(u)))
        return self.losses[q]

    def u(self, t):
        """Returns the work done from phase 0 until t."""
        length, q = self.core.length, math.floor(t / self.core.length)
        while len(self.done) <= q:
            self.done.append(self.done[-1] + length - self.loss(len(self.done) - 1))
        return self.done[q] + (t - q * length) * (1 - self.loss(q) / length)

    def detour(self, _):
        return None

    def time_for(self, t, work):
        length, q = self.core.length, math.floor(t / self.core.length)
        at, left = t, work
        while True:
            rate = 1 - self.loss(q) / length
            end = (q + 1) * length
            if left <= (end - at) * rate:
                return at - t + (left / rate if rate > 0 else 0.0)
            left -= (end - at) * rate
            at, q = end, q + 1
