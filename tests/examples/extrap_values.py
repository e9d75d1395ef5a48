# SPDX-License-Identifier: GPL-3.0-or-later
"""Expected results of the programs in examples/extrap, computed in other ways: by the papers' definitions, with the
simplest algorithms, in one process and with Python's exact or floating-point numbers."""

from fractions import Fraction
import math


def weight(i):
    return i % 101 + 1


def random_numbers(seed):
    """The NAS random numbers: 5^13 x mod 2^46, as numbers below 1."""
    x = seed
    while True:
        x = x * 5 ** 13 % 2 ** 46
        yield x / 2 ** 46


def embar(m):
    """Returns the number of pairs inside the circle, and the sums of the deviates."""
    numbers = random_numbers(271828183)
    inside, sums = 0, [0.0, 0.0]
    for _ in range(2 ** m):
        x, y = 2 * next(numbers) - 1, 2 * next(numbers) - 1
        t = x * x + y * y
        if t <= 1:
            inside += 1
            sums = [s + v * math.sqrt(-2 * math.log(t) / t) for s, v in zip(sums, (x, y))]
    return [inside] + sums


def cyclic(k, systems):
    """Returns the checksum, with each system solved by Gaussian elimination with fractions."""
    n = 2 ** k - 1
    total = Fraction(0)

    def wanted(i, s):
        return (7 * i + 3 * s) % 11 - 5 if 1 <= i <= n else 0

    for s in range(systems):
        diagonal = [Fraction("2.385") + Fraction((i + s) % 3, 4) for i in range(n + 1)]
        right = [diagonal[i] * wanted(i, s) - wanted(i - 1, s) - wanted(i + 1, s) for i in range(n + 1)]
        for i in range(2, n + 1):
            diagonal[i] -= 1 / diagonal[i - 1]
            right[i] += right[i - 1] / diagonal[i - 1]
        x = 0
        for i in range(n, 0, -1):
            x = (right[i] + x) / diagonal[i]
            total += x * weight(i * systems + s)
    return [float(total)]


def sparse(rows, nonzero, shift, iterations, steps):
    """Returns zeta, by conjugate gradients on the full matrix."""
    numbers = random_numbers(314159265)
    next(numbers)
    power = 1
    while power < rows:
        power *= 2
    matrix = [[0.0] * rows for _ in range(rows)]
    for i in range(rows):
        vector = {}
        while len(vector) < nonzero:
            value, at = next(numbers), int(power * next(numbers))
            if at < rows and at not in vector:
                vector[at] = value
        vector[i] = 0.5
        for r, a in vector.items():
            for c, b in vector.items():
                matrix[r][c] += 0.1 ** (i / rows) * a * b
        matrix[i][i] += 0.1 - shift

    def times(v):
        return [math.fsum(a * b for a, b in zip(row, v)) for row in matrix]

    def dot(v, w):
        return math.fsum(a * b for a, b in zip(v, w))

    x, zeta = [1.0] * rows, 0
    for _ in range(iterations):
        z, r, p = [0.0] * rows, x, x
        for _ in range(steps):
            q = times(p)
            alpha = dot(r, r) / dot(p, q)
            z = [a + alpha * b for a, b in zip(z, p)]
            rest = [a - alpha * b for a, b in zip(r, q)]
            beta, r = dot(rest, rest) / dot(r, r), rest
            p = [a + beta * b for a, b in zip(r, p)]
        zeta = shift + 1 / dot(x, z)
        x = [a / math.sqrt(dot(z, z)) for a in z]
    return [zeta]


def grid(side, waves, iterations):
    """Returns the cell next to the middle after Jacobi iterations from 0."""
    h = 1 / (side + 1)
    source = [[sum(100 / k * math.sin(k * math.pi * i * h) * math.sin(k * math.pi * j * h)
                   for k in range(1, waves + 1)) for j in range(side + 2)] for i in range(side + 2)]
    u = [[0.0] * (side + 2) for _ in range(side + 2)]
    for _ in range(iterations):
        new = [[0.0] * (side + 2) for _ in range(side + 2)]
        for i in range(1, side + 1):
            for j in range(1, side + 1):
                new[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + h * h * source[i][j]) / 4
        u = new
    return [u[side // 2 + 1][side // 2 + 1]]


def mgrid(k, cycles):
    """Returns the norm of the residual: the NAS V-cycle, with operators written as sums over 27 points."""
    def points(n):
        return ((x, y, z) for x in range(n) for y in range(n) for z in range(n))

    near = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]

    def around(field, n, weights, p):
        return sum(weights[sum(map(abs, d))] * field[tuple((a + b) % n for a, b in zip(p, d))] for d in near)

    operator, smoother = (-8 / 3, 0, 1 / 6, 1 / 12), (-3 / 8, 1 / 32, -1 / 64, 0)

    def residual(v, u, n):
        return {p: v[p] - around(u, n, operator, p) for p in points(n)}

    def smooth(u, r, n):
        return {p: u[p] + around(r, n, smoother, p) for p in points(n)}

    def restrict(r, n):
        return {p: around(r, n, (1 / 2, 1 / 4, 1 / 8, 1 / 16), tuple(2 * a + 1 for a in p)) for p in points(n // 2)}

    def add_finer(u, coarse, n):
        """Fine point 2 c + 1 is coarse point c; those between have the mean of both, in each direction."""
        new = dict(u)
        for p in points(n):
            corners = [[a // 2] * 2 if a % 2 else [a // 2, (a // 2 - 1) % (n // 2)] for a in p]
            new[p] += sum(coarse[x, y, z] for x in corners[0] for y in corners[1] for z in corners[2]) / 8
        return new

    def correct(r, n):
        """Returns the correction of the V-cycle for the residual R on an n^3 grid."""
        zero = dict.fromkeys(points(n), 0.0)
        if n == 2:
            return smooth(zero, r, n)
        u = add_finer(zero, correct(restrict(r, n), n // 2), n)
        return smooth(u, residual(r, u, n), n)

    n = 2 ** k
    numbers = random_numbers(314159265)
    values = sorted((next(numbers), (x, y, z)) for z in range(n) for y in range(n) for x in range(n))
    v = dict.fromkeys(points(n), 0.0)
    v.update((p, -1.0) for _, p in values[:10])
    v.update((p, 1.0) for _, p in values[-10:])
    u = dict.fromkeys(points(n), 0.0)
    for _ in range(cycles):
        r = residual(v, u, n)
        u = add_finer(u, correct(restrict(r, n), n // 2), n)
        u = smooth(u, residual(v, u, n), n)
    return [math.sqrt(sum(a * a for a in residual(v, u, n).values()) / n ** 3)]


def poisson(k, solves):
    """Returns the checksum, with each equation solved by Gaussian elimination."""
    n = 2 ** k - 1
    total = 0.0
    for salt in range(solves):
        def wanted(i, j, salt=salt):
            if not (0 <= i < n and 0 <= j < n):
                return 0
            return (i * 7919 + j * 104729 + i * j * 31 + salt * 13) % 17 - 8

        rows = []
        for i in range(n):
            for j in range(n):
                row = [0.0] * (n * n + 1)
                row[i * n + j] = 4
                row[-1] = 4 * wanted(i, j)
                for x, y in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                    row[-1] -= wanted(x, y)
                    if 0 <= x < n and 0 <= y < n:
                        row[x * n + y] = -1
                rows.append(row)
        for a in range(n * n):
            for b in range(a + 1, n * n):
                if rows[b][a]:
                    f = rows[b][a] / rows[a][a]
                    rows[b] = [p - f * q for p, q in zip(rows[b], rows[a])]
        x = [0.0] * (n * n)
        for a in reversed(range(n * n)):
            x[a] = (rows[a][-1] - sum(rows[a][b] * x[b] for b in range(a + 1, n * n))) / rows[a][a]
        total += sum(value * weight(i + salt) for i, value in enumerate(x))
    return [total]


def sort(k):
    """Returns the checksum of the sorted keys, which are mixed as in stir()."""
    keys = []
    for i in range(2 ** k):
        for _ in range(3):
            i = (i * 0x9e3779b1 + 0x7f4a7c15) % 2 ** k
            i ^= i >> (k // 2 + 1)
        keys.append(i)
    return [sum(key * weight(i) for i, key in enumerate(sorted(keys)))]


def matmul(n, columns):
    """Returns the checksum of the first COLUMNS columns of the product of a(i, k) = i + 1 + k and b(k, j) = j - k."""
    return [sum(sum((i + 1 + k) * (j - k) for k in range(n)) * weight(i * n + j)
                for i in range(n) for j in range(columns))]
