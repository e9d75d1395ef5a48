/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Division of the replicas between processes, and combination of the processes' results, of replicas or of ranks. */
#ifndef MPG_SHARE_H
#define MPG_SHARE_H

#include "simulate/evaluate/driver/result.h"
#include "simulate/passes/together.h"
#include "simulate/processes/processes.h"

struct mpg_share {
    uint32_t begin, n; /* this process's part of the replicas; n may be 0, except in the first process */
};

/* Returns the share of process PROCESS of N in REPLICAS >= 1 replicas. A share is a number of consecutive whole blocks (the
 * last block can be smaller); numbers differ by at most 1. */
struct mpg_share mpg_share_of(uint32_t replicas, int process, int n);

/* Returns the share of this process (PROCESSES NULL: all replicas). */
struct mpg_share mpg_share_own(uint32_t replicas, const struct mpg_processes *processes);

/* Sends this process's share in RESULT to the first process, whose RESULT then covers all REPLICAS. Collective over the
 * processes with a share. Errors: errors of any process; out of memory. */
int mpg_result_gather(struct mpg_result *result, uint32_t replicas, struct mpg_processes *processes,
                      struct mpg_error *err);
/* Completes RESULT, which has all replicas of this process's ranks, in the first process. Collective. Errors: errors of any
 * process. */
int mpg_result_gather_ranks(struct mpg_result *result, const struct mpg_together *together, struct mpg_error *err);
/* For a process without a share: takes part in the collective gathering of N results. */
int mpg_results_await(size_t n, struct mpg_processes *processes, struct mpg_error *err);

#endif
