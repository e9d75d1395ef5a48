/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluating a graph's steps in many worlds at once.
 *
 * Every value is a vector of lanes, one double a replica: in perturb mode the node's delay in ns (docs/MODEL.md, 4), in predict
 * mode its time in ns, MPI_Init's leave being 0 on every rank (5). One lane never looks at another, so lane w's result does
 * not depend on how many there are. */
#ifndef MPG_EVALUATOR_H
#define MPG_EVALUATOR_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/choice.h"
#include "simulate/choice/observer.h"
#include "simulate/evaluate/classes.h"
#include "simulate/evaluate/floors.h"
#include "simulate/evaluate/target.h"
#include "simulate/models/paths.h"
#include "simulate/attribution/critical.h"
#include "simulate/attribution/tally.h"

/* What absorbs delays. */
enum mpg_absorb { MPG_ABSORB_NONE, MPG_ABSORB_WAIT, MPG_ABSORB_CLOCK };

/* What becomes of loops that ask again and again whether something has happened. */
enum mpg_polling { MPG_POLLING_WAIT, MPG_POLLING_WORK };

/* How times are evaluated. */
struct mpg_times_options {
    int64_t eager_limit_bytes;   /* the target's, as the graph has it */
    enum mpg_polling polling;
    int64_t polling_interval_ns; /* longer intervals are work */
};

struct mpg_evaluator;

/* --- perturb mode --- */

/* LANES >= 1 worlds of RANKS ranks, replicas FIRST .. FIRST + LANES - 1, in all that follows. COMPARABLE: the ranks' clocks are.
 * FLOORS may be NULL with MPG_ABSORB_NONE if nothing can become faster. CLASSES say what noise took from the traced intervals;
 * NULL: what a stretch of the source's record lost is taken. What is passed outlives the evaluator. Error: out of memory. */
struct mpg_evaluator *mpg_delays_new(int32_t ranks, uint32_t lanes, uint32_t first, enum mpg_absorb absorb, bool comparable,
                                     const struct mpg_perturbation *p, struct mpg_floors *floors,
                                     const struct mpg_classes *classes, struct mpg_error *err);
/* Says that messages take paths by their ranks; P's are those of the farthest. PATHS outlives the evaluator. */
void mpg_delays_use_paths(struct mpg_evaluator *evaluator, const struct mpg_paths *paths);
/* Says that intervals that poll (docs/MODEL.md, section 5), up to POLLING_NS long, are waiting: nothing is put into them, and
 * with a test that is not made goes the one before it. Else, and with -1, they are work. Before mpg_evaluator_use_choice(). */
void mpg_delays_use_polling(struct mpg_evaluator *evaluator, int64_t polling_ns);
/* What a lane takes, bytes, with so many SLOTS of values; what it may choose, and what expanded collectives take, is beside
 * that. */
double mpg_delays_bytes(uint32_t slots, int32_t ranks);

/* --- predict mode --- */

/* The same of times on TARGET. */
struct mpg_evaluator *mpg_times_new(int32_t ranks, uint32_t lanes, uint32_t first, const struct mpg_target *target,
                                    const struct mpg_times_options *options, struct mpg_floors *floors,
                                    const struct mpg_classes *classes, struct mpg_error *err);
double mpg_times_bytes(uint32_t slots, int32_t ranks);
/* Has PATH, which outlives it, record what the values of the one lane come from; the graph's options have `regions`. Before the
 * first step. Error: out of memory. */
int mpg_times_use_path(struct mpg_evaluator *evaluator, struct mpg_critical *path, struct mpg_error *err);
/* After the last one: the run that is longest is where PATH ends. */
void mpg_times_end_path(const struct mpg_evaluator *evaluator, struct mpg_critical *path);
/* Those who evaluate steps in an order of their own (simulate/events/): evaluates STEP of a graph that has SLOTS slots so far;
 * what a slot, or a stream, holds, to be read and written, of the first lane. */
enum mpg_slot_part { MPG_SLOT_TIME, MPG_SLOT_ENVELOPE, MPG_SLOT_MET, MPG_SLOT_BEGIN };
int mpg_times_step(struct mpg_evaluator *evaluator, const struct mpg_step *step, uint32_t slots, struct mpg_error *err);
double *mpg_times_slot(struct mpg_evaluator *evaluator, uint32_t slot, enum mpg_slot_part part);
double *mpg_times_stream(struct mpg_evaluator *evaluator, uint32_t stream);
/* Of the call that was left last: when it had ended, had it waited for nobody. */
double mpg_times_own(const struct mpg_evaluator *evaluator);
/* Room for STREAMS and SLOTS: 0, or -1 when out of memory. */
int mpg_evaluator_reserve(struct mpg_evaluator *evaluator, uint32_t streams, uint32_t slots, struct mpg_error *err);

/* --- both --- */

void mpg_evaluator_free(struct mpg_evaluator *evaluator); /* NULL is allowed */
/* Lets calls complete something else than in the trace, where the graph's steps have candidates (docs/MODEL.md, section 6), but
 * for lanes that KEEPS (may be NULL; copied) says. WATCH (may be NULL) sees what the first lane does. Error: out of memory. */
int mpg_evaluator_use_choice(struct mpg_evaluator *evaluator, const bool *keeps, const struct mpg_observer *observer,
                             struct mpg_error *err);
/* What was chosen; NULL: nothing can be. */
const struct mpg_choosing *mpg_evaluator_choice(const struct mpg_evaluator *evaluator);
/* Which lanes would have had to keep the traced order, one a lane; NULL: none. */
const bool *mpg_evaluator_broken(const struct mpg_evaluator *evaluator);
/* Has the account told by places (simulate/attribution/tally.h), terms as in the mode's account but for what is left, or the
 * run, and
 * by PAIRS of ranks; the graph's options have `regions`. Before the first step. Error: out of memory. */
int mpg_evaluator_use_tally(struct mpg_evaluator *evaluator, bool pairs, struct mpg_error *err);
/* NULL: nobody asked. */
const struct mpg_tally *mpg_evaluator_tallied(const struct mpg_evaluator *evaluator);
/* Has the tally told what the paths of all lanes have where (simulate/attribution/provenance.h), too; the graph's options have
 * `reports_unused`. After mpg_evaluator_use_tally(), before mpg_evaluator_use_choice(). Error: out of memory. */
int mpg_evaluator_use_recorder(struct mpg_evaluator *evaluator, struct mpg_error *err);
/* Which steps of a graph are to be evaluated, and these. */
enum mpg_steps_wanted mpg_evaluator_wants(const struct mpg_evaluator *evaluator);
int mpg_evaluator_take(struct mpg_evaluator *evaluator, const struct mpg_steps *steps, struct mpg_error *err);
/* After the last step. Errors: out of memory, a path that does not come to its delay or run, what was chosen and not said. */
int mpg_evaluator_finish(const struct mpg_evaluator *evaluator, struct mpg_error *err);
/* The values of STREAM's last node, one a lane; valid from its first step on. */
const double *mpg_evaluator_value(const struct mpg_evaluator *evaluator, uint32_t stream);
/* Those of RANK's last node, and its traced run time, ns; valid once its FINISH step is done. */
const double *mpg_evaluator_end(const struct mpg_evaluator *evaluator, int32_t rank);
int64_t mpg_evaluator_traced(const struct mpg_evaluator *evaluator, int32_t rank);

/* How a rank's delay came about, ns (docs/MODEL.md, 8):
 *
 *     compute + call + message + collective + taken - waited - hidden = left
 *
 * but for rounding, in every lane. What is not negative in it is so however negative
 * the perturbations are. */
struct mpg_delay_account {
    double compute_ns;    /* put into its compute intervals */
    double call_ns;       /* kappa and overheads put into its calls (not into rounds of
                             collectives) */
    double message_ns;    /* put into messages that it received, acknowledgements and
                             one-sided transfers that it waited for */
    double collective_ns; /* put into collectives that it waited for */
    double taken_ns;      /* >= 0: delay of other ranks, taken over by waiting for them */
    double waited_ns;     /* >= 0: absorbed by slack, waiting that there was already */
    double hidden_ns;     /* >= 0: absorbed behind something that was later anyway */
    double left_ns;       /* the delay at its end */
};

/* What a rank's run consists of on the target, ns: of its first thread (docs/MODEL.md, 5, The answer). */
struct mpg_run_account {
    double compute_ns;    /* its work */
    double noise_ns;      /* what the target's noise adds, and the source's no longer does */
    double call_ns;       /* what its calls cost, had they waited for nobody */
    double message_ns;    /* waiting for messages beyond that */
    double collective_ns; /* and for collectives */
    double thread_ns;     /* waiting for other threads at its end */
    double run_ns;        /* the sum of all these */
    double polled_ns;     /* beside that: traced time of intervals that only asked once more */
};

/* Accounts have so many terms, in the order of their structs. */
enum { MPG_ACCOUNT_TERMS = 8 };

/* RANK's: all lanes of each term, in that order; valid once its FINISH step is done. */
const double *mpg_evaluator_account(const struct mpg_evaluator *evaluator, int32_t rank);

#endif
