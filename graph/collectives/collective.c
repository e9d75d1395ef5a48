/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory and waits of a collective and its members. */
#include "graph/collectives/collective.h"

#include <stdlib.h>

struct member *mpg_graph_make_member(struct collective *c, int32_t i)
{
    struct member **block = &c->blocks[i >> BLOCK_BITS];
    int32_t first = i & ~(BLOCK - 1), n = c->p - first < BLOCK ? c->p - first : BLOCK;
    if (!*block)
        *block = calloc((size_t)n, sizeof **block);
    return *block ? graph_find_member(c, i) : NULL;
}

void mpg_graph_free_collective(struct collective *c)
{
    for (int32_t i = 0; i < c->p; i += BLOCK)
        free(c->blocks[i >> BLOCK_BITS]);
    mpg_graph_expansion_free(c->expansion);
    free(c->meeting);
    free(c);
}

void mpg_graph_wake_member(struct collective *c, int32_t i)
{
    struct member *m = graph_find_member(c, i);
    if (m)
        graph_wake(&m->waiter);
}

int mpg_graph_release_members(struct collectives *collectives, struct collective *c, const struct call *call, double at_ns,
                              struct mpg_error *err)
{
    if (mpg_graph_store(collectives->steps, call, &c->meeting_slot, err) < 0)
        return -1;
    c->held_ns = at_ns;
    c->closed = true;
    for (int32_t i = 0; i < c->p; i++)
        if (i != c->root)
            mpg_graph_wake_member(c, i);
    return 0;
}
