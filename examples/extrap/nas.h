/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers of the NAS Parallel Benchmarks (Bailey et al., RNR-94-007, section 2.2): x' = 5^13 x mod 2^46,
 * scaled to 0 to 1 as x / 2^46. */
#ifndef EXTRAP_NAS_H
#define EXTRAP_NAS_H

#include <stdint.h>

/* Returns A B mod 2^46: the product modulo 2^64 has the correct lowest 46 bits. */
static inline uint64_t nas_times(uint64_t a, uint64_t b)
{
    return a * b & ((UINT64_C(1) << 46) - 1);
}

/* Advances *X by one step; returns the number. */
static inline double nas_next(uint64_t *x)
{
    *x = nas_times(*x, UINT64_C(1220703125));
    return (double)*x / (double)(UINT64_C(1) << 46);
}

/* Returns X advanced by STEPS. */
static inline uint64_t nas_skip(uint64_t x, uint64_t steps)
{
    for (uint64_t a = UINT64_C(1220703125); steps > 0; steps >>= 1, a = nas_times(a, a))
        if (steps & 1)
            x = nas_times(x, a);
    return x;
}

#endif
