/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states of a traced run. */
#ifndef MPG_WAITS_TRACED_H
#define MPG_WAITS_TRACED_H

#include "analyse/waits.h"

/* The source of the eager limit. */
enum mpg_waits_limit {
    MPG_WAITS_LIMIT_GIVEN,
    MPG_WAITS_LIMIT_FOUND /* no larger standard send left before its receive was posted (docs/MODEL.md, sections
                             3, Protocol, and 9); -1: none did */
};

struct mpg_traced_options {
    bool lenient;                /* calls without a partner are counted */
    bool limit_given;
    int64_t eager_limit_bytes;   /* if given; INT64_MAX: unlimited */
    const struct mpg_wait_observer *observer; /* of the wait states' pass; NULL: none */
    /* told of the clocks before this pass, with the observer's `context`; NULL: not needed. Returns 0, or -1 with ERR */
    int (*begin)(void *whom, struct mpg_trace *trace, const struct mpg_clock_map *clocks, struct mpg_error *err);
};

struct mpg_traced_waits {
    struct mpg_waits *waits;
    struct mpg_clock_map *clocks;
    enum mpg_waits_limit limit;
    int64_t eager_limit_bytes;   /* larger standard sends wait; INT64_MAX: none does */
    struct mpg_graph_counts counts;
};

/* Finds the wait states of TRACE, in two passes or more. The caller clears FOUND, also on failure. Returns 0, or -1 with ERR: the
 * ranks' clocks are not comparable; an error of the graph. */
int mpg_waits_find(struct mpg_trace *trace, const struct mpg_traced_options *options,
                   struct mpg_traced_waits *found, struct mpg_error *err);
void mpg_traced_waits_clear(struct mpg_traced_waits *found);

#endif
