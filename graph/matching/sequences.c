/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing, in numbers. */
#include "graph/matching/sequences.h"

#include <stdlib.h>

#include "common/reserve.h"

static uint32_t *place_of(const struct sequences *s, int32_t to)
{
    const uint32_t mask = s->channel_table - 1;
    uint32_t i =
        /* the highest bits: at any stride ranks are far apart */
        (uint32_t)to * 0x9e3779b1u >> (__builtin_clz(s->channel_table) + 1);
    while (s->call_ref[i] && s->to[s->call_ref[i] - 1] != to)
        i = (i + 1) & mask;
    return &s->call_ref[i];
}

static int grow(struct sequences *s, struct mpg_error *err)
{
    enum { LEAST = 8 };
    const uint32_t channel_table = s->channel_table ? 2 * s->channel_table : LEAST;
    uint32_t *call_ref = calloc(channel_table, sizeof *call_ref);
    if (!call_ref)
        return mpg_error_set(err, "out of memory");
    free(s->call_ref);
    s->call_ref = call_ref;
    s->channel_table = channel_table;
    for (uint32_t i = 0; i < s->n; i++)
        *place_of(s, s->to[i]) = i + 1;
    return 0;
}

uint32_t mpg_graph_sequence(struct sequences *s, int32_t to, struct mpg_error *err)
{
    const uint32_t known = s->channel_table ? *place_of(s, to) : 0;
    if (known)
        return known;
    if (3 * s->channel_table <= 4 * s->n && grow(s, err) < 0)
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
    free(s->call_ref);
    free(s->to);
    free(s->count);
    *s = (struct sequences){0};
}
