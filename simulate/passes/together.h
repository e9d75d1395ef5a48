/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes sharing all passes. In a pass of replicas each process reads the files of some ranks, and makes and evaluates the
 * part of the graph of these ranks (simulate/passes/by_ranks.h). The first process makes the earlier passes, and broadcasts the
 * findings. All processes call the same functions in the same order. */
#ifndef MPG_TOGETHER_H
#define MPG_TOGETHER_H

#include "common/bytes.h"
#include "simulate/processes/processes.h"

struct mpg_passed;

struct mpg_together {
    struct mpg_processes *processes; /* at least two */
    unsigned threads;                /* threads of each process, >= 1: each has a part of the ranks */
    int32_t first, ranks;            /* first rank and number of ranks of this process in the last pass by ranks */
    const char *refused;             /* the reason, in all processes, if the processes cannot share the ranks; or NULL */
};

/* Broadcasts FOUND of the first process; elsewhere FOUND, empty before, becomes a copy. STATUS: 0 or -1, success of the first
 * process; elsewhere 0. Returns 0, or -1 with ERR: out of memory; the first process has failed: T->refused is then set, and each
 * process meets the error alone. T may be NULL: returns STATUS. */
int mpg_together_tell(struct mpg_together *t, int status, struct mpg_bytes *found, struct mpg_error *err);
/* Completes ROWS in the first process: ROWS has BYTES for each rank of the trace, and each process sends the rows of its
 * ranks. */
void mpg_together_gather(const struct mpg_together *t, void *rows, size_t bytes);
/* Extends PASSED from the findings about the ranks of this process to the findings about all ranks. */
void mpg_together_sum(const struct mpg_together *t, struct mpg_passed *passed);

/* Returns whether the calling process is the first, which makes some passes for all processes. T may be NULL. */
static inline bool mpg_together_finds(const struct mpg_together *t)
{
    return !t || t->processes->rank == 0;
}

#endif
