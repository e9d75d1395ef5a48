/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computation and time in regions. Reads the events again, because a step of the graph does not show that a compute interval
 * spans several regions. */
#include <stdlib.h>

#include "analyse/efficiency/parts_private.h"
#include "graph/work/intervals.h"

/* The state of reading the events of a rank's thread that called MPI_Init. */
struct visitor {
    struct mpg_parts *parts;
    int32_t rank;
    struct tracer_overhead tracer_overhead;
    bool started, ended;
    int64_t since_ns;     /* begin of the part of a compute interval that is not counted yet */
    int64_t region_ns;    /* time until which the time in regions is summed */
    struct interval_sums interval_sums;
    uint32_t *open;       /* numbers of the open regions in `parts`, innermost last */
    size_t depth, capacity;
};

static struct parts_cell *innermost(struct visitor *v)
{
    return parts_at(v->parts, v->depth > 0 ? v->open[v->depth - 1] : 0, v->rank);
}

/* Counts the computation before E, a region mark or a call, in the innermost region. OWN: E belongs to the thread of
 * MPI_Init. */
static void end_interval(struct visitor *v, const struct mpg_event *e, bool own)
{
    double on_ns;
    mpg_graph_interval_work(&v->interval_sums, &v->tracer_overhead, e->enter_ns - v->since_ns, e, own, &on_ns);
    const int64_t cpu_ns = own ? mpg_graph_interval_work_ns(&v->interval_sums, &v->tracer_overhead, e) : -1;
    innermost(v)->compute_ns += cpu_ns >= 0 && (double)cpu_ns < on_ns ? (double)cpu_ns : on_ns;
    v->since_ns = e->enter_ns > v->since_ns ? e->enter_ns : v->since_ns;
    v->interval_sums = (struct interval_sums){0};
}

static void end_region_time(struct visitor *v, int64_t now_ns)
{
    if (now_ns > v->region_ns)
        innermost(v)->run_ns += (double)(now_ns - v->region_ns);
    v->region_ns = now_ns;
}

static int open_region(struct visitor *v, int32_t string, struct mpg_error *err)
{
    if (v->depth == v->capacity) {
        const size_t capacity = v->capacity ? 2 * v->capacity : 8;
        uint32_t *grown = realloc(v->open, capacity * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        v->open = grown;
        v->capacity = capacity;
    }
    v->open[v->depth++] = (uint32_t)(string + 1);
    return mpg_parts_reserve(v->parts, (uint32_t)(string + 2), err);
}

static int take_mark(struct visitor *v, const struct mpg_event *e, struct mpg_error *err)
{
    if (v->started) {
        end_interval(v, e, true);
        end_region_time(v, e->enter_ns);
    }
    if (mpg_call_kind(e->call) == MPG_KIND_REGION_BEGIN)
        return open_region(v, e->string, err);
    v->depth -= v->depth > 0;
    return 0;
}

static void take_call(struct visitor *v, const struct mpg_event *e)
{
    if (v->started)
        end_interval(v, e, e->thread == 0);
    else
        v->region_ns = e->leave_ns;
    v->started = true;
    v->ended = mpg_call_kind(e->call) == MPG_KIND_FINALIZE && !e->failed;
    v->since_ns = e->leave_ns;
    if (v->ended)
        end_region_time(v, e->enter_ns);
}

static int take(struct visitor *v, const struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (e->thread != 0 && kind != MPG_KIND_FINALIZE)
        return 0;
    if (kind == MPG_KIND_REGION_BEGIN || kind == MPG_KIND_REGION_END)
        return take_mark(v, e, err);
    if (!mpg_event_is_call(e) || graph_is_computation(e))
        mpg_graph_interval_add(&v->interval_sums, &v->tracer_overhead, e);
    else
        take_call(v, e);
    return 0;
}

static int visit(struct mpg_parts *p, int32_t rank, struct mpg_error *err)
{
    struct visitor v = {.parts = p, .rank = rank, .tracer_overhead = mpg_graph_tracer_overhead_of(p->trace, rank)};
    struct mpg_cursor *cursor = mpg_cursor_open(p->trace, rank, err);
    const struct mpg_event *e;
    int more = cursor ? 1 : -1;
    while (more > 0 && !v.ended && (more = mpg_cursor_read(cursor, &e, err)) > 0)
        if (take(&v, e, err) < 0)
            more = -1;
    if (more == 0 && v.started) /* a run without MPI_Finalize ends with the last call */
        end_region_time(&v, v.since_ns);
    mpg_cursor_close(cursor);
    free(v.open);
    return more < 0 ? -1 : 0;
}

int mpg_parts_add_regions(struct mpg_parts *p, struct mpg_error *err)
{
    for (int32_t rank = 0; rank < p->ranks; rank++)
        if (visit(p, rank, err) < 0)
            return -1;
    return 0;
}
