/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluation of a graph's steps in many replicas at once.
 *
 * Every value is a vector with one double for each replica (lane): in perturb mode the node's delay in ns (docs/MODEL.md,
 * section 4), in predict mode the node's time in ns after MPI_Init (section 5). No lane reads another lane: the result of a
 * replica does not depend on the number of replicas. */
#ifndef MPG_EVALUATOR_H
#define MPG_EVALUATOR_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/algorithms/expand.h"
#include "simulate/choice/choice.h"
#include "simulate/choice/observer.h"
#include "simulate/evaluate/prepass/classes.h"
#include "simulate/evaluate/prepass/floors.h"
#include "simulate/evaluate/target.h"
#include "simulate/models/paths.h"
#include "simulate/attribution/critical.h"
#include "simulate/attribution/tally.h"

/* Which slack absorbs delays (--absorb; docs/MODEL.md, section 4). */
enum mpg_absorb { MPG_ABSORB_NONE, MPG_ABSORB_WAIT, MPG_ABSORB_CLOCK };

/* Treatment of loops that poll for an event: as waiting, or as work. */
enum mpg_polling { MPG_POLLING_WAIT, MPG_POLLING_WORK };

/* Options of predict mode. */
struct mpg_times_options {
    int64_t eager_limit_bytes;   /* the target's eager limit, as in the graph */
    enum mpg_polling polling;
    int64_t polling_interval_ns; /* polling intervals longer than this count as work */
};

struct mpg_evaluator;
struct mpg_capacities;
struct mpg_shared_messages;

/* --- perturb mode --- */

/* Returns an evaluator of delays for replicas FIRST .. FIRST + LANES - 1 (LANES >= 1) of RANKS ranks. COMPARABLE: the clocks
 * of the ranks are comparable. FLOORS: minimum times; may be NULL with MPG_ABSORB_NONE if no perturbation is negative. CLASSES
 * give the time lost to interruptions in traced intervals; NULL: this time comes from the source's noise record. All arguments
 * outlive the evaluator. NULL with ERR: out of memory. */
struct mpg_evaluator *mpg_delays_new(int32_t ranks, uint32_t lanes, uint32_t first, enum mpg_absorb absorb, bool comparable,
                                     const struct mpg_perturbation *p, struct mpg_floors *floors,
                                     const struct mpg_classes *classes, struct mpg_error *err);
/* Selects the path class of each message by the ranks. The perturbation given to mpg_delays_new() must have the path class of
 * the most distant ranks. PATHS outlives the evaluator. */
void mpg_delays_use_paths(struct mpg_evaluator *evaluator, const struct mpg_paths *paths);
/* Treats polling intervals up to POLLING_NS (docs/MODEL.md, section 5) as waiting: not perturbed, and left out if a replica
 * does not make the following test. Longer intervals, and with -1 all intervals, are work. Call before
 * mpg_evaluator_use_choice(). */
void mpg_delays_use_polling(struct mpg_evaluator *evaluator, int64_t polling_ns);
/* Returns the memory of one lane with SLOTS slots, bytes; without choices and expanded collectives. */
double mpg_delays_bytes(uint32_t slots, int32_t ranks);

/* --- predict mode --- */

/* Returns an evaluator of times on TARGET; otherwise as mpg_delays_new(). */
struct mpg_evaluator *mpg_times_new(int32_t ranks, uint32_t lanes, uint32_t first, const struct mpg_target *target,
                                    const struct mpg_times_options *options, struct mpg_floors *floors,
                                    const struct mpg_classes *classes, struct mpg_error *err);
double mpg_times_bytes(uint32_t slots, int32_t ranks);
/* Records the provenance of all values of the only lane in PATH, which outlives the evaluator. The graph must be opened with
 * `regions`. Call before the first step. Error: out of memory. */
int mpg_times_use_path(struct mpg_evaluator *evaluator, struct mpg_critical *path, struct mpg_error *err);
/* To be called after the last step: sets the end of PATH to the end of the rank that ends last. */
void mpg_times_end_path(const struct mpg_evaluator *evaluator, struct mpg_critical *path);
/* For evaluation in the order of simulated time (simulate/events/). mpg_times_step() evaluates STEP of a graph with SLOTS
 * slots so far. mpg_times_slot() and mpg_times_stream() return the address of a value of a slot or a stream in the first lane,
 * to read and write. mpg_times_expanding_costs() returns the costs of messages in the collective of EXPAND step STEP, for all
 * lanes; X belongs to these costs. */
struct mpg_times_expanding {
    const struct mpg_evaluator *t;
    const struct mpg_expanding *c;
    double scale, byte_scale; /* factor s of message costs; of those that depend on the bytes: tau, W and gap */
};
enum mpg_slot_part { MPG_SLOT_TIME, MPG_SLOT_ENVELOPE, MPG_SLOT_MET, MPG_SLOT_BEGIN };
int mpg_times_step(struct mpg_evaluator *evaluator, const struct mpg_step *step, uint32_t slots, struct mpg_error *err);
double *mpg_times_slot(struct mpg_evaluator *evaluator, uint32_t slot, enum mpg_slot_part part);
/* Whether synchronous sends end with an acknowledgement, with --latency as the latency of each of the two messages; and whether
 * synchronous messages of BYTES are above the eager limit. */
bool mpg_times_is_answered(const struct mpg_evaluator *evaluator);
bool mpg_times_is_large(const struct mpg_evaluator *evaluator, double bytes);
struct mpg_message_costs mpg_times_expanding_costs(struct mpg_times_expanding *x, const struct mpg_evaluator *evaluator,
                                                   const struct mpg_step *step);
double *mpg_times_stream(struct mpg_evaluator *evaluator, uint32_t stream);
/* Returns the slot with the time from which the receiver progresses the message of STEP, a SYNCHRONOUS step (docs/MODEL.md,
 * section 5, Progress). */
uint32_t mpg_times_progress_slot(const struct mpg_evaluator *evaluator, const struct mpg_step *step);
/* Returns the time at which the last call would have ended without waiting, in the first lane, ns. */
double mpg_times_own(const struct mpg_evaluator *evaluator);
/* Returns the time of the bytes of the last message sent, in the first lane, ns. */
double mpg_times_tau(const struct mpg_evaluator *evaluator);
/* Reserves memory for STREAMS streams and SLOTS slots. Returns 0, or -1 with ERR: out of memory. */
int mpg_evaluator_reserve(struct mpg_evaluator *evaluator, uint32_t streams, uint32_t slots, struct mpg_error *err);

/* --- both modes --- */

void mpg_evaluator_free(struct mpg_evaluator *evaluator); /* NULL is allowed */
/* Lets calls complete messages in a different order than in the trace, where the graph's steps have candidates (docs/MODEL.md,
 * section 6), except in lanes with KEEPS (copied; may be NULL). OBSERVER (may be NULL) observes the first lane. Error: out of
 * memory. */
int mpg_evaluator_use_choice(struct mpg_evaluator *evaluator, const bool *keeps, const struct mpg_observer *observer,
                             struct mpg_error *err);
/* Returns the choices; NULL: calls complete as in the trace. */
const struct mpg_choosing *mpg_evaluator_choice(const struct mpg_evaluator *evaluator);
/* Returns by lane whether the lane's choices contradict each other, in which case the replica must be evaluated in the traced
 * order; NULL: no lane has contradictions. */
const bool *mpg_evaluator_broken(const struct mpg_evaluator *evaluator);
/* Attributes the account to places (simulate/attribution/tally.h): all terms except the total (left_ns, run_ns). PAIRS: also
 * by pairs of ranks. The graph must be opened with `regions`. Call before the first step. Error: out of memory. */
int mpg_evaluator_use_tally(struct mpg_evaluator *evaluator, bool pairs, struct mpg_error *err);
/* Returns the tally of places; NULL: accounts are not attributed to places. */
const struct mpg_tally *mpg_evaluator_tallied(const struct mpg_evaluator *evaluator);
/* Adds the critical paths of all lanes to the attribution (simulate/attribution/provenance.h). The graph must be opened with
 * `reports_unused`. Call after mpg_evaluator_use_tally() and before mpg_evaluator_use_choice(). Error: out of memory. */
int mpg_evaluator_use_recorder(struct mpg_evaluator *evaluator, struct mpg_error *err);
/* mpg_evaluator_wants() returns the kinds of steps needed by the evaluator. mpg_evaluator_take() evaluates STEPS. */
enum mpg_steps_wanted mpg_evaluator_wants(const struct mpg_evaluator *evaluator);
int mpg_evaluator_take(struct mpg_evaluator *evaluator, const struct mpg_steps *steps, struct mpg_error *err);
/* Returns whether evaluating steps takes longer than handing them to another thread. */
bool mpg_evaluator_is_costly(const struct mpg_evaluator *evaluator);
/* Ends the evaluation after the last step. Errors: out of memory; a critical path whose sum is not the delay or run time; a
 * choice that was made and not reported. */
int mpg_evaluator_finish(const struct mpg_evaluator *evaluator, struct mpg_error *err);
/* Returns the values of STREAM's last node, one for each lane; valid from the stream's first step on. */
const double *mpg_evaluator_value(const struct mpg_evaluator *evaluator, uint32_t stream);
/* mpg_evaluator_end() returns the values of RANK's last node; mpg_evaluator_traced() the rank's traced run time, ns. Valid after
 * the FINISH step. */
const double *mpg_evaluator_end(const struct mpg_evaluator *evaluator, int32_t rank);
int64_t mpg_evaluator_traced(const struct mpg_evaluator *evaluator, int32_t rank);

/* Evaluators of the parts of a divided graph (graph/parts/parts.h), each of which evaluates the steps of some ranks.
 * mpg_evaluator_is_divisible() returns whether EVALUATOR can be one of these: it has no choices and no attribution.
 * mpg_evaluator_exchange_at() lets EVALUATOR write and read its values of slots at byte AT, a multiple of 8, of exchanged values,
 * and returns the number of bytes. mpg_evaluator_own_ranks(), to be called before the first step: EVALUATOR evaluates ranks FIRST
 * to END - 1; results of other ranks come from NEXT, the evaluator of another part, and the evaluators after it. NEXT outlives
 * the use of these results. mpg_evaluator_has() returns whether one of these evaluators has the results of RANK: those of other
 * processes have their own. */
bool mpg_evaluator_is_divisible(const struct mpg_evaluator *evaluator);
size_t mpg_evaluator_exchange_at(struct mpg_evaluator *evaluator, size_t at);
void mpg_evaluator_own_ranks(struct mpg_evaluator *evaluator, int32_t first, int32_t end, const struct mpg_evaluator *next);
bool mpg_evaluator_has(const struct mpg_evaluator *evaluator, int32_t rank);

/* Delay budget of a rank, ns (docs/MODEL.md, 8):
 *
 *     compute + call + message + collective + taken - waited - hidden = left
 *
 * in every lane, but for rounding. The bounds below also hold for negative perturbations. */
struct mpg_delay_account {
    double compute_ns;    /* delay injected into compute intervals */
    double call_ns;       /* delay injected into calls: kappa and overheads, except in rounds of collectives */
    /* delay injected into received messages, acknowledgements and one-sided transfers for which the rank waited */
    double message_ns;
    double collective_ns; /* delay injected into collectives for which the rank waited */
    double taken_ns;      /* >= 0: delay taken over from other ranks by waiting for them */
    double waited_ns;     /* >= 0: absorbed by slack: time spent waiting in the trace */
    double hidden_ns;     /* >= 0: absorbed because a later event ended the wait */
    double left_ns;       /* net delay at the end */
};

/* Components of a rank's run time on the target, ns, in its first thread (docs/MODEL.md, section 5, The answer). */
struct mpg_run_account {
    double compute_ns;    /* work in compute intervals */
    double noise_ns;      /* noise of the target minus the noise of the source, which is removed */
    double call_ns;       /* time in calls without waiting */
    double message_ns;    /* waiting for messages */
    double collective_ns; /* waiting for collectives */
    double thread_ns;     /* waiting for the rank's other threads at the end */
    double run_ns;        /* run time: the sum of the terms above */
    double polled_ns;     /* not in the sum: traced time of polling intervals */
};

/* Number of terms of an account, in the order of the struct. */
enum { MPG_ACCOUNT_TERMS = 8 };

/* Returns RANK's account: [term][lane]; valid after the FINISH step. */
const double *mpg_evaluator_account(const struct mpg_evaluator *evaluator, int32_t rank);
/* Returns the noise in the compute intervals of RANK so far, in the first lane, ns; in perturb mode all delays injected into
 * these intervals. Not with a tally. */
double mpg_evaluator_noise(const struct mpg_evaluator *evaluator, int32_t rank);

#endif
