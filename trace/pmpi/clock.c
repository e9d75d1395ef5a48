/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibrates the processor's counter to CLOCK_MONOTONIC between the loading of the library and the end of MPI_Init:
 * commonly a second, which the program needs anyway. */
#include "trace/pmpi/clock.h"

#include <stdlib.h>
#include <string.h>

enum { BRACKETS = 20, BASELINE_NS = 10000000 };

struct tracer_clock tracer_clock = {.mult = (uint64_t)1 << CLOCK_SHIFT};

/* A moment on both clocks: of several readings of ns, each between two readings of ticks, the reading with the shortest distance
 * of the ticks. */
struct moment {
    uint64_t ticks, ns;
};
static struct moment first;

static struct moment read_both(void)
{
    struct moment best = {0, 0};
    uint64_t width = UINT64_MAX;
    for (int i = 0; i < BRACKETS; i++) {
        uint64_t before = mpg_ticks_read();
        uint64_t ns = mpg_clock_ns();
        uint64_t after = mpg_ticks_read();
        if (after - before < width) {
            width = after - before;
            best = (struct moment){before + width / 2, ns};
        }
    }
    return best;
}

/* Tests set MPGTRACE_CLOCK=system to run as on a machine without a constant counter. */
__attribute__((constructor)) static void begin_calibration(void)
{
    const char *name = getenv("MPGTRACE_CLOCK");
    if ((name && strcmp(name, "system") == 0) || !mpg_ticks_abilities().constant)
        return;
    tracer_clock.counter = 1;
    first = read_both();
}

void clock_calibrate(void)
{
    if (!tracer_clock.counter)
        return;
    while (mpg_clock_ns() - first.ns < BASELINE_NS) {
    }
    struct moment last = read_both();
    double ns_per_tick = (double)(last.ns - first.ns) / (double)(last.ticks - first.ticks);
    tracer_clock.origin = first.ticks;
    tracer_clock.origin_ns = (int64_t)first.ns;
    tracer_clock.mult = (uint64_t)(ns_per_tick * (double)((uint64_t)1 << CLOCK_SHIFT) + 0.5);
}
