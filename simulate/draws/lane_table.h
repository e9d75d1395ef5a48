/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One table with the quantiles of all distributions that the lanes draw from, small enough for the cache. One number for each
 * lane selects the part of its distribution. Immutable once made. */
#ifndef MPG_LANE_TABLE_H
#define MPG_LANE_TABLE_H

#include <stdint.h>

#include "statistics/distribution.h"

struct mpg_lane_table {
    double cells;    /* cells of each distribution's guide, a power of 2 */
    uint16_t *guide; /* the guides, end to end: index of the piece at a cell's begin */
    struct mpg_distribution_piece *piece; /* pieces of all distributions, without jumps, which have no probability */
    double *to;      /* copies of the pieces' ends: a search reads only this array */
    uint32_t *first; /* begin of each lane's guide */
    const struct mpg_distribution **of; /* each lane's distribution */
};

/* Returns the table for N lanes, where lane w draws from OF[w]. The distributions have their guides and pieces, and outlive
 * the table. The caller
 * frees it. NULL: more pieces than a guide can number, or out of memory. */
struct mpg_lane_table *mpg_lane_table_new(const struct mpg_distribution *const *of, uint32_t n);
void mpg_lane_table_free(struct mpg_lane_table *t); /* NULL is allowed */

#endif
