/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/where/where.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

static uint32_t blocks_in(uint32_t replicas)
{
    return replicas / MPG_WHERE_LANES_A_BLOCK + (replicas % MPG_WHERE_LANES_A_BLOCK != 0);
}

struct mpg_where *mpg_where_new(uint32_t replicas, struct mpg_error *err)
{
    struct mpg_where *w = calloc(1, sizeof *w);
    if (!w) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    w->replicas = replicas;
    w->blocks = blocks_in(replicas);
    return w;
}

void mpg_where_free(struct mpg_where *w)
{
    if (!w)
        return;
    mpg_where_places_clear(&w->places);
    free(w->calls);
    free(w->sum);
    free(w->base);
    free(w->mean);
    free(w);
}

static double *sum_of(const struct mpg_where *w, uint32_t place, uint32_t block)
{
    return w->sum + ((size_t)place * w->blocks + block) * MPG_WHERE_TERMS;
}

/* The number of the I-th place of T in W; false where there is no memory for it. */
static bool find(struct mpg_where *w, const struct mpg_tally *t, uint32_t i, uint32_t *number)
{
    const size_t bytes = MPG_WHERE_TERMS * sizeof(double);
    struct mpg_error err;
    w->ran_out = w->ran_out || mpg_where_places_find(&w->places, &t->places.place[i], number, &err) < 0 ||
                 mpg_reserve_at(&w->calls, sizeof *w->calls, &w->calls_capacity, *number + 1, &err) < 0 ||
                 mpg_reserve_at(&w->sum, w->blocks * bytes, &w->sum_capacity, *number + 1, &err) < 0 ||
                 mpg_reserve_at(&w->base, bytes, &w->base_capacity, *number + 1, &err) < 0;
    return !w->ran_out;
}

/* Adds FROM, terms of a tally, to those TO. */
static void add(double *to, const double *from, uint32_t terms)
{
    for (uint32_t k = 0; k < terms; k++)
        to[k] += from[k];
}

void mpg_where_take(struct mpg_where *w, const struct mpg_tally *t, uint32_t begin)
{
    for (uint32_t i = 0; i < t->places.n; i++) {
        uint32_t number;
        if (!find(w, t, i, &number))
            return;
        for (uint32_t b = 0; b < t->blocks; b++)
            add(sum_of(w, number, begin / MPG_WHERE_LANES_A_BLOCK + b),
                mpg_tally_sum(t, i, b * MPG_WHERE_LANES_A_BLOCK), t->terms);
        if (!w->counted)
            w->calls[number] += t->calls[i];
    }
    w->counted = true;
}

void mpg_where_take_base(struct mpg_where *w, const struct mpg_tally *t)
{
    for (uint32_t i = 0; i < t->places.n; i++) {
        uint32_t number;
        if (!find(w, t, i, &number))
            return;
        add(w->base + (size_t)number * MPG_WHERE_TERMS, mpg_tally_sum(t, i, 0), t->terms);
    }
}

int mpg_where_widen(struct mpg_where *w, uint32_t replicas, struct mpg_error *err)
{
    const uint32_t blocks = blocks_in(replicas);
    const size_t bytes = MPG_WHERE_TERMS * sizeof(double);
    double *wide = calloc(w->places.n ? w->places.n : 1, blocks * bytes);
    if (!wide)
        return mpg_error_set(err, "out of memory for %u places in the program", w->places.n);
    for (uint32_t i = 0; i < w->places.n; i++)
        memcpy(wide + (size_t)i * blocks * MPG_WHERE_TERMS, sum_of(w, i, 0), w->blocks * bytes);
    free(w->sum);
    w->sum = wide;
    w->sum_capacity = w->places.n;
    w->replicas = replicas;
    w->blocks = blocks;
    return 0;
}

int mpg_where_finish(struct mpg_where *w, struct mpg_error *err)
{
    if (w->ran_out || !(w->mean = calloc(w->places.n ? w->places.n : 1, MPG_WHERE_TERMS * sizeof *w->mean)))
        return mpg_error_set(err, "out of memory for %u places in the program", w->places.n);
    for (uint32_t i = 0; i < w->places.n; i++) {
        double *mean = w->mean + (size_t)i * MPG_WHERE_TERMS;
        const double *base = w->base + (size_t)i * MPG_WHERE_TERMS;
        for (uint32_t b = 0; b < w->blocks; b++)
            add(mean, mpg_where_block(w, i, b), MPG_WHERE_TERMS);
        for (int k = 0; k < MPG_WHERE_TERMS; k++)
            mean[k] = mean[k] / w->replicas - base[k];
    }
    return 0;
}
