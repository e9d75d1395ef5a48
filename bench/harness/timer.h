/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The benchmarks' clock: the processor's time stamp counter where it can be
 * had and is constant, else PAPI's or the system's, calibrated to
 * CLOCK_MONOTONIC. Reading it is inline: it costs as much as what it times. */
#ifndef MPG_TIMER_H
#define MPG_TIMER_H

#include "config.h"

#include <stdint.h>
#include <time.h>
#if HAVE_PAPI
#include <papi.h>
#endif
#if defined __x86_64__ || defined __i386__
#define MPG_HAVE_TSC 1
#include <x86intrin.h>
#else
#define MPG_HAVE_TSC 0
#endif

#include "common/error.h"

enum mpg_timer_kind {
    MPG_TIMER_RDTSCP, /* rdtscp: waits for earlier instructions */
    MPG_TIMER_RDTSC,  /* lfence; rdtsc */
    MPG_TIMER_PAPI,   /* PAPI_get_real_cyc */
    MPG_TIMER_CLOCK,  /* clock_gettime(CLOCK_MONOTONIC) */
};

struct mpg_timer {
    enum mpg_timer_kind kind;
    double ns_per_tick;
    double cost_ns;       /* of one reading, the best of many batches */
    double resolution_ns; /* smallest positive difference of two readings */
};

/* Prepares the timer that NAME asks for: "auto" (the time stamp counter when it
 * is constant, else the system's clock), "tsc", "papi" or "clock", and
 * calibrates it for about 100 ms. Errors: the name is unknown, the machine or
 * this build has no such timer, the clock does not advance. */
int mpg_timer_open(const char *name, struct mpg_timer *timer, struct mpg_error *err);

/* The timer in words: "tsc (rdtscp)". Static storage. */
const char *mpg_timer_describe(const struct mpg_timer *timer);

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t mpg_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The time in ticks. With a constant KIND only one reading remains. */
static inline __attribute__((always_inline)) uint64_t mpg_timer_read(enum mpg_timer_kind kind)
{
    switch (kind) {
#if MPG_HAVE_TSC
    case MPG_TIMER_RDTSCP: {
        unsigned aux;
        return __rdtscp(&aux);
    }
    case MPG_TIMER_RDTSC:
        _mm_lfence();
        return __rdtsc();
#endif
#if HAVE_PAPI
    case MPG_TIMER_PAPI:
        return (uint64_t)PAPI_get_real_cyc();
#endif
    default:
        return mpg_clock_ns();
    }
}

#endif
