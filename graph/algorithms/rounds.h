/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of rounds. Private to graph/algorithms/. */
#ifndef MPG_GRAPH_ROUNDS_H
#define MPG_GRAPH_ROUNDS_H

#include "graph/algorithms/plan.h"

/* How many PATTERN has in PLAN. */
uint32_t graph_rounds_of_pattern(const struct mpg_plan *plan, enum mpg_pattern pattern);
/* Bytes of the N <= p blocks of v, v + 1, ..., counted on from 0 after the last. */
double graph_blocks(const struct mpg_plan *plan, int64_t v, int32_t n);

#endif
