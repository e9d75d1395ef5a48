# SPDX-License-Identifier: GPL-3.0-or-later
"""Addressed random numbers for the oracle: Philox4x32-10 (Salmon et al., Parallel
random numbers: as easy as 1, 2, 3, SC 2011), as simulate/draws/draws.h lays out
key and counter."""

import functools

MASK = 0xffffffff
MULTIPLIERS = 0xd2511f53, 0xcd9e8d57
WEYL = 0x9e3779b9, 0xbb67ae85

(REMOVED, NOISE, CALL, LATENCY, BYTE, ACK, ROUND_LATENCY, ROUND_CALL, PHASE, ROW, LAUNCH,
 WEIGHT, _, COLLECTIVE, PART, QUANTUM, SEND, RECEIVE) = range(18)


@functools.lru_cache(2 ** 17)
def philox(counter, key):
    """Returns Philox's ten rounds. COUNTER: four numbers below 2^32; KEY: two."""
    a, b, c, d = counter
    k, l = key
    for _ in range(10):
        x, y = MULTIPLIERS[0] * a, MULTIPLIERS[1] * c
        a, b, c, d = (y >> 32) ^ b ^ k, y & MASK, (x >> 32) ^ d ^ l, x & MASK
        k, l = (k + WEYL[0]) & MASK, (l + WEYL[1]) & MASK
    return a, b, c, d


# What each of a message's draws is of the block at its latency's address.
PARTS = {LATENCY: 0, SEND: 1, RECEIVE: 2}


class Draws:
    """The uniform numbers of one replica."""

    def __init__(self, seed, replica):
        self.seed = seed
        self.replica = replica

    def __call__(self, rank, call, purpose, index=0):
        part = PARTS.get(purpose)
        block = purpose if part is None else LATENCY
        counter = self.replica, rank & MASK, call & MASK, block << 28 | index & 0x0fffffff
        key = self.seed & MASK, (self.seed >> 32 ^ call >> 32) & MASK
        first, second, third, last = philox(counter, key)
        if part is not None:  # 32 bits of a word of its own, and 10 of the last one
            high, low = (first, second, third)[part], last // 2 ** (10 * part) % 2 ** 10
            return (high * 2 ** 10 + low + 0.5) / 2 ** 42
        return ((second << 32 | first) >> 12) * 2.0 ** -52 + 2.0 ** -53
