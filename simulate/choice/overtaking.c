/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of one channel do not overtake each other (docs/MODEL.md, section 6, Where they
 * arrive). */
#include <math.h>
#include <stdlib.h>

#include "simulate/choice/choice_private.h"

int mpg_sequences_compare_channels(const struct mpg_sequence *a, const struct mpg_sequence *b)
{
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_sequences(const void *x, const void *y)
{
    const struct mpg_pick *p = *(struct mpg_pick *const *)x, *q = *(struct mpg_pick *const *)y;
    const struct mpg_sequence *a = &p->sequence, *b = &q->sequence;
    const int order = mpg_sequences_compare_channels(a, b);
    if (order != 0)
        return order;
    return (a->id > b->id) - (a->id < b->id);
}

/* The one of FIRST and SECOND that arrives later; of equal ones the second. */
static const struct mpg_pick *later(const struct mpg_pick *first, const struct mpg_pick *second)
{
    return first && first->at_ns > second->at_ns ? first : second;
}

void mpg_picks_keep_order(struct mpg_pick *pick, uint32_t n, struct mpg_pick **order)
{
    const struct mpg_pick *any = NULL, *completed = NULL; /* on the channel, the latest so far */
    for (uint32_t i = 0; i < n; i++)
        order[i] = &pick[i];
    qsort(order, n, sizeof(struct mpg_pick *), compare_sequences);
    for (uint32_t i = 0; i < n; i++) {
        struct mpg_pick *p = order[i];
        if (i > 0 && mpg_sequences_compare_channels(&p->sequence, &order[i - 1]->sequence) != 0)
            any = completed = NULL;
        p->before = p->completed ? completed : any;
        if (p->before && p->before->at_ns > p->at_ns) {
            p->at_ns = p->before->at_ns;
            p->came = p->before->came;
        }
        if (!p->sequence.is_eager)
            continue;
        any = later(any, p);
        completed = p->completed ? later(completed, p) : completed;
    }
}
