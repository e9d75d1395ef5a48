/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wait states of a traced run. */
#ifndef MPG_WAITS_TRACED_H
#define MPG_WAITS_TRACED_H

#include "analyse/waits.h"

/* Where the eager limit is from. */
enum mpg_waits_limit {
    MPG_WAITS_LIMIT_GIVEN,
    MPG_WAITS_LIMIT_FOUND /* no larger standard send left before its receive was posted (docs/MODEL.md, sections
                             3, Protocol, and 9); -1: none did */
};

struct mpg_traced_options {
    bool lenient;                /* what cannot be placed is counted */
    bool limit_given;
    int64_t eager_limit_bytes;   /* if given; INT64_MAX: unlimited */
};

struct mpg_traced_waits {
    struct mpg_waits *waits;
    struct mpg_clock_map *clocks;
    enum mpg_waits_limit limit;
    int64_t eager_limit_bytes;   /* standard sends of more bytes wait; INT64_MAX: none do */
    struct mpg_graph_counts counts;
};

/* Finds those of TRACE, in two passes or more, into FOUND, which is to be cleared even if that fails. Errors:
 * the ranks' clocks are not comparable; those of graphs. */
int mpg_waits_find(struct mpg_trace *trace, const struct mpg_traced_options *options,
                   struct mpg_traced_waits *found, struct mpg_error *err);
void mpg_traced_waits_clear(struct mpg_traced_waits *found);

#endif
