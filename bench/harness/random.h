/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small generator for orders and inputs that a seed repeats: splitmix64
 * (Steele, Lea and Flood, OOPSLA 2014). */
#ifndef MPG_RANDOM_H
#define MPG_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The next 64 random bits; any STATE is a valid seed. */
static inline uint64_t mpg_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number below N (1..2^32); its bias is below N / 2^64. */
static inline uint64_t mpg_random_below(uint64_t *state, uint64_t n)
{
    return mpg_random_next(state) % n;
}

/* Draws an order of the numbers 0 to N-1 into ORDER (Fisher and Yates). */
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
