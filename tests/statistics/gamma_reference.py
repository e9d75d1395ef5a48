#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantiles of the gamma distribution with 70 digits: writes gamma_reference.txt. P by its series (Abramowitz and
Stegun, 6.5.29), ln Gamma by Stirling's series, the root by Newton's method on ln P or ln Q, independent of GSL and
statistics/gamma.c."""

from decimal import Decimal, getcontext

getcontext().prec = 70
getcontext().Emin = -10**15
PI = Decimal("3.1415926535897932384626433832795028841971693993751058209749445923078164")
BERNOULLI = [Decimal(n) / d for n, d in (
    (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510),
    (43867, 798), (-174611, 330), (854513, 138), (-236364091, 2730), (8553103, 6),
    (-23749461029, 870), (8615841276005, 14322))]
SHAPES = [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 1 / 9, 0.2, 0.3, 0.5, 0.7, 0.999, 1, 1.001, 2.385, 5,
          13.7, 100, 500, 999, 1000, 1001, 5e3, 1e4, 1e5, 1e6, 1e7, 1e8]
PROBABILITIES = [1e-300, 1e-200, 1e-100, 1e-50, 1e-16, 1e-8, 1e-3, 0.1, 0.25, 0.5, 0.500001, 0.75,
                 0.9, 0.999, 1 - 1e-6, 1 - 1e-10, 1 - 1e-16]


def log_gamma(z):
    """Returns ln Gamma(z), z > 0."""
    shift = Decimal(0)
    while z < 60:
        shift += z.ln()
        z += 1
    total = (z - Decimal("0.5")) * z.ln() - z + (2 * PI).ln() / 2
    for k, b in enumerate(BERNOULLI, 1):
        total += b / (2 * k * (2 * k - 1) * z ** (2 * k - 1))
    return total - shift


def log_p(a, x, log_gamma_1):
    """Returns ln P(a, x)."""
    term = total = Decimal(1)
    n = 0
    while term > total * Decimal(10) ** -60:
        n += 1
        term *= x / (a + n)
        total += term
    return a * x.ln() - x - log_gamma_1 + total.ln()


def quantile(a, u):
    """Returns x with P(a, x) = u, for exactly these doubles."""
    a, u = Decimal(a), Decimal(u)
    log_gamma_1 = log_gamma(a + 1)
    y = (u.ln() + log_gamma_1) / a
    if y < -90:
        return y.exp()
    if a >= 20:
        y = a.ln()
    upper = u > Decimal("0.5")
    most = 3 / (1 + a.sqrt())
    for _ in range(200):
        x = y.exp()
        p = log_p(a, x, log_gamma_1)
        slope = (a * y - x - log_gamma_1 + a.ln()).exp()
        if upper:
            q = 1 - p.exp()
            step = (q.ln() - (1 - u).ln()) * q / slope if q > 0 else -most
        else:
            step = -(p - u.ln()) * p.exp() / slope
        step = max(min(step, most), -most)
        y += step
        if abs(step) < Decimal(10) ** -25:
            return y.exp()
    raise ArithmeticError(f"no quantile for shape {a} at {u}")


def main():
    print("# SPDX-License-Identifier: GPL-3.0-or-later")
    print("# shape, probability, quantile: made by gamma_reference.py")
    for a in SHAPES:
        for u in PROBABILITIES:
            x = quantile(a, u)
            print(f"{a!r} {u!r} {float(x):.17g}", flush=True)


if __name__ == "__main__":
    main()
