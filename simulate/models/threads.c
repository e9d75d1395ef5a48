/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute intervals with parallel regions: a visit of a region ends when the slowest thread has finished (docs/MODEL.md, section
 * 3, Threads). */
#include <math.h>

#include "simulate/models/perturbation.h"

/* Shares of a region's threads in the time of its visits, without MPI. */
struct shares {
    double longest;  /* work of the slowest thread in a visit's time, 0 to 1; the rest is begin and end of the region */
    double most_ns;  /* total work of the thread that worked most */
};

static struct shares shares_of(const struct mpg_parallel_region *r)
{
    const double time_ns = r->time_ns - r->thread[0].calls_ns;
    struct shares s = {.longest = time_ns > 0 ? fmin(1, r->longest_ns / time_ns) : 1};
    for (uint32_t k = 0; k < r->threads; k++)
        s.most_ns = fmax(s.most_ns, r->thread[k].work_ns);
    return s;
}

/* Returns the work of thread K of region R, as a part of the slowest thread's work. */
static double part_of(const struct mpg_parallel_region *r, const struct shares *s, uint32_t k)
{
    return s->most_ns > 0 ? r->thread[k].work_ns / s->most_ns : 1;
}

/* Replicas of an interval during evaluation: each replica's current time. */
struct walk {
    const struct mpg_perturbation *p;
    const struct mpg_interval *x;
    double factor; /* multiplies the time that noise takes */
    uint32_t at, first, n;
    uint32_t lane[MPG_LANES_AT_ONCE];
    double now_ns[MPG_LANES_AT_ONCE]; /* time since MPI_Init */
    double all_ns[MPG_LANES_AT_ONCE]; /* work of the whole interval */
};

/* Writes the end times of work that RANK (number of a rank or of a further thread) begins at now_ns: the fraction SHARE of all
 * work. */
static void find_ends(const struct walk *w, int32_t rank, double share, double *end_ns)
{
    double work_ns[MPG_LANES_AT_ONCE], time_ns[MPG_LANES_AT_ONCE];
    const bool is_rank = rank == w->x->rank;
    for (uint32_t k = 0; k < w->n; k++)
        work_ns[k] = share * w->all_ns[k];
    const struct mpg_begun_work begun = {.rank = rank,
                                        .seed = w->p->seed,
                                        .parts = w->p->measurement_fixed ? NULL : &w->p->parts,
                                        .cursor = {.state = is_rank ? w->x->cursor : NULL, .lanes = w->x->lanes, .at = w->at},
                                        .n = w->n,
                                        .first = w->first,
                                        .lane = w->lane,
                                        .since_ns = w->now_ns,
                                        .work_ns = work_ns,
                                        .covered_ns = w->x->covered_ns,
                                        .passed_ns = is_rank && w->x->passed_ns ? w->x->passed_ns + w->at : NULL};
    w->p->target_noise.kind->time_for(&w->p->target_noise, &begun, time_ns);
    for (uint32_t k = 0; k < w->n; k++)
        end_ns[k] = w->now_ns[k] + work_ns[k] + w->factor * (time_ns[k] - work_ns[k]);
}

/* Advances now_ns by the fraction SHARE of all work, done by the rank alone. */
static void go(struct walk *w, double share)
{
    if (share > 0)
        find_ends(w, w->x->rank, share, w->now_ns);
}

/* Advances now_ns by a visit of region R: until all threads have finished. SHARE: work of the slowest thread as a fraction of all
 * work. */
static void go_together(struct walk *w, const struct mpg_parallel_region *r, const struct shares *s, double share)
{
    double last_ns[MPG_LANES_AT_ONCE], end_ns[MPG_LANES_AT_ONCE];
    for (uint32_t k = 0; k < w->n; k++)
        last_ns[k] = w->now_ns[k];
    for (uint32_t i = 0; i < r->threads; i++) {
        const double own = share * part_of(r, s, i);
        if (!(own > 0))
            continue;
        find_ends(w, mpg_rank_threads_number(w->p->threads, w->x->rank, i), own, end_ns);
        for (uint32_t k = 0; k < w->n; k++)
            last_ns[k] = fmax(last_ns[k], end_ns[k]);
    }
    for (uint32_t k = 0; k < w->n; k++)
        w->now_ns[k] = last_ns[k];
}

void mpg_perturb_threads(const struct mpg_perturbation *p, const struct mpg_interval *x, double factor, uint32_t at,
                         uint32_t first, uint32_t n, const struct mpg_lane_work *work, double *delay_ns)
{
    struct walk w = {.p = p, .x = x, .factor = factor, .at = at, .first = first, .n = n};
    double begin_ns[MPG_LANES_AT_ONCE], passed_ns = 0, alone_ns = 0;
    for (uint32_t k = 0; k < n; k++) {
        w.lane[k] = k;
        w.all_ns[k] = mpg_lane_work_in(work, k);
        begin_ns[k] = w.now_ns[k] = fmax(0, x->since_ns + delay_ns[k]);
    }
    for (uint32_t i = 0; i < x->visit_number; i++) {
        const struct mpg_visit *v = &x->visits[i];
        const struct shares s = shares_of(v->region);
        const double length_ns = (double)(v->to_ns - v->from_ns);
        go(&w, (alone_ns + (double)v->from_ns - passed_ns) / x->traced_ns);
        go_together(&w, v->region, &s, s.longest * length_ns / x->traced_ns);
        alone_ns = (1 - s.longest) * length_ns;
        passed_ns = (double)v->to_ns;
    }
    go(&w, (alone_ns + fmax(0, x->traced_ns - passed_ns)) / x->traced_ns);
    for (uint32_t k = 0; k < n; k++)
        delay_ns[k] += fmax(w.now_ns[k] - begin_ns[k] - x->length_ns, -x->length_ns);
}

/* Returns the difference in work, ns, between the slowest threads and thread K, summed over X's visits. *TAKES_PART: thread K is
 * in at least one visit. */
static double slack_of(const struct mpg_interval *x, uint32_t k, bool *takes_part)
{
    double slack_ns = 0;
    *takes_part = false;
    for (uint32_t i = 0; i < x->visit_number; i++) {
        const struct mpg_visit *v = &x->visits[i];
        const struct shares s = shares_of(v->region);
        const double slowest_ns = s.longest * (double)(v->to_ns - v->from_ns);
        const bool is_in = k < v->region->threads;
        *takes_part = *takes_part || is_in;
        slack_ns += slowest_ns * (1 - (is_in ? part_of(v->region, &s, k) : 0));
    }
    return slack_ns * x->ratio;
}

void mpg_perturb_threads_drawn(const struct mpg_perturbation *p, const struct mpg_interval *x, uint32_t first, uint32_t n,
                               double *added_ns)
{
    double own_ns[MPG_LANES_AT_ONCE];
    bool takes_part;
    const double slack_ns = slack_of(x, 0, &takes_part);
    for (uint32_t w = 0; w < n; w++)
        added_ns[w] -= slack_ns;
    for (uint32_t k = 1; k < p->threads->rank[x->rank].threads; k++) {
        const struct mpg_address address = {.seed = p->seed,
                                            .call = x->call,
                                            .rank = mpg_rank_threads_number(p->threads, x->rank, k),
                                            .purpose = MPG_DRAW_NOISE};
        const double more_ns = slack_of(x, k, &takes_part);
        if (!takes_part)
            continue;
        for (uint32_t w = 0; w < n; w++)
            own_ns[w] = -more_ns;
        mpg_specs_draw(&p->noise, &address, 1, first, n, own_ns);
        for (uint32_t w = 0; w < n; w++)
            added_ns[w] = fmax(added_ns[w], own_ns[w]);
    }
}
