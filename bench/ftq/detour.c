/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The detour benchmark. */
#include "config.h"

#include "bench/ftq/detour.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/off_cpu.h"

enum { LOOP_MULTIPLE = 4 };
#define THRESHOLD_CAP_NS 100.0
#define CALIBRATION_NS 1e8

/* An interval between two successive timer readings longer than the threshold. */
struct gap {
    uint64_t start, length;
    double off_ns; /* off-CPU time within the gap, ns */
};

struct recording {
    uint64_t threshold, duration;  /* input: shortest recorded gap and length of the record, ticks */
    struct gap *gap;
    size_t n, max;
    uint64_t check_ticks;                 /* the CPU clock is read after gaps longer than this */
    struct mpg_off_cpu off;
    uint64_t start, span, shortest; /* results, ticks: first reading, length of the record, shortest interval between two
                                       readings */
};

/* Determines the off-CPU time within the last gap, r->gap[r->n - 1]. Returns the timer reading from which the record
 * continues. Threads are often switched at the end of a system call, which interrupts the clock reading. An
 * interrupted reading is a gap as well, followed by a further reading while there is room. Off-CPU time is assigned
 * to the latest gaps first. */
static __attribute__((noinline)) uint64_t read_cpu_clock(struct recording *r)
{
    const size_t first = r->n - 1;
    const double ns_per_tick = r->off.ns_per_tick;
    double gaps_ns = (double)r->gap[first].length * ns_per_tick;
    struct mpg_off_cpu_reading now = mpg_off_cpu_read(&r->off);
    while (mpg_off_cpu_interrupted(&r->off, &now) && r->n < r->max) {
        r->gap[r->n++] = (struct gap){now.began, now.ended - now.began, 0};
        gaps_ns += (double)(now.ended - now.began) * ns_per_tick;
        now = mpg_off_cpu_read(&r->off);
    }
    double left_ns = mpg_off_cpu_since_last(&r->off, &now, gaps_ns);
    for (size_t i = r->n; i-- > first;) {
        double gap_ns = (double)r->gap[i].length * ns_per_tick;
        r->gap[i].off_ns = fmin(left_ns, gap_ns);
        left_ns -= r->gap[i].off_ns;
    }
    return now.ended;
}

/* Records every long interval between two readings. The time to record a gap is part of the next interval; the reading of the CPU
 * clock belongs to no interval. */
static inline __attribute__((always_inline)) void record(enum mpg_timer_kind kind,
                                                         struct recording *r)
{
    mpg_off_cpu_begin(&r->off);
    const uint64_t start = mpg_timer_read(kind), end = start + r->duration;
    uint64_t last = start, now, shortest = UINT64_MAX;
    do {
        now = mpg_timer_read(kind);
        const uint64_t length = now - last;
        if (length > r->threshold) {
            r->gap[r->n++] = (struct gap){last, length, 0};
            if (length > r->check_ticks)
                now = read_cpu_clock(r);
            if (r->n == r->max) {
                last = now;
                break;
            }
        }
        shortest = length < shortest ? length : shortest;
        last = now;
    } while (now < end);
    r->start = start;
    r->span = last - start;
    r->shortest = shortest;
}

/* The switch is outside the loop: a loop for each timer kind contains no branch on the kind. */
static void record_with(const struct mpg_timer *timer, struct recording *r)
{
    r->n = 0;
    switch (timer->kind) {
    case MPG_TIMER_RDTSCP:
        record(MPG_TIMER_RDTSCP, r);
        break;
    case MPG_TIMER_RDTSC:
        record(MPG_TIMER_RDTSC, r);
        break;
    case MPG_TIMER_COUNTER:
        record(MPG_TIMER_COUNTER, r);
        break;
    case MPG_TIMER_PAPI:
        record(MPG_TIMER_PAPI, r);
        break;
    case MPG_TIMER_CLOCK:
        record(MPG_TIMER_CLOCK, r);
        break;
    }
}

/* Returns the shortest time of a loop in ticks. Readings of a coarse clock are often equal, hence at least the timer's
 * resolution. */
static uint64_t calibrate_loop(const struct mpg_timer *timer)
{
    struct recording r = {.threshold = UINT64_MAX,
                          .duration = (uint64_t)(CALIBRATION_NS / timer->ns_per_tick),
                          .off = mpg_off_cpu_open(timer, false)};
    uint64_t resolution = (uint64_t)(timer->resolution_ns / timer->ns_per_tick);
    record_with(timer, &r);
    return r.shortest > 0 ? r.shortest : resolution;
}

static double choose_threshold(double loop_ns)
{
    return fmin(LOOP_MULTIPLE * loop_ns, fmax(THRESHOLD_CAP_NS, 2 * loop_ns));
}

static void fill_samples(const struct mpg_timer *timer, const struct recording *r, uint64_t loop,
                         struct mpg_detours *d)
{
    for (size_t i = 0; i < r->n; i++) {
        double duration_ns = (double)(r->gap[i].length - loop) * timer->ns_per_tick;
        double *sample = &d->sample[MPG_DETOUR_COLUMNS * i];
        sample[0] = (double)(r->gap[i].start - r->start) * timer->ns_per_tick;
        sample[1] = duration_ns;
        sample[2] = fmin(r->gap[i].off_ns, duration_ns);
        d->off_ns += sample[2];
        d->lost_ns += duration_ns;
        d->longest_ns = fmax(d->longest_ns, duration_ns);
    }
}

int mpg_detours_measure(const struct mpg_timer *timer, double duration_ns, double threshold_ns,
                        size_t max, struct mpg_core_conditions *conditions, struct mpg_detours *result,
                        struct mpg_error *err)
{
    uint64_t loop = calibrate_loop(timer);
    struct mpg_detours d = {.loop_ns = (double)loop * timer->ns_per_tick};
    struct recording r = {.duration = (uint64_t)(duration_ns / timer->ns_per_tick), .max = max,
                          .off = mpg_off_cpu_open(timer, false)};
    d.threshold_ns = threshold_ns > 0 ? threshold_ns : choose_threshold(d.loop_ns);
    r.check_ticks = loop + r.off.check_ticks;
    r.threshold = loop + (uint64_t)ceil(d.threshold_ns / timer->ns_per_tick);
    r.gap = malloc(max * sizeof *r.gap);
    if (!r.gap)
        return mpg_error_set(err, "out of memory for %zu detours", max);
    memset(r.gap, 1, max * sizeof *r.gap); /* touching all pages now avoids page faults during the record */
    mpg_conditions_start(conditions);
    record_with(timer, &r);
    mpg_conditions_stop(conditions);
    mpg_conditions_set_epoch(conditions, r.start);
    d.n = r.n;
    d.start = r.start;
    d.full = r.n == max;
    d.span_ns = (double)r.span * timer->ns_per_tick;
    d.sample = malloc((MPG_DETOUR_COLUMNS * r.n + 1) * sizeof *d.sample);
    if (!d.sample) {
        free(r.gap);
        return mpg_error_set(err, "out of memory for %zu detours", r.n);
    }
    fill_samples(timer, &r, loop, &d);
    free(r.gap);
    *result = d;
    return 0;
}

void mpg_detours_clear(struct mpg_detours *detours)
{
    free(detours->sample);
    *detours = (struct mpg_detours){0};
}
