/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits in each iteration, from another pass that finds wait states; the trend of iterations over the run. */
#include <math.h>
#include <stdlib.h>

#include "analyse/efficiency/by_iteration.h"
#include "analyse/traced.h"
#include "statistics/rank.h"

/* ---- waits ---- */

struct waiting {
    struct mpg_trace *trace;
    const struct mpg_iterations *loops;
    struct mpg_by_iteration *sums;
    double *before_ns;  /* by rank: sum of the rank's waits up to its last call, ns */
};

static int begin(struct waiting *w, struct mpg_error *err)
{
    w->before_ns = calloc((size_t)w->loops->ranks, sizeof *w->before_ns);
    if (!w->before_ns)
        return mpg_error_set(err, "out of memory");
    return (w->sums = mpg_by_iteration_new(w->trace, w->loops, err)) ? 0 : -1;
}

static int enter(void *context, const struct mpg_step *s, double enter_ns, double begin_ns, struct mpg_error *err)
{
    struct waiting *w = context;
    (void)enter_ns, (void)begin_ns;
    if (!w->sums && begin(w, err) < 0)
        return -1;
    return s->stream == (uint32_t)s->rank ? mpg_by_iteration_take(w->sums, s, 0, err) : 0;
}

static int leave(void *context, const struct mpg_wait_event *event, struct mpg_error *err)
{
    struct waiting *w = context;
    const struct mpg_step *s = event->step;
    const struct mpg_wait_sum sum = mpg_waits_of_rank(event->waits, s->rank);
    const double all_ns = mpg_wait_all(&sum), wait_ns = all_ns - w->before_ns[s->rank];
    w->before_ns[s->rank] = all_ns;
    if (s->stream != (uint32_t)s->rank)
        return 0;
    mpg_by_iteration_wait(w->sums, s->rank, wait_ns);
    return mpg_by_iteration_take(w->sums, s, 0, err);
}

static void restart(void *context)
{
    struct waiting *w = context;
    mpg_by_iteration_free(w->sums);
    free(w->before_ns);
    w->sums = NULL;
    w->before_ns = NULL;
}

/* Copies the waits in FROM to ROWS. Both sum the same iterations. */
static void take_waits(struct mpg_iteration_rows *rows, const struct mpg_iteration_rows *from)
{
    for (int i = 0; i < MPG_RUN_PHASES; i++)
        rows->phase[i].wait_ns = from->phase[i].wait_ns;
    for (size_t i = 0; i < rows->n; i++)
        rows->row[i].wait_ns = from->row[i].wait_ns;
    rows->first.wait_ns = from->first.wait_ns;
    rows->last.wait_ns = from->last.wait_ns;
    rows->slowest.wait_ns = from->slowest.wait_ns;
    rows->median.wait_ns = from->median.wait_ns;
}

int mpg_iterations_of_waits(struct mpg_trace *trace, bool lenient, struct mpg_efficiency_iterations *found, struct mpg_error *err)
{
    struct waiting w = {.trace = trace, .loops = &found->loops};
    const struct mpg_wait_observer observer = {.context = &w, .enter = enter, .leave = leave, .restart = restart};
    const struct mpg_traced_options options = {.lenient = lenient, .observer = &observer};
    struct mpg_traced_waits waits;
    struct mpg_iteration_rows *rows = malloc(sizeof *rows);
    int status = rows ? mpg_waits_find(trace, &options, &waits, err) : mpg_error_set(err, "out of memory");
    if (rows)
        mpg_traced_waits_clear(&waits);
    if (status == 0 && w.sums)
        status = mpg_by_iteration_end(w.sums, rows, err);
    if (status == 0 && w.sums) {
        take_waits(&found->rows, rows);
        found->knows_waits = true;
    }
    restart(&w);
    free(rows);
    return status;
}

/* ---- the trend ---- */

int mpg_iterations_find_trend(struct mpg_efficiency_iterations *found, struct mpg_error *err)
{
    enum { MIN_ROWS = 4 };
    const struct mpg_iteration_rows *r = &found->rows;
    double x[MPG_ITERATION_ROWS], y[MPG_ITERATION_ROWS];
    struct mpg_slope line;
    found->trend = found->trend_low = found->trend_high = NAN;
    if (r->n < MIN_ROWS || !(r->median.run_ns > 0))
        return 0;
    for (size_t i = 0; i < r->n; i++) {
        x[i] = (double)r->row[i].first + ((double)r->row[i].n - 1) / 2;
        y[i] = r->row[i].run_ns / (double)r->row[i].n;
    }
    if (mpg_theil_sen(x, y, r->n, &line, err) < 0)
        return -1;
    const double grown = (double)(r->last.first - 1) / (r->median.run_ns / (double)r->median.n);
    found->trend = line.slope * grown;
    found->trend_low = line.low * grown;
    found->trend_high = line.high * grown;
    return 0;
}
