/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An answer, made small enough for a page whatever the numbers of ranks, replicas and rows. */
#ifndef MPG_PAGES_BOUND_H
#define MPG_PAGES_BOUND_H

#include <jansson.h>

/* Of ANSWER, mpgsim-json(5): ranks become at most 256 bins, each of neighbours (first, last; delay_ns: the mean of
 * their medians; worst_ns, worst_rank; account: means); replicas 101 quantiles (run_quantiles_ns, replica_number); rows of
 * a table have what a page shows, what needs attention and what is assumed is said of all (rows_total: how many there
 * are); of accounts, wait states and hypotheses the heaviest 64 stay (rows_total, each_total); other lists have at most 64
 * elements, texts at most 600 bytes. What jansson has no memory for is left out, which its allocator is to notice. Below 0:
 * there was none for numbers. */
int mpg_page_bound(json_t *answer);
/* Half of the rows of a table that is bounded, with the shortest and the longest run. */
void mpg_page_thin(json_t *answer);

#endif
