/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the earliest arrivals of a group when needed. The third search for the minimum builds a tournament tree over the
 * arrivals, sorted by source: of equal arrivals the leftmost is from the lowest rank. */
#include "simulate/choice/earliest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/rounding.h"

enum { SCANS = 2 };

static double arrival_ns(const struct mpg_pending *m, uint32_t w)
{
    return m ? mpg_pending_arrival_ns(m, w) : INFINITY;
}

double mpg_pending_arrival_ns(const struct mpg_pending *m, uint32_t w)
{
    return fmax(m->base_ns + m->raised_ns + m->value[w], m->cause_ns + m->cause[w]);
}

void mpg_pending_raise(struct mpg_pending *m, double since_ns)
{
    m->raised_ns = fmax(m->raised_ns, since_ns + MPG_TICK_NS - m->base_ns);
}

/* ---- a decision ---- */

void mpg_decision_begin(struct mpg_decision *d, struct mpg_unexpected *unexpected, int32_t rank, uint32_t w)
{
    d->unexpected = unexpected;
    d->rank = rank;
    d->w = w;
}

void mpg_decision_end(struct mpg_decision *d)
{
    for (uint32_t i = 0; i < d->marked_count; i++)
        mpg_unexpected_unmark(d->marked[i], d->w);
    for (uint32_t i = 0; i < d->count; i++)
        d->earliest[i]->group->earliest = NULL;
    d->marked_count = d->count = 0;
}

void mpg_decision_clear(struct mpg_decision *d)
{
    for (uint32_t i = 0; i < d->made; i++) {
        free(d->earliest[i]->first);
        free(d->earliest[i]->tree);
        free(d->earliest[i]->bound);
        free(d->earliest[i]);
    }
    free(d->earliest);
    free(d->marked);
}

/* Returns an unused list of D. NULL: no memory, with ERR. */
static struct mpg_earliest *take_earliest(struct mpg_decision *d, struct mpg_error *err)
{
    if (d->count == d->made) {
        if (mpg_reserve_at(&d->earliest, sizeof *d->earliest, &d->capacity, d->made + 1, err) < 0)
            return NULL;
        if (!(d->earliest[d->made] = calloc(1, sizeof **d->earliest))) {
            mpg_error_set(err, "out of memory");
            return NULL;
        }
        d->made++;
    }
    struct mpg_earliest *f = d->earliest[d->count++];
    f->n = f->searches = f->leaves = f->bound_number = f->bound_count = 0;
    return f;
}

/* Returns the earliest arrivals of GROUP in decision D, and lists them first if necessary. NULL: out of memory, with ERR. */
static struct mpg_earliest *list_earliest(struct mpg_decision *d, struct mpg_group *group, struct mpg_error *err)
{
    struct mpg_earliest *f = group->earliest ? group->earliest : take_earliest(d, err);
    if (!f || group->earliest)
        return f;
    f->group = group; /* set before anything can fail, because mpg_decision_end() resets it */
    group->earliest = f;
    if (mpg_reserve_at(&f->first, sizeof *f->first, &f->capacity, group->count, err) < 0)
        return NULL;
    for (struct mpg_queue *q = group->queues; q; q = q->next) {
        q->place = f->n;
        f->first[f->n++] = (struct mpg_earliest_of_source){
            .queue = q, .pending = mpg_unexpected_next(d->unexpected, q->head[d->w], mpg_unexpected_which(q), d->w)};
    }
    return f;
}

/* ---- the tournament ---- */

static int compare_sources(const void *a, const void *b)
{
    const struct mpg_earliest_of_source *x = a, *y = b;
    return (x->queue->source > y->queue->source) - (x->queue->source < y->queue->source);
}

static int make_tree(const struct mpg_decision *d, struct mpg_earliest *f, struct mpg_error *err)
{
    uint32_t leaves = 1;
    while (leaves < f->n)
        leaves *= 2;
    if (mpg_reserve_at(&f->tree, sizeof *f->tree, &f->tree_capacity, 2 * leaves, err) < 0)
        return -1;
    f->leaves = leaves;
    qsort(f->first, f->n, sizeof *f->first, compare_sources);
    for (uint32_t i = 0; i < leaves; i++)
        f->tree[leaves + i] = i < f->n ? arrival_ns(f->first[i].pending, d->w) : INFINITY;
    for (uint32_t i = 0; i < f->n; i++)
        f->first[i].queue->place = i;
    for (uint32_t i = leaves - 1; i > 0; i--)
        f->tree[i] = fmin(f->tree[2 * i], f->tree[2 * i + 1]);
    return 0;
}

static void update_tree(struct mpg_decision *d, struct mpg_earliest *f, uint32_t place)
{
    uint32_t i = f->leaves + place;
    f->tree[i] = arrival_ns(f->first[place].pending, d->w);
    for (i /= 2; i > 0; i /= 2, d->unexpected->looks++)
        f->tree[i] = fmin(f->tree[2 * i], f->tree[2 * i + 1]);
}

/* Returns the first message, in the order of sources, that arrives by UNTIL_NS; at least one message must. */
static struct mpg_pending *leftmost(struct mpg_decision *d, const struct mpg_earliest *f, double until_ns)
{
    uint32_t i = 1;
    for (; i < f->leaves; d->unexpected->looks++)
        i = f->tree[2 * i] <= until_ns ? 2 * i : 2 * i + 1;
    return f->first[i - f->leaves].pending;
}

static struct mpg_pending *scan(struct mpg_decision *d, const struct mpg_earliest *f, double *min_ns)
{
    struct mpg_pending *min = NULL;
    *min_ns = INFINITY;
    for (uint32_t i = 0; i < f->n; i++)
        *min_ns = fmin(*min_ns, arrival_ns(f->first[i].pending, d->w));
    for (uint32_t i = 0; i < f->n; i++) {
        struct mpg_pending *m = f->first[i].pending;
        if (m && arrival_ns(m, d->w) <= *min_ns + MPG_ROUNDING_NS &&
            (!min || f->first[i].queue->source < min->queue[MPG_PENDING_ALL]->source))
            min = m;
    }
    d->unexpected->looks += 2 * (uint64_t)f->n;
    return min;
}

/* Returns the entry of M in F; NULL: M is not an earliest arrival. */
static struct mpg_earliest_of_source *place_in(const struct mpg_earliest *f, const struct mpg_pending *m)
{
    for (int which = MPG_PENDING_ALL; which <= MPG_PENDING_TAG; which++)
        if (f && m->queue[which]->group == f->group) {
            struct mpg_earliest_of_source *place = &f->first[m->queue[which]->place];
            return place->pending == m ? place : NULL;
        }
    return NULL;
}

int mpg_decision_earliest(struct mpg_decision *d, const struct mpg_message_pattern *fits, const struct mpg_pending *own,
                          double ready_ns, struct mpg_pending **min, struct mpg_error *err)
{
    double min_ns;
    *min = NULL;
    if (!fits->any_source) {
        struct mpg_queue *q = mpg_unexpected_queue(d->unexpected, d->rank, fits);
        *min = q ? mpg_unexpected_next(d->unexpected, q->head[d->w], mpg_unexpected_which(q), d->w) : NULL;
        return 0;
    }
    struct mpg_group *group = mpg_unexpected_group(d->unexpected, d->rank, fits);
    if (!group || group->count == 0)
        return 0;
    struct mpg_earliest *f = list_earliest(d, group, err);
    if (!f || (++f->searches == SCANS + 1 && make_tree(d, f, err) < 0))
        return -1;
    if (f->leaves == 0)
        *min = scan(d, f, &min_ns);
    else if ((min_ns = f->tree[1]) < INFINITY)
        *min = leftmost(d, f, min_ns + MPG_ROUNDING_NS);
    const struct mpg_earliest_of_source *mine = own && *min ? place_in(f, own) : NULL;
    if (mine && arrival_ns(own, d->w) <= fmax(min_ns, own->passes ? ready_ns : -INFINITY) + MPG_ROUNDING_NS)
        *min = mine->pending;
    return 0;
}

int mpg_decision_mark(struct mpg_decision *d, struct mpg_pending *m, struct mpg_error *err)
{
    if (mpg_reserve_at(&d->marked, sizeof *d->marked, &d->marked_capacity, d->marked_count + 1, err) < 0)
        return -1;
    if (!mpg_unexpected_mark(m, d->w))
        return 0;
    d->marked[d->marked_count++] = m;
    for (int which = MPG_PENDING_ALL; which <= MPG_PENDING_TAG; which++) {
        struct mpg_earliest *f = m->queue[which]->group->earliest;
        struct mpg_earliest_of_source *place = place_in(f, m);
        if (!place)
            continue;
        place->pending = mpg_unexpected_next(d->unexpected, m, (enum mpg_pending_list)which, d->w);
        place->since = f->bound_number;
        if (f->leaves > 0)
            update_tree(d, f, (uint32_t)(place - f->first));
    }
    return 0;
}

/* ---- bounds ---- */

int mpg_decision_add_bound(struct mpg_decision *d, const struct mpg_message_pattern *fits, double ns, struct mpg_error *err)
{
    struct mpg_group *group = mpg_unexpected_group(d->unexpected, d->rank, fits);
    struct mpg_earliest *f = group && group->count > 0 ? list_earliest(d, group, err) : NULL;
    if (!group || group->count == 0)
        return 0;
    if (!f || mpg_reserve_at(&f->bound, sizeof *f->bound, &f->bound_capacity, f->bound_count + 1, err) < 0)
        return -1;
    while (f->bound_count > 0 && f->bound[f->bound_count - 1].ns <= ns)
        f->bound_count--;
    f->bound[f->bound_count++] = (struct mpg_arrival_bound){f->bound_number++, ns};
    return 0;
}

static double traced_ns(const struct mpg_pending *m)
{
    return m->base_ns + m->raised_ns;
}

int mpg_decision_note_passed(struct mpg_decision *d, const struct mpg_message_pattern *fits, struct mpg_pending *own,
                             struct mpg_error *err)
{
    struct mpg_group *group = mpg_unexpected_group(d->unexpected, d->rank, fits);
    struct mpg_earliest *f = group && group->count > 0 ? list_earliest(d, group, err) : NULL;
    if (!group || group->count == 0)
        return 0;
    if (!f)
        return -1;
    mpg_decision_settle_all(d);
    for (uint32_t i = 0; i < f->n && !own->passes; i++) {
        const struct mpg_pending *m = f->first[i].pending;
        own->passes = m && m != own && traced_ns(m) < traced_ns(own) + MPG_TICK_NS;
    }
    d->unexpected->looks += f->n;
    return 0;
}

/* Raises the arrival at PLACE to the largest bound not yet applied to the arrival. */
static void settle(struct mpg_decision *d, struct mpg_earliest *f, struct mpg_earliest_of_source *place)
{
    uint32_t low = 0, high = f->bound_count;
    for (; low < high; d->unexpected->looks++) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->bound[middle].number < place->since)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < f->bound_count && place->pending)
        mpg_pending_raise(place->pending, f->bound[low].ns);
    place->since = f->bound_number;
}

void mpg_decision_settle(struct mpg_decision *d, struct mpg_pending *m)
{
    for (int which = MPG_PENDING_ALL; which <= MPG_PENDING_TAG; which++) {
        struct mpg_earliest *f = m->queue[which]->group->earliest;
        struct mpg_earliest_of_source *place = place_in(f, m);
        if (place)
            settle(d, f, place);
    }
}

void mpg_decision_settle_all(struct mpg_decision *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t k = 0; k < d->earliest[i]->n; k++)
            settle(d, d->earliest[i], &d->earliest[i]->first[k]);
}
