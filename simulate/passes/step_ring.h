/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ring buffer of steps between one thread that reads a graph, the writer, and threads that evaluate the steps, the readers.
 * Every reader gets all steps in order. The writer waits for the slowest reader if the ring is full. */
#ifndef MPG_STEP_RING_H
#define MPG_STEP_RING_H

#include "common/error.h"
#include "graph/graph.h"

struct mpg_step_ring;

/* Returns a ring of ENTRIES >= 2 entries for READERS >= 1 readers. An entry gathers consecutive sequences of steps of one batch,
 * until it has ENOUGH steps; with 1, readers take the sequences as mpg_graph_next() returned them. The caller frees the ring
 * after its last use by a reader. NULL with ERR: out of memory. */
struct mpg_step_ring *mpg_step_ring_new(unsigned readers, unsigned entries, size_t enough, struct mpg_error *err);
void mpg_step_ring_free(struct mpg_step_ring *ring);

/* --- for the writer --- */

/* Gives STEPS, which mpg_graph_next() has just returned, to all readers, and keeps their batch until the last reader has finished
 * with the steps. Returns false if all readers have
 * left. */
bool mpg_step_ring_put(struct mpg_step_ring *ring, const struct mpg_steps *steps);
/* Ends the steps: with the error FAILED of the graph, or NULL after the last step. */
void mpg_step_ring_end(struct mpg_step_ring *ring, const struct mpg_error *failed);
/* Waits until no reader reads steps of the ring any more. */
void mpg_step_ring_wait(struct mpg_step_ring *ring);

/* --- for a reader --- */

/* One of the readers of RING; used by one thread at a time. The caller sets RING, and 0 elsewhere. */
struct mpg_step_reader {
    struct mpg_step_ring *ring;
    uint64_t taken; /* number of sequences of steps taken so far */
    bool left;      /* the reader takes no further steps */
};

/* Finishes with the sequence taken before, and waits for the next. Returns 1; 0 after the last step, or -1 with the graph's
 * error, and then the reader leaves. STEPS stay valid until the next call, or longer if their batch is kept. */
int mpg_step_reader_take(struct mpg_step_reader *reader, struct mpg_steps *steps, struct mpg_error *err);
/* The reader takes no further steps; the writer no longer waits for the reader. */
void mpg_step_reader_leave(struct mpg_step_reader *reader);

#endif
