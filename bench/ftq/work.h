/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of both quantum benchmarks. It lives in registers: a counter in
 * memory would be slowed now and then by store forwarding, which is no noise of
 * the system. */
#ifndef MPG_WORK_H
#define MPG_WORK_H

#include <stdint.h>

/* Steps of a unit: long against reading the clock, short against a detour. */
enum { MPG_WORK_STEPS = 32 };
/* Working so long before measuring lets the core reach its speed, ns. */
#define MPG_WORK_WARM_UP_NS 5e7

/* One unit: dependent steps that the compiler can neither drop nor shorten. */
static inline __attribute__((always_inline)) uint64_t mpg_work_unit(uint64_t x)
{
    for (int i = 0; i < MPG_WORK_STEPS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

#endif
