/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evaluator's state and functions for the evaluation of steps. Private to simulate/evaluate/. */
#ifndef MPG_EVALUATOR_PRIVATE_H
#define MPG_EVALUATOR_PRIVATE_H

#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/choice/choice_private.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/evaluate/one_sided.h"
#include "simulate/evaluate/recurrences/recurrences.h"
#include "simulate/evaluate/vectors.h"
#include "simulate/models/quantile_cache.h"
#include "simulate/models/times.h"
#include "simulate/attribution/moved_arrivals.h"
#include "simulate/attribution/tally.h"
#include "simulate/attribution/provenance.h"

/* Vectors of a stream, one value for each lane, in this order. */
enum stream_part {
    STREAM_VALUE,  /* value of the last node */
    STREAM_PASSED, /* end of the last skipped detour (passed_ns of struct mpg_interval), ns; only with `covers` */
    STREAM_NEXT,   /* predict mode: earliest time of the next send */
    STREAM_PARTS
};

/* Vectors of a slot, one value for each lane. */
enum slot_part {
    SLOT_VALUE, /* value of the node; for a message its arrival */
    SLOT_PROPAGATED,  /* perturb mode: SLOT_VALUE without the delay injected into this node (arrivals, contributions, merges) */
    SLOT_DRAWN, /* perturb mode: draws of an eager message, for the costs of the receiver */
    DELAY_SLOT_PARTS,
    SLOT_ENVELOPE = SLOT_PROPAGATED, /* predict mode: arrival of a message's envelope; in the order of enum mpg_slot_part */
    SLOT_MEET,  /* predict mode: time at which a synchronous message meets the receive */
    SLOT_BEGIN, /* predict mode: departure of a message that waits for the receiver */
    TIME_SLOT_PARTS
};

/* Terms of a rank's account in perturb mode, in the order of struct mpg_delay_account. */
enum mpg_delay_term {
    MPG_TERM_COMPUTE,
    MPG_TERM_CALL,
    MPG_TERM_MESSAGE,
    MPG_TERM_COLLECTIVE,
    MPG_TERM_PROPAGATED,
    MPG_TERM_WAITED,
    MPG_TERM_HIDDEN,
    MPG_TERM_NET
};

/* Terms in predict mode, in the order of struct mpg_run_account. */
enum times_term {
    TERM_COMPUTE,
    TERM_NOISE,
    TERM_CALL,
    TERM_MESSAGE,
    TERM_COLLECTIVE,
    TERM_THREAD,
    TERM_RUN,
    TERM_POLLED
};

/* The functions that differ between perturb mode (delays) and predict mode (times). */
struct mpg_evaluation {
    bool is_times; /* predict mode */
    int (*step)(struct mpg_evaluator *e, const struct mpg_step *s, uint32_t slots, struct mpg_error *err);
    /* Evaluates STEPS, if neither attribution nor provenance is wanted. */
    int (*take)(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err);
    enum mpg_steps_wanted (*wants)(const struct mpg_evaluator *e); /* kinds of steps needed by the evaluator; NULL: all */
    /* reserve() reserves memory besides the memory of values (NULL: none is needed); free() frees the mode's own arrays. */
    int (*reserve)(struct mpg_evaluator *e, uint32_t streams, uint32_t slots, struct mpg_error *err);
    void (*free)(struct mpg_evaluator *e);
    /* functions that give arrival times to choices; the evaluator adds context, settle and observer */
    const struct mpg_arrivals *arrivals;
    /* With a tally: attributes the account of step S to places. The terms SETTLED are totals of the rank, and are attributed
     * at the rank's FINISH step. */
    void (*tally)(struct mpg_evaluator *e, const struct mpg_step *s);
    const uint32_t *settled;
    uint32_t settled_number;
    /* With a recorder: called before and after step S is evaluated. run_ns() returns the run time of RANK in lane W, ns. */
    void (*record_begin)(struct mpg_evaluator *e, const struct mpg_step *s);
    int (*record_end)(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
    double (*run_ns)(const struct mpg_evaluator *e, int32_t rank, uint32_t w);
    /* Expanded collectives (expand.c). expanded_lanes() returns the number of lanes of a member's value; load() and store()
     * copy the value in SLOT to and from these lanes. record_came(), with a recorder, adds the terms of VALUE's provenance;
     * FROM: the slots to whose indices the provenance refers. */
    uint32_t (*expanded_lanes)(const struct mpg_evaluator *e);
    void (*load)(const struct mpg_evaluator *e, uint32_t slot, double *value);
    void (*store)(struct mpg_evaluator *e, uint32_t slot, const double *value);
    void (*record_came)(const struct mpg_evaluator *e, double *value, const uint32_t *from);
};

/* An edge into the call being left. */
struct mpg_delay_edge {
    double slack_ns, arrival_ns; /* arrival_ns: the key by which mpg_delays_list_edges() sorts */
    uint32_t i;   /* index among the edges of the step */
    bool further; /* another message of this edge's sender, which arrived earlier, completes in the call */
};

/* Prefetching. Streams are evaluated in turns, mostly in a constant order. While a stream is evaluated, the values of the
 * stream's follower are prefetched: the follower is the stream evaluated next the last time. */
struct mpg_look_ahead {
    uint32_t stream;    /* the stream being evaluated */
    uint32_t *follower; /* for the first stream of each rank: the stream evaluated next the last time */
    uint32_t fetched;   /* number of lanes of the follower whose noise has been prefetched */
};

/* Minimum times of a call that only receives one message, and the arguments by which these were computed. */
struct mpg_floored {
    enum mpg_call call;       /* 0: the minimum times are not known */
    int32_t source;           /* world rank of the message's source */
    double bytes, call_bytes; /* bytes of the message; bytes that determine the call's size class */
    double own_ns, flight_ns; /* minimum time of the call itself; minimum time l(bytes) of the message; ns */
};

/* A message received by a call, in one lane. */
struct mpg_arrival {
    double time_ns; /* -INFINITY: the lane has no message here */
    const struct mpg_edge *edge;
    uint32_t i;     /* index among the messages received by the call */
    bool further;
    bool early;     /* the traced call does not receive the message */
    bool costs;     /* the receiver pays o_r */
};

struct mpg_evaluator {
    const struct mpg_evaluation *mode;
    int32_t ranks;
    uint32_t n, first;
    struct mpg_floors *floors;
    const struct mpg_classes *classes; /* compute-interval classes; may be NULL */
    uint32_t stream_parts, slot_parts; /* number of vectors of a stream and of a slot; STREAM_PASSED exists only with `covers` */
    double *stream, *slot;             /* [stream or slot][part][lane]; parts as enum stream_part, slot_part */
    uint32_t stream_capacity, slot_capacity;
    uint32_t ready_slots, ready_streams; /* number of slots and of streams with reserved memory */
    /* detours that begin in a call can be contained in the measured cost of the messages, and must not count twice */
    bool covers;
    double *covered_ns;  /* by stream: detours that began at most this time before the stream's last leave can be contained in
                          * message costs, ns */
    char *cursor;        /* [stream][lane]: cursors of look-ups in the target's noise, for a stream's last interval */
    size_t cursor_bytes; /* bytes of the cursors of a lane; 0: no cursors */
    uint32_t covered_capacity, cursor_capacity;
    uint32_t *last_stream; /* by rank: the stream of the rank's FINISH step */
    int64_t *traced_ns;
    double *account;       /* [rank][term of MPG_ACCOUNT_TERMS][lane]; with attribution, the account of a single step */
    size_t account_stride; /* number of terms from one rank to the next in `account`: MPG_ACCOUNT_TERMS, or 0 with attribution */
    struct mpg_tally *tally;     /* NULL: no attribution */
    double *rank_account;        /* with attribution: delay accounts of ranks */
    struct mpg_recorder *recorder; /* NULL: no provenance (recorder.h) */
    struct mpg_choosing *choice; /* NULL: calls complete as in the trace */
    size_t exchange_at; /* byte of this evaluator's values in exchanged values */
    /* The evaluated ranks are part_first .. part_end - 1, all ranks unless the graph is divided; the first of them has stream 0.
     * Results of other ranks are in next_part or later. */
    int32_t part_first, part_end;
    const struct mpg_evaluator *next_part;
    struct mpg_moved_arrivals *moves; /* with choices and a recorder: provenance of arrivals moved by choices */
    struct mpg_expansion *expansion; /* NULL: no collective has been expanded yet */
    double *members;             /* values of all members of an expanded collective, with provenance */
    uint32_t *member_slot;       /* slots of the members */
    uint32_t members_capacity, member_slots;
    /* number of the current receiving call; by rank: number of the last call that received from this rank. A further message
     * from a rank in one call costs less */
    uint64_t turns, *turn;
    uint32_t streams;      /* number of streams so far: one for each rank, then further threads in the order of appearance */
    double *scratch, *kappa, *own; /* one value for each lane; own: end of the current call without waiting */

    /* --- perturb mode --- */
    const struct mpg_recurrences *code;
    enum mpg_absorb absorb;
    const struct mpg_perturbation *p;
    struct mpg_quantile_cache *quantile_cache;
    const struct mpg_paths *paths; /* costs of messages by path class; NULL: all messages have the costs of P */
    bool comparable;    /* the clocks of the ranks are comparable */
    double *slot_base;  /* by slot, for members of expanded collectives: enter in the trace, ns after the first member's */
    bool *slot_met;     /* by slot, for arrivals: a probe has matched the message */
    bool leaves;        /* messages have overheads */
    struct mpg_overhead_draws *slot_left; /* by slot: draws of an eager message, for the costs of the receiver */
    struct mpg_overhead_draws sent_left;  /* draws of the message sent last, for the costs of the sender */
    uint32_t base_capacity, met_capacity, left_capacity;
    /* whether intervals, calls, messages can have delays besides the tracer's time */
    bool computes, charges, transmits;
    bool one_sided; /* signatures have times of one-sided operations */
    bool has_kappa;     /* calls have a kappa, an injected delay */
    bool is_plain;      /* all calls complete messages as in the trace */
    struct mpg_floored *floored; /* by stream, with slack: minimum times of the stream's last receive */
    double *entered_ns; /* by stream, if noise delays calls: traced begin of the stream's last call, ns after MPI_Init */
    uint32_t floored_capacity, entered_capacity;
    const double *own_kappa; /* by lane: kappa of the call being left, or zeros */
    /* one value for each lane. local: the call's own costs; later: costs of the receives completed after an edge; answered:
     * kappas of an ACK edge; all, others, put: as in struct mpg_lane_leave; left: earliest departure of a message */
    double *result, *local, *later, *answered, *all, *others, *put, *zeros, *left;
    uint32_t *edge_place, edge_places; /* number of the place of each edge of the current call */
    uint32_t *lane_place, lane_places; /* [edge][lane]: number of the place, if lanes differ */
    bool mixed;         /* in some lane an edge receives a message from a different rank than in the trace */
    uint32_t *latest;   /* by lane: number of the place of the latest edge */
    double *latest_ns;  /* by lane: time of the latest edge */
    struct mpg_look_ahead ahead;
    uint32_t *unjoined; /* by rank: number of threads, except the first, that no JOIN step has ended yet */
    struct mpg_delay_edge *edge; /* edges of the current call, in the order of evaluation */
    uint32_t edge_capacity;
    int64_t polling_ns;  /* polling intervals up to this length are waiting; -1: none */
    /* [stream][lane], with choices: value before the stream's last interval; INFINITY: this interval was not polling */
    double *before;
    double *interval_ns; /* by stream, with choices: length of the stream's last interval with the tracer's time, ns */
    uint32_t before_capacity, interval_capacity;

    /* --- predict mode --- */
    const struct mpg_target *target;
    struct mpg_times_options options;
    bool *threads;       /* by rank: the rank has several threads */
    double *best, *lambda, *tau, *answer; /* one value for each lane; best: the latest time so far for which the call waits */
    double *arrived;     /* by lane: arrival of the last message received by the call */
    bool *by_message;    /* by lane: the call waited for a message, not for a collective */
    bool *receives;      /* by lane: the call pays o_r for messages not received by the traced call */
    double *receive_ns;  /* [message of the call][alone, or after another message of the sender][lane]: o_r */
    struct mpg_arrival *arrival; /* in one lane: the messages of the call, in the order of arrival */
    uint32_t receive_capacity;
};

static inline double *stream_value(const struct mpg_evaluator *e, uint32_t stream, enum stream_part part)
{
    return e->stream + ((size_t)stream * e->stream_parts + part) * e->n;
}

static inline double *slot_value(const struct mpg_evaluator *e, uint32_t slot, enum slot_part part)
{
    return e->slot + ((size_t)slot * e->slot_parts + part) * e->n;
}

/* Returns the number of ranks that E evaluates. */
static inline int32_t own_ranks(const struct mpg_evaluator *e)
{
    return e->part_end - e->part_first;
}

/* Returns whether S, a step of a call, belongs to the first thread of its rank. */
static inline bool is_of_first_thread(const struct mpg_evaluator *e, const struct mpg_step *s)
{
    return s->stream == (uint32_t)(s->rank - e->part_first);
}

static inline double *account_of(const struct mpg_evaluator *e, int32_t rank, uint32_t term)
{
    return e->account + ((size_t)rank * e->account_stride + term) * e->n;
}

/* Sets the members of X for a look-up in the noise to the state of STREAM. */
static inline void meet_noise(const struct mpg_evaluator *e, uint32_t stream, struct mpg_interval *x)
{
    if (e->covers)
        x->passed_ns = stream_value(e, stream, STREAM_PASSED);
    if (e->cursor)
        x->cursor = e->cursor + (size_t)stream * e->n * e->cursor_bytes;
    x->lanes = e->n;
}

extern const struct mpg_evaluation mpg_delays_mode, mpg_times_mode;

/* --- both modes (evaluator.c, tallied.c, choosing.c, expand.c) --- */

/* Returns an evaluator with the state needed in both modes. NULL: out of memory. */
struct mpg_evaluator *mpg_evaluator_new(const struct mpg_evaluation *mode, int32_t ranks, uint32_t lanes, uint32_t first);
/* Reserves memory for step S, with SLOTS slots in use, if necessary; S may be the first step of a new thread. */
static inline int reserve_for(struct mpg_evaluator *e, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    return slots <= e->ready_slots && s->stream < e->ready_streams ? 0 : mpg_evaluator_reserve(e, s->stream + 1, slots, err);
}

/* Evaluate S, an EXPORT and an IMPORT step: copy the slot's vectors that other steps can read. */
void mpg_evaluator_export(const struct mpg_evaluator *e, const struct mpg_step *s);
void mpg_evaluator_import(struct mpg_evaluator *e, const struct mpg_step *s);
/* Evaluates STEPS one at a time, if attribution or provenance is wanted. */
int mpg_evaluator_take_one_by_one(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err);
/* Adds TERM of the step to PLACE and to RANK's account, and sets TERM to 0. */
void mpg_evaluator_move(struct mpg_evaluator *e, int32_t rank, uint32_t term, uint32_t place);
void mpg_evaluator_free_tally(struct mpg_evaluator *e);
/* Evaluates a VIEW step. */
int mpg_evaluator_view(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
/* Evaluates S, a step of an expanded collective, with COSTS of the messages. */
int mpg_evaluator_expand(struct mpg_evaluator *e, const struct mpg_step *s, const struct mpg_message_costs *costs,
                         struct mpg_error *err);
/* mpg_evaluator_ready() reserves memory for the values of S, a step of an expanded collective. Returns 0, or -1: out of
 * memory. mpg_evaluator_scratch() returns value I of this memory: times of all lanes and, with a recorder, the provenance of
 * these times. */
int mpg_evaluator_ready(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
double *mpg_evaluator_scratch(const struct mpg_evaluator *e, uint32_t i);

/* --- perturb mode (delays/) --- */

/* Returns whether the interval of ENTER step S is polling and counts as waiting. */
static inline bool polls(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    return s->polls && s->interval_ns <= l->polling_ns;
}

static inline double *stream_delay(const struct mpg_evaluator *l, uint32_t stream)
{
    return stream_value(l, stream, STREAM_VALUE);
}

static inline double *slot_delay(const struct mpg_evaluator *l, uint32_t slot)
{
    return slot_value(l, slot, SLOT_VALUE);
}

static inline double *slot_propagated(const struct mpg_evaluator *l, uint32_t slot)
{
    return slot_value(l, slot, SLOT_PROPAGATED);
}

/* Returns the terms of RANK's account changed by a call. */
static inline struct mpg_lane_account lane_account_of(const struct mpg_evaluator *l, int32_t rank)
{
    double *first = account_of(l, rank, MPG_TERM_COMPUTE);
    const size_t n = l->n;
    return (struct mpg_lane_account){.call = first + MPG_TERM_CALL * n,
                                     .message = first + MPG_TERM_MESSAGE * n,
                                     .taken = first + MPG_TERM_PROPAGATED * n,
                                     .waited = first + MPG_TERM_WAITED * n,
                                     .hidden = first + MPG_TERM_HIDDEN * n};
}

/* Returns the vectors used at the leave of a call. */
static inline struct mpg_lane_leave leave_of(const struct mpg_evaluator *l)
{
    return (struct mpg_lane_leave){.own = l->own, .all = l->all, .others = l->others, .put = l->put};
}

/* Returns the draws of the eager message in SLOT, for the costs of the receiver; NULL: messages have no overheads. */
static inline struct mpg_overhead_draws *slot_left(const struct mpg_evaluator *l, uint32_t slot)
{
    if (!l->leaves)
        return NULL;
    struct mpg_overhead_draws *left = &l->slot_left[slot];
    left->u = slot_value(l, slot, SLOT_DRAWN);
    return left;
}

/* Returns the perturbation of messages between ranks A and B. */
static inline const struct mpg_perturbation *path_costs_between(const struct mpg_evaluator *l, int32_t a, int32_t b)
{
    return l->paths ? mpg_paths_between(l->paths, a, b) : l->p;
}

/* Returns the minimum time l(bytes) of a message between ranks A and B, ns; 0 if minimum times are not needed. */
static inline double flight_ns(const struct mpg_evaluator *l, int32_t a, int32_t b, double bytes)
{
    return l->floors ? mpg_floor_message(l->floors, a, b, bytes) : 0;
}

/* Returns whether the kappa of a call that posts a request delays the message, as in Sottile 2006. */
static inline bool posts_kappa(const struct mpg_evaluator *l)
{
    return l->p->call_edges == MPG_CALL_EDGES_PAPER;
}

/* Adds to each lane the kappa of CALL of RANK, if the call posts a request (REQUESTED) and the kappa of posting calls delays
 * messages (posts_kappa()). */
static inline void add_posting(const struct mpg_evaluator *l, bool requested, int32_t rank,
                               uint64_t call, double *value)
{
    if (requested && posts_kappa(l))
        mpg_perturb_call(l->p, rank, call, l->first, l->n, value);
}

/* Returns l0, the minimum time of the envelope of a synchronous message of BYTES, ns. */
static inline double envelope_ns(const struct mpg_evaluator *l, int32_t a, int32_t b, double bytes)
{
    double empty_ns = flight_ns(l, a, b, 0), whole_ns = flight_ns(l, a, b, bytes);
    return empty_ns < whole_ns ? empty_ns : whole_ns;
}

/* Returns the earliest start, in the trace, of the message of E, an arrival or an acknowledgement at RANK; the arrival t(A) is
 * this time + l(d). A synchronous message starts at the time by which the envelope arrives when the receive is posted, or when
 * sent, if later. */
static inline double start_ns(const struct mpg_evaluator *l, int32_t rank, const struct mpg_edge *e)
{
    if (e->from_ns <= e->sent_ns)
        return e->sent_ns;
    double posted_ns = e->from_ns - envelope_ns(l, e->source, rank, e->bytes);
    return posted_ns > e->sent_ns ? posted_ns : e->sent_ns;
}

/* Adds to VALUE, in each lane, the extra time of a collective on the target: of a member's ROUNDS with BYTES in all; or, if
 * the collective was measured as a whole, of the collective of MEMBERS with BYTES_EACH. BYTES are the traced bytes,
 * TARGET_BYTES and BYTES_EACH the bytes with hypotheses. */
void mpg_delays_add_collective(struct mpg_evaluator *l, enum mpg_call call,
                              const struct mpg_origin *origin, uint32_t rounds, double bytes,
                              double target_bytes, const struct mpg_origin *meeting, int32_t members,
                              double bytes_each, double *value);

/* Returns true if S, the current call, waits for another rank, or would wait without hypotheses. */
static inline bool mpg_delays_waits(const struct mpg_step *s)
{
    return s->edge_number > 0 || s->lost_number > 0;
}

/* Returns the time in ns that S, the current call, is off the CPU; 0 unless the perturbation removes this time. */
static inline double mpg_delays_call_off(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    return mpg_perturbation_removes_off_cpu(l->p) ? (double)s->call_off_ns : 0;
}

/* Returns true if the time off the CPU is removed from S, because S waits for no rank. */
static inline bool mpg_delays_shortens(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    return s->call_off_ns > 0 && !mpg_delays_waits(s) && !s->changed && mpg_perturbation_removes_off_cpu(l->p);
}

/* Lists the edges of S, the current call. Edges with a completion cost are sorted by arrival, the latest first; without
 * comparable clocks, in reverse order of the call's list. Error: out of memory. */
int mpg_delays_list_edges(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* Returns true if the messages received by S complete in sequence, each at a cost. */
bool mpg_delays_takes_turns(const struct mpg_evaluator *l, const struct mpg_step *s);
/* Returns the message of E, which has the entry EDGE in the sorted list, as the key for the draws of o_r. */
static inline struct mpg_sent_message received_of(const struct mpg_edge *e, const struct mpg_delay_edge *edge)
{
    return message_key(&e->origin, e->target_bytes, edge->further); /* filled at once: a change afterwards would make a copy */
}

/* Returns whether S blocks until an inserted message, or a message with changed protocol, departs. The traced duration of S
 * then gives no information about the target. */
bool mpg_delays_is_absolute(const struct mpg_step *s);
/* Returns the minimum duration of S on the traced machine without waiting, ns; at most the messages' overheads on this
 * machine, if known. */
double mpg_delays_own_floor(const struct mpg_evaluator *l, const struct mpg_step *s);
/* Minimum number of lanes for which prefetching pays. */
enum { MPG_MIN_LANES_AHEAD = 16 };
/* To be called when an interval of STREAM begins, with at least MPG_MIN_LANES_AHEAD lanes: prefetches data of the stream
 * evaluated after STREAM the last time. */
void mpg_delays_look_ahead(struct mpg_evaluator *l, uint32_t stream);
/* Adds the overheads of the messages sent and received by S to each lane. Without a source signature, the minimum time of the
 * call is subtracted instead of the source's overheads. */
void mpg_delays_add_overheads(struct mpg_evaluator *l, const struct mpg_step *s, double *value);
/* Returns the time before S's leave, ns, from which a detour can be contained in the messages' measured cost (docs/MODEL.md,
 * section 3, Times of messages contain noise). */
double mpg_delays_covered(struct mpg_evaluator *l, const struct mpg_step *s);

/* The following functions evaluate a step of the kind in their name (docs/MODEL.md, section 4). */
void mpg_delays_eager(struct mpg_evaluator *l, const struct mpg_step *s);
void mpg_delays_synchronous(struct mpg_evaluator *l, const struct mpg_step *s);
void mpg_delays_contribute(struct mpg_evaluator *l, const struct mpg_step *s);
void mpg_delays_merge(struct mpg_evaluator *l, const struct mpg_step *s);
/* Not inlined, for the compiler to keep the variables of the loop over steps in registers. */
__attribute__((noinline)) int mpg_delays_leave(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* Evaluates the part of STORE step S that belongs to an expanded collective, which a member joins. */
int mpg_delays_join_expanded(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err);
int mpg_delays_expand(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
uint32_t mpg_delays_expanded_lanes(const struct mpg_evaluator *l);
void mpg_delays_load(const struct mpg_evaluator *l, uint32_t slot, double *time);
void mpg_delays_store(struct mpg_evaluator *l, uint32_t slot, const double *time);
extern const struct mpg_arrivals mpg_delays_arrivals, mpg_times_arrivals;
/* To be called after S, an EAGER step, with choices: makes the message known to the calls that choose. */
int mpg_delays_sent(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* To be called after the messages of S are chosen: finds the place of each edge in each lane, if delays are attributed to
 * pairs of ranks. */
int mpg_delays_tally_sources(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* To be called after edge I of S, a call with several edges: attributes the account of this edge. FIRST: edge I is the first
 * edge. Only if delays are attributed to pairs of ranks. */
void mpg_delays_tally_edge(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t i, bool first);
void mpg_delays_tally(struct mpg_evaluator *l, const struct mpg_step *s);
/* Returns the delay of the stream in lane W, which does not make call S, in place of the delay at the leave of S. */
double mpg_delays_vanished(const struct mpg_evaluator *l, const struct mpg_step *s, uint32_t w);

/* --- predict mode (times/) --- */

/* Returns, by lane, o_r of message I of the call: alone, or, if FURTHER, after another message of the sender. */
static inline double *mpg_times_receive_ns(const struct mpg_evaluator *t, uint32_t i, bool further)
{
    return t->receive_ns + (2 * (size_t)i + further) * t->n;
}

/* Returns the costs of messages between the rank of S and the rank at the begin of E, an edge of S. */
static inline const struct mpg_perturbation *mpg_times_path_costs(const struct mpg_evaluator *t,
                                                                  const struct mpg_step *s,
                                                                  const struct mpg_edge *e)
{
    return mpg_target_between(t->target, s->rank, e->source);
}

/* Adds the time of ROUNDS of CALL with BYTES in all, as mpg_time_rounds(). A fence takes the time of fences, if known. */
void mpg_times_add_rounds(const struct mpg_evaluator *t, enum mpg_call call, const struct mpg_origin *origin, uint32_t rounds,
                          double bytes, bool has_message, double *value);
/* Adds the time of a collective on the target to each lane; arguments as in mpg_delays_add_collective(). */
void mpg_times_add_collective(const struct mpg_evaluator *t, enum mpg_call call,
                              const struct mpg_origin *origin, uint32_t rounds, double bytes,
                              const struct mpg_origin *meeting, int32_t members, double bytes_each,
                              double *value);
/* Receives the messages that arrive in S: adds the costs to `own`, writes the time of the last arrival into `arrived`, and the
 * time when all messages are received into `scratch`. *COSTS becomes true if a message received by the traced call has a cost;
 * `receives` becomes true in lanes in which S receives, at a cost, a message received by a later call in the trace. */
int mpg_times_receive(struct mpg_evaluator *t, const struct mpg_step *s, bool *costs,
                      struct mpg_error *err);
/* Returns the costs of the path of COST, a cost of S. */
const struct mpg_perturbation *mpg_times_one_sided_costs(const struct mpg_evaluator *t, const struct mpg_step *s,
                                                         const struct mpg_one_sided_cost *cost);
/* Returns true if S, a LEAVE, may have costs of one-sided operations (perturb mode). */
static inline bool mpg_delays_moves(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    return s->round_trip || (l->one_sided && mpg_may_be_one_sided(s));
}
const double *mpg_times_sender_done(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e);
int mpg_times_sent(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
int mpg_times_expand(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
uint32_t mpg_times_expanded_lanes(const struct mpg_evaluator *t);
void mpg_times_load(const struct mpg_evaluator *t, uint32_t slot, double *value);
void mpg_times_store(struct mpg_evaluator *t, uint32_t slot, const double *value);
/* Evaluates a LEAVE step. */
int mpg_times_leave(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);

#endif
