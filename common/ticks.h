/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processor's time counter: x86's time stamp counter, aarch64's cntvct_el0,
 * ppc64's time base; and CLOCK_MONOTONIC, for where there is none. Reading them is
 * inline: it costs as much as what it times. */
#ifndef MPG_TICKS_H
#define MPG_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined __x86_64__ || defined __i386__
#define MPG_HAVE_TSC 1
#include <x86intrin.h>
#else
#define MPG_HAVE_TSC 0
#endif
#if defined __aarch64__ || defined __powerpc64__
#define MPG_HAVE_COUNTER 1 /* one that its architecture defines to be constant */
#else
#define MPG_HAVE_COUNTER 0
#endif

/* What the counter of this machine can do. */
struct mpg_ticks_abilities {
    bool rdtscp;   /* x86: has the instruction that waits for earlier ones */
    bool constant; /* there is a counter, which runs evenly, always, and alike on all cores */
};
struct mpg_ticks_abilities mpg_ticks_abilities(void);

/* The counter, read as cheaply as can be: it may be taken some instructions before or
 * after its place in the program. 0 where there is none. */
static inline __attribute__((always_inline)) uint64_t mpg_ticks_read(void)
{
#if MPG_HAVE_TSC
    return __rdtsc();
#elif defined __aarch64__
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
#elif defined __powerpc64__
    return __builtin_ppc_get_timebase();
#else
    return 0;
#endif
}

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t mpg_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
