/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wait states: what calls waited for, and how long (docs/MODEL.md, section 9; Böhme, Hermanns, Geimer, Wolf
 * 2010). An evaluator of a graph's steps that is given times: those of the trace, or of one world that
 * another evaluator finds. Memory does not grow with the trace's length. */
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

/* Of calls that are counted together. */
struct mpg_wait_sum {
    uint64_t calls, waited;         /* waited: those that waited longer than 0 */
    double time_ns;                 /* in them; of that they waited, */
    double wait_ns[MPG_WAIT_KINDS];
    double off_cpu_ns;              /* and of the rest their threads were off their CPUs; what is left is
                                       transfer and what MPI itself takes */
};

/* Which times the values of steps are. */
enum mpg_wait_times {
    MPG_WAIT_TRACED, /* the trace's: the values say nothing */
    MPG_WAIT_DELAYS, /* delays against the trace, ns */
    MPG_WAIT_WORLD   /* times on one clock that all ranks have, ns */
};

struct mpg_waits;

/* For RANKS ranks whose clocks, CLOCKS, are comparable but with MPG_WAIT_WORLD; CLOCKS outlives it. The graph's
 * options have `regions`. */
struct mpg_waits *mpg_waits_new(int32_t ranks, const struct mpg_clock_map *clocks,
                                enum mpg_wait_times times, struct mpg_error *err);
/* STEP of a graph; VALUE_NS: its stream's, after it. */
int mpg_waits_take(struct mpg_waits *waits, const struct mpg_step *step, double value_ns,
                   struct mpg_error *err);
/* What the I-th edge of STEP, the LEAVE that is taken next, brings: MESSAGE, in place of the trace's; 0: it is
 * not known which. Of edges that are views; only with choices. */
int mpg_waits_bring(struct mpg_waits *waits, const struct mpg_step *step, uint32_t i, uint64_t message,
                    struct mpg_error *err);
/* As if it were new: all steps come again. */
void mpg_waits_restart(struct mpg_waits *waits);
void mpg_waits_free(struct mpg_waits *waits); /* NULL is allowed */

/* ---- what was found ---- */

/* RANK's run, ns. */
double mpg_waits_run(const struct mpg_waits *waits, int32_t rank);
struct mpg_wait_sum mpg_waits_of_matter(const struct mpg_waits *waits, enum mpg_matter matter);
struct mpg_wait_sum mpg_waits_of_rank(const struct mpg_waits *waits, int32_t rank);
struct mpg_wait_sum mpg_waits_of_call(const struct mpg_waits *waits, enum mpg_call call);
/* Of regions: NAME -1 (none) .. mpg_waits_regions() - 1, a string of the trace's. */
int32_t mpg_waits_regions(const struct mpg_waits *waits);
struct mpg_wait_sum mpg_waits_of_region(const struct mpg_waits *waits, int32_t name);
/* Callsites 0 .. mpg_waits_sites() - 1, in the order in which they were met. */
size_t mpg_waits_sites(const struct mpg_waits *waits);
struct mpg_call_site mpg_waits_site(const struct mpg_waits *waits, size_t i);
struct mpg_wait_sum mpg_waits_of_site(const struct mpg_waits *waits, size_t i);

/* Adds MORE, of other calls, to SUM. */
void mpg_wait_add(struct mpg_wait_sum *sum, const struct mpg_wait_sum *more);
/* All that SUM's calls waited, ns. */
double mpg_wait_all(const struct mpg_wait_sum *sum);
/* "late sender", "late_sender_ns". */
const char *mpg_wait_name(enum mpg_wait wait);
const char *mpg_wait_key(enum mpg_wait wait);

#endif
