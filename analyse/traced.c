/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the wait states of a trace, in up to three passes: for the offsets of clocks, if clocks are neither shared nor measured;
 * for the eager limit that the trace shows, if no limit is given; for the wait states. The pass for the eager limit also finds
 * the wait states as without a limit, which hold if the limit found is not below any standard send. */
#include "analyse/traced.h"

#include "analyse/walk.h"

struct pass {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    struct mpg_graph_options options;
    const char *label;
    struct mpg_graph_counts counts; /* the graph's counts of the last pass */
    int64_t min_bytes, max_bytes;    /* bounds of the eager limit that the trace shows */
    bool is_below_min;               /* no standard send is larger than min_bytes */
};

static int pass(struct pass *p, mpg_walk_take *take, void *context, struct mpg_error *err)
{
    const struct mpg_walk walk = {.trace = p->trace,
                                  .clocks = p->clocks,
                                  .options = &p->options,
                                  .label = p->label,
                                  .take = take,
                                  .walker = context};
    struct mpg_graph *g;
    const int status = mpg_walk(&walk, &p->counts, &g, err);
    if (g) {
        p->min_bytes = mpg_graph_source_eager_limit(g, -1);
        p->max_bytes = mpg_graph_source_eager_limit(g, INT64_MAX);
        p->is_below_min = mpg_graph_is_below_limit(g, p->min_bytes);
    }
    mpg_graph_close(g);
    return status;
}

/* ---- clocks ---- */

static int find_clocks(struct pass *p, struct mpg_traced_waits *found, struct mpg_error *err)
{
    if (mpg_walk_clocks(p->trace, p->options.lenient, &found->clocks, err) < 0)
        return -1;
    p->clocks = found->clocks;
    if (mpg_trace_ranks(p->trace) == 1)
        return 0;
    return mpg_clock_map_source(found->clocks) != MPG_CLOCK_NONE
               ? 0
               : mpg_error_set(err, "wait states need comparable clocks: offsets between the ranks' clocks "
                                    "are unknown, and the messages do not bound them");
}

/* ---- the eager limit ---- */

static int take_waits(void *waits, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++)
        if (mpg_waits_take(waits, &steps->step[i], 0, err) < 0)
            return -1;
    return 0;
}

/* Returns whether the pass for the eager limit is to find the wait states, too. An observer could not take its calls back. */
static bool finds_both(const struct mpg_traced_options *options)
{
    return !options->limit_given && !options->lenient && !options->observer;
}

static int find_limit(struct pass *p, const struct mpg_traced_options *options,
                      struct mpg_traced_waits *found, struct mpg_error *err)
{
    const bool both = finds_both(options);
    found->limit = options->limit_given ? MPG_WAITS_LIMIT_GIVEN : MPG_WAITS_LIMIT_FOUND;
    found->eager_limit_bytes = options->eager_limit_bytes;
    if (options->limit_given)
        return 0;
    p->label = "finding the eager limit";
    p->options.regions = both;
    if (pass(p, both ? take_waits : NULL, found->waits, err) < 0)
        return -1;
    found->eager_limit_bytes = p->min_bytes;
    return 0;
}

/* ---- all of it ---- */

/* Reads the trace to find wait states, with the eager limit in FOUND. Returns 0, or -1 with ERR. */
static int pass_waits(struct pass *p, struct mpg_traced_waits *found, struct mpg_error *err)
{
    p->options.eager_limit_bytes = p->options.source_eager_limit_bytes = found->eager_limit_bytes;
    p->options.regions = true;
    p->label = "finding wait states";
    return pass(p, take_waits, found->waits, err);
}

int mpg_waits_find(struct mpg_trace *trace, const struct mpg_traced_options *options,
                   struct mpg_traced_waits *found, struct mpg_error *err)
{
    struct pass p = {.trace = trace,
                     .options = {.lenient = options->lenient,
                                 .eager_limit_bytes = INT64_MAX,
                                 .source_eager_limit_bytes = INT64_MAX}};
    *found = (struct mpg_traced_waits){.waits = NULL};
    if (find_clocks(&p, found, err) < 0 ||
        !(found->waits = mpg_waits_new(mpg_trace_ranks(trace), found->clocks, MPG_WAIT_TRACED, err)) ||
        find_limit(&p, options, found, err) < 0)
        return -1;
    found->counts = p.counts;
    if (finds_both(options) && p.is_below_min)
        return 0;
    if (finds_both(options))
        mpg_waits_restart(found->waits);
    mpg_waits_observe(found->waits, options->observer);
    if (options->begin && options->begin(options->observer->context, trace, found->clocks, err) < 0)
        return -1;
    const int64_t max_bytes = p.max_bytes;
    int status = pass_waits(&p, found, err);
    if (status < 0 && found->limit == MPG_WAITS_LIMIT_FOUND && max_bytes > found->eager_limit_bytes) {
        /* The lower bound can be too low: a send that ends by chance when the receive is posted seems to have waited for the
         * receive. */
        found->eager_limit_bytes = max_bytes;
        mpg_waits_restart(found->waits);
        status = pass_waits(&p, found, err);
    }
    if (status < 0)
        return -1;
    found->counts = p.counts;
    return 0;
}

void mpg_traced_waits_clear(struct mpg_traced_waits *found)
{
    mpg_waits_free(found->waits);
    mpg_clock_map_free(found->clocks);
}
