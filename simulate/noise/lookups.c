/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-ups by the record as one list, near the place of the last one; by the record itself where there is no such list,
 * or work goes on beyond the part of the record that it began in. */
#include "simulate/noise/lookups.h"

#include <math.h>

#include "simulate/noise/replay_private.h"

/* A lane's record. */
struct own {
    const struct mpg_resampled *record;
    const uint8_t *part; /* NULL: it is whole */
    double start_ns;     /* where in it MPI_Init is */
};

/* --- by the record itself --- */

/* How long the K-th of W meets nothing since the detour that is going on is none. */
static double free_by_record(const struct own *o, const struct mpg_begun_work *w, uint32_t k)
{
    const double since_ns = w->since_ns[k];
    double *passed = &w->passed_ns[w->at + w->lane[k]], before_ns;
    if (since_ns >= *passed) {
        const double left_ns = mpg_resampled_detour_left(o->record, o->part, o->start_ns + since_ns, &before_ns);
        if (!(left_ns > 0 && mpg_detour_is_covered(w->covered_ns, before_ns)))
            return 0;
        *passed = since_ns + left_ns;
    }
    return *passed - since_ns;
}

/* What the K-th of W meets. */
static struct mpg_work_met meet_by_record(const struct own *o, const struct mpg_begun_work *w, uint32_t k)
{
    const double begin_ns = o->start_ns + w->since_ns[k], work_ns = w->work_ns[k];
    const double free_ns = w->passed_ns ? free_by_record(o, w, k) : 0;
    if (free_ns > 0 && work_ns <= free_ns)
        return (struct mpg_work_met){.time_ns = work_ns, .end_ns = begin_ns + work_ns};
    const struct mpg_replay_met met = mpg_resampled_meet(o->record, o->part, begin_ns + free_ns, work_ns - free_ns);
    const double time_ns = free_ns + met.time_ns;
    return (struct mpg_work_met){time_ns, met.quiet_ns, begin_ns + time_ns};
}

/* --- by the list --- */

/* So many detours are looked at without a branch, and without waiting for each other: detours come in bursts. */
enum { NEAR = 8 };

/* The first of R's detours that ends after REST; NEXT is near it. */
static inline size_t find_end(const struct mpg_record *r, size_t next, double rest)
{
    const struct mpg_detour *d = r->detour + next;
    if (next > r->n || (next > 0 && mpg_detour_end(d - 1) > rest))
        return mpg_record_find_detour(r, rest);
    size_t n = 0;
#pragma GCC unroll 4
    for (int k = 0; k < NEAR / 2; k++)
        n += mpg_detour_end(d + k) <= rest;
    return n < NEAR / 2 ? next + n : mpg_record_find_detour(r, rest);
}

/* The first of R's detours, from FIRST on, that begins at WORK or after it, but for rounding. */
static inline size_t find_begin(const struct mpg_record *r, size_t first, double work)
{
    const double least = work - MPG_ROUNDING_NS;
    const struct mpg_detour *d = r->detour + first;
    size_t n = 0;
#pragma GCC unroll 8
    for (int k = 0; k < NEAR; k++)
        n += d[k].done_ns < least;
    return n < NEAR ? first + n : mpg_record_find_done(r, work);
}

/* Whether detour I of R is more, or less, than one that is met from FROM_NS of the record to TO_NS: these cut it, or there
 * is no work between it and one beside it, so that both may be parts of one. */
static bool is_odd(const struct mpg_record *r, size_t i, double from_ns, double to_ns)
{
    const struct mpg_detour *d = &r->detour[i];
    return mpg_detour_start(d) < from_ns || mpg_detour_end(d) > to_ns || d[1].done_ns - d->done_ns <= MPG_ROUNDING_NS ||
           (i > 0 && d->done_ns - d[-1].done_ns <= MPG_ROUNDING_NS);
}

/* What the K-th of W meets by the list R, at P, in a part of the record of LENGTH_NS; false: the list does not say. */
static inline bool meet_near(const struct mpg_record *r, double length_ns, const struct mpg_begun_work *w, uint32_t k,
                             struct mpg_noise_place *p, struct mpg_work_met *met)
{
    const double since_ns = w->since_ns[k], work_ns = w->work_ns[k], at_ns = since_ns + p->shift_ns;
    const double part_end_ns = p->until_ns + p->shift_ns;
    double *passed = w->passed_ns ? &w->passed_ns[w->at + w->lane[k]] : NULL;
    const bool is_passing = passed && since_ns < *passed;
    size_t first = find_end(r, p->next, at_ns);
    double done_ns = at_ns - r->detour[first].lost_ns; /* before it begins, were there no detour */
    const double before_ns = done_ns - r->detour[first].done_ns;
    bool is_free = true;
    if (before_ns > 0) { /* there is one */
        const struct mpg_detour *d = &r->detour[first];
        const double over_ns = mpg_detour_end(d) - p->shift_ns;
        if (passed && is_odd(r, first, part_end_ns - length_ns, part_end_ns))
            return false;
        if (is_passing && fabs(*passed - over_ns) > MPG_ROUNDING_NS)
            return false;
        is_free = is_passing || (passed && mpg_detour_is_covered(w->covered_ns, before_ns));
        if (is_free)
            *passed = over_ns;
        first += is_free;
        done_ns = is_free ? at_ns - d[1].lost_ns : d->done_ns;
    } else if (is_passing && *passed - since_ns > MPG_ROUNDING_NS) { /* it went back */
        return false;
    }
    const size_t next = find_begin(r, first, done_ns + work_ns);
    const struct mpg_detour *d = &r->detour[next];
    const double end_ns = done_ns + work_ns + d->lost_ns, more_ns = end_ns - at_ns;
    const double left_ns = part_end_ns - end_ns, quiet_ns = d->done_ns - (done_ns + work_ns);
    if (!(left_ns >= 0)) /* it goes on in another part of the record */
        return false;
    p->next = (uint32_t)next;
    met->time_ns = is_free && next == first ? work_ns : more_ns > 0 ? more_ns : 0;
    met->quiet_ns = quiet_ns < left_ns ? quiet_ns : left_ns;
    met->end_ns = end_ns;
    return true;
}

/* Whether P is where work begins that begins SINCE_NS after MPI_Init, in parts of LENGTH_NS. */
static inline bool is_there(const struct mpg_noise_place *p, double since_ns, double length_ns)
{
    return since_ns < p->until_ns && since_ns >= p->until_ns - length_ns;
}

/* Puts P where work begins that begins SINCE_NS after MPI_Init, in O. Of a record that is whole the list is the first
 * time that it is met: what is kept in part is not the same when it repeats. */
static void place(const struct own *o, double since_ns, struct mpg_noise_place *p)
{
    const struct mpg_resampled *r = o->record;
    const bool has_parts = mpg_resampled_has_parts(r, o->part);
    const double length_ns = has_parts ? r->span_ns / MPG_PARTS : r->span_ns;
    double whole = mpg_record_wholes((o->start_ns + since_ns) * r->per_span);
    int i = 0;
    if (has_parts)
        mpg_resampled_locate(r, o->part, o->start_ns + since_ns, &whole, &i);
    const double begin_ns = whole * r->span_ns + i * length_ns - o->start_ns;
    const bool is_listed = has_parts || whole == 0 || !r->replay->others;
    p->shift_ns = (has_parts ? o->part[i] * length_ns : 0) - begin_ns;
    p->until_ns = is_listed ? begin_ns + length_ns : -INFINITY;
}

void mpg_machine_meet(const struct mpg_machine *m, const struct mpg_parts *parts, uint64_t seed,
                      const struct mpg_begun_work *w, struct mpg_work_met *met)
{
    const struct mpg_resampled *record = &m->resampled[mpg_machine_seat_of(m, w->rank).core];
    const struct mpg_record *list = w->place ? record->replay->list : NULL;
    const double length_ns = parts ? record->span_ns / MPG_PARTS : record->span_ns;
    struct mpg_noise_place nowhere = {0};
    for (uint32_t k = 0; k < w->n; k++) {
        const uint32_t lane = w->at + w->lane[k], replica = w->first + lane;
        struct mpg_noise_place *p = w->place ? &w->place[lane] : &nowhere;
        nowhere.is_begun = false;
        const uint8_t *part = parts ? parts->part[mpg_measurement_of(replica)] : NULL;
        if (!p->is_begun) {
            p->start_ns = mpg_machine_start(m, part, seed, w->rank, replica);
            p->is_begun = true;
        }
        const struct own own = {record, part, p->start_ns};
        if (list && !is_there(p, w->since_ns[k], length_ns))
            place(&own, w->since_ns[k], p);
        if (!list || !is_there(p, w->since_ns[k], length_ns) || !meet_near(list, length_ns, w, k, p, &met[k]))
            met[k] = meet_by_record(&own, w, k);
    }
}

void mpg_machine_fetch(const struct mpg_machine *m, int32_t rank, const struct mpg_noise_place *place, uint32_t n)
{
    const struct mpg_record *list = m->resampled[mpg_machine_seat_of(m, rank).core].replay->list;
    for (uint32_t k = 0; list && k < n; k++) {
        const struct mpg_detour *next = list->detour + place[k].next;
        __builtin_prefetch((const char *)next - sizeof *next);
        __builtin_prefetch(next + 2);
        __builtin_prefetch(next + 6);
    }
}
