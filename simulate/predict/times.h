/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluating a graph's steps in many worlds at once: predict mode (docs/MODEL.md, 5).
 *
 * Every value is a vector of lanes, one double a replica: the node's time in ns, MPI_Init's leave
 * being 0 on every rank. One lane never looks at another. */
#ifndef MPG_TIMES_H
#define MPG_TIMES_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/engine/floors.h"
#include "simulate/engine/classes.h"
#include "simulate/engine/result.h"
#include "simulate/predict/target.h"
#include "simulate/where/path.h"

/* What becomes of loops that ask again and again whether something has happened. */
enum mpg_polling { MPG_POLLING_WAIT, MPG_POLLING_WORK };

struct mpg_times_options {
    int64_t eager_limit_bytes;   /* the target's, as the graph has it */
    enum mpg_polling polling;
    int64_t polling_interval_ns; /* longer intervals are work */
};

struct mpg_times;

/* LANES >= 1 worlds of RANKS ranks, replicas FIRST .. FIRST + LANES - 1. What is passed outlives
 * it; LIKES may be NULL. */
struct mpg_times *mpg_times_new(int32_t ranks, uint32_t lanes, uint32_t first,
                                const struct mpg_target *target,
                                const struct mpg_times_options *options, struct mpg_floors *floors,
                                const struct mpg_classes *classes, struct mpg_error *err);
/* Lets calls complete something else than in the trace, where the graph's steps have candidates, but for
 * lanes that KEEPS (may be NULL; copied) says. WATCH (may be NULL) sees what the first lane does. */
int mpg_times_use_choice(struct mpg_times *times, const bool *keeps, const struct mpg_watch *watch,
                         struct mpg_error *err);
/* What was chosen; NULL: nothing can be. */
const struct mpg_choosing *mpg_times_choice(const struct mpg_times *times);
/* Has the account told by places (simulate/where/tally.h), terms as in struct mpg_run_account but for the run; the
 * graph's options have `regions`. Before the first step, which mpg_times_step_tallied() evaluates, as all others, in
 * place of mpg_times_step(). PAIRS of ranks are told apart by what critical paths have there. Error: out of memory. */
int mpg_times_use_tally(struct mpg_times *times, bool pairs, struct mpg_error *err);
int mpg_times_step_tallied(struct mpg_times *times, const struct mpg_step *step, uint32_t slots,
                           struct mpg_error *err);
/* Has the tally told what the critical paths of all lanes have where (simulate/where/trail.h), too; nothing is chosen, no
 * collective expanded, and the graph's options have `tells_unused`. After mpg_times_use_tally(). Error: out of memory. */
int mpg_times_use_trail(struct mpg_times *times, struct mpg_error *err);
/* After STEPS; after the last ones. Errors: out of memory, a path that does not come to its run. */
int mpg_times_cut_trail(const struct mpg_times *times, const struct mpg_steps *steps, struct mpg_error *err);
int mpg_times_finish_trail(const struct mpg_times *times, struct mpg_error *err);
bool mpg_times_has_trail(const struct mpg_times *times);
/* NULL: nobody asked. */
const struct mpg_tally *mpg_times_tallied(const struct mpg_times *times);
/* Has PATH, which outlives it, record what the values of the one lane come from; nothing is chosen, no collective
 * expanded, and the graph's options have `regions`. Before the first step, which mpg_times_step_recorded() evaluates, as all
 * others. Error: out of memory. */
int mpg_times_use_path(struct mpg_times *times, struct mpg_path *path, struct mpg_error *err);
int mpg_times_step_recorded(struct mpg_times *times, const struct mpg_step *step, uint32_t slots,
                            struct mpg_error *err);
/* After the last one: the run that is longest is where the path ends; the one in use, or NULL. */
void mpg_times_end_path(const struct mpg_times *times);
const struct mpg_path *mpg_times_path(const struct mpg_times *times);
/* Evaluates one step of a graph that has SLOTS slots so far. */
int mpg_times_step(struct mpg_times *times, const struct mpg_step *step, uint32_t slots,
                   struct mpg_error *err);
/* The times of STREAM's last node, one a lane; valid from its first step on. */
const double *mpg_times_value(const struct mpg_times *times, uint32_t stream);
/* Those who evaluate steps in an order of their own (simulate/events/): what a slot, or a stream, holds, to be read
 * and written, of the first lane. */
enum mpg_slot_part { MPG_SLOT_TIME, MPG_SLOT_ENVELOPE, MPG_SLOT_MET, MPG_SLOT_BEGIN };
double *mpg_times_slot(struct mpg_times *times, uint32_t slot, enum mpg_slot_part part);
double *mpg_times_stream(struct mpg_times *times, uint32_t stream);
/* Of the call that was left last: when it had ended, had it waited for nobody. */
double mpg_times_own(const struct mpg_times *times);
/* Room for these: 0, or -1 when out of memory. */
int mpg_times_reserve(struct mpg_times *times, uint32_t streams, uint32_t slots, struct mpg_error *err);
/* RANK's run, one a lane, and what it took in the trace, ns; valid once its FINISH step is done. */
const double *mpg_times_run(const struct mpg_times *times, int32_t rank);
int64_t mpg_times_traced(const struct mpg_times *times, int32_t rank);

/* RANK's account: all lanes of each term, in the order of struct mpg_run_account. */
const double *mpg_times_account(const struct mpg_times *times, int32_t rank);
void mpg_times_free(struct mpg_times *times); /* NULL is allowed */

#endif
