/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a signature is corrected before anything asks for times: the upper tails of single launches, which few samples
 * hardly show, and overheads that a machine's other times contain (docs/MODEL.md, section 3, Tails of launches, Overheads). */
#ifndef MPG_CORRECTIONS_H
#define MPG_CORRECTIONS_H

#include "signature/signature.h"

/* Corrects, in SIG, the distributions of single launches of all that messages and collectives take: each time above a launch's
 * quantile of 1 - 8 / n, n the independent samples that the launch is worth, is multiplied by the ratio of the quantile of all
 * launches' times, each divided by its launch's median, to what n samples of these show of it on average. Launches keep what
 * they differ by; distributions of all launches stay. Nothing changes where there is one launch, where a median is 0 or where
 * the signature does not say what samples are worth. Once, before anything asks for times. Error: out of memory. */
int mpg_complete_tails(struct mpg_signature *sig, struct mpg_error *err);
/* Makes the overheads of all paths of SIG, at each size and each knot of their distributions, no more than
 * the one-way time at this size and probability (without latencies the transfer), send overheads no more
 * than the time of a message in a stream; each launch by that launch's. Where no send overheads were measured
 * the times in sends of up to the eager limit stand for them. Errors: out of memory. */
int mpg_bound_overheads(struct mpg_signature *sig, struct mpg_error *err);

#endif
