/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many messages a thread has sent to each rank so far. */
#ifndef MPG_GRAPH_SEQUENCES_H
#define MPG_GRAPH_SEQUENCES_H

#include <stdint.h>

#include "common/error.h"

/* Zero-initialised is none. */
struct sequences {
    uint32_t *call_ref, channel_table;  /* a power of 2 of them, by rank: from 1, the number of its sequence; 0: of none */
    int32_t *to;              /* by number less 1: whom it goes to, */
    uint64_t *count;          /* how many */
    uint32_t n, to_capacity, count_capacity;
};

/* The number of that to rank TO, new if there was none; 0 with ERR when out of memory. */
uint32_t mpg_graph_sequence(struct sequences *sequences, int32_t to, struct mpg_error *err);
void mpg_graph_sequences_clear(struct sequences *sequences);

#endif
