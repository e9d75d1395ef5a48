/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of the distributions that lanes draw from, a few in all, as one table: so small that it stays
 * near the processor, and of each lane one number says which part is its own. Immutable once made. */
#ifndef MPG_LANE_TABLE_H
#define MPG_LANE_TABLE_H

#include <stdint.h>

#include "statistics/distribution.h"

struct mpg_lane_table {
    double cells;    /* of each distribution's guide, a power of 2 */
    uint16_t *guide; /* each one's after the other's: the piece at a cell's begin */
    struct mpg_distribution_piece *piece; /* of all; jumps, which take no probability, are left out */
    double *to;      /* their ends once more: a search reads nothing else */
    uint32_t *first; /* of each lane, where its guide begins */
    const struct mpg_distribution **of; /* of each lane */
};

/* OF[w] being what lane w of N draws from, prepared, which outlives it. NULL: there are more pieces than a
 * guide can tell apart, or no memory. The caller frees it. */
struct mpg_lane_table *mpg_lane_table_new(const struct mpg_distribution *const *of, uint32_t n);
void mpg_lane_table_free(struct mpg_lane_table *t); /* NULL is allowed */

#endif
