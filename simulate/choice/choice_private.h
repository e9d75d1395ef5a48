/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that complete different messages than in the trace, because arrival times differ (docs/MODEL.md, section 6): interface
 * between choices and evaluators. The evaluator stores arrival times, and asks which messages a call completes. Private to
 * simulate/choice/ and simulate/evaluate/.
 *
 * A lane is a replica among several evaluated together. A slot holds a value of the graph in all lanes (graph.h). A view is a
 * slot with the arrival of the message of a receive request, which a lane may exchange with another view: if a lane completes
 * another message than the trace does, the two requests have exchanged messages from then on. A candidate is a message that a
 * call can complete. A channel is a source, communicator and tag. */
#ifndef MPG_CHOICE_PRIVATE_H
#define MPG_CHOICE_PRIVATE_H

#include <math.h>

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/choice.h"
#include "simulate/choice/earliest.h"
#include "simulate/choice/long_list.h"
#include "simulate/choice/unexpected.h"
#include "simulate/choice/observer.h"

/* The position of a message in the order of its channel (source, communicator, tag). Messages of a channel have ascending
 * ids. */
struct mpg_sequence {
    int32_t source, comm, tag;
    uint64_t id;
    bool is_eager; /* the message is eager on the traced and on the target machine */
};

/* The message that a view, the slot of a receive request, has in one lane: the traced one, or one that it exchanged. */
struct mpg_view {
    uint64_t serial; /* the message's id; 0: the traced message; cause_ns and sequence are then unset */
    double cause_ns; /* time of the send; for a synchronous message the earliest start time */
    struct mpg_sequence sequence;
    bool done;       /* the request was completed early, by a call that did not complete the request in the trace */
    bool is_new;     /* completed early by the current call */
    bool fixed;      /* the message must stay in the view: exchanged, done, or found by a probe */
    bool answered;   /* since the exchange the rank has sent to the message's source, perhaps an answer to the message */
};

/* Origin of a time: the arrival in SLOT, or with EARLY the earliest start time of the message in SLOT. VALUE: the time's
 * value in the lane. */
struct mpg_arrival_origin {
    uint32_t slot;
    bool early;
    double value;
};

/* A candidate of a call. Fields up to `completed` are equal for all lanes; the fields from at_ns on belong to the current
 * lane. Times are absolute, ns; a time is the sum of a vector's value and the base stored beside the vector. T is a time
 * in the lane, t in the trace, A the node of the arrival. */
struct mpg_pick {
    uint32_t slot;
    struct mpg_sequence own; /* position of the message that the candidate's request receives in the trace */
    const double *value;   /* by lane: T(A), the arrival in the lane, minus base_ns */
    double base_ns;
    const double *cause;   /* by lane: time of the send (synchronous message: earliest start of the transfer) - cause_ns; only for
                              a candidate whose message is not exchanged */
    double cause_ns;
    double bound_ns;       /* lower bound of arrival - base_ns, known from the trace's MPI_ANY_SOURCE receives */
    /* lower bound of arrival - base_ns for the candidate's traced message, also known from the completions of this call
     * in the trace */
    double raised_ns;
    double traced_ns;      /* t(A), the arrival in the trace */
    bool completed;        /* the traced call completes the candidate */
    double at_ns;          /* T(A), but at least the time of the send */
    struct mpg_arrival_origin came;  /* which value at_ns comes from */
    double start_ns;       /* earliest start of the candidate's message, ns */
    struct mpg_sequence sequence;  /* position of the candidate's message in the lane */
    /* messages of a channel arrive in order: among the preceding candidates on the channel, the candidate with the latest
     * arrival; NULL: none */
    const struct mpg_pick *before;
    bool done, taken;
};

/* The fields of a candidate for the search for the earliest candidate (complete.c), stored together for speed. */
struct mpg_candidate_key {
    const double *value, *cause; /* value and cause as in struct mpg_pick */
    double base_ns, raised_ns, cause_ns;
    uint32_t slot;
    uint32_t in_order; /* index of this candidate when candidates are sorted by channel */
};

/* Functions and data of the evaluator. CONTEXT is the first argument of all functions. */
struct mpg_arrivals {
    void *context;
    bool is_bounded; /* arrival times have the lower bounds implied by the traced calls: a message left by a call arrived
                        after the messages taken by the call (MODEL, section 6, Where messages arrive). Perturb mode only:
                        a prediction need not reproduce traced times */
    /* Sets value, base_ns, cause, cause_ns and traced_ns of PICK[BEGIN] .. PICK[END - 1], candidates of S. */
    void (*place)(void *context, const struct mpg_step *s, uint32_t begin, uint32_t end, struct mpg_pick *pick);
    /* Sets the vectors of a candidate in SLOT, as in struct mpg_pick. */
    void (*find_vectors)(void *context, uint32_t slot, const double **value, const double **cause);
    /* Sets the view at SLOT in lane W to the arrival TAKEN plus SHIFT_NS. VALUE: the arrival's value, or the value of the
     * earliest start time if later. */
    void (*assign)(void *context, uint32_t slot, uint32_t w, const struct mpg_pending *taken, double shift_ns, double value);
    /* Exchanges in lane W the arrivals P and Q: the view of P then arrives at at_ns of Q, and the view of Q at at_ns of P. */
    void (*exchange)(void *context, const struct mpg_pick *p, const struct mpg_pick *q, uint32_t w);
    /* Applies all changes by assign() and exchange() since the last call at once. Returns 0, or -1 with ERR. */
    int (*settle)(void *context, struct mpg_error *err);
    /* Sets for each lane the minimum transfer time, in ns, of SENT, a message sent by S. */
    void (*transmit)(void *context, const struct mpg_step *s, const struct mpg_sent *sent, double *ns);
    const struct mpg_observer *observer; /* notified of deviations and steps of the first lane; NULL: none */
};

/* A slot with a view of RANK, not yet completed in the trace, whose message differs from the traced message in some lane. */
struct mpg_moved {
    bool is_moved;
    int32_t rank;
    uint32_t next, before; /* links of the rank's list: slots + 1; 0: none */
};

/* Conclusions from a call about arrivals in the trace: messages that the call could have completed, but did not complete,
 * had not arrived (docs/MODEL.md, section 6, Where messages arrive). */
struct mpg_lateness {
    uint32_t end;    /* candidates with a lower index, not completed in the trace, had not arrived before after_ns */
    /* if less than the number of candidates: only the candidate with this index is known not to have arrived */
    uint32_t one;
    double after_ns; /* earliest possible arrival of the candidates that had not arrived, ns */
    double together_ns; /* the completed candidates arrive at this time or later, ns; -INFINITY: unknown */
};

struct mpg_choosing {
    uint32_t n;
    struct mpg_arrivals arrivals;
    bool *keeps, *broken; /* by lane: the lane makes the traced choices; the lane is void */
    bool *skips;       /* by lane: the current call is not made */
    bool early; /* in some lane the current call completes more than in the trace: a candidate has `done` and `is_new` */
    bool *others;         /* by lane: the current call completes or finds another message than in the trace */
    bool lacks_override;  /* the first lane must follow overrides, and no override describes the current call */
    bool refused;         /* an earlier call had no override */
    struct mpg_error refusal; /* error message for the first call without override */
    double *flight_ns;    /* by lane: minimum transfer time of a message sent by the current call */
    struct mpg_choices counts;
    struct mpg_view *view; /* [slot][lane]: the message in the slot in the lane */
    uint64_t *view_serial; /* by slot: id of the traced message of the slot's view */
    uint64_t *altered;     /* by slot, a bit for each lane: the view has another message than in the trace, or is done */
    struct mpg_unexpected unexpected;
    uint32_t numbers;     /* the next number for a pending message */
    struct mpg_decision decision; /* the decision of the current call and lane */
    /* (rank, communicator; source, tag) of an Iprobe -> by lane, id of the message found in the lane; 0: none */
    struct mpg_map probed;
    /* (rank, partition; request) of a Parrived -> by lane, whether the lane has found the partition arrived */
    struct mpg_map arrived;
    struct mpg_pick *pick, **order; /* candidates of the current call; both have pick_capacity elements */
    struct mpg_candidate_key *candidate_key; /* [pick_capacity]: the key of each candidate */
    double *at_ns;                  /* [pick_capacity]: T(A) of each candidate in the current lane */
    struct mpg_long_lists lists;    /* long lists of candidates (long_list.h) */
    struct mpg_moved *moved; /* by slot: list entry of the view in the slot */
    uint32_t *first_moved;   /* by rank: 1 + first slot in the rank's list of moved slots; 0: none */
    uint64_t done_count;  /* number of `done` views, over all lanes */
    uint32_t view_capacity, serial_capacity, altered_capacity, pick_capacity, moved_capacity, first_capacity;
};

/* Returns a new state for LANES lanes. KEEPS (copied; NULL: none): for each lane, whether the lane makes the traced
 * choices. ARRIVALS (copied): functions of the evaluator. NULL: no memory, with ERR. */
struct mpg_choosing *mpg_choosing_new(uint32_t lanes, const bool *keeps,
                                  const struct mpg_arrivals *arrivals, struct mpg_error *err);
/* Processes S, of kind EAGER. The message arrives in lane w at BASE_NS + VALUE[w], without the delay injected into the
 * message at BASE_NS + PROPAGATED[w]; the send is at CAUSE_NS + CAUSE[w]. Returns 0, or -1 with ERR: no memory. */
int mpg_choosing_sent(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                      const double *value, const double *propagated, double cause_ns,
                      const double *cause, struct mpg_error *err);
/* Processes S, of kind VIEW: in all lanes the slot of S gets the message received by the request in the trace. Returns 0,
 * or -1 with ERR: no memory. */
int mpg_choosing_view(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* To be called before S is evaluated, a LEAVE of a call that lane w enters at BASE_NS + VALUE[w]: exchanges arrivals in
 * lanes with different completions, and sets `skips` in lanes that do not make the call. Returns 0, or -1 with ERR. */
int mpg_choosing_make(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                    const double *value, struct mpg_error *err);
/* To be called after S, a LEAVE, is evaluated: the views completed by the call in the trace are no longer candidates. */
void mpg_choosing_end_views(struct mpg_choosing *c, const struct mpg_step *s);
void mpg_choosing_free(struct mpg_choosing *c); /* NULL is allowed */

/* A pending message may be taken by MPI_ANY_SOURCE receives; the arrival is kept outside slots until all lanes have taken
 * the message. mpg_choosing_kept() returns the number of the pending message ID. mpg_choosing_mark_kept() calls MARK for
 * each pending message and each lane W that has not taken the message; PROPAGATED: the arrival without the injected delay
 * is needed, too (always true). */
uint32_t mpg_choosing_kept(const struct mpg_choosing *c, uint64_t id);
void mpg_choosing_mark_kept(const struct mpg_choosing *c,
                            void (*mark)(void *context, uint32_t number, uint32_t w, bool propagated),
                            void *context);
/* Returns the sender of the message in view SLOT in lane W, if different from the traced message; else SOURCE. */
int32_t mpg_choosing_source(const struct mpg_choosing *c, uint32_t slot, uint32_t w, int32_t source);

/* Returns whether in lane W the message of the view SLOT was completed by a call that did not complete the message in the
 * trace. */
static inline bool mpg_choosing_is_done(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return c->done_count > 0 && c->view[(size_t)slot * c->n + w].done;
}

/* Returns the time, ns, before which a wait for the message of the view SLOT cannot end in lane W: the earliest start time of
 * a message put there by an exchange or another receive; else -INFINITY. */
static inline double mpg_choosing_start_ns(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    const struct mpg_view *v = &c->view[(size_t)slot * c->n + w];
    return v->serial ? v->cause_ns : -INFINITY;
}

/* Returns whether the current call completes the message of the view SLOT in lane W, although the trace completes the
 * message in a later call. */
static inline bool mpg_choosing_is_new(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return c->early && c->view[(size_t)slot * c->n + w].is_new;
}

static inline struct mpg_view *mpg_choosing_view_of(const struct mpg_choosing *c, uint32_t slot,
                                                    uint32_t w)
{
    return &c->view[(size_t)slot * c->n + w];
}

/* ---- for the files of simulate/choice/ only ---- */

static inline uint32_t mpg_choosing_words(const struct mpg_choosing *c)
{
    return (c->n + 63) / 64;
}

/* Marks the view at SLOT of lane W as different from the trace. */
static inline void mpg_choosing_alter(struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    c->altered[(size_t)slot * mpg_choosing_words(c) + w / 64] |= (uint64_t)1 << w % 64;
    mpg_long_lists_change(&c->lists, slot, w);
}

static inline bool mpg_choosing_is_altered(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return c->altered[(size_t)slot * mpg_choosing_words(c) + w / 64] >> w % 64 & 1;
}

/* choice.c: EARLY has the results, in each lane, of tests unsuccessful in the trace, until the test succeeds in the
 * trace, too. Returns the results for test KEY, by lane; NULL: no lane has a result. */
uint64_t *mpg_choosing_find_early(const struct mpg_map *early, const uint64_t key[2]);
/* Adds test KEY with result 0 in N lanes. Returns the results, which EARLY owns. NULL: out of memory, with ERR. */
uint64_t *mpg_choosing_add_early(struct mpg_map *early, const uint64_t key[2], uint32_t n, struct mpg_error *err);
void mpg_choosing_clear_early(struct mpg_map *early);
/* Exchanges in lane W the messages of P and Q, including at_ns, start_ns and `done`. */
void mpg_choosing_exchange(struct mpg_choosing *c, struct mpg_pick *p, struct mpg_pick *q, uint32_t w);
/* mpg_choosing_note_moved() adds SLOT, with a view of RANK, to the moved slots (struct mpg_moved); returns 0, or -1 with
 * ERR: no memory. mpg_choosing_forget_moved() removes SLOT from the moved slots, if listed. */
int mpg_choosing_note_moved(struct mpg_choosing *c, int32_t rank, uint32_t slot, struct mpg_error *err);
void mpg_choosing_forget_moved(struct mpg_choosing *c, uint32_t slot);
/* notify.c: functions that notify the observer; all return 0, or -1 with the observer's ERR. mpg_choosing_note() notifies
 * of OVERRIDE in lane W. */
int mpg_choosing_note(const struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                      const struct mpg_match_override *override, struct mpg_error *err);
/* Notifies that S completes the I-th candidate in lane W; call before marking the candidate as done. */
int mpg_choosing_note_early(struct mpg_choosing *c, const struct mpg_step *s, uint32_t i, uint32_t w,
                            struct mpg_error *err);
/* Notifies of the messages taken in the first lane by the MPI_ANY_SOURCE receives completed by S. */
int mpg_choosing_note_arrivals(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* Notifies if the first lane skips S. If S is the first call whose deviation from the trace no override can describe, records
 * an error for mpg_choosing_refusal(). The error is not returned at once, because later calls can show that the lane is void
 * and must be evaluated again. */
int mpg_choosing_note_rest(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* Notifies of the message received in the first lane by each edge of S with a view. */
int mpg_choosing_notify_arrivals(const struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* complete.c: to be called before S, a LEAVE of a call that lane w enters at BASE_NS + VALUE[w]: chooses and completes
 * candidates. Returns 0, or -1 with ERR. */
int mpg_choosing_complete(struct mpg_choosing *c, const struct mpg_step *s, double base_ns, const double *value,
                          struct mpg_error *err);
/* Fills pick[BEGIN] .. pick[END - 1], candidates of S: the fields that are equal for all lanes, except raised_ns. */
void mpg_choosing_describe(struct mpg_choosing *c, const struct mpg_step *s, uint32_t begin, uint32_t end);
/* Sets the fields of the I-th candidate for lane W. at_ns does not yet consider the order of messages on a channel. */
void mpg_choosing_fill(struct mpg_choosing *c, uint32_t i, uint32_t w);
/* Compares source, communicator and tag of A and B: < 0, 0, > 0. */
int mpg_choosing_compare_channels(const struct mpg_sequence *a, const struct mpg_sequence *b);
/* Sets `skips` for S in lanes in which earlier tests have already completed all messages that S completes. */
void mpg_choosing_skip_done(struct mpg_choosing *c, const struct mpg_step *s);
/* Sets `skips` for S, a successful Parrived, in lanes in which an earlier Parrived for the partition succeeded. */
void mpg_choosing_skip_parrived(struct mpg_choosing *c, const struct mpg_step *s);
/* open.c: assigns messages to the MPI_ANY_SOURCE receives, and to the probe, of S, a LEAVE of a call that lane w enters at
 * BASE_NS + VALUE[w]; sets `skips`, `others` and `broken`. Returns 0, or -1 with ERR. */
int mpg_choosing_decide(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                        const double *value, struct mpg_error *err);
/* Remove messages from the unexpected-message queues. mpg_choosing_take(): lane W, or the trace if W is n, takes message
 * ID, if queued. _taken(): all lanes and the trace take the message completed by edge E. _matched(): the trace, and lanes
 * in the traced order, take message ID, found by a matched probe. */
void mpg_choosing_take(struct mpg_choosing *c, uint64_t id, uint32_t w);
void mpg_choosing_taken(struct mpg_choosing *c, const struct mpg_edge *e);
void mpg_choosing_matched(struct mpg_choosing *c, uint64_t id);
void mpg_choosing_clear_open(struct mpg_choosing *c);

#endif
