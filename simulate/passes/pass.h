/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass: every step of a trace's graph, given to any number of consumers. */
#ifndef MPG_PASS_H
#define MPG_PASS_H

#include "common/error.h"
#include "common/progress.h"
#include "graph/graph.h"
#include "simulate/cache/cache.h"

/* The function of a step consumer: handles STEPS. Returns 0, or -1 with ERR. */
typedef int mpg_take(void *context, const struct mpg_steps *steps, struct mpg_error *err);

/* A consumer of all steps in order, called by one thread at a time. */
struct mpg_step_consumer {
    mpg_take *take;
    void *context;
    enum mpg_steps_wanted wants; /* the kinds of steps that it reads */
};

struct mpg_passed {
    struct mpg_graph_counts counts;
    uint32_t slots;        /* value slots of the graph at the end */
    int32_t expanded;      /* members of the largest expanded collective; 0: none */
    int64_t evident_limit; /* the eager limit of the traced machine, bytes, as the trace shows; set by a complete pass */
};

/* Appends PASSED to BYTES; reads PASSED from LEFT: 0, or -1 if LEFT does not hold it. */
void mpg_passed_put(struct mpg_bytes *bytes, const struct mpg_passed *passed);
int mpg_passed_get(struct mpg_bytes_left *left, struct mpg_passed *passed);

/* Configuration of a pass; all pointers outlive it. */
struct mpg_pass_config {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    const struct mpg_graph_options *graph;
    const char *label; /* shown with the progress */
    uint32_t *passes;  /* number of passes, incremented; or NULL */
    struct mpg_cache *cache; /* the pre-pass cache; or NULL */
    uint32_t slots;        /* slots of the graph, as an earlier pass found; 0: unknown */
    bool hides_progress;        /* do not show progress */
    /* A progress line of several passes, or NULL: this pass adds SHARE to the BEGUN that is complete, in the line's unit. */
    struct mpg_progress *shared;
    double begun, share;
};

/* Whether passes A and B have the same steps in the same order. */
bool mpg_pass_config_same(const struct mpg_pass_config *a, const struct mpg_pass_config *b);

/* Gives every step of the graph to each of N consumers, which THREADS >= 1 threads share. If the number of slots is known and
 * memory allows, each thread reads the trace and makes the graph by itself, since an evaluation costs less than the transfer
 * of steps between caches; else one thread hands steps to the others. PASSED is filled as far as the pass went. Errors: those
 * of the trace, the graph and the consumers; out of memory. */
int mpg_pass(const struct mpg_pass_config *pass_config, const struct mpg_step_consumer *consumers, size_t n,
             unsigned threads, struct mpg_passed *passed, struct mpg_error *err);

/* Turns on choices in OPTIONS, the options of PASS_CONFIG, with HORIZON, if calls of the trace can complete in another order.
 * PASSED says whether such calls exist, as an earlier pass found. Whether they have candidates, and how many messages are in
 * flight meanwhile, is found in the cache or by another pass, which fills PASSED. Errors: those of mpg_pass(). */
int mpg_pass_choices(const struct mpg_pass_config *pass_config, struct mpg_graph_options *options, uint64_t horizon,
                     struct mpg_passed *passed, struct mpg_error *err);

#endif
