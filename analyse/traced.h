/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states of a traced run. */
#ifndef MPG_WAITS_TRACED_H
#define MPG_WAITS_TRACED_H

#include "analyse/waits.h"

/* Source of the eager limit. */
enum mpg_waits_limit {
    MPG_WAITS_LIMIT_GIVEN,
    /* found in the trace: no larger standard send ended before its receive was posted (docs/MODEL.md, sections 3, Protocol,
     * and 9); a limit of -1: no send ended earlier at all */
    MPG_WAITS_LIMIT_FOUND
};

struct mpg_traced_options {
    bool lenient;                /* calls without a partner are counted, not an error */
    bool limit_given;
    int64_t eager_limit_bytes;   /* used if the caller gives the limit; INT64_MAX: unlimited */
    const struct mpg_wait_observer *observer; /* observer of the pass that finds the wait states; NULL: none */
    /* called before the observer's pass with the aligned clocks and the observer's `context`; NULL: no call. Returns 0, or -1
     * with ERR */
    int (*begin)(void *whom, struct mpg_trace *trace, const struct mpg_clock_map *clocks, struct mpg_error *err);
};

struct mpg_traced_waits {
    struct mpg_waits *waits;
    struct mpg_clock_map *clocks;
    enum mpg_waits_limit limit;
    int64_t eager_limit_bytes;   /* larger standard sends wait for the receiver; INT64_MAX: no send waits */
    struct mpg_graph_counts counts;
};

/* Finds the wait states of TRACE, in two passes or more. The caller clears FOUND, also on failure. Returns 0, or -1 with ERR: the
 * ranks' clocks are not comparable; an error of the graph. */
int mpg_waits_find(struct mpg_trace *trace, const struct mpg_traced_options *options,
                   struct mpg_traced_waits *found, struct mpg_error *err);
void mpg_traced_waits_clear(struct mpg_traced_waits *found);

#endif
