/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of a program: a call at a callsite, or the computation before the call, in a region, on a rank, and between two ranks.
 * Places are numbered from 0 in the order of discovery. */
#ifndef MPG_ATTRIBUTION_PLACES_H
#define MPG_ATTRIBUTION_PLACES_H

#include "common/error.h"
#include "graph/graph.h"

struct mpg_attribution_place {
    int32_t rank;
    enum mpg_call call;
    uint32_t site;    /* numbered from 1; 0: not recorded */
    bool computes;    /* the computation before the call, in the region in which most of the computation lies */
    int32_t region;   /* number of the region's name among the strings of the trace; -1: none */
    int32_t from, to; /* ranks of the message; -1: no message between two ranks, or pairs are not recorded */
};

/* Zero-initialised is empty. */
struct mpg_attribution_places {
    struct mpg_attribution_place *place;
    uint32_t n;
    uint32_t *bucket; /* the number of a place + 1; 0: free */
    uint32_t capacity, buckets;
};

/* Writes the number of PLACE, assigned on first use, into *NUMBER. Error: out of memory. */
int mpg_attribution_places_find(struct mpg_attribution_places *places, const struct mpg_attribution_place *place,
                                uint32_t *number,
                          struct mpg_error *err);
void mpg_attribution_places_clear(struct mpg_attribution_places *places);

#endif
