/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that complete other messages than in the trace, because arrival times differ (docs/MODEL.md, section 6): interface to
 * evaluators. Private to simulate/choice/ and simulate/evaluate/. The evaluator stores arrival times and reports arrivals.
 *
 * A lane is one of the replicas that are evaluated together. A slot holds a value of the graph in all lanes (graph.h). A view is
 * a slot with the arrival of the message of a receive request, which a lane may exchange with another view: if a lane completes
 * a message other than the trace does, the two requests have each other's message from then on. A candidate is a message that a
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

/* The position of a message on its channel (source, communicator, tag). Messages of a channel are ordered by id. */
struct mpg_sequence {
    int32_t source, comm, tag;
    uint64_t id;
    bool is_eager; /* the message is eager on the traced and on the target machine */
};

/* The message of a view in one lane. */
struct mpg_view {
    uint64_t serial; /* the message's id; 0: the same message as in the trace, and cause_ns and sequence are unset */
    double cause_ns; /* time of the send; for a synchronous message the earliest start time */
    struct mpg_sequence sequence;
    bool done;       /* completed by a call that did not complete the message in the trace */
    bool is_new;     /* completed early by the current call */
    bool fixed;      /* the message stays in the view: it was exchanged, is done, or was found by a probe */
    bool answered;   /* the rank has sent to the message's source since the exchange */
};

/* The origin of a time: the arrival in SLOT, or with EARLY the earliest start time of the message in SLOT. VALUE: the lane's
 * value of that time. */
struct mpg_arrival_origin {
    uint32_t slot;
    bool early;
    double value;
};

/* A candidate of a call. Fields up to `completed` are equal for all lanes; the others, from at_ns, belong to the current lane.
 * Times are absolute, ns: a vector's value plus the base stored beside the vector. */
struct mpg_pick {
    uint32_t slot;
    struct mpg_sequence own; /* traced message of the candidate's request */
    const double *value;   /* by lane: T(A) - base_ns */
    double base_ns;
    const double *cause;   /* by lane: time of the send (synchronous message: earliest start of the transfer) - cause_ns; only for
                              a candidate whose message is not exchanged */
    double cause_ns;
    double bound_ns;       /* lower bound of arrival - base_ns, shown in the trace by receives from any source */
    double raised_ns;      /* lower bound of arrival - base_ns for the message of the candidate's own view, which also uses
                              this call's completions */
    double traced_ns;      /* t(A), the arrival in the trace */
    bool completed;        /* the trace completes it */
    double at_ns;          /* T(A), no less than the time of the send */
    struct mpg_arrival_origin came;  /* the origin of at_ns */
    double start_ns;       /* earliest start of the candidate's message, ns */
    struct mpg_sequence sequence;  /* the candidate's message in the lane */
    const struct mpg_pick *before; /* of the preceding candidates on the channel that this candidate cannot overtake, the last to
                                      arrive; NULL: none */
    bool done, taken;
};

/* The fields of a candidate needed to find the earliest candidate (complete.c). */
struct mpg_candidate_key {
    const double *value, *cause; /* value and cause as in struct mpg_pick */
    double base_ns, raised_ns, cause_ns;
    uint32_t slot;
    uint32_t in_order; /* index of the candidate that has this key's position if candidates are sorted by channel */
};

/* Functions and data provided by the evaluator. CONTEXT is the first argument of all functions. */
struct mpg_arrivals {
    void *context;
    bool is_bounded; /* arrival times have the lower bounds that the traced calls imply: a message that a call left arrived after
                        those that it took (MODEL, section 6, Where messages arrive). Perturb mode only: a prediction need not
                        reproduce traced times */
    /* Sets value, base_ns, cause, cause_ns and traced_ns of PICK[BEGIN] .. PICK[END - 1], candidates of S. */
    void (*place)(void *context, const struct mpg_step *s, uint32_t begin, uint32_t end, struct mpg_pick *pick);
    /* Sets the vectors of a candidate in SLOT, as in struct mpg_pick. */
    void (*find_vectors)(void *context, uint32_t slot, const double **value, const double **cause);
    /* Sets the view at SLOT in lane W to the arrival TAKEN, SHIFT_NS later. VALUE: the arrival's value, or the value of the
     * earliest start time if later. */
    void (*assign)(void *context, uint32_t slot, uint32_t w, const struct mpg_pending *taken, double shift_ns, double value);
    /* Exchanges in lane W the arrivals P and Q: P arrives at at_ns of Q, and Q at that of P. */
    void (*exchange)(void *context, const struct mpg_pick *p, const struct mpg_pick *q, uint32_t w);
    /* Applies, together, all changes by assign() and exchange() since the last call. Returns 0, or -1 with ERR. */
    int (*settle)(void *context, struct mpg_error *err);
    /* Sets for each lane the minimum transfer time in ns of SENT, a message sent by S. */
    void (*transmit)(void *context, const struct mpg_step *s, const struct mpg_sent *sent, double *ns);
    const struct mpg_observer *observer; /* is notified of the first lane; NULL: none */
};

/* A slot with a view of RANK that the trace has not completed yet and that has another message than in the trace in some lane. */
struct mpg_moved {
    bool is_moved;
    int32_t rank;
    uint32_t next, before; /* links of the rank's list: slots + 1; 0: none */
};

/* What a call shows of arrivals in the trace: messages that it left had not arrived (docs/MODEL.md, section 6, Where messages
 * arrive). */
struct mpg_lateness {
    uint32_t end;    /* of the candidates before this index, those that the trace does not complete had not arrived */
    uint32_t one;    /* if less than the number of candidates: of these, only the candidate with this index had not arrived */
    double after_ns; /* the earliest time at which they arrive */
    double together_ns; /* the completed candidates arrive no earlier; -INFINITY: unknown */
};

struct mpg_choosing {
    uint32_t n;
    struct mpg_arrivals arrivals;
    bool *keeps, *broken; /* by lane: the lane keeps the traced order; the lane is void */
    bool *skips;       /* by lane: the current call is not made */
    bool early;           /* in some lane the current call completes more than in the trace: a candidate is done and new */
    bool *others;         /* by lane: the current call completes or finds another message */
    bool lacks_override;  /* no override describes the current call in the first lane */
    bool refused;         /* an earlier call had no override */
    struct mpg_error refusal; /* error for the first call without override */
    double *flight_ns;    /* by lane: minimum transfer time of a message that the current call sends */
    struct mpg_choices counts;
    struct mpg_view *view; /* by slot and lane */
    uint64_t *view_serial; /* by slot: the traced message of the slot's view */
    uint64_t *altered;     /* by slot, one bit for each lane: the view has another message, or is done */
    struct mpg_unexpected unexpected;
    uint32_t numbers;     /* all numbers given to pending messages so far are below this number */
    struct mpg_decision decision; /* the decision of the current call and lane */
    /* (rank, communicator; source, tag) of an Iprobe -> the message that each lane has found; 0: none */
    struct mpg_map probed;
    struct mpg_map arrived;   /* (rank, partition; request) of a Parrived -> whether each lane has found the partition there */
    struct mpg_pick *pick, **order; /* capacity */
    struct mpg_candidate_key *candidate_key;      /* capacity */
    double *at_ns;                  /* capacity: T(A) in the current lane */
    struct mpg_long_lists lists;    /* long_list.h */
    struct mpg_moved *moved; /* by slot */
    uint32_t *first_moved;   /* by rank: first slot + 1 in the rank's list of moved messages; 0: none */
    uint64_t done_count;  /* number of done views, over all lanes */
    uint32_t view_capacity, serial_capacity, altered_capacity, pick_capacity, moved_capacity, first_capacity;
};

/* Returns a new state for LANES lanes. KEEPS (NULL: none; copied) says for each lane whether it keeps the traced order. ARRIVALS
 * (copied) is the evaluator. NULL: no memory, with ERR. */
struct mpg_choosing *mpg_choosing_new(uint32_t lanes, const bool *keeps,
                                  const struct mpg_arrivals *arrivals, struct mpg_error *err);
/* Processes S, of kind EAGER. The message arrives in lane w at BASE_NS + VALUE[w], or at BASE_NS + PROPAGATED[w] without the
 * injected delay; the send is at CAUSE_NS + CAUSE[w]. Returns 0, or -1 with ERR: no memory. */
int mpg_choosing_sent(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                      const double *value, const double *propagated, double cause_ns,
                      const double *cause, struct mpg_error *err);
/* Processes S, of kind VIEW: in all lanes the slot of S holds the message of the request itself. Returns 0, or -1 with ERR: no
 * memory. */
int mpg_choosing_view(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* Before S, a LEAVE of a call that lane w enters at BASE_NS + VALUE[w]: exchanges arrivals in lanes that complete other
 * messages, and sets skips of lanes that do not make the call. Returns 0, or -1 with ERR. */
int mpg_choosing_make(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                    const double *value, struct mpg_error *err);
/* After S, a LEAVE: the views that the call completes in the trace are no longer candidates. */
void mpg_choosing_end_views(struct mpg_choosing *c, const struct mpg_step *s);
void mpg_choosing_free(struct mpg_choosing *c); /* NULL is allowed */

/* The first function returns the number of the pending message ID, which a receive from any source may take; the message is kept
 * outside slots until all lanes have taken it. The second calls MARK for each pending message and each lane W that has not taken
 * the message; PROPAGATED: the arrival without the injected delay is needed too (always true). */
uint32_t mpg_choosing_kept(const struct mpg_choosing *c, uint64_t id);
void mpg_choosing_mark_kept(const struct mpg_choosing *c,
                            void (*mark)(void *context, uint32_t number, uint32_t w, bool propagated),
                            void *context);
/* Returns the sender of the message in the view SLOT of lane W if the message differs from the trace; else SOURCE. */
int32_t mpg_choosing_source(const struct mpg_choosing *c, uint32_t slot, uint32_t w, int32_t source);

/* Returns whether in lane W the message of the view SLOT was completed by a call that did not complete the message in the
 * trace. */
static inline bool mpg_choosing_is_done(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return c->done_count > 0 && c->view[(size_t)slot * c->n + w].done;
}

/* Returns the earliest end of a wait for the message of the view SLOT in lane W: the earliest start time of a message put there
 * by an exchange or another receive; else -INFINITY. */
static inline double mpg_choosing_start_ns(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    const struct mpg_view *v = &c->view[(size_t)slot * c->n + w];
    return v->serial ? v->cause_ns : -INFINITY;
}

/* Returns whether the current call completes the message of the view SLOT in lane W, which the trace completes later. */
static inline bool mpg_choosing_is_new(const struct mpg_choosing *c, uint32_t slot, uint32_t w)
{
    return c->early && c->view[(size_t)slot * c->n + w].is_new;
}

static inline struct mpg_view *mpg_choosing_view_of(const struct mpg_choosing *c, uint32_t slot,
                                                    uint32_t w)
{
    return &c->view[(size_t)slot * c->n + w];
}

/* ---- within simulate/choice/ ---- */

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

/* choice.c: EARLY maps a test that failed in the trace to the result in each lane, until the test succeeds in the trace.
 * Returns the results for KEY, by lane; NULL: no lane has a result. */
uint64_t *mpg_choosing_find_early(const struct mpg_map *early, const uint64_t key[2]);
/* Adds KEY with result 0 in N lanes. Returns the results, which EARLY owns. NULL: no memory, with ERR. */
uint64_t *mpg_choosing_add_early(struct mpg_map *early, const uint64_t key[2], uint32_t n, struct mpg_error *err);
void mpg_choosing_clear_early(struct mpg_map *early);
/* Exchanges in lane W the messages of P and Q, with at_ns, start_ns and done. */
void mpg_choosing_exchange(struct mpg_choosing *c, struct mpg_pick *p, struct mpg_pick *q, uint32_t w);
/* The first function adds SLOT, with a view of RANK, to the moved slots (struct mpg_moved); returns 0, or -1 with ERR: no memory.
 * The second removes SLOT, if there. */
int mpg_choosing_note_moved(struct mpg_choosing *c, int32_t rank, uint32_t slot, struct mpg_error *err);
void mpg_choosing_forget_moved(struct mpg_choosing *c, uint32_t slot);
/* notify.c, all: return 0, or -1 with the observer's ERR. Notifies of OVERRIDE in lane W. */
int mpg_choosing_note(const struct mpg_choosing *c, const struct mpg_step *s, uint32_t w,
                      const struct mpg_match_override *override, struct mpg_error *err);
/* Notifies that S completes the I-th candidate in lane W; call before marking the candidate as done. */
int mpg_choosing_note_early(struct mpg_choosing *c, const struct mpg_step *s, uint32_t i, uint32_t w,
                            struct mpg_error *err);
/* Notifies of the messages that receives from any source, completed by S, take in the first lane. */
int mpg_choosing_note_arrivals(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* Notifies if the first lane skips S. If no override can describe how S differs from the trace, and S is the first of these
 * calls, records an error for mpg_choosing_refusal(): only later calls show whether the lane is void and must be evaluated
 * again. */
int mpg_choosing_note_rest(struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* Notifies of the message that each edge of S with a view brings in the first lane. */
int mpg_choosing_notify_arrivals(const struct mpg_choosing *c, const struct mpg_step *s, struct mpg_error *err);
/* complete.c: before S, a LEAVE of a call that lane w enters at BASE_NS + VALUE[w]: completes candidates. Returns 0, or -1 with
 * ERR. */
int mpg_choosing_complete(struct mpg_choosing *c, const struct mpg_step *s, double base_ns, const double *value,
                          struct mpg_error *err);
/* Fills pick[BEGIN] .. pick[END - 1] with these candidates of S: the fields that are equal for all lanes, except raised_ns. */
void mpg_choosing_describe(struct mpg_choosing *c, const struct mpg_step *s, uint32_t begin, uint32_t end);
/* Sets the fields of the I-th candidate that belong to lane W. at_ns does not yet obey that messages of a channel do not
 * overtake. */
void mpg_choosing_fill(struct mpg_choosing *c, uint32_t i, uint32_t w);
/* Compares source, communicator and tag: < 0, 0, > 0. */
int mpg_choosing_compare_channels(const struct mpg_sequence *a, const struct mpg_sequence *b);
/* Skips S in lanes in which earlier tests have already completed all messages that S completes. */
void mpg_choosing_skip_done(struct mpg_choosing *c, const struct mpg_step *s);
/* Skips a successful Parrived in lanes in which an earlier Parrived for the partition succeeded. */
void mpg_choosing_skip_parrived(struct mpg_choosing *c, const struct mpg_step *s);
/* open.c: assigns messages to the receives from any source and the probe of S, a LEAVE of a call that lane w enters at BASE_NS +
 * VALUE[w], and sets skips, others and broken. Returns 0, or -1 with ERR. */
int mpg_choosing_decide(struct mpg_choosing *c, const struct mpg_step *s, double base_ns,
                        const double *value, struct mpg_error *err);
/* Messages are taken from the queues. take(): lane W, or the trace if W is n, takes message ID, if queued. taken(): all
 * lanes and the trace take the messages that a call completes by edge E. matched(): a matched probe found ID: the trace
 * and lanes in the traced order take ID. */
void mpg_choosing_take(struct mpg_choosing *c, uint64_t id, uint32_t w);
void mpg_choosing_taken(struct mpg_choosing *c, const struct mpg_edge *e);
void mpg_choosing_matched(struct mpg_choosing *c, uint64_t id);
void mpg_choosing_clear_open(struct mpg_choosing *c);

#endif
