/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the messages sent by a thread to each rank. */
#ifndef MPG_GRAPH_SEQUENCES_H
#define MPG_GRAPH_SEQUENCES_H

#include <stdint.h>

#include "common/error.h"

/* Zero-initialised: none. */
struct sequences {
    uint32_t *slot, slots; /* hash table by rank, of a power of 2 entries: number of the sequence, from 1; 0: empty */
    int32_t *to;              /* to[number - 1]: receiver of the sequence */
    uint64_t *count;          /* count[number - 1]: messages sent so far in the sequence */
    uint32_t n, to_capacity, count_capacity;
};

/* Returns the number of the sequence to rank TO, made on first use; 0 with ERR: out of memory. */
uint32_t mpg_graph_sequence(struct sequences *sequences, int32_t to, struct mpg_error *err);
void mpg_graph_sequences_clear(struct sequences *sequences);

#endif
