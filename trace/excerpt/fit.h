/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes an event of an excerpt whose partners are not in the excerpt. Private to trace/excerpt/. */
#ifndef MPG_EXCERPT_FIT_H
#define MPG_EXCERPT_FIT_H

#include "trace/excerpt/open.h"
#include "trace/excerpt/operations.h"

/* Lists of changed events. */
struct mpg_fitted_lists {
    int64_t *requests, *persistent, *done, *cancelled;
    uint32_t requests_capacity, persistent_capacity, done_capacity, cancelled_capacity;
};

/* Changes E, an event in the excerpt with the operations of O, to refer only to operations in the excerpt. A message without
 * partner becomes a message to or from MPI_PROC_NULL. Requests from before are removed from lists. Any other call without
 * partner, or about a request from before, is marked as failed, which makes the call local. Notes E's requests, and other
 * effects, in OPEN. ARE_BEFORE: E's messages count as before the excerpt. E's lists are owned by LISTS, or as before. Returns 0,
 * or -1 with ERR: out of memory. */
int mpg_excerpt_fit(struct mpg_crossings *crossings, const struct mpg_operations *o, bool are_before, struct mpg_open *open,
                    struct mpg_fitted_lists *lists, struct mpg_event *e, struct mpg_error *err);
void mpg_fitted_lists_clear(struct mpg_fitted_lists *lists);

#endif
