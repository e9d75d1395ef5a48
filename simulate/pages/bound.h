/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An answer, made small enough for a page whatever the numbers of ranks, replicas and rows. */
#ifndef MPG_PAGES_BOUND_H
#define MPG_PAGES_BOUND_H

#include <jansson.h>

#include "common/error.h"

/* Of ANSWER, mpgsim-json(5): ranks become at most 256 bins, each of neighbours (first, last; delay_ns: the mean of
 * their medians; worst_ns, worst_rank; account: means); replicas 101 quantiles (run_quantiles_ns, replica_number); of a
 * table at most 1024 rows, without what each rests on; other lists have at most 64 elements, texts at most 600 bytes.
 * Error: out of memory. */
int mpg_page_bound(json_t *answer, struct mpg_error *err);

#endif
