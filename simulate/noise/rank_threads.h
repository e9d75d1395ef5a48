/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers for the threads of ranks: thread 0 of rank r has the number r, further threads have the numbers after all ranks. Noise
 * and random draws of a thread are selected by the thread's number. */
#ifndef MPG_RANK_THREADS_H
#define MPG_RANK_THREADS_H

#include <stdint.h>

#include "common/error.h"
#include "trace/parallel.h"

struct mpg_rank_threads {
    int32_t ranks, all;        /* number of ranks; number of threads of all ranks */
    struct mpg_parallel *rank; /* by rank: the rank's parallel regions */
    int32_t *further;          /* by rank: number of the rank's thread 1 */
};

/* Finds the threads of all ranks of TRACE, which must outlive the result. Returns NULL and sets *STATUS: to 0 if no rank has
 * several threads; to -1 with ERR: a damaged fact, or no memory. */
struct mpg_rank_threads *mpg_rank_threads_new(const struct mpg_trace *trace, int *status, struct mpg_error *err);
void mpg_rank_threads_free(struct mpg_rank_threads *threads); /* NULL is allowed */

/* Returns the number of thread K of RANK. */
static inline int32_t mpg_rank_threads_number(const struct mpg_rank_threads *t, int32_t rank, uint32_t k)
{
    return k == 0 ? rank : t->further[rank] + (int32_t)k - 1;
}

#endif
