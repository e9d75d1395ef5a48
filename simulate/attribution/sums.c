/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/attribution/sums.h"

#include <stdlib.h>

#include "common/reserve.h"

void mpg_sums_clear(struct mpg_sums *s)
{
    free(s->first);
    free(s->sum);
    free(s->value);
    *s = (struct mpg_sums){.width = s->width};
}

/* Returns 1 + the number of the first sum of PLACE; 0: none. */
static uint32_t first_of(const struct mpg_sums *s, uint32_t place)
{
    return place < s->first_capacity ? s->first[place] : 0;
}

double *mpg_sums_find(const struct mpg_sums *s, uint32_t place, uint32_t term)
{
    for (uint32_t i = first_of(s, place); i > 0; i = s->sum[i - 1].next)
        if (s->sum[i - 1].term == term)
            return s->value + (size_t)(i - 1) * s->width;
    return NULL;
}

/* Returns the values, all 0, of a new sum for TERM of PLACE; NULL, recorded in S: out of memory. */
static double *append(struct mpg_sums *s, uint32_t place, uint32_t term)
{
    struct mpg_error err;
    s->ran_out = s->ran_out || mpg_reserve_at(&s->first, sizeof *s->first, &s->first_capacity, place + 1, &err) < 0 ||
                 mpg_reserve_at(&s->sum, sizeof *s->sum, &s->sum_capacity, s->n + 1, &err) < 0 ||
                 mpg_reserve_at(&s->value, s->width * sizeof *s->value, &s->value_capacity, s->n + 1, &err) < 0;
    if (s->ran_out)
        return NULL;
    s->sum[s->n] = (struct mpg_place_sum){.next = s->first[place], .place = place, .term = term};
    s->first[place] = ++s->n;
    return s->value + (size_t)(s->n - 1) * s->width;
}

void mpg_sums_add(struct mpg_sums *s, uint32_t place, uint32_t term, uint32_t block, const double *more, uint32_t n)
{
    bool any = false;
    for (uint32_t b = 0; b < n; b++)
        any = any || more[b] != 0;
    if (!any)
        return;
    double *value = mpg_sums_find(s, place, term);
    value = value ? value : append(s, place, term);
    for (uint32_t b = 0; b < n && value; b++)
        value[block + b] += more[b];
}

void mpg_sums_terms(const struct mpg_sums *s, uint32_t place, uint32_t block, double *term, uint32_t terms)
{
    for (uint32_t k = 0; k < terms; k++)
        term[k] = 0;
    for (uint32_t i = first_of(s, place); i > 0; i = s->sum[i - 1].next)
        term[s->sum[i - 1].term] = s->value[(size_t)(i - 1) * s->width + block];
}
