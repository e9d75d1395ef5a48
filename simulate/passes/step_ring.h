/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ring buffer of steps from a thread reading a graph (the writer) to threads evaluating the steps (the readers). Every reader
 * gets all steps in order. The writer waits for the slowest reader if the ring is full. */
#ifndef MPG_STEP_RING_H
#define MPG_STEP_RING_H

#include "common/error.h"
#include "graph/graph.h"

struct mpg_step_ring;

/* Returns a ring of ENTRIES >= 2 entries for READERS >= 1 readers. An entry gathers consecutive sequences of steps of a batch, up
 * to ENOUGH steps; with 1, readers take the sequences as mpg_graph_next() returned them. The caller frees the ring after the
 * readers' last use. NULL with ERR: out of memory. */
struct mpg_step_ring *mpg_step_ring_new(unsigned readers, unsigned entries, size_t enough, struct mpg_error *err);
void mpg_step_ring_free(struct mpg_step_ring *ring);

/* --- for the writer --- */

/* Gives STEPS, as just returned by mpg_graph_next(), to all readers, and keeps the batch of STEPS until the last reader has
 * finished. Returns false if all readers have left. */
bool mpg_step_ring_put(struct mpg_step_ring *ring, const struct mpg_steps *steps);
/* Ends the steps: with the error FAILED of the graph, or NULL after the last step. */
void mpg_step_ring_end(struct mpg_step_ring *ring, const struct mpg_error *failed);
/* Waits until no reader reads steps of the ring any more. */
void mpg_step_ring_wait(struct mpg_step_ring *ring);

/* --- for a reader --- */

/* A reader of RING; used by one thread at a time. The caller sets RING, and zeroes the rest. */
struct mpg_step_reader {
    struct mpg_step_ring *ring;
    uint64_t taken; /* number of sequences of steps already taken */
    bool left;      /* the reader takes no further steps */
};

/* Finishes with the previous sequence, and waits for the next sequence. Returns 1; 0 after the last step, or -1 with the graph's
 * error: after 0 or -1 the reader has left. STEPS stay valid until the next call, or longer if the batch of STEPS is kept. */
int mpg_step_reader_take(struct mpg_step_reader *reader, struct mpg_steps *steps, struct mpg_error *err);
/* The reader takes no further steps; the writer no longer waits for the reader. */
void mpg_step_reader_leave(struct mpg_step_reader *reader);

#endif
