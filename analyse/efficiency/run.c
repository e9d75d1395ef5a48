/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/efficiency/run.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/efficiency/counters.h"
#include "analyse/efficiency/ideal.h"
#include "analyse/walk.h"

struct walker {
    struct mpg_ideal *ideal;
    struct mpg_efficiency_rank *rank;
};

static void enter(struct mpg_efficiency_rank *r, const struct mpg_step *s, double work_ns)
{
    const double on_ns = (double)(s->interval_ns - s->off_ns);
    r->compute_ns += work_ns;
    r->tracer_ns += (double)s->tracer_ns;
    r->off_ns += (double)s->off_ns;
    if (mpg_ideal_polls(s))
        r->polled_ns += on_ns;
    else
        r->idle_ns += on_ns - work_ns;
}

static int take(struct walker *w, const struct mpg_step *s, struct mpg_error *err)
{
    struct mpg_efficiency_rank *r = &w->rank[s->rank];
    double passed_ns;
    if (mpg_ideal_take(w->ideal, s, &passed_ns, err) < 0)
        return -1;
    if (s->kind == MPG_STEP_FINISH) {
        r->run_ns = (double)s->since_ns;
        r->ideal_ns = passed_ns;
    } else if (s->stream != (uint32_t)s->rank) {
        return 0;
    } else if (s->kind == MPG_STEP_ENTER) {
        enter(r, s, passed_ns);
    } else if (s->kind == MPG_STEP_LEAVE) {
        r->in_mpi_ns += (double)s->duration_ns;
    }
    return 0;
}

static int take_all(void *walker, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++)
        if (take(walker, &steps->step[i], err) < 0)
            return -1;
    return 0;
}

static bool knows_off_cpu(const struct mpg_trace *trace)
{
    for (int32_t rank = 0; rank < mpg_trace_ranks(trace); rank++)
        if (!mpg_trace_find_fact(trace, rank, "off_cpu"))
            return false;
    return true;
}

static int summarise(struct mpg_efficiency_run *found, int32_t ranks, struct mpg_error *err)
{
    double *compute_ns = calloc((size_t)ranks, sizeof *compute_ns), run_ns = 0, ideal_ns = 0;
    if (!compute_ns)
        return mpg_error_set(err, "out of memory");
    for (int32_t i = 0; i < ranks; i++) {
        compute_ns[i] = found->rank[i].compute_ns;
        run_ns = fmax(run_ns, found->rank[i].run_ns);
        ideal_ns = fmax(ideal_ns, found->rank[i].ideal_ns);
    }
    found->times = mpg_efficiency_of(ranks, compute_ns, run_ns, ideal_ns);
    free(compute_ns);
    return 0;
}

int mpg_efficiency_find(struct mpg_trace *trace, const struct mpg_efficiency_options *options,
                        struct mpg_efficiency_run *found, struct mpg_error *err)
{
    const struct mpg_graph_options graph = {.lenient = options->lenient,
                                            .eager_limit_bytes = options->eager_limit_bytes,
                                            .source_eager_limit_bytes = options->eager_limit_bytes};
    const int32_t ranks = mpg_trace_ranks(trace);
    struct mpg_clock_map *clocks = mpg_clock_map_from_trace(trace, err);
    struct walker w = {.ideal = NULL};
    *found = (struct mpg_efficiency_run){.off_cpu_known = knows_off_cpu(trace)};
    int status = -1;
    if (!clocks || !(w.ideal = mpg_ideal_new(err)))
        goto out;
    if (!(w.rank = found->rank = calloc((size_t)ranks, sizeof *found->rank))) {
        mpg_error_set(err, "out of memory");
        goto out;
    }
    const struct mpg_walk walk = {.trace = trace,
                                  .clocks = clocks,
                                  .options = &graph,
                                  .label = "finding efficiencies",
                                  .take = take_all,
                                  .walker = &w};
    if (mpg_walk(&walk, &found->counts, NULL, err) == 0 && summarise(found, ranks, err) == 0)
        status = mpg_efficiency_count(trace, &found->counters, err);
out:
    mpg_ideal_free(w.ideal);
    mpg_clock_map_free(clocks);
    return status;
}

void mpg_efficiency_run_clear(struct mpg_efficiency_run *found)
{
    free(found->rank);
    *found = (struct mpg_efficiency_run){.rank = NULL};
}
