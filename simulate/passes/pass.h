/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over a trace's graph. */
#ifndef MPG_PASS_H
#define MPG_PASS_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/kept/kept.h"

/* Takes STEPS. */
typedef int mpg_take(void *context, const struct mpg_steps *steps, struct mpg_error *err);

/* One who takes all steps, in their order; by one thread at a time. */
struct mpg_taker {
    mpg_take *take;
    void *context;
    enum mpg_steps_wanted wants; /* which steps it looks at */
};

struct mpg_passed {
    struct mpg_graph_counts counts;
    uint32_t slots;        /* that the graph had in the end */
    int32_t expanded;      /* members of the largest collective that was expanded */
    int64_t evident_limit; /* the source's eager limit by the trace, once a pass is whole */
};

/* Puts PASSED to BYTES; gets it again: 0, or -1 where it is not there. */
void mpg_passed_put(struct mpg_bytes *bytes, const struct mpg_passed *passed);
int mpg_passed_get(struct mpg_bytes_left *left, struct mpg_passed *passed);

/* A pass of what, and of whose steps; its parts outlive it. */
struct mpg_course {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    const struct mpg_graph_options *graph;
    const char *label; /* which the progress says */
    uint32_t *passes;  /* counted up; or NULL */
    struct mpg_kept *kept; /* what is known of the trace; or NULL */
    uint32_t slots;        /* that its graph has, as a pass has told; 0: none has */
    bool is_silent;        /* no progress is said */
};

/* Whether two have the same steps, in the same order. */
bool mpg_course_same(const struct mpg_course *a, const struct mpg_course *b);

/* Gives every step of the graph to each of N takers, which THREADS >= 1 threads share: each reads the trace, and makes the
 * graph, for itself, where a pass has told what it takes and there is room for it (to evaluate lanes costs less than to hand
 * steps on from one processor's cache to another's); else one hands steps on to the others. PASSED is filled as far as it
 * went. */
int mpg_pass(const struct mpg_course *course, const struct mpg_taker *takers, size_t n,
             unsigned threads, struct mpg_passed *passed, struct mpg_error *err);

/* Has OPTIONS, which are the COURSE's, ask for candidates, with HORIZON, where calls may complete something
 * else than in the trace: whether there are any such calls is in PASSED, what a pass has told; whether there
 * is anything else that they may complete, and how many messages are in flight while they wait for that, a
 * pass of its own says, unless that is kept; either fills PASSED. */
int mpg_pass_choices(const struct mpg_course *course, struct mpg_graph_options *options, uint64_t horizon,
                     struct mpg_passed *passed, struct mpg_error *err);

#endif
