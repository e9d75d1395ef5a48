/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of steps, which outlive the graph's: with all that they point to, but for what an EXPAND
 * step does. */
#ifndef MPG_BATCH_H
#define MPG_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "graph/graph.h"

struct mpg_batch {
    struct mpg_step *steps;
    uint32_t n, slots; /* how many; slots that the graph had when the last was added */
    char *lists;       /* of the steps' edges, candidates ... */
    size_t used, capacity; /* bytes of it */
    bool tells_unused;     /* as struct mpg_steps, after its last step */
    uint32_t *unused, unused_number, unused_capacity;
};

/* Error: out of memory. */
int mpg_batch_init(struct mpg_batch *batch, struct mpg_error *err);
/* Whether STEP can be added; always where the batch is empty. */
bool mpg_batch_has_room(const struct mpg_batch *batch, const struct mpg_step *step);
/* Adds a copy of STEP, for which there is room, of a graph that has SLOTS slots so far. Error: out of
 * memory. */
int mpg_batch_add(struct mpg_batch *batch, const struct mpg_step *step, uint32_t slots,
                  struct mpg_error *err);
/* After its last step: what STEPS says of slots. Error: out of memory. */
int mpg_batch_tell_unused(struct mpg_batch *batch, const struct mpg_steps *steps, struct mpg_error *err);
void mpg_batch_empty(struct mpg_batch *batch);
void mpg_batch_clear(struct mpg_batch *batch); /* zero-initialised is allowed */

#endif
