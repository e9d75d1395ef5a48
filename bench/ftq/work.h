/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of both quantum benchmarks. It uses registers only: a counter in memory is occasionally delayed by store forwarding,
 * which is not system noise. */
#ifndef MPG_WORK_H
#define MPG_WORK_H

#include <stdint.h>

/* Steps of a unit of work: long compared with a timer reading, short compared with a detour. */
enum { MPG_WORK_STEPS = 32 };
/* Duration of work before the measurement, ns, to reach the core's full clock rate. */
#define MPG_WORK_WARM_UP_NS 5e7

/* Performs a unit of work: dependent steps that the compiler can neither drop nor shorten. Returns the last step's
 * result. */
static inline __attribute__((always_inline)) uint64_t mpg_work_unit(uint64_t x)
{
    for (int i = 0; i < MPG_WORK_STEPS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

#endif
