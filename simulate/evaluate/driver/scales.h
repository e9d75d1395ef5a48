/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scale factors for the messages of a collective's algorithm: scaled by these factors, the simulated algorithm takes the
 * measured time on the measured machine (docs/MODEL.md, section 3, Collectives). */
#ifndef MPG_SCALES_H
#define MPG_SCALES_H

#include "graph/algorithms/table.h"
#include "simulate/models/perturbation.h"

/* Finds the scale factors of P's collectives for all measured sizes, by the algorithms of TABLE, with an eager limit of
 * EAGER_LIMIT_BYTES (INT64_MAX: none). Error: out of memory. */
int mpg_perturbation_scale_collectives(struct mpg_perturbation *p, const struct mpg_collective_table *table,
                                       int64_t eager_limit_bytes, struct mpg_error *err);
/* Multiplies each measured time of a collective in TARGET by a ratio: the time of the collective's algorithm with the median
 * message costs of TARGET, divided by the algorithm's time with the costs of ORIGINAL. TARGET is the target of P, a copy of
 * ORIGINAL whose message costs mpg_factors_apply() has changed. Call this function before
 * mpg_perturbation_scale_collectives(), with equal TABLE and limit. Error: out of memory. */
int mpg_perturbation_multiply_collectives(const struct mpg_perturbation *p, struct mpg_signature *target,
                                          const struct mpg_signature *original, const struct mpg_collective_table *table,
                                          int64_t eager_limit_bytes, struct mpg_error *err);

#endif
