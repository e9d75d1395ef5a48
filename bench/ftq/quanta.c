/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed time quantum benchmark. */
#include "config.h"

#include "bench/ftq/quanta.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ftq/speed.h"
#include "bench/ftq/work.h"

struct counting {
    double quantum;  /* length of a quantum, ticks */
    size_t n;
    struct mpg_pace pace;
    struct mpg_quantum *found; /* work and interruptions of each quantum */
    uint64_t start;            /* start of the first quantum, ticks */
};

static uint64_t end_of(const struct counting *c, size_t k)
{
    return c->start + (uint64_t)(c->quantum * (double)(k + 1));
}

/* Records that a unit of work which began at FROM, in quantum K, was interrupted and ended at TO (ticks). Each quantum loses the
 * part of the interval within the quantum; the time of the unit of work is deducted from the first parts. */
static void note(struct counting *c, size_t k, uint64_t from, uint64_t to)
{
    double done = c->pace.unit;
    c->found[k].interrupted++;
    for (; k < c->n && from < to; k++) {
        uint64_t end = end_of(c, k), until = to < end ? to : end;
        double part = (double)(until - from);
        c->found[k].gone += part > done ? part - done : 0;
        done = done > part ? done - part : 0;
        from = until;
    }
}

static inline __attribute__((always_inline)) void count_work(enum mpg_timer_kind kind,
                                                             struct counting *c)
{
    uint64_t x = 1, now = mpg_timer_read(kind);
    c->start = now;
    for (size_t k = 0; k < c->n; k++) {
        const uint64_t end = end_of(c, k), limit = c->pace.limit;
        uint64_t units = 0;
        while (now < end) {
            const uint64_t before = now;
            x = mpg_work_unit(x);
            units++;
            now = mpg_timer_read(kind);
            if (now - before > limit)
                note(c, k, before, now);
        }
        c->found[k].units = units;
        mpg_pace_follow(&c->pace, c->quantum, &c->found[k]);
    }
}

/* The switch is outside the loop: a loop for each timer kind contains no branch on the kind. */
static void count_with(const struct mpg_timer *timer, struct counting *c)
{
    switch (timer->kind) {
    case MPG_TIMER_RDTSCP:
        count_work(MPG_TIMER_RDTSCP, c);
        break;
    case MPG_TIMER_RDTSC:
        count_work(MPG_TIMER_RDTSC, c);
        break;
    case MPG_TIMER_COUNTER:
        count_work(MPG_TIMER_COUNTER, c);
        break;
    case MPG_TIMER_PAPI:
        count_work(MPG_TIMER_PAPI, c);
        break;
    case MPG_TIMER_CLOCK:
        count_work(MPG_TIMER_CLOCK, c);
        break;
    }
}

/* Fills a row for each quantum: start, work, and the time lost to interruptions. */
static int fill_samples(const struct counting *c, struct mpg_ftq_quanta *q, struct mpg_error *err)
{
    uint64_t best = 0;
    double *rate = malloc(q->n * sizeof *rate);
    if (!rate)
        return mpg_error_set(err, "out of memory for %zu quanta", q->n);
    for (size_t k = 0; k < q->n; k++) {
        const struct mpg_quantum *found = &c->found[k];
        double lost_ns = found->gone / c->quantum * q->quantum_ns;
        lost_ns = lost_ns < q->quantum_ns ? lost_ns : q->quantum_ns;
        q->sample[3 * k] = (double)k * q->quantum_ns;
        q->sample[3 * k + 1] = (double)found->units;
        q->sample[3 * k + 2] = lost_ns;
        q->lost_ns += lost_ns;
        q->worst_ns = lost_ns > q->worst_ns ? lost_ns : q->worst_ns;
        best = found->units > best ? found->units : best;
        rate[k] = mpg_quantum_rate(found, c->quantum);
    }
    q->speed = mpg_speed_summary(rate, q->n);
    free(rate);
    if (best == 0)
        return mpg_error_set(err, "no work fits into a quantum of %g ns", q->quantum_ns);
    q->unit_ns = q->quantum_ns / (double)best;
    return 0;
}

int mpg_quanta_measure(const struct mpg_timer *timer, double quantum_ns, size_t n,
                       struct mpg_core_conditions *conditions, struct mpg_ftq_quanta *result, struct mpg_error *err)
{
    struct mpg_ftq_quanta q = {.quantum_ns = quantum_ns, .n = n};
    struct counting c = {.quantum = quantum_ns / timer->ns_per_tick, .n = n};
    size_t warm = (size_t)(MPG_WORK_WARM_UP_NS / quantum_ns) + 1;
    c.found = malloc((n > warm ? n : warm) * sizeof *c.found);
    q.sample = malloc(3 * n * sizeof *q.sample);
    if (!c.found || !q.sample) {
        mpg_error_set(err, "out of memory for %zu quanta", n);
        goto fail;
    }
    mpg_pace_begin(&c.pace, timer->resolution_ns / timer->ns_per_tick);
    c.n = warm;
    memset(c.found, 0, warm * sizeof *c.found);
    count_with(timer, &c);
    c.n = n;
    memset(c.found, 0, n * sizeof *c.found); /* touching all pages now avoids page faults during the measurement */
    mpg_conditions_start(conditions);
    count_with(timer, &c);
    mpg_conditions_stop(conditions);
    mpg_conditions_set_epoch(conditions, c.start);
    q.threshold_ns = ((double)c.pace.limit - c.pace.unit) * timer->ns_per_tick;
    if (fill_samples(&c, &q, err) < 0)
        goto fail;
    free(c.found);
    *result = q;
    return 0;
fail:
    free(c.found);
    free(q.sample);
    return -1;
}

void mpg_quanta_clear(struct mpg_ftq_quanta *quanta)
{
    free(quanta->sample);
    *quanta = (struct mpg_ftq_quanta){0};
}
