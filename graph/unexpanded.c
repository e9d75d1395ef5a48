/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of collectives simulated as single nodes, not as messages of an algorithm: look-up, comparison, checksum. */
#include "graph/unexpanded.h"

bool mpg_unexpanded_has(const struct mpg_unexpanded *unexpanded, enum mpg_call call, int32_t members, double bytes)
{
    for (size_t i = 0; i < unexpanded->n; i++) {
        const struct mpg_unexpanded_kind *w = &unexpanded->whole[i];
        if (w->call == call && w->members == members && (double)w->from_bytes <= bytes && bytes <= (double)w->to_bytes)
            return true;
    }
    return false;
}

bool mpg_unexpanded_same(const struct mpg_unexpanded *a, const struct mpg_unexpanded *b)
{
    if (!a || !b || a->n != b->n)
        return a == b;
    for (size_t i = 0; i < a->n; i++) {
        const struct mpg_unexpanded_kind *x = &a->whole[i], *y = &b->whole[i];
        if (x->call != y->call || x->members != y->members || x->from_bytes != y->from_bytes || x->to_bytes != y->to_bytes)
            return false;
    }
    return true;
}

/* One step of the FNV-1a hash, over a whole number instead of a byte. */
static uint64_t add(uint64_t sum, uint64_t number)
{
    return (sum ^ number) * UINT64_C(1099511628211);
}

uint64_t mpg_unexpanded_sum(const struct mpg_unexpanded *unexpanded)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t i = 0; unexpanded && i < unexpanded->n; i++) {
        const struct mpg_unexpanded_kind *w = &unexpanded->whole[i];
        sum = add(add(add(add(sum, (uint64_t)w->call), (uint64_t)w->members), (uint64_t)w->from_bytes), (uint64_t)w->to_bytes);
    }
    return unexpanded ? sum : 0;
}
