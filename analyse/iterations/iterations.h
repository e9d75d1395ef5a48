/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Iterations of a program's loops, found in its trace (docs/MODEL.md, section 9, Efficiencies, Iterations).
 *
 * A loop is a number of repeats N, common to all ranks: on each rank a callsite recurs N times at similar distances. Only calls
 * of the thread that called MPI_Init count. An iteration of a rank begins with the computation before the first call of the
 * loop's body and ends where the next iteration begins; the last iteration ends with the last call of the body. Clocks need not
 * be comparable. Memory grows with the number of callsites, not with the length of the trace. */
#ifndef MPG_ITERATIONS_H
#define MPG_ITERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/reader.h"

struct mpg_loop {
    uint64_t iterations; /* number of iterations, equal on all ranks */
    double share;        /* fraction of a rank's run within iterations of usual length, mean over ranks; 0 .. 1 */
    enum mpg_call call;  /* rank 0: number of the first call of the loop's body */
    int32_t site;        /* callsite of this call; MPG_NO_SITE: not recorded */
};

/* The place of a loop on a rank. */
struct mpg_loop_place {
    /* of the first call of the body: hash of the call's key, and the kind of gap within the key's bursts (keys.h) */
    uint64_t key, burst;
    uint64_t last_call;        /* number of the last call of the loop's body on the rank */
    double usual_before_ns;    /* mean computation before an iteration's first call, from the second iteration on, ns */
};

enum { MPG_LOOPS = 32 };

struct mpg_iterations {
    int32_t ranks;
    size_t n;                      /* number of loops: first the chosen loop, then descending in share; 0: no loop found */
    struct mpg_loop loop[MPG_LOOPS];
    struct mpg_loop_place *place;  /* place of the chosen loop on each rank */
};

/* Finds the loops of TRACE, in one pass over the events. REPEATS: choose the loop with this many iterations; 0: the finest of the
 * loops that explain most of the run. The caller clears FOUND, also on failure. Returns 0, or -1 with ERR: an error of the trace;
 * no memory; no loop with REPEATS iterations. */
int mpg_iterations_find(struct mpg_trace *trace, uint64_t repeats, struct mpg_iterations *found, struct mpg_error *err);
void mpg_iterations_clear(struct mpg_iterations *found);

/* ---- the iterations of calls ---- */

struct mpg_iteration_follower;

/* Returns a follower, which assigns the calls of each rank to iterations of the chosen loop of FOUND, from the run's first
 * call on. FOUND and TRACE outlive the follower. The caller frees the follower. NULL with ERR. */
struct mpg_iteration_follower *mpg_iteration_follower_new(struct mpg_trace *trace, const struct mpg_iterations *found,
                                                          struct mpg_error *err);
/* Finds the part of the run to which call NUMBER of RANK belongs, and the computation before the call: *PART is 0 before the
 * loop, 1 to N in an iteration, N + 1 after the loop. *FRESH: the fraction of this computation that belongs to PART. Less than 1
 * only in the first iteration: the rest belongs to the time before the loop. Must be called with the calls of a rank in ascending
 * order, and only for the thread that called MPI_Init. Returns 0, or -1 with ERR: an error of the trace. */
int mpg_iteration_follow(struct mpg_iteration_follower *follower, int32_t rank, uint64_t number, uint64_t *part, double *fresh,
                         struct mpg_error *err);
void mpg_iteration_follower_free(struct mpg_iteration_follower *follower); /* NULL is allowed */

#endif
