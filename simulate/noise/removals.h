/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The removals of a source's noise, kept from one simulation to the next. Scenarios, companions and the values of a search remove
 * equal noise from equal intervals; each removal is computed once. */
#ifndef MPG_REMOVALS_H
#define MPG_REMOVALS_H

#include "simulate/noise/removal.h"

struct mpg_removals;

/* Returns an empty store; the caller frees it. Not thread-safe. NULL with ERR: out of memory. */
struct mpg_removals *mpg_removals_new(struct mpg_error *err);
/* Returns the losses of mpg_losses_new(REPLAY, LEFT_OUT), a common object for all equal losses, owned by REMOVALS. NULL with ERR:
 * out of memory. */
struct mpg_losses *mpg_removals_losses(struct mpg_removals *removals, const struct mpg_replay *replay, double left_out,
                                       struct mpg_error *err);
/* Returns the removal of mpg_removal_new(HISTOGRAM, LOSSES, CORES), a common object for all equal arguments, owned by REMOVALS.
 * LOSSES must come from mpg_removals_losses(REMOVALS). NULL with ERR: out of memory. */
const struct mpg_removal *mpg_removals_find(struct mpg_removals *removals, const struct mpg_histogram *histogram,
                                            struct mpg_losses *const *losses, size_t cores, struct mpg_error *err);
/* Drops all removals but not the losses, before another trace is simulated. The removals must not be in use. */
void mpg_removals_forget(struct mpg_removals *removals);
void mpg_removals_free(struct mpg_removals *removals); /* NULL is allowed */

#endif
