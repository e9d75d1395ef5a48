/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states: causes and lengths of waits in calls (docs/MODEL.md, section 9; Böhme, Hermanns, Geimer, Wolf 2010). An evaluator
 * of a graph's steps. The times come from the trace or, for a replica, from another evaluator. Memory does not grow with the
 * trace. */
#ifndef MPG_WAITS_H
#define MPG_WAITS_H

#include "common/error.h"
#include "graph/graph.h"

enum mpg_wait {
    MPG_WAIT_LATE_SENDER,
    MPG_WAIT_LATE_RECEIVER,
    MPG_WAIT_BARRIER,
    MPG_WAIT_NXN,
    MPG_WAIT_LATE_BROADCAST,
    MPG_WAIT_EARLY_REDUCE,
    MPG_WAIT_EARLY_SCAN,
    MPG_WAIT_KINDS
};

/* Sums over a group of calls. */
struct mpg_wait_sum {
    uint64_t calls, waited;         /* waited: calls with a wait longer than 0 */
    double time_ns;                 /* time within the calls */
    double wait_ns[MPG_WAIT_KINDS]; /* parts of time_ns spent waiting */
    int32_t for_rank;               /* the rank waited for longest; only if for_ns > 0 */
    double for_ns;                  /* time waiting for for_rank; 0: no wait for a rank, or not the traced run */
    double off_cpu_ns;              /* part of time_ns off the CPU, without waiting. The rest of time_ns is transfer and MPI
                                     * overhead */
};

/* Meaning of the values passed with steps. */
enum mpg_wait_times {
    MPG_WAIT_TRACED,      /* no values: times are taken from the trace */
    MPG_WAIT_DELAYS,      /* values are delays against the traced times, ns */
    MPG_WAIT_COMMON_CLOCK /* values are times on a clock common to all ranks, ns */
};

struct mpg_waits;

/* The begin of an operation in STREAM. POSITION: number of calls that the stream has entered, including the call that begins the
 * operation. SINCE: value of POSITION at the end of the last collective before the operation. */
struct mpg_wait_origin {
    uint32_t stream;
    uint64_t position, since;
};

/* The end of a call, for observers. */
struct mpg_wait_event {
    const struct mpg_waits *waits;
    const struct mpg_step *step;         /* the LEAVE */
    const struct mpg_wait_sum *sum;      /* times of this call */
    double enter_ns, leave_ns;           /* begin and end of the call, aligned */
    struct mpg_call_site place;
    uint64_t position, since;            /* POSITION and SINCE of this call: see struct mpg_wait_origin */
    /* the latest begin of an operation of another stream on which the end of this call depends (for the root of a reduction: the
     * latest begin of all members); -INFINITY: none */
    double awaited_ns;
    struct mpg_wait_origin awaited;      /* stream and position of the begin of this operation */
};
/* Returns the origin of the operation at the other end of EDGE, an edge of the event's step. */
struct mpg_wait_origin mpg_waits_origin(const struct mpg_waits *waits, const struct mpg_edge *edge);

/* Functions called by the wait states when an MPI call is entered or left, in the order of steps. Collectives must not be
 * expanded into messages. The functions return 0, or -1 with ERR. */
struct mpg_wait_observer {
    void *context;
    /* called for an ENTER, with the aligned times of the call's begin and of the begin of the interval before the call */
    int (*enter)(void *context, const struct mpg_step *step, double enter_ns, double begin_ns, struct mpg_error *err);
    int (*leave)(void *context, const struct mpg_wait_event *event, struct mpg_error *err);
    void (*restart)(void *context); /* called when the pass starts again: forget all calls so far */
};
void mpg_waits_observe(struct mpg_waits *waits, const struct mpg_wait_observer *observer);

/* Returns empty wait states of RANKS ranks, which the caller frees. CLOCKS, which must outlive the result, makes the ranks'
 * clocks comparable; not used with MPG_WAIT_COMMON_CLOCK. The graph's options must have `regions`. NULL with ERR: no memory. */
struct mpg_waits *mpg_waits_new(int32_t ranks, const struct mpg_clock_map *clocks,
                                enum mpg_wait_times times, struct mpg_error *err);
/* Evaluates STEP. VALUE_NS: the stream's value after STEP, with the meaning in enum mpg_wait_times. Returns 0, or -1 with ERR: no
 * memory. */
int mpg_waits_take(struct mpg_waits *waits, const struct mpg_step *step, double value_ns,
                   struct mpg_error *err);
/* Tells WAITS, before STEP, a LEAVE, is evaluated, that edge I of STEP receives MESSAGE instead of the traced message; 0:
 * unknown. Only for edges with a slot written by a VIEW step: only calls with these edges may receive another message. Returns 0,
 * or -1 with ERR: no memory. */
int mpg_waits_substitute(struct mpg_waits *waits, const struct mpg_step *step, uint32_t i, uint64_t message,
                         struct mpg_error *err);
/* Forgets all steps. */
void mpg_waits_restart(struct mpg_waits *waits);
void mpg_waits_free(struct mpg_waits *waits); /* NULL is allowed */

/* ---- results ---- */

/* Returns the run time of RANK, ns. */
double mpg_waits_run(const struct mpg_waits *waits, int32_t rank);
struct mpg_wait_sum mpg_waits_of_category(const struct mpg_waits *waits, enum mpg_category category);
struct mpg_wait_sum mpg_waits_of_rank(const struct mpg_waits *waits, int32_t rank);
struct mpg_wait_sum mpg_waits_of_call(const struct mpg_waits *waits, enum mpg_call call);
/* mpg_waits_regions() returns the upper bound of NAME, exclusive. mpg_waits_of_region() returns the sums of region NAME, a string
 * number of the trace; -1: outside of all regions. */
int32_t mpg_waits_regions(const struct mpg_waits *waits);
struct mpg_wait_sum mpg_waits_of_region(const struct mpg_waits *waits, int32_t name);
/* Return the number of callsites; callsite I, numbered from 0 in the order of first appearance; and the sums of callsite I. */
size_t mpg_waits_sites(const struct mpg_waits *waits);
struct mpg_call_site mpg_waits_site(const struct mpg_waits *waits, size_t i);
struct mpg_wait_sum mpg_waits_of_site(const struct mpg_waits *waits, size_t i);

/* Adds MORE, the sums of other calls, to SUM. SUM keeps the rank waited for longer. */
void mpg_wait_add(struct mpg_wait_sum *sum, const struct mpg_wait_sum *more);
/* Returns the waits of all kinds in SUM, ns. */
double mpg_wait_all(const struct mpg_wait_sum *sum);
/* Return the name of a wait state, "late sender", and its key, "late_sender_ns". */
const char *mpg_wait_name(enum mpg_wait wait);
const char *mpg_wait_key(enum mpg_wait wait);

#endif
