/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/waits/median.h"

/* ---- what the watcher does ---- */

static int take(void *waits, const struct mpg_step *step, double value_ns, struct mpg_error *err)
{
    return mpg_waits_take(waits, step, value_ns, err);
}

static int restart(void *waits, struct mpg_error *err)
{
    (void)err;
    mpg_waits_restart(waits);
    return 0;
}

static int bring(void *waits, const struct mpg_step *step, uint32_t i, uint64_t message,
                 struct mpg_error *err)
{
    return mpg_waits_bring(waits, step, i, message, err);
}

static int find_predicted(struct mpg_median_waits *w, const struct mpg_simulated *s, struct mpg_error *err)
{
    struct mpg_result again = {.ranks = 0};
    uint32_t k = 0;
    if (mpg_median_replica(s->result, &k, err) < 0 ||
        !(w->predicted = mpg_waits_new(mpg_trace_ranks(s->trace), w->traced.clocks,
                                       s->options->predicts ? MPG_WAIT_WORLD : MPG_WAIT_DELAYS, err)))
        return -1;
    w->replica = s->result->first_replica + k;
    const struct mpg_watch watch = {.take = take, .restart = restart, .watcher = w->predicted, .bring = bring};
    if (mpg_simulate_again(s, w->replica, &watch, &again, err) < 0)
        return -1;
    const bool is_same = again.run_ns[0] == s->result->run_ns[k];
    mpg_result_clear(&again);
    return is_same ? 0 : mpg_error_set(err, "--waits: replica %u alone is another one", w->replica);
}

int mpg_median_waits_find(struct mpg_median_waits *w, const struct mpg_simulated *s, enum mpg_waits_by by,
                          struct mpg_error *err)
{
    const int64_t limit_bytes = s->result->source_eager_limit_bytes;
    const struct mpg_traced_options options = {.lenient = s->options->graph.lenient,
                                               .limit_given = limit_bytes != INT64_MAX, /* else nobody knows it */
                                               .eager_limit_bytes = limit_bytes};
    *w = (struct mpg_median_waits){.predicted = NULL};
    if (mpg_waits_find(s->trace, &options, &w->traced, err) < 0)
        return mpg_error_prefix(err, "--waits");
    if (find_predicted(w, s, err) < 0)
        return -1;
    const struct mpg_waits *const worlds[] = {w->traced.waits, w->predicted};
    if (mpg_waits_table_make(&w->table, worlds, 2, s->trace, by, 1, NULL, err) < 0)
        return -1;
    w->report = (struct mpg_waits_report){.trace = s->trace,
                                          .world = {w->traced.waits, w->predicted},
                                          .worlds = 2,
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
