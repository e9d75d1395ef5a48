/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a collective costs each member: rounds and bytes, and who waits for whom
 * (docs/MODEL.md, section 4). Functions of calls and numbers; needs nothing of the graph. */
#ifndef MPG_GRAPH_COSTS_H
#define MPG_GRAPH_COSTS_H

#include <stdint.h>

#include "trace/event.h"

enum collective_shape {
    SHAPE_MEETING,  /* everyone waits for everyone */
    SHAPE_SCAN,     /* everyone waits for the ranks up to its own */
    SHAPE_FROM_ROOT,
    SHAPE_TO_ROOT
};

/* Of blocking CALL. */
enum collective_shape mpg_graph_shape_of(enum mpg_call call);
/* Rounds of latency that each of the P >= 1 members of blocking CALL pays. */
uint32_t mpg_graph_rounds_of(enum mpg_call call, int32_t p);
/* Bytes that a member transfers in all rounds, who contributes OWN of the TOTAL bytes that
 * all P members do. */
double mpg_graph_bytes_of(enum mpg_call call, int32_t p, double own, double total);
/* What member I's event says that it contributes (or, of a scatter, gets). */
int64_t mpg_graph_member_bytes(const struct mpg_event *event, int32_t i);

#endif
