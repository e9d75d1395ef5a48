# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of growth, implemented a second time from docs/GROWTH.md alone, without the C code. Standard library only.
Slow and simple: matrices are solved, points are left out one by one, integrals are sums."""

import math

RISING = [(0, 1, 1), (0, 1, 2), (1, 4, 0), (1, 3, 0), (1, 4, 1), (1, 3, 1), (1, 4, 2), (1, 3, 2), (1, 2, 0), (1, 2, 1),
          (1, 2, 2), (2, 3, 0), (3, 4, 0), (2, 3, 1), (3, 4, 1), (4, 5, 0), (2, 3, 2), (3, 4, 2), (1, 1, 0), (1, 1, 1),
          (1, 1, 2), (5, 4, 0), (5, 4, 1), (4, 3, 0), (4, 3, 1), (3, 2, 0), (3, 2, 1), (3, 2, 2), (5, 3, 0), (7, 4, 0),
          (2, 1, 0), (2, 1, 1), (2, 1, 2), (9, 4, 0), (7, 3, 0), (5, 2, 0), (5, 2, 1), (5, 2, 2), (8, 3, 0), (11, 4, 0),
          (3, 1, 0), (3, 1, 1)]
FALLING = [(-i, d, 0) for i, d, j in RISING if j == 0]


def term(shape, n):
    i, d, j = shape
    return n ** (i / d) * math.log(n, 2) ** j


def solve(rows, targets, weights, constant):
    """Weighted least squares of the targets on (1, term), or on the term alone. Returns (c, a), or None."""
    scale = max(abs(r) for r in rows)
    r = [x / scale for x in rows]
    s11 = sum(weights)
    s12 = sum(w * x for w, x in zip(weights, r))
    s22 = sum(w * x * x for w, x in zip(weights, r))
    t1 = sum(w * t for w, t in zip(weights, targets))
    t2 = sum(w * x * t for w, x, t in zip(weights, r, targets))
    if not constant:
        return 0.0, t2 / s22 / scale
    determinant = s11 * s22 - s12 * s12
    if abs(determinant) <= 1e-12 * s11 * s22:
        return None
    return (t1 * s22 - t2 * s12) / determinant, (s11 * t2 - s12 * t1) / determinant / scale


def regress(rows, targets, weights, falling):
    """Returns (c, a, whether c was free), or None if a is not positive."""
    line = solve(rows, targets, weights, True)
    if line is None or not line[1] > 0:
        return None
    if falling and line[0] < 0:
        return solve(rows, targets, weights, False) + (False,)
    return line + (True,)


def fit(shape, ns, counts, logs):
    """Returns (error, squares, c, a), or None."""
    rows = [term(shape, n) for n in ns]
    y = [math.exp(z) for z in logs]
    falling = shape[0] < 0
    targets, weights = y, [m / v ** 2 for m, v in zip(counts, y)]
    line = regress(rows, targets, weights, falling)
    for _ in range(3):
        if line is None:
            return None
        f = [min(max(line[0] + line[1] * r, v / 8), 8 * v) for r, v in zip(rows, y)]
        targets = [a * (1 + math.log(v / a)) for a, v in zip(f, y)]
        weights = [m / a ** 2 for m, a in zip(counts, f)]
        line = regress(rows, targets, weights, falling)
    if line is None:
        return None
    c, a, free = line
    f = [c + a * r for r in rows]
    if min(f) <= 0 or max(a * r / v for r, v in zip(rows, f)) < 0.0005:
        return None
    error = 0
    for k, v in enumerate(y):
        others = [i for i in range(len(y)) if i != k]
        left = solve([rows[i] for i in others], [targets[i] for i in others], [weights[i] for i in others], free)
        if left is None:
            return None
        predicted = left[0] + left[1] * rows[k]
        error += counts[k] / sum(counts) * (2 * abs(predicted - v) / (predicted + v) if predicted > 0 else 2)
    squares = sum(m * (z - math.log(v)) ** 2 for m, z, v in zip(counts, logs, f))
    return error, squares, c, a


def beta(x, a, b):
    """Returns the regularised incomplete beta function by Simpson's rule; the substitution t = sin^2 makes its ends
    smooth."""
    def integral(to):
        steps = 400 # of a smooth function: parameters are halves
        h = to / steps
        total = 0
        for i in range(steps + 1):
            t = i * h
            value = 2 * math.sin(t) ** (2 * a - 1) * math.cos(t) ** (2 * b - 1) if 0 < t < math.pi / 2 else \
                (2 * 0.0 ** (2 * a - 1) if t == 0 and a >= 0.5 else 2 * 0.0 ** (2 * b - 1) if t else 0)
            total += value * (1 if i in (0, steps) else 4 if i % 2 else 2)
        return total * h / 3
    return integral(math.asin(math.sqrt(x))) / integral(math.pi / 2)


def angle(a, b, counts):
    def about_mean(x):
        mean = sum(m * v for m, v in zip(counts, x)) / sum(counts)
        return [v - mean for v in x]
    a, b = about_mean(a), about_mean(b)
    def product(x, y):
        return sum(m * v * w for m, v, w in zip(counts, x, y))
    return math.acos(min(1, max(-1, product(a, b) / math.sqrt(product(a, a) * product(b, b)))))


def path(shapes, ns, counts):
    logs = sum(math.log(n) for n in ns) / len(ns)
    ordered = sorted(shapes, key=lambda s: abs(s[0] / s[1]) + s[2] / logs)
    begin = [0.0] + [1.0] * (len(ns) - 1) if shapes[0][0] >= 0 else [-math.log(n) for n in ns]
    points = [begin] + [[term(s, n) for n in ns] for s in ordered]
    return sum(angle(a, b, counts) for a, b in zip(points, points[1:]))


def scatters(between, parameters, within, ns, values):
    freedom, freedom_within = len(ns) - parameters, values - len(ns)
    if freedom < 1 or freedom_within < 1:
        return False
    if within == 0:
        return between > 0
    f = between / freedom / (within / freedom_within)
    return beta(freedom_within / (freedom_within + freedom * f), freedom_within / 2, freedom / 2) < 0.05


def student(p, freedom):
    """Returns the value that Student's t exceeds with probability p."""
    low, high = 0, 1e6
    for _ in range(60):
        middle = (low + high) / 2
        tail = beta(freedom / (freedom + middle * middle), freedom / 2, 0.5) / 2
        low, high = (middle, high) if tail > p else (low, middle)
    return low


def model(points):
    """POINTS: (N, value > 0). Returns what the JSON of mpgscale contains, except what depends on draws."""
    ns = sorted({n for n, _ in points})
    groups = [[math.log(y) for m, y in points if m == n] for n in ns]
    counts = [len(g) for g in groups]
    values = sum(counts)
    logs = [sum(g) / len(g) for g in groups]
    within = sum((z - m) ** 2 for g, m in zip(groups, logs) for z in g)
    mean = sum(c * z for c, z in zip(counts, logs)) / values
    total = sum(c * (z - mean) ** 2 for c, z in zip(counts, logs))
    found = []
    for shapes in (RISING, FALLING):
        fits = [(fit(s, ns, counts, logs), s) for s in shapes]
        fits = [(f, s) for f, s in fits if f]
        if not fits:
            continue
        least = min(f[1] for f, _ in fits)
        apart = scatters(least, 2, within, ns, values)
        d = (len(ns) if apart else values) - 1
        rest = least / total if apart else (least + within) / (total + within)
        single = beta(min(rest, 1), (d - 1) / 2, 0.5) / 2
        tube = path(shapes, ns, counts) / (2 * math.pi) * rest ** ((d - 2) / 2) + single
        p = min(1, tube, (len(shapes) + 1) * single)
        best = fits[0]
        for candidate in fits[1:]:
            if candidate[0][0] < best[0][0] - 1e-10:
                best = candidate
        found.append((p, shapes is RISING, apart, best))
    xs = [math.log(n) for n in ns]
    x_mean = sum(c * x for c, x in zip(counts, xs)) / values
    xx = sum(c * (x - x_mean) ** 2 for c, x in zip(counts, xs))
    slope = sum(c * (x - x_mean) * (z - mean) for c, x, z in zip(counts, xs, logs)) / xx
    rest = sum(c * (z - mean - slope * (x - x_mean)) ** 2 for c, x, z in zip(counts, xs, logs))
    apart = scatters(rest, 2, within, ns, values)
    freedom = (len(ns) if apart else values) - 2
    half = student(0.025, freedom) * math.sqrt((rest + (0 if apart else within)) / freedom / xx)
    p, rises, by_counts, best = min(found, key=lambda f: f[0]) if found else (1, True, False, None)
    sloping = slope - half > 0 if rises else slope + half < 0
    if best is None or (p > 0.05 and not sloping):
        apart = scatters(total, 1, within, ns, values)
        freedom = (len(ns) if apart else values) - 1
        undecided = slope + half >= 1 or slope - half <= -1
        return {"verdict": "undecided" if undecided else "constant", "exponent": [0, 1], "log_exponent": 0, "constant": math.exp(mean),
                "coefficient": 0, "p": p, "freedom": freedom,
                "spread": math.sqrt((total + (0 if apart else within)) / freedom), "scatters_by_count": apart,
                "order": {"value": slope, "low": slope - half, "high": slope + half}}
    (error, squares, c, a), shape = best
    freedom = max((len(ns) if by_counts else values) - 3, 1)
    word = ("grows" if rises else "falls") + ("" if p <= 0.01 else "?")
    return {"verdict": word, "exponent": list(shape[:2]), "log_exponent": shape[2], "constant": c, "coefficient": a,
            "p": p, "left_out_error": error, "freedom": freedom,
            "spread": math.sqrt((squares + (0 if by_counts else within)) / freedom), "scatters_by_count": by_counts,
            "order": {"value": shape[0] / shape[1] + shape[2] / math.log(ns[-1])}}
