/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass: every step of a trace's graph, given to any number of consumers. */
#ifndef MPG_PASS_H
#define MPG_PASS_H

#include "common/error.h"
#include "common/progress.h"
#include "graph/graph.h"
#include "simulate/cache/cache.h"
#include "simulate/passes/together.h"

/* The function of a step consumer: handles STEPS. Returns 0, or -1 with ERR. */
typedef int mpg_take(void *context, const struct mpg_steps *steps, struct mpg_error *err);

/* A consumer of all steps in order, called by one thread at a time. */
struct mpg_step_consumer {
    mpg_take *take;
    void *context;
    enum mpg_steps_wanted wants; /* the kinds of steps read by the consumer */
    bool is_costly; /* evaluating steps takes longer than handing the steps to another thread */
};

struct mpg_passed {
    struct mpg_graph_counts counts;
    uint32_t slots;        /* number of value slots needed by the whole graph */
    int32_t expanded;      /* members of the largest expanded collective; 0: none */
    int64_t evident_limit; /* the eager limit of the traced machine, bytes, as the trace shows; set by a complete pass */
};

/* mpg_passed_put() appends PASSED to BYTES; mpg_passed_get() reads PASSED from LEFT and returns 0, or -1 if LEFT is malformed. */
void mpg_passed_put(struct mpg_bytes *bytes, const struct mpg_passed *passed);
int mpg_passed_get(struct mpg_bytes_left *left, struct mpg_passed *passed);

/* Configuration of a pass; all pointers outlive the pass. */
struct mpg_pass_config {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    const struct mpg_graph_options *graph;
    const char *label; /* label of the progress line */
    uint32_t *passes;  /* number of passes, incremented; or NULL */
    struct mpg_cache *cache; /* the pre-pass cache; or NULL */
    struct mpg_together *together; /* the processes sharing this pass; NULL: this process alone */
    uint32_t slots;        /* number of slots of the graph, known from an earlier pass; 0: unknown */
    bool hides_progress;        /* do not show progress */
    /* A progress line shared by several passes, or NULL. When this pass begins, the line stands at BEGUN; the pass adds SHARE, in
     * the line's unit. */
    struct mpg_progress *shared;
    double begun, share;
};

/* Returns whether passes with configurations A and B have the same steps in the same order. */
bool mpg_pass_config_same(const struct mpg_pass_config *a, const struct mpg_pass_config *b);

/* Gives every step of the graph to each of N consumers, divided among THREADS >= 1 threads. If the number of slots is known and
 * memory allows, each thread reads the trace and makes its own graph, because making the steps again costs less than transferring
 * steps between caches; otherwise one thread hands steps to the others. A single costly consumer has a separate thread if THREADS
 * > 1. PASSED is filled as far as the pass went. Errors: of the trace, the graph and the consumers; out of memory. */
int mpg_pass(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n,
             unsigned threads, struct mpg_passed *passed, struct mpg_error *err);

/* Turns on choices, with HORIZON, in OPTIONS, the options of PASS_CONFIG, if calls of the trace can complete other messages.
 * PASSED, from an earlier pass, says whether such calls exist. If so, the cache or another pass, which fills PASSED, tells
 * whether the calls have candidates, and how many messages are in flight while the calls wait. Errors: as mpg_pass(). Collective
 * if processes share the pass. */
int mpg_pass_choices(const struct mpg_pass_config *pass_config, struct mpg_graph_options *options, uint64_t horizon,
                     struct mpg_passed *passed, struct mpg_error *err);

#endif
