/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small generator of reproducible orders and inputs: splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
#ifndef MPG_RANDOM_H
#define MPG_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Returns the next 64 random bits; any STATE is a valid seed. */
static inline uint64_t mpg_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Returns a number within 0..N-1, N within 1..2^32; the bias is below N / 2^64. */
static inline uint64_t mpg_random_below(uint64_t *state, uint64_t n)
{
    return mpg_random_next(state) % n;
}

/* Draws a random permutation of 0..N-1 into ORDER (Fisher and Yates). */
static inline void mpg_random_order(uint64_t *state, size_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)mpg_random_below(state, i), held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
}

#endif
