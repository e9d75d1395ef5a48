/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selection, calibration and cost of the benchmarks' timer. */
#include "config.h"

#include "bench/harness/timer.h"

#include <string.h>

enum { CALIBRATION_NS = 100000000, BATCHES = 200, BATCH = 200, BRACKETS = 50 };

static int open_papi(struct mpg_error *err)
{
#if HAVE_PAPI
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version == PAPI_VER_CURRENT)
        return 0;
    return mpg_error_set(err, "PAPI: %s", version > 0 ? "library version mismatch"
                                                      : PAPI_strerror(version));
#else
    return mpg_error_set(err, "no PAPI timer: mpgkit was built without PAPI");
#endif
}

static int choose(const char *name, enum mpg_timer_kind *kind, struct mpg_error *err)
{
    struct mpg_ticks_abilities able = mpg_ticks_abilities();
    enum mpg_timer_kind counter = MPG_HAVE_COUNTER ? MPG_TIMER_COUNTER
                                  : able.rdtscp    ? MPG_TIMER_RDTSCP
                                                   : MPG_TIMER_RDTSC;
    if (strcmp(name, "auto") == 0) {
        *kind = able.constant ? counter : MPG_TIMER_CLOCK;
    } else if (strcmp(name, "counter") == 0 || strcmp(name, "tsc") == 0) {
        if (!MPG_HAVE_TSC && !MPG_HAVE_COUNTER)
            return mpg_error_set(err, "no cycle counter is supported on this processor: use --timer"
                                      " auto");
        *kind = counter;
    } else if (strcmp(name, "papi") == 0) {
        if (open_papi(err) < 0)
            return -1;
        *kind = MPG_TIMER_PAPI;
    } else if (strcmp(name, "clock") == 0) {
        *kind = MPG_TIMER_CLOCK;
    } else {
        return mpg_error_set(err, "'%s' is not a timer (auto, counter, papi or clock)", name);
    }
    return 0;
}

/* Returns the present moment on both clocks: the system clock is read several times, each time between two timer readings; the
 * reading with the shortest distance between the timer readings is taken. */
static struct mpg_timer_moment read_both(enum mpg_timer_kind kind)
{
    struct mpg_timer_moment best = {0, 0};
    uint64_t width = UINT64_MAX;
    for (int i = 0; i < BRACKETS; i++) {
        uint64_t before = mpg_timer_read(kind);
        uint64_t now_ns = mpg_clock_ns();
        uint64_t after = mpg_timer_read(kind);
        if (after - before < width) {
            width = after - before;
            best = (struct mpg_timer_moment){before + width / 2, now_ns};
        }
    }
    return best;
}

static int calibrate(struct mpg_timer *timer, struct mpg_error *err)
{
    struct mpg_timer_moment first = read_both(timer->kind);
    while (mpg_clock_ns() - first.clock_ns < CALIBRATION_NS) {
    }
    struct mpg_timer_moment last = read_both(timer->kind);
    if (last.ticks <= first.ticks)
        return mpg_error_set(err, "the timer %s does not advance", mpg_timer_describe(timer));
    timer->calibrated = first;
    timer->ns_per_tick = timer->kind == MPG_TIMER_CLOCK ? 1.0
                         : (double)(last.clock_ns - first.clock_ns) /
                               (double)(last.ticks - first.ticks);
    return 0;
}

static void measure_cost(struct mpg_timer *timer)
{
    enum mpg_timer_kind kind = timer->kind;
    uint64_t cost = UINT64_MAX, resolution = UINT64_MAX;
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = mpg_timer_read(kind), last = start;
        for (int i = 0; i < BATCH; i++) {
            uint64_t now = mpg_timer_read(kind);
            if (now > last && now - last < resolution)
                resolution = now - last;
            last = now;
        }
        if (last - start < cost)
            cost = last - start;
    }
    if (resolution == UINT64_MAX) { /* the clock is so coarse that it did not advance during all batches */
        uint64_t last = mpg_timer_read(kind), now;
        while ((now = mpg_timer_read(kind)) <= last) {
        }
        resolution = now - last;
    }
    timer->cost_ns = (double)cost / BATCH * timer->ns_per_tick;
    timer->resolution_ns = (double)resolution * timer->ns_per_tick;
}

int mpg_timer_open(const char *name, struct mpg_timer *timer, struct mpg_error *err)
{
    struct mpg_timer t = {.kind = MPG_TIMER_CLOCK};
    if (choose(name, &t.kind, err) < 0 || calibrate(&t, err) < 0)
        return -1;
    measure_cost(&t);
    *timer = t;
    return 0;
}

struct mpg_timer_moment mpg_timer_now(const struct mpg_timer *timer)
{
    return read_both(timer->kind);
}

double mpg_timer_drift_ppm(const struct mpg_timer *timer)
{
    struct mpg_timer_moment now = read_both(timer->kind);
    double timer_ns = (double)(now.ticks - timer->calibrated.ticks) * timer->ns_per_tick;
    double clock_ns = (double)(now.clock_ns - timer->calibrated.clock_ns);
    if (timer->kind == MPG_TIMER_CLOCK || timer_ns <= 0)
        return 0;
    return (clock_ns / timer_ns - 1) * 1e6;
}

const char *mpg_timer_describe(const struct mpg_timer *timer)
{
    static const char *const words[] = {
        [MPG_TIMER_RDTSCP] = "tsc (rdtscp)",
        [MPG_TIMER_RDTSC] = "tsc (lfence, rdtsc)",
#ifdef __powerpc64__
        [MPG_TIMER_COUNTER] = "time base (mftb)",
#else
        [MPG_TIMER_COUNTER] = "cntvct_el0 (isb)",
#endif
        [MPG_TIMER_PAPI] = "PAPI_get_real_cyc",
        [MPG_TIMER_CLOCK] = "clock_gettime(CLOCK_MONOTONIC)",
    };
    return words[timer->kind];
}
