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
    w->sums.width = blocks_in(replicas);
    w->base.width = 1;
    return w;
}

void mpg_attribution_free(struct mpg_attribution *w)
{
    if (!w)
        return;
    mpg_attribution_places_clear(&w->places);
    free(w->calls);
    mpg_sums_clear(&w->sums);
    mpg_sums_clear(&w->base);
    free(w->order);
    free(w);
}

/* Writes the number of PLACE, which is added if new, into *NUMBER. Returns false, and records the error in W, if memory runs
 * out. */
static bool find(struct mpg_attribution *w, const struct mpg_attribution_place *place, uint32_t *number)
{
    struct mpg_error err;
    w->ran_out = w->ran_out || mpg_attribution_places_find(&w->places, place, number, &err) < 0 ||
                 mpg_reserve_at(&w->calls, sizeof *w->calls, &w->calls_capacity, *number + 1, &err) < 0;
    return !w->ran_out;
}

/* Adds the N places PLACE, and the sums FROM of these places to TO, from BLOCK on. */
static void take_sums(struct mpg_attribution *w, struct mpg_sums *to, const struct mpg_attribution_place *place, uint32_t n,
                      const struct mpg_sums *from, uint32_t block)
{
    w->ran_out = w->ran_out || from->ran_out;
    for (uint32_t i = 0, number; i < n && find(w, &place[i], &number); i++)
        ;
    for (uint32_t i = 0, number; i < from->n && find(w, &place[from->sum[i].place], &number); i++)
        mpg_sums_add(to, number, from->sum[i].term, block, from->value + (size_t)i * from->width, from->width);
}

void mpg_attribution_take(struct mpg_attribution *w, const struct mpg_tally *t, uint32_t begin)
{
    for (uint32_t i = 0, number; i < t->places.n && !w->counted && find(w, &t->places.place[i], &number); i++)
        w->calls[number] += t->calls[i];
    w->counted = true;
    take_sums(w, &w->sums, t->places.place, t->places.n, &t->sums, begin / MPG_LANES_A_BLOCK);
}

void mpg_attribution_take_base(struct mpg_attribution *w, const struct mpg_tally *t)
{
    take_sums(w, &w->base, t->places.place, t->places.n, &t->sums, 0);
}

void mpg_attribution_take_places(struct mpg_attribution *w, const struct mpg_attribution_place *place, uint32_t n,
                                 const struct mpg_sums *sums, uint32_t begin)
{
    take_sums(w, &w->sums, place, n, sums, begin / MPG_LANES_A_BLOCK);
}

int mpg_attribution_widen(struct mpg_attribution *w, uint32_t replicas, struct mpg_error *err)
{
    struct mpg_sums *s = &w->sums;
    const uint32_t width = blocks_in(replicas);
    double *wide = calloc(s->n ? s->n : 1, width * sizeof *wide);
    if (!wide)
        return mpg_error_set(err, "out of memory for %u places in the program", w->places.n);
    for (uint32_t i = 0; i < s->n; i++)
        memcpy(wide + (size_t)i * width, s->value + (size_t)i * s->width, s->width * sizeof *wide);
    free(s->value);
    s->value = wide;
    s->value_capacity = s->n;
    s->width = width;
    w->replicas = replicas;
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

/* Sorts the places by rank, call, callsite and the remaining members, to make the order independent of the number of threads.
 * Returns 0, or -1: out of memory. */
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
    if (w->ran_out || w->sums.ran_out || w->base.ran_out || find_order(w) < 0)
        return mpg_error_set(err, "out of memory for %u places in the program", w->places.n);
    return 0;
}

void mpg_attribution_mean(const struct mpg_attribution *w, uint32_t place, double term[MPG_ATTRIBUTION_TERMS])
{
    const struct mpg_sums *s = &w->sums;
    double base[MPG_ATTRIBUTION_TERMS];
    mpg_sums_terms(&w->base, place, 0, base, MPG_ATTRIBUTION_TERMS);
    for (uint32_t k = 0; k < MPG_ATTRIBUTION_TERMS; k++) {
        const double *value = mpg_sums_find(s, place, k);
        term[k] = 0;
        for (uint32_t b = 0; b < s->width && value; b++)
            term[k] += value[b];
        term[k] = term[k] / w->replicas - base[k];
    }
}
