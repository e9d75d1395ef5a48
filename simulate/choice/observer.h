/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who looks on while steps are evaluated: what the first replica's nodes come to, and what it does
 * otherwise than the trace (docs/MODEL.md, section 6). */
#ifndef MPG_WATCH_H
#define MPG_WATCH_H

#include "common/error.h"
#include "graph/graph.h"

enum mpg_match_override_kind {
    MPG_OVERRIDE_EXCHANGE, /* a call completes OTHER of its list for REQUEST: what goes by the two is
                          exchanged */
    MPG_OVERRIDE_COMPLETE, /* a call completes REQUEST of its list, too, and no later one will */
    MPG_OVERRIDE_TAKE,     /* a receive that leaves its source open takes a message of SOURCE (world rank)
                          on COMM with TAG and BYTES; it has no request (0), or what goes by REQUEST
                          after all exchanges of the call */
    MPG_OVERRIDE_SKIP    /* the call is not made */
};

/* What is done in a call otherwise than in the trace, of which the requests are. */
struct mpg_match_override {
    enum mpg_match_override_kind kind;
    int64_t request, other;
    int32_t comm, source, tag;
    int64_t bytes;
};

struct mpg_observer {
    /* OVERRIDE, in the call that STEP is to leave, which is taken after all of its overrides, in their
     * order. NULL: nobody wants to know. */
    int (*note)(void *context, const struct mpg_step *step, const struct mpg_match_override *override,
                struct mpg_error *err);
    /* Step STEP has been evaluated, after which the value of its stream is VALUE_NS. */
    int (*take)(void *context, const struct mpg_step *step, double value_ns, struct mpg_error *err);
    /* All so far is void: steps come again from the first on. */
    int (*restart)(void *context, struct mpg_error *err);
    void *context;
    /* What the I-th edge of STEP, a call that is to be left, brings, of those that are views: MESSAGE. NULL: nobody
     * wants to know. */
    int (*bring)(void *context, const struct mpg_step *step, uint32_t i, uint64_t message,
                 struct mpg_error *err);
};

#endif
