/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Corrections of a signature, made once before any time is drawn: upper tails of single launches, underestimated by few samples,
 * and overheads larger than the time of a whole message (docs/MODEL.md, section 3, Tails of launches, Overheads). */
#ifndef MPG_CORRECTIONS_H
#define MPG_CORRECTIONS_H

#include "signature/signature.h"

/* Corrects the upper tail of each launch's distribution in SIG, for messages and collectives. n is the launch's effective number
 * of independent samples. A time at a probability u above 1 - 8 / n is multiplied by a ratio q / e. Here q is the quantile at u
 * of the common distribution of all launches, of times divided by the launch's median; e is the mean of this quantile in samples
 * of n times. Differences between launches and pooled distributions do not change. Distributions of a single launch, with a
 * median of 0, or without an effective number of samples are not changed. Must be called once. Error: out of memory. */
int mpg_complete_tails(struct mpg_signature *sig, struct mpg_error *err);
/* Limits the overheads of all paths of SIG, at each size, each knot of the distribution and in each launch: to the one-way time
 * at this size and probability (transfer time, if there are no latencies), send overheads also to the time per message in a
 * stream. Without measured send overheads, times spent in sends up to the eager limit are limited instead. Error: out of
 * memory. */
int mpg_bound_overheads(struct mpg_signature *sig, struct mpg_error *err);

#endif
