# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of barriers, of reads of other ranks' data, and of bytes read, of the programs in examples/extrap on all n
ranks together: the formulas of examples/extrap/README.md. Each function returns (barriers, reads, bytes). mgrid has no
formula for all n: its reads are counted."""

import math


def log2(n):
    return n.bit_length() - 1


def blocks(items, n):
    """Returns the sizes of the blocks when ITEMS are distributed over N ranks."""
    size = -(-items // n)
    return [max(0, min(size, items - k * size)) for k in range(n)]


def embar(n, m):
    return 2, n - 1, 96 * (n - 1)


def cyclic(n, k, systems):
    reads = (k - log2(n)) * (n - 1) + 2 * (n - 1 - log2(n))
    return 2 * k, 2 * reads, reads * (32 + 8) * systems


def sparse(n, rows, nonzero, shift, iterations, steps):
    one = ((steps + 1) * 8 * rows + 2 * (8 * (2 * steps + 1) + 24)) * (n - 1)
    return (6 * iterations * (steps + 1), iterations * (steps + 1) * (n - 1) * (n + 4), iterations * one)


def grid(n, elements, cells, waves, iterations, true_size=False, element_bytes=231456):
    q = math.isqrt(n)
    lines = sum(b > 0 for b in blocks(elements, q)) - 1
    reads = 4 * elements * lines * iterations
    return 1 + 2 * iterations, reads, reads * (8 * cells if true_size else element_bytes)


def mgrid(n, k, cycles):
    """Counts reads of columns of 8 * 2^l bytes: for each column that a step needs, determines which rank has it."""
    q = math.isqrt(n)

    def span(level, part):
        before = sum(blocks(2 ** level, q)[:part])
        return range(before, before + blocks(2 ** level, q)[part])

    def owner(level, x):
        return next(part for part in range(q) if x % 2 ** level in span(level, part))

    def reads(level, of, needed):
        """Counts columns of level OF that a step on level LEVEL reads from other ranks. NEEDED: the columns along one
        side that the own ones need."""
        number = 0
        for x in range(q):
            for y in range(q):
                if span(of, x) and span(of, y):
                    number += sum((owner(level, i), owner(level, j)) != (x, y)
                                  for i in needed(span(of, x)) for j in needed(span(of, y)))
        return number, number * 8 * 2 ** level

    def around(own):
        return range(own[0] - 1, own[-1] + 2)

    def finer(own):
        return range(2 * own[0], 2 * own[-1] + 3)

    def coarser(own):
        """Point 2 c + 1 of the finer grid needs point c of the coarser one, point 2 c both c - 1 and c."""
        return range((own[0] - 1) // 2, (own[-1] - 1) // 2 + 1 if own[-1] % 2 else own[-1] // 2 + 1)

    steps = []
    for _ in range(cycles):
        steps += [reads(level, level - 1, finer) for level in range(2, k + 1)]
        steps += [reads(1, 1, around), reads(k, k, around)]
        for level in range(2, k + 1):
            steps += [reads(level - 1, level, coarser)] + 2 * [reads(level, level, around)]
    barriers = 1 + 2 * (len(steps) + 1) + 2
    steps += [reads(k, k, around), (2 * (n - 1), 16 * (n - 1))]
    return barriers, sum(s[0] for s in steps), sum(s[1] for s in steps)


def poisson(n, k, solves):
    b = blocks(2 ** k - 1, n)
    return (4 * solves, 2 * solves * sum(x > 0 and y > 0 and i != j for i, x in enumerate(b) for j, y in enumerate(b)),
            2 * solves * 8 * (sum(b) ** 2 - sum(x * x for x in b)))


def sort(n, k):
    steps = log2(n) * (log2(n) + 1) // 2
    return 2 + steps, n * steps, 4 * 2 ** k * steps


def matmul(n, size, columns, rows_kind, columns_kind):
    """ROWS_KIND, COLUMNS_KIND: distributions: 0 Block, 1 Cyclic, 2 Whole."""
    p = max(i for i in range(1, n + 1) if n % i == 0 and i * i <= n)
    q = n // p
    if rows_kind == 2 or columns_kind == 2:
        p = n if rows_kind != 2 else 1
        q = n if columns_kind != 2 else 1
    return (1 + columns * (2 + (q - 1).bit_length()), columns * (q * (p - 1) + p * (q - 1)),
            columns * 8 * size * (p - 1 + q - 1))
