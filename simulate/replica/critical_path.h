/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of the replica with the median run time. */
#ifndef MPG_REPLICA_CRITICAL_PATH_H
#define MPG_REPLICA_CRITICAL_PATH_H

#include "simulate/replica/rerun.h"
#include "simulate/where/path.h"
#include "simulate/where/table.h"

struct mpg_critical_path {
    struct mpg_path *path;
    struct mpg_where *where; /* the path's terms by place, from MPG_WHERE_COMPUTATION on */
    struct mpg_where_table table[MPG_WHERE_BYS];
    size_t tables;
    uint32_t replica;
};

/* Evaluates the median replica of SIMULATED once more and fills CRITICAL with N tables, grouped as BY says, and with the longest
 * SEGMENTS segments of its critical path. The caller clears CRITICAL, also on failure. Returns 0, or -1 with ERR: no memory; no
 * temporary file; an error of the simulation. */
int mpg_critical_path_find(struct mpg_critical_path *critical, const struct mpg_simulated *simulated, uint32_t segments,
                           const enum mpg_where_by *by, size_t n, struct mpg_error *err);
void mpg_critical_path_clear(struct mpg_critical_path *critical);

#endif
