/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reduces an answer to limit the size of a page for any number of ranks, replicas and rows. */
#ifndef MPG_PAGES_BOUND_H
#define MPG_PAGES_BOUND_H

#include <jansson.h>

/* Reduces ANSWER, mpgsim-json(5). Ranks become at most 256 bins of neighbours (first, last; delay_ns: the mean of the ranks'
 * medians; worst_ns, worst_rank; account: means). Replicas become 101 quantiles (run_quantiles_ns, replica_number). Rows of a
 * table keep the fields that a page shows; warnings and assumptions of all rows are joined (rows_total: number of rows). The 64
 * accounts, wait states and hypotheses with the largest times are kept (rows_total, each_total). Other lists keep at most 64
 * elements, texts at most 600 bytes. If jansson has no memory for a value, the value is missing: the caller's allocator must
 * notice. Returns 0, or -1: no memory for numbers. */
int mpg_page_bound(json_t *answer);
/* Removes half of the rows of a reduced table, but not the rows with the shortest and the longest run time. */
void mpg_page_thin(json_t *answer);

#endif
