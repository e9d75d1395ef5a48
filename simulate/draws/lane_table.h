/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One table with the quantiles of all distributions that the lanes draw from, small enough for the cache. `first` gives each
 * lane's part of the table. Immutable once made. */
#ifndef MPG_LANE_TABLE_H
#define MPG_LANE_TABLE_H

#include <stdint.h>

#include "statistics/distribution.h"

struct mpg_lane_table {
    double cells;    /* number of cells in the guide of each distribution, a power of 2; a guide finds the piece for a quantile */
    uint16_t *guide; /* all guides, one after another: for each cell, the index of the piece at its begin */
    struct mpg_distribution_piece *piece; /* pieces of all distributions; jumps, which have no probability, are left out */
    double *to;      /* the upper ends of the pieces, in a separate array so that a search reads little memory */
    uint32_t *first; /* by lane: index in `guide` of its distribution's guide */
    const struct mpg_distribution **of; /* by lane: its distribution */
};

/* Returns the table for N lanes, where lane w draws from OF[w]. The distributions have their guides and pieces, and outlive
 * the table. The caller
 * frees it. NULL: more pieces than a guide can number, or out of memory. */
struct mpg_lane_table *mpg_lane_table_new(const struct mpg_distribution *const *of, uint32_t n);
void mpg_lane_table_free(struct mpg_lane_table *t); /* NULL is allowed */

#endif
