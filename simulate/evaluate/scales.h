/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the messages of a collective's algorithm are scaled by, so that they take what was measured where it was measured
 * (docs/MODEL.md, section 3, Collectives). */
#ifndef MPG_SCALES_H
#define MPG_SCALES_H

#include "graph/algorithms/table.h"
#include "simulate/models/perturbation.h"

/* Finds the scales of all sizes of P's collectives, by TABLE's algorithms and the eager limit of their messages (INT64_MAX:
 * none). Error: out of memory. */
int mpg_perturbation_scale_collectives(struct mpg_perturbation *p, const struct mpg_collective_table *table,
                                       int64_t eager_limit_bytes, struct mpg_error *err);

#endif
