/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Firsts are listed when they are asked for. The third time that the least of them is, a tournament of
 * their arrivals is made, by source, so that the leftmost of equal ones is the lowest rank's. */
#include "simulate/choice/firsts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/rounding.h"

enum { SCANS = 2 };

static double arrival_ns(const struct mpg_letter *m, uint32_t w)
{
    return m ? mpg_letter_arrival_ns(m, w) : INFINITY;
}

double mpg_letter_arrival_ns(const struct mpg_letter *m, uint32_t w)
{
    return fmax(m->base_ns + m->raised_ns + m->value[w], m->cause_ns + m->cause[w]);
}

void mpg_letter_raise(struct mpg_letter *m, double since_ns)
{
    m->raised_ns = fmax(m->raised_ns, since_ns + MPG_TICK_NS - m->base_ns);
}

/* ---- a decision ---- */

void mpg_decision_begin(struct mpg_decision *d, struct mpg_inbox *inbox, int32_t rank, uint32_t w)
{
    d->inbox = inbox;
    d->rank = rank;
    d->w = w;
}

void mpg_decision_end(struct mpg_decision *d)
{
    for (uint32_t i = 0; i < d->marked_count; i++)
        mpg_inbox_unmark(d->marked[i], d->w);
    for (uint32_t i = 0; i < d->count; i++)
        d->firsts[i]->group->firsts = NULL;
    d->marked_count = d->count = 0;
}

void mpg_decision_clear(struct mpg_decision *d)
{
    for (uint32_t i = 0; i < d->made; i++) {
        free(d->firsts[i]->first);
        free(d->firsts[i]->tree);
        free(d->firsts[i]->told);
        free(d->firsts[i]);
    }
    free(d->firsts);
    free(d->marked);
}

/* One that is not in use. */
static struct mpg_firsts *take_firsts(struct mpg_decision *d, struct mpg_error *err)
{
    if (d->count == d->made) {
        if (mpg_reserve_at(&d->firsts, sizeof *d->firsts, &d->capacity, d->made + 1, err) < 0)
            return NULL;
        if (!(d->firsts[d->made] = calloc(1, sizeof **d->firsts))) {
            mpg_error_set(err, "out of memory");
            return NULL;
        }
        d->made++;
    }
    struct mpg_firsts *f = d->firsts[d->count++];
    f->n = f->asked = f->leaves = f->told_number = f->told_count = 0;
    return f;
}

/* Of GROUP, in D. */
static struct mpg_firsts *list_firsts(struct mpg_decision *d, struct mpg_group *group, struct mpg_error *err)
{
    struct mpg_firsts *f = group->firsts ? group->firsts : take_firsts(d, err);
    if (!f || group->firsts)
        return f;
    f->group = group; /* before what can fail: its end is D's */
    group->firsts = f;
    if (mpg_reserve_at(&f->first, sizeof *f->first, &f->capacity, group->count, err) < 0)
        return NULL;
    for (struct mpg_queue *q = group->queues; q; q = q->next) {
        q->place = f->n;
        f->first[f->n++] = (struct mpg_first){
            .queue = q, .letter = mpg_inbox_next(d->inbox, q->head[d->w], mpg_inbox_which(q), d->w)};
    }
    return f;
}

/* ---- the tournament ---- */

static int compare_sources(const void *a, const void *b)
{
    const struct mpg_first *x = a, *y = b;
    return (x->queue->source > y->queue->source) - (x->queue->source < y->queue->source);
}

static int make_tree(const struct mpg_decision *d, struct mpg_firsts *f, struct mpg_error *err)
{
    uint32_t leaves = 1;
    while (leaves < f->n)
        leaves *= 2;
    if (mpg_reserve_at(&f->tree, sizeof *f->tree, &f->tree_capacity, 2 * leaves, err) < 0)
        return -1;
    f->leaves = leaves;
    qsort(f->first, f->n, sizeof *f->first, compare_sources);
    for (uint32_t i = 0; i < leaves; i++)
        f->tree[leaves + i] = i < f->n ? arrival_ns(f->first[i].letter, d->w) : INFINITY;
    for (uint32_t i = 0; i < f->n; i++)
        f->first[i].queue->place = i;
    for (uint32_t i = leaves - 1; i > 0; i--)
        f->tree[i] = fmin(f->tree[2 * i], f->tree[2 * i + 1]);
    return 0;
}

static void update_tree(struct mpg_decision *d, struct mpg_firsts *f, uint32_t place)
{
    uint32_t i = f->leaves + place;
    f->tree[i] = arrival_ns(f->first[place].letter, d->w);
    for (i /= 2; i > 0; i /= 2, d->inbox->looks++)
        f->tree[i] = fmin(f->tree[2 * i], f->tree[2 * i + 1]);
}

/* The first, by source, that arrives no later than UNTIL_NS, as one does. */
static struct mpg_letter *leftmost(struct mpg_decision *d, const struct mpg_firsts *f, double until_ns)
{
    uint32_t i = 1;
    for (; i < f->leaves; d->inbox->looks++)
        i = f->tree[2 * i] <= until_ns ? 2 * i : 2 * i + 1;
    return f->first[i - f->leaves].letter;
}

static struct mpg_letter *scan(struct mpg_decision *d, const struct mpg_firsts *f, double *least_ns)
{
    struct mpg_letter *least = NULL;
    *least_ns = INFINITY;
    for (uint32_t i = 0; i < f->n; i++)
        *least_ns = fmin(*least_ns, arrival_ns(f->first[i].letter, d->w));
    for (uint32_t i = 0; i < f->n; i++) {
        struct mpg_letter *m = f->first[i].letter;
        if (m && arrival_ns(m, d->w) <= *least_ns + MPG_ROUNDING_NS &&
            (!least || f->first[i].queue->source < least->queue[MPG_LETTERS_ALL]->source))
            least = m;
    }
    d->inbox->looks += 2 * (uint64_t)f->n;
    return least;
}

/* M's place among F, if it is there now; NULL. */
static struct mpg_first *place_in(const struct mpg_firsts *f, const struct mpg_letter *m)
{
    for (int which = MPG_LETTERS_ALL; which <= MPG_LETTERS_TAG; which++)
        if (f && m->queue[which]->group == f->group) {
            struct mpg_first *place = &f->first[m->queue[which]->place];
            return place->letter == m ? place : NULL;
        }
    return NULL;
}

int mpg_decision_least(struct mpg_decision *d, const struct mpg_message_pattern *fits, const struct mpg_letter *own,
                       double ready_ns, struct mpg_letter **least, struct mpg_error *err)
{
    double least_ns;
    *least = NULL;
    if (!fits->any_source) {
        struct mpg_queue *q = mpg_inbox_queue(d->inbox, d->rank, fits);
        *least = q ? mpg_inbox_next(d->inbox, q->head[d->w], mpg_inbox_which(q), d->w) : NULL;
        return 0;
    }
    struct mpg_group *group = mpg_inbox_group(d->inbox, d->rank, fits);
    if (!group || group->count == 0)
        return 0;
    struct mpg_firsts *f = list_firsts(d, group, err);
    if (!f || (++f->asked == SCANS + 1 && make_tree(d, f, err) < 0))
        return -1;
    if (f->leaves == 0)
        *least = scan(d, f, &least_ns);
    else if ((least_ns = f->tree[1]) < INFINITY)
        *least = leftmost(d, f, least_ns + MPG_ROUNDING_NS);
    const struct mpg_first *mine = own && *least ? place_in(f, own) : NULL;
    if (mine && arrival_ns(own, d->w) <= fmax(least_ns, own->passes ? ready_ns : -INFINITY) + MPG_ROUNDING_NS)
        *least = mine->letter;
    return 0;
}

int mpg_decision_mark(struct mpg_decision *d, struct mpg_letter *m, struct mpg_error *err)
{
    if (mpg_reserve_at(&d->marked, sizeof *d->marked, &d->marked_capacity, d->marked_count + 1, err) < 0)
        return -1;
    if (!mpg_inbox_mark(m, d->w))
        return 0;
    d->marked[d->marked_count++] = m;
    for (int which = MPG_LETTERS_ALL; which <= MPG_LETTERS_TAG; which++) {
        struct mpg_firsts *f = m->queue[which]->group->firsts;
        struct mpg_first *place = place_in(f, m);
        if (!place)
            continue;
        place->letter = mpg_inbox_next(d->inbox, m, (enum mpg_letters)which, d->w);
        place->since = f->told_number;
        if (f->leaves > 0)
            update_tree(d, f, (uint32_t)(place - f->first));
    }
    return 0;
}

/* ---- what is told ---- */

int mpg_decision_tell(struct mpg_decision *d, const struct mpg_message_pattern *fits, double ns, struct mpg_error *err)
{
    struct mpg_group *group = mpg_inbox_group(d->inbox, d->rank, fits);
    struct mpg_firsts *f = group && group->count > 0 ? list_firsts(d, group, err) : NULL;
    if (!group || group->count == 0)
        return 0;
    if (!f || mpg_reserve_at(&f->told, sizeof *f->told, &f->told_capacity, f->told_count + 1, err) < 0)
        return -1;
    while (f->told_count > 0 && f->told[f->told_count - 1].ns <= ns)
        f->told_count--;
    f->told[f->told_count++] = (struct mpg_told_time){f->told_number++, ns};
    return 0;
}

static double traced_ns(const struct mpg_letter *m)
{
    return m->base_ns + m->raised_ns;
}

int mpg_decision_note_passed(struct mpg_decision *d, const struct mpg_message_pattern *fits, struct mpg_letter *own,
                             struct mpg_error *err)
{
    struct mpg_group *group = mpg_inbox_group(d->inbox, d->rank, fits);
    struct mpg_firsts *f = group && group->count > 0 ? list_firsts(d, group, err) : NULL;
    if (!group || group->count == 0)
        return 0;
    if (!f)
        return -1;
    mpg_decision_settle_all(d);
    for (uint32_t i = 0; i < f->n && !own->passes; i++) {
        const struct mpg_letter *m = f->first[i].letter;
        own->passes = m && m != own && traced_ns(m) < traced_ns(own) + MPG_TICK_NS;
    }
    d->inbox->looks += f->n;
    return 0;
}

/* The latest of those times that were told since PLACE became the first. */
static void settle(struct mpg_decision *d, struct mpg_firsts *f, struct mpg_first *place)
{
    uint32_t low = 0, high = f->told_count;
    for (; low < high; d->inbox->looks++) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->told[middle].number < place->since)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < f->told_count && place->letter)
        mpg_letter_raise(place->letter, f->told[low].ns);
    place->since = f->told_number;
}

void mpg_decision_settle(struct mpg_decision *d, struct mpg_letter *m)
{
    for (int which = MPG_LETTERS_ALL; which <= MPG_LETTERS_TAG; which++) {
        struct mpg_firsts *f = m->queue[which]->group->firsts;
        struct mpg_first *place = place_in(f, m);
        if (place)
            settle(d, f, place);
    }
}

void mpg_decision_settle_all(struct mpg_decision *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t k = 0; k < d->firsts[i]->n; k++)
            settle(d, d->firsts[i], &d->firsts[i]->first[k]);
}
