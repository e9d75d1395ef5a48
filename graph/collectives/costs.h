/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost of a collective for each member: rounds and bytes, and which members wait for which (docs/MODEL.md, section
 * 4). Pure functions of calls and numbers. */
#ifndef MPG_GRAPH_COSTS_H
#define MPG_GRAPH_COSTS_H

#include <stdint.h>

#include "trace/event.h"

enum collective_shape {
    SHAPE_MEETING,  /* every member waits for all members */
    SHAPE_SCAN,     /* a member waits for all lower ranks */
    SHAPE_FROM_ROOT, /* members wait for the root */
    SHAPE_TO_ROOT    /* the root waits for all members */
};

/* Returns the shape of blocking CALL. */
enum collective_shape mpg_graph_shape_of(enum mpg_call call);
/* Returns the number of rounds (one latency each) that each of P >= 1 members spends in blocking CALL. */
uint32_t mpg_graph_rounds_of(enum mpg_call call, int32_t p);
/* Returns the bytes that a member transfers in all rounds of blocking CALL. OWN: bytes contributed by the member; TOTAL:
 * bytes contributed by all members. */
double mpg_graph_bytes_of(enum mpg_call call, int32_t p, double own, double total);

#endif
