/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/efficiency/run.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/efficiency/counters.h"
#include "analyse/efficiency/ideal.h"
#include "analyse/walk.h"

struct walker {
    struct mpg_ideal *ideal, *disturbed;
    double disturbed_ns;              /* run time of the disturbed ideal run: the longest run time of a rank */
    struct mpg_efficiency_rank *rank; /* by rank: sums of times; NULL: computed by an earlier pass */
    int64_t *start_ns;                /* by rank: end of MPI_Init, on the rank's clock */
    struct mpg_parts *parts;          /* NULL: the pass does not divide the run into parts */
    struct mpg_by_iteration *by_iteration; /* NULL: the pass does not sum iterations */
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

static void add_step(struct walker *w, const struct mpg_step *s, double passed_ns)
{
    struct mpg_efficiency_rank *r = &w->rank[s->rank];
    if (s->kind == MPG_STEP_FINISH) {
        r->run_ns = (double)s->since_ns;
        r->ideal_ns = passed_ns;
    } else if (s->stream != (uint32_t)s->rank) {
        return;
    } else if (s->kind == MPG_STEP_ENTER) {
        w->start_ns[s->rank] = s->begin_ns - s->since_ns;
        enter(r, s, passed_ns);
    } else if (s->kind == MPG_STEP_LEAVE) {
        r->in_mpi_ns += (double)s->duration_ns;
    }
}

static int take(struct walker *w, const struct mpg_step *s, struct mpg_error *err)
{
    double passed_ns;
    if (mpg_ideal_take(w->ideal, s, &passed_ns, err) < 0)
        return -1;
    if (w->rank) {
        double disturbed_ns;
        if (mpg_ideal_take(w->disturbed, s, &disturbed_ns, err) < 0)
            return -1;
        if (s->kind == MPG_STEP_FINISH)
            w->disturbed_ns = fmax(w->disturbed_ns, disturbed_ns);
        add_step(w, s, passed_ns);
    }
    if (s->stream != (uint32_t)s->rank)
        return 0;
    if (w->by_iteration)
        return mpg_by_iteration_take(w->by_iteration, s, passed_ns, err);
    return w->parts ? mpg_parts_take(w->parts, s, passed_ns, err) : 0;
}

static int take_all(void *walker, const struct mpg_steps *steps, struct mpg_error *err)
{
    for (size_t i = 0; i < steps->n; i++)
        if (take(walker, &steps->step[i], err) < 0)
            return -1;
    return 0;
}

static int summarise(const struct mpg_trace *trace, struct mpg_efficiency_run *found, int32_t ranks, struct mpg_error *err)
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
    const int status = mpg_threads_find(trace, compute_ns, &found->threads, err);
    free(compute_ns);
    return status;
}

/* Reads TRACE once and computes its ideal run. */
static int pass(struct mpg_trace *trace, const struct mpg_clock_map *clocks, const struct mpg_efficiency_options *options,
                struct walker *w, struct mpg_graph_counts *counts, struct mpg_error *err)
{
    const struct mpg_graph_options graph = {.lenient = options->lenient,
                                            .eager_limit_bytes = options->eager_limit_bytes,
                                            .source_eager_limit_bytes = options->eager_limit_bytes,
                                            .regions = options->by == MPG_EFFICIENCY_BY_REGION};
    const struct mpg_walk walk = {.trace = trace,
                                  .clocks = clocks,
                                  .options = &graph,
                                  .label = "finding efficiencies",
                                  .take = take_all,
                                  .walker = w};
    w->ideal = mpg_ideal_new(false, err);
    w->disturbed = mpg_ideal_new(true, err);
    const int status = w->ideal && w->disturbed ? mpg_walk(&walk, counts, NULL, err) : -1;
    mpg_ideal_free(w->ideal);
    mpg_ideal_free(w->disturbed);
    return status;
}

/* Reads TRACE again for the bins of time, which divide the run time in FOUND (stored by an earlier pass). */
static int pass_bins(struct mpg_trace *trace, const struct mpg_clock_map *clocks, const struct mpg_efficiency_options *options,
                     struct walker *w, const struct mpg_efficiency_run *found, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    double *run_ns = calloc((size_t)ranks, sizeof *run_ns);
    if (!run_ns)
        return mpg_error_set(err, "out of memory");
    for (int32_t i = 0; i < ranks; i++)
        run_ns[i] = found->rank[i].run_ns;
    w->parts = mpg_parts_of_time(trace, clocks, options->bins, w->start_ns, run_ns, err);
    free(run_ns);
    w->rank = NULL;
    return w->parts ? pass(trace, clocks, options, w, NULL, err) : -1;
}

/* Finds the loops in TRACE. Must precede the pass that sums iterations. */
static int find_loops(struct mpg_trace *trace, const struct mpg_efficiency_options *options, struct walker *w,
                      struct mpg_efficiency_run *found, struct mpg_error *err)
{
    if (!(found->iterations = calloc(1, sizeof *found->iterations)))
        return mpg_error_set(err, "out of memory");
    struct mpg_iterations *loops = &found->iterations->loops;
    if (mpg_iterations_find(trace, options->iterations, loops, err) < 0)
        return -1;
    return loops->n == 0 || (w->by_iteration = mpg_by_iteration_new(trace, loops, err)) ? 0 : -1;
}

/* Stores the sums of iterations in FOUND; with waits if the ranks' clocks are comparable. */
static int end_loops(struct mpg_trace *trace, const struct mpg_efficiency_options *options, const struct mpg_clock_map *clocks,
                     struct walker *w, struct mpg_efficiency_iterations *found, struct mpg_error *err)
{
    const bool comparable = mpg_clock_map_source(clocks) != MPG_CLOCK_NONE || mpg_trace_ranks(trace) == 1;
    if (mpg_by_iteration_end(w->by_iteration, &found->rows, err) < 0 || mpg_iterations_find_trend(found, err) < 0)
        return -1;
    return comparable ? mpg_iterations_of_waits(trace, options->lenient, found, err) : 0;
}

static int find(struct mpg_trace *trace, const struct mpg_efficiency_options *options, const struct mpg_clock_map *clocks,
                struct walker *w, struct mpg_efficiency_run *found, struct mpg_error *err)
{
    const int32_t ranks = mpg_trace_ranks(trace);
    w->start_ns = calloc((size_t)ranks, sizeof *w->start_ns);
    found->rank = calloc((size_t)ranks, sizeof *found->rank);
    if (!w->start_ns || !found->rank)
        return mpg_error_set(err, "out of memory");
    w->rank = found->rank;
    if (options->by == MPG_EFFICIENCY_BY_REGION && !(w->parts = mpg_parts_of_regions(trace, err)))
        return -1;
    if (options->by == MPG_EFFICIENCY_BY_ITERATION && find_loops(trace, options, w, found, err) < 0)
        return -1;
    if (pass(trace, clocks, options, w, &found->counts, err) < 0 || summarise(trace, found, ranks, err) < 0 ||
        mpg_efficiency_count(trace, &found->counters, err) < 0)
        return -1;
    found->times.disturbed_ns = w->disturbed_ns;
    if (options->by == MPG_EFFICIENCY_BY_TIME && pass_bins(trace, clocks, options, w, found, err) < 0)
        return -1;
    if (w->by_iteration)
        return end_loops(trace, options, clocks, w, found->iterations, err);
    return w->parts ? mpg_parts_end(w->parts, &found->parts, err) : 0;
}

int mpg_efficiency_find(struct mpg_trace *trace, const struct mpg_efficiency_options *options,
                        struct mpg_efficiency_run *found, struct mpg_error *err)
{
    struct mpg_clock_map *clocks = NULL;
    struct walker w = {.ideal = NULL};
    *found = (struct mpg_efficiency_run){.off_cpu_known = mpg_recording_knows_off_cpu(trace)};
    int status = options->by == MPG_EFFICIENCY_BY_TIME || options->by == MPG_EFFICIENCY_BY_ITERATION
                     ? mpg_walk_clocks(trace, options->lenient, &clocks, err)
                 : (clocks = mpg_clock_map_from_trace(trace, err)) ? 0
                                                                   : -1;
    if (status == 0)
        status = find(trace, options, clocks, &w, found, err);
    mpg_parts_free(w.parts);
    mpg_by_iteration_free(w.by_iteration);
    free(w.start_ns);
    mpg_clock_map_free(clocks);
    return status;
}

struct mpg_recording mpg_efficiency_recording(const struct mpg_efficiency_run *found)
{
    double run_ns = 0;
    for (int32_t i = 0; i < found->times.ranks; i++)
        run_ns += found->rank[i].run_ns;
    return mpg_recording_of(&found->counts, run_ns, MPG_RECORDING_ALL, found->off_cpu_known, true);
}

void mpg_efficiency_run_clear(struct mpg_efficiency_run *found)
{
    free(found->rank);
    mpg_threads_clear(&found->threads);
    mpg_efficiency_parts_clear(&found->parts);
    if (found->iterations)
        mpg_iterations_clear(&found->iterations->loops);
    free(found->iterations);
    *found = (struct mpg_efficiency_run){.rank = NULL};
}
