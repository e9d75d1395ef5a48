/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of the replica whose run is the median one. */
#ifndef MPG_WAITS_CRITICAL_H
#define MPG_WAITS_CRITICAL_H

#include "simulate/waits/again.h"
#include "simulate/where/path.h"
#include "simulate/where/table.h"

struct mpg_critical_path {
    struct mpg_path *path;
    struct mpg_where *where; /* what of the path is where, terms from MPG_WHERE_COMPUTATION on */
    struct mpg_where_table table[MPG_WHERE_BYS];
    size_t tables;
    uint32_t replica;        /* as struct mpg_median_waits has it */
};

/* Fills CRITICAL by one more prediction, of that replica alone, with N tables BY and the longest SEGMENTS of its path. It is to
 * be cleared even if that fails: calls choose; no temporary file; out of memory; what the prediction says. */
int mpg_critical_path_find(struct mpg_critical_path *critical, const struct mpg_simulated *simulated, uint32_t segments,
                           const enum mpg_where_by *by, size_t n, struct mpg_error *err);
void mpg_critical_path_clear(struct mpg_critical_path *critical);

#endif
