/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of the replica with the median run time. */
#ifndef MPG_REPLICA_CRITICAL_PATH_H
#define MPG_REPLICA_CRITICAL_PATH_H

#include "simulate/replica/rerun.h"
#include "simulate/attribution/critical.h"
#include "simulate/attribution/table.h"

struct mpg_critical_path {
    struct mpg_critical *path;
    struct mpg_attribution *where; /* terms of the path by place; only terms from MPG_CRITICAL_COMPUTATION on */
    struct mpg_attribution_table table[MPG_ATTRIBUTION_BY_COUNT];
    size_t tables;
    uint32_t replica;
};

/* Reruns the median replica of SIMULATED and fills CRITICAL with N tables, grouped by BY[0] .. BY[N - 1], and with the longest
 * SEGMENTS segments of the critical path. The caller clears CRITICAL, also on failure. Returns 0, or -1 with ERR: no memory;
 * no temporary file; an error of the simulation. */
int mpg_critical_path_find(struct mpg_critical_path *critical, const struct mpg_simulated *simulated, uint32_t segments,
                           const enum mpg_attribution_by *by, size_t n, struct mpg_error *err);
void mpg_critical_path_clear(struct mpg_critical_path *critical);

#endif
