/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which replicas each process of a run has, and their results together. */
#ifndef MPG_SHARE_H
#define MPG_SHARE_H

#include "simulate/evaluate/result.h"
#include "simulate/processes/processes.h"

struct mpg_share {
    uint32_t begin, n; /* of the run's replicas; n may be 0, but not the first process's */
};

/* What PROCESS of N has of REPLICAS >= 1 replicas: blocks that follow each other, whole but for the last
 * one of all, as equal in number as can be. */
struct mpg_share mpg_share_of(uint32_t replicas, int process, int n);

/* What this one of PROCESSES has (NULL: there are no others). */
struct mpg_share mpg_share_own(uint32_t replicas, const struct mpg_processes *processes);

/* Once this process's share of REPLICAS is in RESULT: the first one's gets all others'. Collective, if all
 * have a share. Errors: those of the others; out of memory. */
int mpg_result_gather(struct mpg_result *result, uint32_t replicas, struct mpg_processes *processes,
                      struct mpg_error *err);
/* Of a process that has no share, while N results are gathered. */
int mpg_results_await(size_t n, struct mpg_processes *processes, struct mpg_error *err);

#endif
