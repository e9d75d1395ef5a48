/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The benchmarks' timer: a constant cycle counter of the processor (x86's time stamp counter, aarch64's
 * cntvct_el0, ppc64's time base), else PAPI's or the system's clock, calibrated to CLOCK_MONOTONIC. Reading is
 * inline because of its cost. */
#ifndef MPG_TIMER_H
#define MPG_TIMER_H

#include "config.h"

#include <stdint.h>
#if HAVE_PAPI
#include <papi.h>
#endif

#include "common/error.h"
#include "common/ticks.h"

enum mpg_timer_kind {
    MPG_TIMER_RDTSCP, /* x86: rdtscp, which waits for earlier instructions */
    MPG_TIMER_RDTSC,  /* x86: lfence; rdtsc */
    MPG_TIMER_COUNTER, /* aarch64: isb; cntvct_el0. ppc64: mftb */
    MPG_TIMER_PAPI,   /* PAPI_get_real_cyc */
    MPG_TIMER_CLOCK,  /* clock_gettime(CLOCK_MONOTONIC) */
};

/* A moment as read from both clocks. */
struct mpg_timer_moment {
    uint64_t ticks, clock_ns; /* timer reading; CLOCK_MONOTONIC, ns */
};

struct mpg_timer {
    enum mpg_timer_kind kind;
    double ns_per_tick;
    double cost_ns;       /* minimum time of a reading, over many batches of readings */
    double resolution_ns; /* smallest positive difference of two successive readings */
    struct mpg_timer_moment calibrated; /* start of the calibration, from which clock drift is measured */
};

/* Opens and calibrates (about 100 ms) the timer NAME: "auto" (the processor's counter if constant and trusted by
 * the kernel, else the system's clock), "counter" (or "tsc"), "papi" or "clock". Errors: unknown name, timer not
 * available on this machine or in this build, clock does not advance. */
int mpg_timer_open(const char *name, struct mpg_timer *timer, struct mpg_error *err);

/* Returns the present moment on both clocks: the narrowest of many readings on the current core, accurate to about
 * 10 ns. */
struct mpg_timer_moment mpg_timer_now(const struct mpg_timer *timer);

/* Returns the rate of CLOCK_MONOTONIC relative to TIMER since the calibration, minus 1, in parts per million: the
 * relative error of measured times. */
double mpg_timer_drift_ppm(const struct mpg_timer *timer);

/* Returns the timer in words: "tsc (rdtscp)". A constant string. */
const char *mpg_timer_describe(const struct mpg_timer *timer);

/* Returns the time in ticks. A constant KIND compiles to a single reading. */
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
        return mpg_ticks_read();
#elif MPG_HAVE_COUNTER
    case MPG_TIMER_COUNTER:
#ifdef __aarch64__
        __asm__ volatile("isb" : : : "memory"); /* keeps the processor from reading the counter before earlier instructions have
                                                   ended */
#endif
        return mpg_ticks_read();
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
