/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overheads that a machine's other times contain (docs/MODEL.md, section 3, Overheads). */
#ifndef MPG_BOUNDS_H
#define MPG_BOUNDS_H

#include "signature/signature.h"

/* Makes the overheads of all paths of SIG, at each size and each knot of their distributions, no more than
 * the one-way time at this size and probability (without latencies the transfer), send overheads no more
 * than the time of a message in a stream; each launch by that launch's. Where no send overheads were measured
 * the times in sends of up to the eager limit stand for them. Errors: out of memory. */
int mpg_bound_overheads(struct mpg_signature *sig, struct mpg_error *err);

#endif
