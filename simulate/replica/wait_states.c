/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyse/waits.h finds the wait states of both runs: of the traced run from the times in the trace, of the replica from the
 * times of steps during the evaluation. A trace written by --output-trace has these times, rounded to a nanosecond, but cannot
 * hold messages and calls changed by hypotheses, nor the eager limits of the replica's sends. */
#include "simulate/replica/wait_states.h"

/* ---- the observer of the replica ---- */

struct watched {
    struct mpg_waits *waits;
    struct mpg_overview *overview; /* overview of the replica; NULL: none */
};

static int take(void *context, const struct mpg_step *step, double value_ns, struct mpg_error *err)
{
    const struct watched *x = context;
    return mpg_waits_take(x->waits, step, value_ns, err);
}

static int restart(void *context, struct mpg_error *err)
{
    const struct watched *x = context;
    (void)err;
    mpg_waits_restart(x->waits);
    return 0;
}

static int substitute(void *context, const struct mpg_step *step, uint32_t i, uint64_t message,
                      struct mpg_error *err)
{
    const struct watched *x = context;
    return mpg_waits_substitute(x->waits, step, i, message, err);
}

static void take_noise(void *context, const struct mpg_step *step, double noise_ns)
{
    const struct watched *x = context;
    mpg_overview_noise(x->overview, step, noise_ns);
}

static int find_predicted(struct mpg_median_waits *w, const struct mpg_simulated *s, struct mpg_overview *overview,
                          struct mpg_error *err)
{
    const enum mpg_wait_times times = s->options->predicts ? MPG_WAIT_COMMON_CLOCK : MPG_WAIT_DELAYS;
    if (!(w->predicted = mpg_waits_new(mpg_trace_ranks(s->trace), w->traced.clocks, times, err)))
        return -1;
    struct watched watched = {w->predicted, overview};
    const struct mpg_observer observer = {
        .take = take, .restart = restart, .context = &watched, .substitute = substitute, .noise = overview ? take_noise : NULL};
    if (overview)
        mpg_waits_observe(w->predicted, mpg_overview_observer(overview));
    if (overview && times == MPG_WAIT_DELAYS && mpg_overview_begin(overview, s->trace, w->traced.clocks, err) < 0)
        return -1;
    return mpg_rerun_median(s, &observer, NULL, &w->replica, err);
}

static int begin(void *overview, struct mpg_trace *trace, const struct mpg_clock_map *clocks, struct mpg_error *err)
{
    return mpg_overview_begin(overview, trace, clocks, err);
}

int mpg_median_waits_find(struct mpg_median_waits *w, const struct mpg_simulated *s, enum mpg_waits_by by,
                          const struct mpg_overviews *overviews, struct mpg_error *err)
{
    const int64_t limit_bytes = s->result->source_eager_limit_bytes;
    const struct mpg_traced_options options = {.lenient = s->options->graph.lenient,
                                               .limit_given = limit_bytes != INT64_MAX, /* INT64_MAX: the limit is unknown */
                                               .eager_limit_bytes = limit_bytes,
                                               .observer = overviews ? mpg_overview_observer(overviews->traced) : NULL,
                                               .begin = overviews ? begin : NULL};
    *w = (struct mpg_median_waits){.predicted = NULL};
    if (mpg_waits_find(s->trace, &options, &w->traced, err) < 0)
        return mpg_error_prefix(err, "--waits");
    if (find_predicted(w, s, overviews ? overviews->predicted : NULL, err) < 0)
        return -1;
    const struct mpg_waits *const runs[] = {w->traced.waits, w->predicted};
    if (mpg_waits_table_make(&w->table, runs, 2, s->trace, by, 1, NULL, err) < 0)
        return -1;
    w->report = (struct mpg_waits_report){.trace = s->trace,
                                          .run = {w->traced.waits, w->predicted},
                                          .runs = 2,
                                          .table = &w->table,
                                          .clocks = mpg_clock_map_source(w->traced.clocks),
                                          .limit = w->traced.limit,
                                          .limit_bytes = w->traced.eager_limit_bytes,
                                          .counts = &w->traced.counts};
    return 0;
}

void mpg_median_waits_clear(struct mpg_median_waits *w)
{
    mpg_waits_table_clear(&w->table);
    mpg_waits_free(w->predicted);
    mpg_traced_waits_clear(&w->traced);
}
