/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table with open addressing, at most half full. */
#include "simulate/attribution/places.h"

#include <stdlib.h>

#include "common/reserve.h"

enum { FIRST_BUCKETS = 64 };

static uint32_t hash_of(const struct mpg_attribution_place *p)
{
    const uint32_t parts[] = {(uint32_t)p->rank, (uint32_t)p->call, p->site,
                              (uint32_t)p->region, (uint32_t)p->from, (uint32_t)p->to,
                              p->computes};
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = (hash ^ parts[i]) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32);
}

static bool are_same(const struct mpg_attribution_place *a, const struct mpg_attribution_place *b)
{
    return a->rank == b->rank && a->call == b->call && a->site == b->site && a->region == b->region &&
           a->computes == b->computes && a->from == b->from && a->to == b->to;
}

/* Returns the bucket of PLACE; a free bucket if PLACE is new. */
static uint32_t *bucket_of(const struct mpg_attribution_places *p, const struct mpg_attribution_place *place)
{
    uint32_t i = hash_of(place) & (p->buckets - 1);
    while (p->bucket[i] > 0 && !are_same(&p->place[p->bucket[i] - 1], place))
        i = (i + 1) & (p->buckets - 1);
    return &p->bucket[i];
}

static int grow(struct mpg_attribution_places *p, struct mpg_error *err)
{
    const uint32_t buckets = p->buckets > 0 ? 2 * p->buckets : FIRST_BUCKETS;
    uint32_t *bucket = calloc(buckets, sizeof *bucket);
    if (!bucket)
        return mpg_error_set(err, "out of memory for %u places in the program", p->n);
    free(p->bucket);
    p->bucket = bucket;
    p->buckets = buckets;
    for (uint32_t k = 0; k < p->n; k++)
        *bucket_of(p, &p->place[k]) = k + 1;
    return 0;
}

int mpg_attribution_places_find(struct mpg_attribution_places *p, const struct mpg_attribution_place *place, uint32_t *number,
                          struct mpg_error *err)
{
    if (2 * (p->n + 1) > p->buckets && grow(p, err) < 0)
        return -1;
    uint32_t *bucket = bucket_of(p, place);
    if (*bucket == 0) {
        if (mpg_reserve_at(&p->place, sizeof *p->place, &p->capacity, p->n + 1, err) < 0)
            return -1;
        p->place[p->n++] = *place;
        *bucket = p->n;
    }
    *number = *bucket - 1;
    return 0;
}

void mpg_attribution_places_clear(struct mpg_attribution_places *p)
{
    free(p->place);
    free(p->bucket);
    *p = (struct mpg_attribution_places){.n = 0};
}
