/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed time quantum. */
#include "config.h"

#include "bench/ftq/quanta.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ftq/speed.h"
#include "bench/ftq/work.h"

static inline __attribute__((always_inline)) void
count_work(enum mpg_timer_kind kind, double quantum_ticks, size_t n, uint32_t *work)
{
    uint64_t x = 1;
    const uint64_t start = mpg_timer_read(kind);
    for (size_t k = 0; k < n; k++) {
        const uint64_t end = start + (uint64_t)(quantum_ticks * (double)(k + 1));
        uint32_t units = 0;
        while (mpg_timer_read(kind) < end) {
            x = mpg_work_unit(x);
            units++;
        }
        work[k] = units;
    }
}

/* The loop once for each timer, so that no choice is left inside it. */
static void count_with(const struct mpg_timer *timer, double quantum_ticks, size_t n,
                       uint32_t *work)
{
    switch (timer->kind) {
    case MPG_TIMER_RDTSCP:
        count_work(MPG_TIMER_RDTSCP, quantum_ticks, n, work);
        break;
    case MPG_TIMER_RDTSC:
        count_work(MPG_TIMER_RDTSC, quantum_ticks, n, work);
        break;
    case MPG_TIMER_COUNTER:
        count_work(MPG_TIMER_COUNTER, quantum_ticks, n, work);
        break;
    case MPG_TIMER_PAPI:
        count_work(MPG_TIMER_PAPI, quantum_ticks, n, work);
        break;
    case MPG_TIMER_CLOCK:
        count_work(MPG_TIMER_CLOCK, quantum_ticks, n, work);
        break;
    }
}

/* Work done to time lost. */
static int fill_samples(const uint32_t *work, struct mpg_quanta *q, struct mpg_error *err)
{
    double best = 0, *rate = malloc(2 * q->n * sizeof *rate);
    if (!rate)
        return mpg_error_set(err, "out of memory for %zu quanta", q->n);
    double *reference = rate + q->n;
    for (size_t k = 0; k < q->n; k++) {
        rate[k] = work[k];
        best = rate[k] > best ? rate[k] : best;
    }
    if (best == 0) {
        free(rate);
        return mpg_error_set(err, "no work fits into a quantum of %g ns", q->quantum_ns);
    }
    q->unit_ns = q->quantum_ns / best;
    mpg_speed_follow(rate, q->n, reference);
    for (size_t k = 0; k < q->n; k++) {
        double part = 1 - rate[k] / reference[k];
        double lost_ns = part > 0 ? part * q->quantum_ns : 0;
        q->sample[3 * k] = (double)k * q->quantum_ns;
        q->sample[3 * k + 1] = rate[k];
        q->sample[3 * k + 2] = lost_ns;
        q->lost_ns += lost_ns;
        q->worst_ns = lost_ns > q->worst_ns ? lost_ns : q->worst_ns;
    }
    q->speed_range = mpg_speed_range(reference, q->n);
    free(rate);
    return 0;
}

int mpg_quanta_measure(const struct mpg_timer *timer, double quantum_ns, size_t n,
                       struct mpg_watch *watch, struct mpg_quanta *result, struct mpg_error *err)
{
    struct mpg_quanta q = {.quantum_ns = quantum_ns, .n = n};
    double quantum_ticks = quantum_ns / timer->ns_per_tick;
    size_t warm = (size_t)(MPG_WORK_WARM_UP_NS / quantum_ns) + 1;
    uint32_t *work = malloc(n * sizeof *work);
    q.sample = malloc(3 * n * sizeof *q.sample);
    if (!work || !q.sample) {
        mpg_error_set(err, "out of memory for %zu quanta", n);
        goto fail;
    }
    memset(work, 1, n * sizeof *work); /* no page fault later */
    count_with(timer, quantum_ticks, warm < n ? warm : n, work);
    mpg_watch_start(watch);
    count_with(timer, quantum_ticks, n, work);
    mpg_watch_stop(watch);
    if (fill_samples(work, &q, err) < 0)
        goto fail;
    free(work);
    *result = q;
    return 0;
fail:
    free(work);
    free(q.sample);
    return -1;
}

void mpg_quanta_clear(struct mpg_quanta *quanta)
{
    free(quanta->sample);
    *quanta = (struct mpg_quanta){0};
}
