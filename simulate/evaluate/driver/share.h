/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of the replicas between processes, and the combination of their results. */
#ifndef MPG_SHARE_H
#define MPG_SHARE_H

#include "simulate/evaluate/driver/result.h"
#include "simulate/processes/processes.h"

struct mpg_share {
    uint32_t begin, n; /* this process's part of the replicas; n may be 0, except in the first process */
};

/* The share of PROCESS of N in REPLICAS >= 1 replicas: consecutive blocks, whole except the very last, as equal in number as
 * possible. */
struct mpg_share mpg_share_of(uint32_t replicas, int process, int n);

/* The share of this process (PROCESSES NULL: all replicas). */
struct mpg_share mpg_share_own(uint32_t replicas, const struct mpg_processes *processes);

/* Sends this process's share in RESULT to the first process, whose RESULT then covers all REPLICAS. Collective over the
 * processes with a share. Errors: errors of other processes; out of memory. */
int mpg_result_gather(struct mpg_result *result, uint32_t replicas, struct mpg_processes *processes,
                      struct mpg_error *err);
/* Takes part, without a share of its own, in gathering N results. */
int mpg_results_await(size_t n, struct mpg_processes *processes, struct mpg_error *err);

#endif
