/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a core's noise does to work of a given length, over all times at which it can begin
 * (docs/MODEL.md, Decisions, Alikes). */
#ifndef MPG_LOSSES_H
#define MPG_LOSSES_H

#include "common/error.h"
#include "simulate/noise/replay.h"

struct mpg_losses;

/* Of REPLAY's record, without those of its longest detours that together lose at most
 * SEEN_FRACTION (0 .. 1) of its span. Nothing of REPLAY is kept. Not thread-safe: tables are
 * made when they are asked for first. */
struct mpg_losses *mpg_losses_new(const struct mpg_replay *replay, double seen_fraction,
                                  struct mpg_error *err);
/* Of the whole record, 0 .. 1. */
double mpg_losses_fraction(const struct mpg_losses *losses);
/* The loss of WORK_NS, in ns, that is exceeded with probability 1 - U; -1: out of memory. */
int mpg_losses_quantile(struct mpg_losses *losses, double work_ns, double u, double *loss_ns,
                        struct mpg_error *err);
/* The mean of the losses of WORK_NS between the probabilities LOW < HIGH, of 0 .. 1. */
int mpg_losses_mean(struct mpg_losses *losses, double work_ns, double low, double high,
                    double *loss_ns, struct mpg_error *err);
void mpg_losses_free(struct mpg_losses *losses); /* NULL is allowed */

#endif
