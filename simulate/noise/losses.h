/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses: the time that a core's noise takes from work of a given length, over all times at which the work can begin
 * (docs/NOISE.md, Removal of the source's noise). */
#ifndef MPG_LOSSES_H
#define MPG_LOSSES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "simulate/noise/replay.h"

struct mpg_losses;

/* A distribution of losses in steps of equal ratio: step s ranges from 2^(s/16) - 1 to 2^((s+1)/16) - 1 ns. */
enum { MPG_LOSS_STEPS_AN_OCTAVE = 16, MPG_LOSS_STEPS = 64 * MPG_LOSS_STEPS_AN_OCTAVE };
struct mpg_loss_law {
    double none;       /* probability of a loss below 1 ns, which counts as no loss */
    size_t first, end; /* steps FIRST to END - 1 hold all other losses */
    double mass[MPG_LOSS_STEPS], below[MPG_LOSS_STEPS + 1]; /* probability of each step; cumulative probability before each
                                                               step */
};

/* Returns the losses by REPLAY's record without the longest detours that together last at most LEFT_OUT (0 to 1) of the record's
 * span. REPLAY may be freed afterwards. Not thread-safe: tables are made at the first use. NULL with ERR: out of memory. The
 * caller frees the result. */
struct mpg_losses *mpg_losses_new(const struct mpg_replay *replay, double left_out,
                                  struct mpg_error *err);
/* Returns true if A and B are of equal records: all results are equal. */
bool mpg_losses_equal(const struct mpg_losses *a, const struct mpg_losses *b);
/* Returns the share of time that is lost, 0 to 1. */
double mpg_losses_fraction(const struct mpg_losses *losses);
/* Returns the mean of mpg_losses_fraction() over CORES >= 1. */
double mpg_losses_mean_fraction(struct mpg_losses *const *losses, size_t cores);
/* Adds WEIGHT times the distribution of the losses of WORK_NS >= 0 to LAW, which is zero at first. Error: out of memory. */
int mpg_losses_add(struct mpg_losses *losses, double work_ns, double weight, struct mpg_loss_law *law,
                   struct mpg_error *err);
void mpg_losses_free(struct mpg_losses *losses); /* NULL is allowed */

/* Completes LAW after the last mpg_losses_add(); the sum of weights was 1. */
void mpg_loss_law_finish(struct mpg_loss_law *law);
/* Returns the lower end of step S, ns. */
double mpg_loss_step_low(size_t s);
/* Returns the probability of a loss below NS, uniform within a step; a loss of 0 is below all NS > 0. */
double mpg_loss_law_below(const struct mpg_loss_law *law, double ns);
/* Returns the quantile at U, ns: the smallest loss that is exceeded with probability 1 - U. */
double mpg_loss_law_quantile(const struct mpg_loss_law *law, double u);

#endif
