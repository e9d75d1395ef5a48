/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums by place and term. Of some twenty terms most places have two or three: computation has no waiting, and few places are on a
 * critical path. So a place has a list of the nonzero sums. Private to simulate/attribution/ and simulate/evaluate/driver/, which
 * sends sums to other processes. */
#ifndef MPG_ATTRIBUTION_SUMS_H
#define MPG_ATTRIBUTION_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct mpg_place_sum {
    uint32_t next; /* 1 + number of the next sum of this place; 0: the last */
    uint32_t place, term;
};

/* Zero-initialised but for WIDTH is empty. */
struct mpg_sums {
    uint32_t width;  /* number of values of a sum, one for each block of replicas; >= 1 */
    uint32_t *first; /* for each place: 1 + number of the place's first sum; 0: none */
    struct mpg_place_sum *sum;
    double *value; /* [sum][block]: ns, or as the term says */
    uint32_t n, first_capacity, sum_capacity, value_capacity;
    bool ran_out; /* memory ran out: some values are missing */
};

void mpg_sums_clear(struct mpg_sums *sums);
/* Returns the values of TERM of PLACE, one for each block; NULL: all 0. */
double *mpg_sums_find(const struct mpg_sums *sums, uint32_t place, uint32_t term);
/* Adds the N values MORE to TERM of PLACE, from BLOCK on; BLOCK + N is at most the width. If memory runs out, sets `ran_out`. */
void mpg_sums_add(struct mpg_sums *sums, uint32_t place, uint32_t term, uint32_t block, const double *more, uint32_t n);
/* Writes the TERMS terms of PLACE in BLOCK into TERM. */
void mpg_sums_terms(const struct mpg_sums *sums, uint32_t place, uint32_t block, double *term, uint32_t terms);

#endif
