/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of lanes, and messages as draws see them: what evaluating steps needs in both modes.
 * Private to simulate/evaluate/ and simulate/events/. */
#ifndef MPG_VECTORS_H
#define MPG_VECTORS_H

#include <string.h>

#include "common/reserve.h"
#include "graph/graph.h"
#include "simulate/algorithms/expand.h"
#include "simulate/models/flights.h"

static inline void zero(double *v, uint32_t n)
{
    if (n == 1) /* without a call */
        *v = 0;
    else if (n > 0)
        memset(v, 0, n * sizeof *v);
}

/* FROM's N values to TO. */
static inline void copy(double *to, const double *from, uint32_t n)
{
    if (n == 1)
        *to = *from;
    else
        memcpy(to, from, n * sizeof *to);
}

/* Message of ORIGIN with BYTES, as its draws see it. */
static inline struct mpg_sent_message sending_of(const struct mpg_origin *origin, double bytes)
{
    return (struct mpg_sent_message){.rank = origin->rank,
                                .call = origin->call,
                                .index = origin->index,
                                .in_row = true,
                                .to = origin->to,
                                .thread = origin->thread,
                                .nth = origin->nth,
                                .bytes = bytes};
}

/* M of the expanded collective C; of its draws' index 8 bits say which of the call it is of. */
static inline struct mpg_sent_message sending_expanded(const struct mpg_expanding *c,
                                                  const struct mpg_message *m)
{
    const struct mpg_origin *origin = &c->member[m->from].origin;
    return (struct mpg_sent_message){.rank = origin->rank,
                                .call = origin->call,
                                .index = origin->index + (m->round << 8),
                                .to = c->world_ranks[m->to],
                                .bytes = m->bytes};
}

/* The V-th member of C's tree, counted from its root on. */
static inline const struct mpg_expanded_member *member_of(const struct mpg_expanding *c, int32_t v)
{
    return &c->member[((int64_t)v + c->plan.size.root) % c->plan.size.p];
}

#endif
