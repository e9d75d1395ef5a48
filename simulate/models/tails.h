/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The upper tails of single launches, which few samples hardly show (docs/MODEL.md, section 3, Tails of launches). */
#ifndef MPG_TAILS_H
#define MPG_TAILS_H

#include "signature/signature.h"

/* Corrects, in SIG, the distributions of single launches of all that messages and collectives take: each time above a launch's
 * quantile of 1 - 8 / n, n the independent samples that the launch is worth, is multiplied by the ratio of the quantile of all
 * launches' times, each divided by its launch's median, to what n samples of these show of it on average. Launches keep what
 * they differ by; distributions of all launches stay. Nothing changes where there is one launch, where a median is 0 or where
 * the signature does not say what samples are worth. Once, before anything asks for times. Error: out of memory. */
int mpg_complete_tails(struct mpg_signature *sig, struct mpg_error *err);

#endif
