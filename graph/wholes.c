/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking collectives up that are taken as wholes. */
#include "graph/wholes.h"

bool mpg_wholes_have(const struct mpg_wholes *wholes, enum mpg_call call, int32_t members, double bytes)
{
    for (size_t i = 0; i < wholes->n; i++) {
        const struct mpg_whole *w = &wholes->whole[i];
        if (w->call == call && w->members == members && (double)w->from_bytes <= bytes && bytes <= (double)w->to_bytes)
            return true;
    }
    return false;
}

bool mpg_wholes_same(const struct mpg_wholes *a, const struct mpg_wholes *b)
{
    if (!a || !b || a->n != b->n)
        return a == b;
    for (size_t i = 0; i < a->n; i++) {
        const struct mpg_whole *x = &a->whole[i], *y = &b->whole[i];
        if (x->call != y->call || x->members != y->members || x->from_bytes != y->from_bytes || x->to_bytes != y->to_bytes)
            return false;
    }
    return true;
}

/* SUM with NUMBER after what it is of (FNV-1a, a word at a time). */
static uint64_t add(uint64_t sum, uint64_t number)
{
    return (sum ^ number) * UINT64_C(1099511628211);
}

uint64_t mpg_wholes_sum(const struct mpg_wholes *wholes)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t i = 0; wholes && i < wholes->n; i++) {
        const struct mpg_whole *w = &wholes->whole[i];
        sum = add(add(add(add(sum, (uint64_t)w->call), (uint64_t)w->members), (uint64_t)w->from_bytes), (uint64_t)w->to_bytes);
    }
    return wholes ? sum : 0;
}
