/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/efficiency/parts_private.h"

#include <math.h>
#include <stdlib.h>

#include "analyse/efficiency/ideal.h"

/* ---- making ---- */

int mpg_parts_reserve(struct mpg_parts *p, uint32_t n, struct mpg_error *err)
{
    if (n > p->capacity) {
        const uint32_t capacity = n > 2 * p->capacity ? n : 2 * p->capacity;
        struct parts_cell *grown = realloc(p->cell, (size_t)capacity * (size_t)p->ranks * sizeof *grown);
        if (!grown)
            return mpg_error_set(err, "out of memory");
        p->cell = grown;
        p->capacity = capacity;
    }
    for (; p->n < n; p->n++)
        for (int32_t rank = 0; rank < p->ranks; rank++)
            *parts_at(p, p->n, rank) = (struct parts_cell){.compute_ns = 0};
    return 0;
}

static struct mpg_parts *make(const struct mpg_trace *trace, enum mpg_efficiency_by by, uint32_t n, struct mpg_error *err)
{
    struct mpg_parts *p = calloc(1, sizeof *p);
    if (p) {
        p->by = by;
        p->ranks = mpg_trace_ranks(trace);
        p->rank = calloc((size_t)p->ranks, sizeof *p->rank);
        if (p->rank && mpg_parts_reserve(p, n, err) == 0)
            return p;
    }
    mpg_parts_free(p);
    mpg_error_set(err, "out of memory");
    return NULL;
}

struct mpg_parts *mpg_parts_of_regions(struct mpg_trace *trace, struct mpg_error *err)
{
    struct mpg_parts *p = make(trace, MPG_EFFICIENCY_BY_REGION, 1, err);
    if (p)
        p->trace = trace;
    return p;
}

struct mpg_parts *mpg_parts_of_time(const struct mpg_trace *trace, const struct mpg_clock_map *clocks, uint32_t bins,
                                    const int64_t *start_ns, const double *run_ns, struct mpg_error *err)
{
    struct mpg_parts *p = make(trace, MPG_EFFICIENCY_BY_TIME, bins, err);
    double first_ns = INFINITY, last_ns = -INFINITY, longest_ns = 0;
    if (!p)
        return NULL;
    const bool aligned = mpg_clock_map_source(clocks) != MPG_CLOCK_NONE;
    p->clocks = clocks;
    for (int32_t i = 0; i < p->ranks; i++) {
        p->rank[i].origin_ns = mpg_clock_align(clocks, i, start_ns[i]);
        first_ns = fmin(first_ns, p->rank[i].origin_ns);
        last_ns = fmax(last_ns, mpg_clock_align(clocks, i, start_ns[i] + llround(run_ns[i])));
        longest_ns = fmax(longest_ns, run_ns[i]);
    }
    for (int32_t i = 0; i < p->ranks && aligned; i++)
        p->rank[i].origin_ns = first_ns;
    p->width_ns = (aligned ? last_ns - first_ns : longest_ns) / bins;
    return p;
}

void mpg_parts_free(struct mpg_parts *p)
{
    if (!p)
        return;
    free(p->cell);
    free(p->rank);
    free(p);
}

/* ---- steps ---- */

/* Spreads COMPUTE_NS and IDEAL_NS, of RANK between FROM_NS and TO_NS on its clock, evenly over the bins of this time. */
static void spread(struct mpg_parts *p, int32_t rank, int64_t from_ns, int64_t to_ns, double compute_ns, double ideal_ns)
{
    const double from = mpg_clock_align(p->clocks, rank, from_ns) - p->rank[rank].origin_ns;
    const double to = mpg_clock_align(p->clocks, rank, to_ns) - p->rank[rank].origin_ns;
    const double last = (double)(p->n - 1);
    const uint32_t first_bin = p->width_ns > 0 ? (uint32_t)fmin(fmax(0, floor(from / p->width_ns)), last) : 0;
    const uint32_t last_bin = p->width_ns > 0 ? (uint32_t)fmin(fmax(0, floor(to / p->width_ns)), last) : 0;
    for (uint32_t i = first_bin; i <= last_bin; i++) {
        const double begin = i == first_bin ? from : i * p->width_ns, end = i == last_bin ? to : (i + 1) * p->width_ns;
        const double share = first_bin == last_bin ? 1 : (end - begin) / (to - from);
        parts_at(p, i, rank)->compute_ns += share * compute_ns;
        parts_at(p, i, rank)->ideal_in_mpi_ns += share * ideal_ns;
    }
}

static int enter(struct mpg_parts *p, const struct mpg_step *s, double work_ns, struct mpg_error *err)
{
    struct parts_rank *r = &p->rank[s->rank];
    if (p->by == MPG_EFFICIENCY_BY_TIME) {
        r->at_ns = s->begin_ns + s->interval_ns + s->tracer_ns;
        spread(p, s->rank, s->begin_ns, r->at_ns, work_ns, 0);
        return 0;
    }
    r->part = (uint32_t)(s->region + 1);
    if (mpg_parts_reserve(p, r->part + 1, err) < 0)
        return -1;
    if (mpg_ideal_polls(s)) /* mpg_parts_add_regions() adds this computation */
        parts_at(p, r->part, s->rank)->compute_ns -= mpg_ideal_work(s);
    return 0;
}

static void leave(struct mpg_parts *p, const struct mpg_step *s, double ideal_ns)
{
    struct parts_rank *r = &p->rank[s->rank];
    if (p->by == MPG_EFFICIENCY_BY_REGION) {
        parts_at(p, r->part, s->rank)->ideal_in_mpi_ns += ideal_ns;
        return;
    }
    spread(p, s->rank, r->at_ns, r->at_ns + s->duration_ns, 0, ideal_ns);
    r->at_ns += s->duration_ns;
}

int mpg_parts_take(struct mpg_parts *p, const struct mpg_step *s, double passed_ns, struct mpg_error *err)
{
    if (s->kind == MPG_STEP_ENTER)
        return enter(p, s, passed_ns, err);
    if (s->kind == MPG_STEP_LEAVE)
        leave(p, s, passed_ns);
    return 0;
}

/* ---- results ---- */

/* Fills PART with the sums over all ranks of part I, a region or bin of time. COMPUTE_NS: array for the computation of each rank.
 * Returns whether any rank spent time in the part. */
static bool summarise(struct mpg_parts *p, uint32_t i, struct mpg_efficiency_part *part, double *compute_ns)
{
    double run_ns = p->by == MPG_EFFICIENCY_BY_TIME ? p->width_ns : 0, ideal_ns = 0;
    *part = (struct mpg_efficiency_part){
        .region = (int32_t)i - 1, .from_ns = i * p->width_ns, .to_ns = (i + 1) * p->width_ns, .compute_ns = compute_ns};
    for (int32_t rank = 0; rank < p->ranks; rank++) {
        const struct parts_cell *c = parts_at(p, i, rank);
        compute_ns[rank] = fmax(0, c->compute_ns);
        run_ns = fmax(run_ns, c->run_ns);
        ideal_ns = fmax(ideal_ns, compute_ns[rank] + c->ideal_in_mpi_ns);
        part->max = compute_ns[rank] > compute_ns[part->max] ? rank : part->max;
        part->min = compute_ns[rank] < compute_ns[part->min] ? rank : part->min;
    }
    part->times = mpg_efficiency_of(p->ranks, compute_ns, run_ns, ideal_ns);
    return p->by == MPG_EFFICIENCY_BY_TIME || run_ns > 0;
}

static int by_loss(const void *a, const void *b)
{
    const struct mpg_efficiency_part *x = a, *y = b;
    const double one = x->times.run_ns - x->times.mean_compute_ns, other = y->times.run_ns - y->times.mean_compute_ns;
    if (one != other)
        return one > other ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

int mpg_parts_end(struct mpg_parts *p, struct mpg_efficiency_parts *found, struct mpg_error *err)
{
    *found = (struct mpg_efficiency_parts){
        .by = p->by, .aligned = p->by == MPG_EFFICIENCY_BY_TIME && mpg_clock_map_source(p->clocks) != MPG_CLOCK_NONE};
    if (p->by == MPG_EFFICIENCY_BY_REGION && mpg_parts_add_regions(p, err) < 0)
        return -1;
    found->part = calloc(p->n, sizeof *found->part);
    found->compute_ns = calloc(p->n, (size_t)p->ranks * sizeof *found->compute_ns);
    if (!found->part || !found->compute_ns)
        return mpg_error_set(err, "out of memory");
    for (uint32_t i = 0; i < p->n; i++)
        found->n += summarise(p, i, &found->part[found->n], found->compute_ns + (size_t)i * (size_t)p->ranks);
    if (p->by == MPG_EFFICIENCY_BY_REGION)
        qsort(found->part, found->n, sizeof *found->part, by_loss);
    return 0;
}

void mpg_efficiency_parts_clear(struct mpg_efficiency_parts *found)
{
    free(found->part);
    free(found->compute_ns);
    *found = (struct mpg_efficiency_parts){.n = 0};
}
