/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's clock: the processor's counter if constant, else CLOCK_MONOTONIC; times in ns of CLOCK_MONOTONIC. All ranks of a
 * host convert the counter with equal parameters, and thus read exactly one clock. */
#ifndef MPG_TRACER_CLOCK_H
#define MPG_TRACER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/ticks.h"

enum { CLOCK_SHIFT = 32 };

/* ns = origin_ns + ((ticks - origin) * mult >> CLOCK_SHIFT). Until clock_calibrate() ns are ticks. Also sent between ranks: only
 * types of fixed width. */
struct tracer_clock {
    uint64_t origin, mult;
    int64_t origin_ns;
    uint64_t counter; /* source of ticks: 1: the processor's counter, 0: CLOCK_MONOTONIC */
};
extern struct tracer_clock tracer_clock;

/* Ends the calibration that began when the library was loaded; waits until the calibration has taken 10 ms. No other thread may
 * read the clock meanwhile. */
void clock_calibrate(void);

static inline uint64_t clock_ticks(void)
{
    return tracer_clock.counter ? mpg_ticks_read() : mpg_clock_ns();
}

/* Returns SINCE * MULT >> CLOCK_SHIFT, rounded to zero, on machines without 128-bit integers. */
static inline int64_t clock_scale_parts(int64_t since, uint64_t mult)
{
    uint64_t n = since < 0 ? 0 - (uint64_t)since : (uint64_t)since;
    uint64_t low = n & 0xffffffffu, part = mult & 0xffffffffu;
    int64_t ns = (int64_t)((n >> 32) * mult + low * (mult >> 32) + (low * part >> 32));
    return since < 0 ? -ns : ns;
}

/* Returns TICKS, possibly before the origin, in ns. */
static inline int64_t clock_convert(uint64_t ticks)
{
    const struct tracer_clock *c = &tracer_clock;
    int64_t since = (int64_t)(ticks - c->origin);
#ifdef __SIZEOF_INT128__
    return c->origin_ns + (int64_t)((__int128)since * (int64_t)c->mult >> CLOCK_SHIFT);
#else
    return c->origin_ns + clock_scale_parts(since, c->mult);
#endif
}

static inline int64_t clock_now_ns(void)
{
    return clock_convert(clock_ticks());
}

#endif
