/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of lanes, and messages as keys of random draws, for the evaluation of steps in both modes. Private to
 * simulate/evaluate/ and simulate/events/. */
#ifndef MPG_VECTORS_H
#define MPG_VECTORS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "graph/graph.h"
#include "simulate/algorithms/expand.h"
#include "simulate/models/flights.h"

static inline void zero(double *v, uint32_t n)
{
    if (n == 1) /* one lane: avoids the call of memcpy() */
        *v = 0;
    else if (n > 0)
        memset(v, 0, n * sizeof *v);
}

/* Copies N values from FROM to TO. */
static inline void copy(double *to, const double *from, uint32_t n)
{
    if (n == 1)
        *to = *from;
    else
        memcpy(to, from, n * sizeof *to);
}

/* Allocates a zeroed vector of LANES values at each of the N places; false: out of memory. The caller frees the vectors by
 * free_vectors(), also after a failure. */
static inline bool allocate_vectors(double **const place[], size_t n, uint32_t lanes)
{
    bool all = true;
    for (size_t i = 0; i < n; i++)
        all = (*place[i] = calloc(lanes, sizeof **place[i])) && all;
    return all;
}

static inline void free_vectors(double **const place[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(*place[i]);
}

/* Returns the message of ORIGIN with BYTES, as key of the message's random draws. FURTHER: as in struct mpg_sent_message. */
static inline struct mpg_sent_message message_key(const struct mpg_origin *origin, double bytes, bool further)
{
    return (struct mpg_sent_message){.rank = origin->rank,
                                .call = origin->call,
                                .index = origin->index,
                                .in_row = true,
                                .to = origin->to,
                                .thread = origin->thread,
                                .nth = origin->nth,
                                .further = further,
                                .bytes = bytes};
}

static inline struct mpg_sent_message sending_of(const struct mpg_origin *origin, double bytes)
{
    return message_key(origin, bytes, false);
}

/* Returns message M of the expanded collective C, as key of the message's random draws; 8 bits of the index number the
 * collective within the call. */
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

/* Returns member V of C's tree, where V is counted from the root. */
static inline const struct mpg_expanded_member *member_of(const struct mpg_expanding *c, int32_t v)
{
    return &c->member[((int64_t)v + c->plan.size.root) % c->plan.size.p];
}

#endif
