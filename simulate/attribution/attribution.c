/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/attribution/attribution.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

static uint32_t blocks_in(uint32_t replicas)
{
    return replicas / MPG_LANES_A_BLOCK + (replicas % MPG_LANES_A_BLOCK != 0);
}

struct mpg_attribution *mpg_attribution_new(uint32_t replicas, struct mpg_error *err)
{
    struct mpg_attribution *w = calloc(1, sizeof *w);
    if (!w) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    w->replicas = replicas;
    w->blocks = blocks_in(replicas);
    return w;
}

void mpg_attribution_free(struct mpg_attribution *w)
{
    if (!w)
        return;
    mpg_attribution_places_clear(&w->places);
    free(w->calls);
    free(w->sum);
    free(w->base);
    free(w->mean);
    free(w->order);
    free(w);
}

static double *sum_of(const struct mpg_attribution *w, uint32_t place, uint32_t block)
{
    return w->sum + ((size_t)place * w->blocks + block) * MPG_ATTRIBUTION_TERMS;
}

/* Writes the number of PLACE into *NUMBER; a new place is added with sums of 0. Returns false, and records the error in W, if
 * memory runs out. */
static bool find(struct mpg_attribution *w, const struct mpg_attribution_place *place, uint32_t *number)
{
    const size_t bytes = MPG_ATTRIBUTION_TERMS * sizeof(double);
    struct mpg_error err;
    w->ran_out = w->ran_out || mpg_attribution_places_find(&w->places, place, number, &err) < 0 ||
                 mpg_reserve_at(&w->calls, sizeof *w->calls, &w->calls_capacity, *number + 1, &err) < 0 ||
                 mpg_reserve_at(&w->sum, w->blocks * bytes, &w->sum_capacity, *number + 1, &err) < 0 ||
                 mpg_reserve_at(&w->base, bytes, &w->base_capacity, *number + 1, &err) < 0;
    return !w->ran_out;
}

/* Adds the TERMS terms of FROM to TO. */
static void add(double *to, const double *from, uint32_t terms)
{
    for (uint32_t k = 0; k < terms; k++)
        to[k] += from[k];
}

void mpg_attribution_take(struct mpg_attribution *w, const struct mpg_tally *t, uint32_t begin)
{
    for (uint32_t i = 0; i < t->places.n; i++) {
        uint32_t number;
        if (!find(w, &t->places.place[i], &number))
            return;
        for (uint32_t b = 0; b < t->blocks; b++)
            add(sum_of(w, number, begin / MPG_LANES_A_BLOCK + b),
                mpg_tally_sum(t, i, b * MPG_LANES_A_BLOCK), t->terms);
        if (!w->counted)
            w->calls[number] += t->calls[i];
    }
    w->counted = true;
}

void mpg_attribution_take_base(struct mpg_attribution *w, const struct mpg_tally *t)
{
    for (uint32_t i = 0; i < t->places.n; i++) {
        uint32_t number;
        if (!find(w, &t->places.place[i], &number))
            return;
        add(w->base + (size_t)number * MPG_ATTRIBUTION_TERMS, mpg_tally_sum(t, i, 0), t->terms);
    }
}

void mpg_attribution_take_places(struct mpg_attribution *w, const struct mpg_attribution_place *place, uint32_t n,
                                 const double *sum,
                           uint32_t blocks, uint32_t begin)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number;
        if (!find(w, &place[i], &number))
            return;
        for (uint32_t b = 0; b < blocks; b++)
            add(sum_of(w, number, begin / MPG_LANES_A_BLOCK + b), sum + ((size_t)i * blocks + b) * MPG_ATTRIBUTION_TERMS,
                MPG_ATTRIBUTION_TERMS);
    }
}

int mpg_attribution_widen(struct mpg_attribution *w, uint32_t replicas, struct mpg_error *err)
{
    const uint32_t blocks = blocks_in(replicas);
    const size_t bytes = MPG_ATTRIBUTION_TERMS * sizeof(double);
    double *wide = calloc(w->places.n ? w->places.n : 1, blocks * bytes);
    if (!wide)
        return mpg_error_set(err, "out of memory for %u places in the program", w->places.n);
    for (uint32_t i = 0; i < w->places.n; i++)
        memcpy(wide + (size_t)i * blocks * MPG_ATTRIBUTION_TERMS, sum_of(w, i, 0), w->blocks * bytes);
    free(w->sum);
    w->sum = wide;
    w->sum_capacity = w->places.n;
    w->replicas = replicas;
    w->blocks = blocks;
    return 0;
}

struct numbered {
    struct mpg_attribution_place place;
    uint32_t number;
};

static int compare_places(const void *a, const void *b)
{
    const struct mpg_attribution_place *x = &((const struct numbered *)a)->place, *y = &((const struct numbered *)b)->place;
    const int64_t of_x[] = {x->rank, x->call, x->site, x->computes, x->region, x->from, x->to};
    const int64_t of_y[] = {y->rank, y->call, y->site, y->computes, y->region, y->from, y->to};
    size_t i = 0;
    while (i + 1 < sizeof of_x / sizeof *of_x && of_x[i] == of_y[i])
        i++;
    return (of_x[i] > of_y[i]) - (of_x[i] < of_y[i]);
}

/* Sorts the places by rank, call, callsite and their other members, so that the order does not depend on the number of
 * threads. Returns 0, or -1: out of memory. */
static int find_order(struct mpg_attribution *w)
{
    const size_t n = w->places.n;
    struct numbered *all = malloc((n ? n : 1) * sizeof *all);
    w->order = malloc((n ? n : 1) * sizeof *w->order);
    for (uint32_t i = 0; i < n && all && w->order; i++)
        all[i] = (struct numbered){w->places.place[i], i};
    if (n > 0 && all && w->order)
        qsort(all, n, sizeof *all, compare_places);
    for (uint32_t i = 0; i < n && all && w->order; i++)
        w->order[i] = all[i].number;
    const int status = all && w->order ? 0 : -1;
    free(all);
    return status;
}

int mpg_attribution_finish(struct mpg_attribution *w, struct mpg_error *err)
{
    if (w->ran_out || !(w->mean = calloc(w->places.n ? w->places.n : 1,
                                         MPG_ATTRIBUTION_TERMS * sizeof *w->mean)) || find_order(w) < 0)
        return mpg_error_set(err, "out of memory for %u places in the program", w->places.n);
    for (uint32_t i = 0; i < w->places.n; i++) {
        double *mean = w->mean + (size_t)i * MPG_ATTRIBUTION_TERMS;
        const double *base = w->base + (size_t)i * MPG_ATTRIBUTION_TERMS;
        for (uint32_t b = 0; b < w->blocks; b++)
            add(mean, mpg_attribution_block(w, i, b), MPG_ATTRIBUTION_TERMS);
        for (int k = 0; k < MPG_ATTRIBUTION_TERMS; k++)
            mean[k] = mean[k] / w->replicas - base[k];
    }
    return 0;
}
