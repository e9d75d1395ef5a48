/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed work quantum benchmark. */
#include "config.h"

#include "bench/ftq/fixed_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ftq/speed.h"
#include "bench/ftq/work.h"

/* Length of a calibration quantum, ns: many times the shortest detour, but short enough to escape most kernel
 * ticks. */
#define PORTION_NS 2e4
enum { PORTIONS = (int)(MPG_WORK_WARM_UP_NS / PORTION_NS) };

struct timing {
    uint64_t units, duration;  /* input: units of work in a quantum; length of the measurement, ticks */
    struct mpg_pace pace;
    uint64_t *mark;            /* result, ticks: start of the first quantum, then the end of each quantum */
    struct mpg_quantum *found; /* result: work and interruptions of each quantum */
    size_t n, max;
};

static inline __attribute__((always_inline)) void time_work(enum mpg_timer_kind kind,
                                                            struct timing *t)
{
    uint64_t x = 1, *mark = t->mark;
    const uint64_t units = t->units, start = mpg_timer_read(kind), end = start + t->duration;
    uint64_t now = start;
    size_t k = 0;
    mark[0] = start;
    do {
        const uint64_t limit = t->pace.limit;
        struct mpg_quantum found = {.units = units};
        for (uint64_t u = 0; u < units; u++) {
            const uint64_t before = now;
            x = mpg_work_unit(x);
            now = mpg_timer_read(kind);
            if (now - before > limit) {
                found.gone += (double)(now - before) - t->pace.unit;
                found.interrupted++;
            }
        }
        mpg_pace_follow(&t->pace, (double)(now - mark[k]), &found);
        t->found[k] = found;
        mark[++k] = now;
    } while (k < t->max && now < end);
    t->n = k;
}

/* The switch is outside the loop: a loop for each timer kind contains no branch on the kind. */
static void time_with(const struct mpg_timer *timer, struct timing *t)
{
    switch (timer->kind) {
    case MPG_TIMER_RDTSCP:
        time_work(MPG_TIMER_RDTSCP, t);
        break;
    case MPG_TIMER_RDTSC:
        time_work(MPG_TIMER_RDTSC, t);
        break;
    case MPG_TIMER_COUNTER:
        time_work(MPG_TIMER_COUNTER, t);
        break;
    case MPG_TIMER_PAPI:
        time_work(MPG_TIMER_PAPI, t);
        break;
    case MPG_TIMER_CLOCK:
        time_work(MPG_TIMER_CLOCK, t);
        break;
    }
}

static uint64_t find_shortest(const struct timing *t)
{
    uint64_t shortest = UINT64_MAX;
    for (size_t k = 0; k < t->n; k++) {
        uint64_t length = t->mark[k + 1] - t->mark[k];
        shortest = length < shortest ? length : shortest;
    }
    return shortest > 0 ? shortest : 1; /* two readings of a coarse clock may be equal */
}

/* Returns the number of units that take QUANTUM_TICKS without interruption: doubles the units up to the
 * calibration length, then takes the fastest of many quanta, which also initialise T's pace. MARK and FOUND have
 * room for PORTIONS + 1. */
static uint64_t calibrate(const struct mpg_timer *timer, double quantum_ticks, struct timing *t)
{
    const uint64_t duration = t->duration;
    const size_t max = t->max;
    uint64_t ticks = 0;
    t->duration = UINT64_MAX / 2;
    t->max = 8;
    for (t->units = 1;; t->units *= 2) {
        time_with(timer, t);
        ticks = find_shortest(t);
        if ((double)ticks * timer->ns_per_tick >= PORTION_NS)
            break;
    }
    t->max = PORTIONS;
    time_with(timer, t);
    ticks = find_shortest(t);
    double units = round(quantum_ticks * (double)t->units / (double)ticks);
    t->duration = duration;
    t->max = max;
    return units < 1 ? 1 : (uint64_t)units;
}

static int fill_samples(const struct mpg_timer *timer, const struct timing *t,
                        struct mpg_fixed_work *w, struct mpg_error *err)
{
    double *rate = malloc(t->n * sizeof *rate);
    if (!rate)
        return mpg_error_set(err, "out of memory for %zu quanta", t->n);
    w->n = t->n;
    w->work_ns = (double)find_shortest(t) * timer->ns_per_tick;
    w->unit_ns = w->work_ns / (double)w->units;
    w->span_ns = (double)(t->mark[t->n] - t->mark[0]) * timer->ns_per_tick;
    for (size_t k = 0; k < t->n; k++) {
        double duration_ns = (double)(t->mark[k + 1] - t->mark[k]) * timer->ns_per_tick;
        double lost_ns = t->found[k].gone * timer->ns_per_tick;
        w->sample[3 * k] = (double)(t->mark[k] - t->mark[0]) * timer->ns_per_tick;
        w->sample[3 * k + 1] = duration_ns;
        w->sample[3 * k + 2] = lost_ns;
        w->lost_ns += lost_ns;
        w->longest_ns = fmax(w->longest_ns, duration_ns);
        rate[k] = mpg_quantum_rate(&t->found[k], (double)(t->mark[k + 1] - t->mark[k]));
    }
    w->speed = mpg_speed_summary(rate, t->n);
    w->threshold_ns = ((double)t->pace.limit - t->pace.unit) * timer->ns_per_tick;
    free(rate);
    return 0;
}

int mpg_fixed_work_measure(const struct mpg_timer *timer, double quantum_ns, double duration_ns,
                           struct mpg_core_conditions *conditions, struct mpg_fixed_work *result,
                           struct mpg_error *err)
{
    struct mpg_fixed_work w = {.units = 0};
    struct timing t = {.duration = (uint64_t)(duration_ns / timer->ns_per_tick),
                       .max = (size_t)(duration_ns / quantum_ns) + 1};
    size_t room = (t.max > PORTIONS ? t.max : PORTIONS) + 1;
    t.mark = malloc(room * sizeof *t.mark);
    t.found = malloc(room * sizeof *t.found);
    w.sample = malloc(3 * t.max * sizeof *w.sample);
    if (!t.mark || !t.found || !w.sample) {
        mpg_error_set(err, "out of memory for %zu quanta", t.max);
        goto fail;
    }
    memset(t.mark, 1, room * sizeof *t.mark); /* touching all pages now avoids page faults during the measurement */
    memset(t.found, 0, room * sizeof *t.found);
    mpg_pace_begin(&t.pace, timer->resolution_ns / timer->ns_per_tick);
    w.units = t.units = calibrate(timer, quantum_ns / timer->ns_per_tick, &t);
    mpg_conditions_start(conditions);
    time_with(timer, &t);
    mpg_conditions_stop(conditions);
    mpg_conditions_set_epoch(conditions, t.mark[0]);
    if (fill_samples(timer, &t, &w, err) < 0)
        goto fail;
    free(t.found);
    free(t.mark);
    *result = w;
    return 0;
fail:
    free(t.found);
    free(t.mark);
    free(w.sample);
    return -1;
}

void mpg_fixed_work_clear(struct mpg_fixed_work *work)
{
    free(work->sample);
    *work = (struct mpg_fixed_work){0};
}
