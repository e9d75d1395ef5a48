/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an excerpt begins and ends on the clock of each rank. Private to trace/excerpt/. */
#ifndef MPG_EXCERPT_EDGES_H
#define MPG_EXCERPT_EDGES_H

#include "trace/excerpt/excerpt.h"

/* The edges of one rank, in ns on the rank's clock. */
struct mpg_edges {
    int64_t begin_ns; /* INT64_MIN: the excerpt has the rank's first events */
    int64_t end_ns;   /* INT64_MAX: the excerpt has the rank's last events */
    int64_t init_ns;  /* end of MPI_Init */
};

/* Finds the edges of EXCERPT in TRACE. *EDGES: an array by rank, which the caller frees, also on failure. Returns 0, or -1 with
 * ERR: an invalid time, a region not visited often enough by a rank, an end before the begin. */
int mpg_edges_find(struct mpg_trace *trace, const struct mpg_excerpt *excerpt, struct mpg_edges **edges, struct mpg_error *err);

/* For a trace recorded in parts. Sets *EDGES, as mpg_edges_find(), to the last SPAN_NS of the run, or to less if a rank has less
 * than SPAN_NS, and *KEPT_NS to the length. Sets *IS_WHOLE to true, and nothing else, if this is the whole run. */
int mpg_edges_of_last(struct mpg_trace *trace, int64_t span_ns, struct mpg_edges **edges, int64_t *kept_ns, bool *is_whole,
                      struct mpg_error *err);

/* A stretch of a rank's run in which calls were recorded, between two pauses of recording. */
struct mpg_stretch {
    int64_t begin_ns, end_ns; /* as in struct mpg_edges */
    uint64_t calls;
};
/* Sets *EDGES, as mpg_edges_find(), to the recorded stretch with the most calls on rank 0, *CHOSEN to the number of this stretch,
 * from 1, and *STRETCHES to the number of stretches with calls. */
int mpg_edges_of_pauses(struct mpg_trace *trace, struct mpg_edges **edges, uint32_t *chosen, uint32_t *stretches,
                        struct mpg_error *err);

#endif
