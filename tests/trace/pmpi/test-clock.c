/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's clock: conversion compared with closed forms and with CLOCK_MONOTONIC. */

#include "tests/tap.h"
#include "trace/pmpi/clock.h"

/* Returns the tracer's multiplier for ticks of TICK_NS ns. */
static uint64_t mult_of(double tick_ns)
{
    return (uint64_t)(tick_ns * 4294967296.0);
}

static void test_closed_forms(void)
{
    tracer_clock = (struct tracer_clock){.origin = 1000, .origin_ns = 7, .mult = mult_of(0.4375)};
    ok(clock_convert(1000) == 7, "the origin is the origin");
    ok(clock_convert(1000 + 1600) == 7 + 700, "16 ticks of 0.4375 ns are 7 ns");
    ok(clock_convert(1000 - 160) == 7 - 70, "before the origin, too");
    uint64_t year = (uint64_t)365 * 86400 * 2400000000u; /* a year in ticks, more than 2^55 */
    ok(clock_convert(1000 + year) == 7 + (int64_t)(year / 16 * 7),
       "a year of ticks does not overflow");
    tracer_clock.mult = mult_of(40.25); /* a counter of 24.8 MHz, as of aarch64 */
    ok(clock_convert(1000 + 4000000000u) == 7 + 161000000000, "a slow counter");
    bool same = true;
    const int64_t since[] = {0, 1, 12345, -12345, 4294967295, 4294967296, -4294967297,
                             98765432123456789, -98765432123456789};
    const double tick_ns[] = {0.2385, 0.4375, 1.0, 2.385, 40.25};
    for (size_t i = 0; i < sizeof since / sizeof *since; i++)
        for (size_t j = 0; j < sizeof tick_ns / sizeof *tick_ns; j++) {
            tracer_clock = (struct tracer_clock){.mult = mult_of(tick_ns[j])};
            int64_t difference = clock_convert((uint64_t)since[i]) -
                                 clock_scale_parts(since[i], tracer_clock.mult);
            same = same && difference >= -1 && difference <= 0;
        }
    ok(same, "without integers of 128 bits it is the same, but for rounding");
}

/* Compared with the clock of its calibration; the drift is of the order of 10 ppm. */
static void test_calibrated(struct tracer_clock fresh)
{
    tracer_clock = fresh;
    clock_calibrate();
    int64_t first_ns = clock_now_ns(), last_ns = first_ns;
    bool ordered = true;
    for (int i = 0; i < 100000; i++) {
        int64_t now_ns = clock_now_ns();
        ordered = ordered && now_ns >= last_ns;
        last_ns = now_ns;
    }
    ok(ordered, "it does not go back");
    bool close = false; /* tried repeatedly, because an interruption may separate the readings */
    for (int i = 0; i < 100 && !close; i++) {
        int64_t before_ns = (int64_t)mpg_clock_ns(), now_ns = clock_now_ns();
        int64_t after_ns = (int64_t)mpg_clock_ns();
        close = now_ns > before_ns - 100000 && now_ns < after_ns + 100000;
    }
    ok(close, "it is CLOCK_MONOTONIC to 0.1 ms");
}

int main(void)
{
    struct tracer_clock fresh = tracer_clock;
    test_closed_forms();
    test_calibrated(fresh);
    fresh.counter = 0;
    test_calibrated(fresh);
    return done();
}
