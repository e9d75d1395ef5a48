/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For each receiver, the number of messages sent by a thread to this receiver: a hash table with open addressing, without
 * pointers. */
#include "graph/matching/sequences.h"

#include <stdlib.h>

#include "common/reserve.h"

static uint32_t *place_of(const struct sequences *s, int32_t to)
{
    const uint32_t mask = s->slots - 1;
    uint32_t i =
        /* takes the highest bits, which differ even if ranks have a large stride */
        (uint32_t)to * 0x9e3779b1u >> (__builtin_clz(s->slots) + 1);
    while (s->slot[i] && s->to[s->slot[i] - 1] != to)
        i = (i + 1) & mask;
    return &s->slot[i];
}

static int grow(struct sequences *s, struct mpg_error *err)
{
    enum { MIN_SLOTS = 8 };
    const uint32_t slots = s->slots ? 2 * s->slots : MIN_SLOTS;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return mpg_error_set(err, "out of memory");
    free(s->slot);
    s->slot = slot;
    s->slots = slots;
    for (uint32_t i = 0; i < s->n; i++)
        *place_of(s, s->to[i]) = i + 1;
    return 0;
}

uint32_t mpg_graph_sequence(struct sequences *s, int32_t to, struct mpg_error *err)
{
    const uint32_t known = s->slots ? *place_of(s, to) : 0;
    if (known)
        return known;
    if (3 * s->slots <= 4 * s->n && grow(s, err) < 0)
        return 0;
    if (mpg_reserve_at(&s->to, sizeof *s->to, &s->to_capacity, s->n + 1, err) < 0 ||
        mpg_reserve_at(&s->count, sizeof *s->count, &s->count_capacity, s->n + 1, err) < 0)
        return 0;
    s->to[s->n] = to;
    s->count[s->n] = 0;
    return *place_of(s, to) = ++s->n;
}

void mpg_graph_sequences_clear(struct sequences *s)
{
    free(s->slot);
    free(s->to);
    free(s->count);
    *s = (struct sequences){0};
}
