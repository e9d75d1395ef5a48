/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The benchmarks' clock: the processor's counter where it can be had and is
 * constant (x86's time stamp counter, aarch64's cntvct_el0, ppc64's time base),
 * else PAPI's or the system's, calibrated to CLOCK_MONOTONIC. Reading it is
 * inline: it costs as much as what it times. */
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
    MPG_TIMER_RDTSCP, /* rdtscp: waits for earlier instructions */
    MPG_TIMER_RDTSC,  /* lfence; rdtsc */
    MPG_TIMER_COUNTER, /* aarch64: isb; cntvct_el0. ppc64: mftb */
    MPG_TIMER_PAPI,   /* PAPI_get_real_cyc */
    MPG_TIMER_CLOCK,  /* clock_gettime(CLOCK_MONOTONIC) */
};

/* One moment on both clocks. */
struct mpg_timer_moment {
    uint64_t ticks, clock_ns; /* the timer's, CLOCK_MONOTONIC */
};

struct mpg_timer {
    enum mpg_timer_kind kind;
    double ns_per_tick;
    double cost_ns;       /* of one reading, the best of many batches */
    double resolution_ns; /* smallest positive difference of two readings */
    struct mpg_timer_moment calibrated; /* when its calibration began */
};

/* Prepares the timer that NAME asks for: "auto" (the processor's counter when it
 * is constant and the kernel trusts it too, else the system's clock), "counter"
 * (or "tsc"), "papi" or "clock", and calibrates it for about 100 ms. Errors: the
 * name is unknown, the machine or this build has no such timer, the clock does
 * not advance. */
int mpg_timer_open(const char *name, struct mpg_timer *timer, struct mpg_error *err);

/* This moment, on the core that this thread is on: the nearest of many readings of both
 * clocks, good to some 10 ns. */
struct mpg_timer_moment mpg_timer_now(const struct mpg_timer *timer);

/* By how much CLOCK_MONOTONIC has run faster than TIMER since its calibration
 * began, in parts per million: the error of the times measured meanwhile. */
double mpg_timer_drift_ppm(const struct mpg_timer *timer);

/* The timer in words: "tsc (rdtscp)". Static storage. */
const char *mpg_timer_describe(const struct mpg_timer *timer);

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
        return mpg_ticks_read();
#elif MPG_HAVE_COUNTER
    case MPG_TIMER_COUNTER:
#ifdef __aarch64__
        __asm__ volatile("isb" : : : "memory"); /* keeps earlier instructions before it */
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
