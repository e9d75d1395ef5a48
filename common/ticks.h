/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the processor's time counter (x86 time stamp counter, aarch64 cntvct_el0, ppc64 time base) and CLOCK_MONOTONIC where
 * there is no counter. The functions are inline because a call would take as long as the measured code. */
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
#define MPG_HAVE_COUNTER 1 /* constant rate guaranteed by the architecture */
#else
#define MPG_HAVE_COUNTER 0
#endif

/* The capabilities of this machine's counter. */
struct mpg_ticks_abilities {
    bool rdtscp;   /* x86: has rdtscp, which waits for earlier instructions */
    bool constant; /* the counter exists and runs at a constant rate, synchronised across cores */
};
struct mpg_ticks_abilities mpg_ticks_abilities(void);

/* Returns the counter with minimal overhead. The processor may reorder the read by a few instructions. Returns 0 without a
 * counter. */
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

/* Returns CLOCK_MONOTONIC in ns. */
static inline uint64_t mpg_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Keeps this thread computing for TIME_NS. */
static inline void mpg_clock_spin(double time_ns)
{
    const uint64_t start_ns = mpg_clock_ns();
    while ((double)(mpg_clock_ns() - start_ns) < time_ns) {
    }
}

#endif
