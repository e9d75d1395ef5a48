/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evaluator, as those who evaluate steps see it. Private to simulate/evaluate/. */
#ifndef MPG_EVALUATOR_PRIVATE_H
#define MPG_EVALUATOR_PRIVATE_H

#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/choice/choice_private.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/evaluate/recurrences.h"
#include "simulate/evaluate/vectors.h"
#include "simulate/models/quantile_cache.h"
#include "simulate/models/times.h"
#include "simulate/attribution/moved_arrivals.h"
#include "simulate/attribution/tally.h"
#include "simulate/attribution/provenance.h"

/* What a stream holds, vectors of n each, one after the other. */
enum stream_part {
    STREAM_VALUE,  /* of its last node */
    STREAM_PASSED, /* where detours that begin in a call can be part of what its messages cost: until when those of its last
                      call are over (struct mpg_interval) */
    STREAM_NEXT,   /* of times: from when on it may send again */
    STREAM_PARTS
};

/* And a slot. */
enum slot_part {
    SLOT_VALUE, /* of the node; of a message its arrival */
    SLOT_BARE,  /* of delays: the same without what was put into the message or collective itself; of arrivals, contributions
                   and merges; */
    SLOT_DRAWN, /* what is left of an eager message's draws for its receiver; */
    DELAY_SLOT_PARTS,
    SLOT_ENVELOPE = SLOT_BARE, /* of times: when a message's envelope arrives; as enum mpg_slot_part */
    SLOT_MEET,  /* of a synchronous message: when it has met its receive */
    SLOT_BEGIN, /* and when it had left, had its receiver waited for it; of an eager one: when it left */
    TIME_SLOT_PARTS
};

/* What a rank's account adds up, lane by lane, in the order of struct mpg_delay_account, */
enum mpg_delay_term {
    MPG_TERM_COMPUTE,
    MPG_TERM_CALL,
    MPG_TERM_MESSAGE,
    MPG_TERM_COLLECTIVE,
    MPG_TERM_TAKEN,
    MPG_TERM_WAITED,
    MPG_TERM_HIDDEN,
    MPG_TERM_LEFT
};

/* or of struct mpg_run_account. */
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

/* How a mode evaluates. */
struct mpg_evaluation {
    bool is_times; /* predict mode */
    int (*step)(struct mpg_evaluator *e, const struct mpg_step *s, uint32_t slots, struct mpg_error *err);
    /* Where nobody asks for places, nor what values come from. */
    int (*take)(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err);
    enum mpg_steps_wanted (*wants)(const struct mpg_evaluator *e); /* of steps; NULL: all */
    /* Room for what it has beside values (NULL: nothing); arrays of its own. */
    int (*reserve)(struct mpg_evaluator *e, uint32_t streams, uint32_t slots, struct mpg_error *err);
    void (*free)(struct mpg_evaluator *e);
    const struct mpg_arrivals *arrivals; /* what calls choose from is told by, but for context, settle and watch */
    /* With a tally: what S has added to the account goes to its places. FINISH adds to SETTLED terms, as all that its rank has
     * come to. */
    void (*tally)(struct mpg_evaluator *e, const struct mpg_step *s);
    const uint32_t *settled;
    uint32_t settled_number;
    /* With a recorder: what is looked at before S is evaluated, what its value comes from, told after; a rank's run, ns, but for
     * what is the same in all ranks of a lane. */
    void (*record_begin)(struct mpg_evaluator *e, const struct mpg_step *s);
    int (*record_end)(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
    double (*run_ns)(const struct mpg_evaluator *e, int32_t rank, uint32_t w);
    /* Expanded collectives (expand.c): so many lanes are made of n; the value in SLOT as these, and
     * back; with a recorder what of VALUE, since it was that of its slot FROM, is what. */
    uint32_t (*expanded_lanes)(const struct mpg_evaluator *e);
    void (*load)(const struct mpg_evaluator *e, uint32_t slot, double *value);
    void (*store)(struct mpg_evaluator *e, uint32_t slot, const double *value);
    void (*record_came)(const struct mpg_evaluator *e, double *value, const uint32_t *from);
};

/* An edge of the call that is being left. */
struct mpg_delay_edge {
    double slack_ns, arrival_ns;
    uint32_t i;
    bool further; /* another message of its rank, that arrived before it, is completed here */
};

/* Which stream's steps come when those of one are done, as far as the last time tells: what lanes hold of
 * one is read from memory while another one's steps are evaluated. */
struct mpg_look_ahead {
    uint32_t stream;    /* whose steps are evaluated */
    uint32_t *follower; /* of each rank's first stream, the one after it */
    uint32_t fetched;   /* lanes of it whose noise is on its way */
};

/* The floors of a call that receives one message and does nothing else, by what they go by. */
struct mpg_floored {
    enum mpg_call call;       /* 0: none is known */
    int32_t source;           /* of its message, of */
    double bytes, call_bytes; /* so many; that the call's size class goes by */
    double own_ns, flight_ns; /* the call's own; l(bytes) */
};

/* A message that a call receives, in one lane. */
struct mpg_arrival {
    double time_ns; /* -INFINITY: not in this lane */
    const struct mpg_edge *edge;
    uint32_t i;     /* which of those that are received */
    bool further;
    bool early;     /* not in the trace */
    bool costs;     /* else it takes nothing of its receiver */
};

struct mpg_evaluator {
    const struct mpg_evaluation *mode;
    int32_t ranks;
    uint32_t n, first;
    struct mpg_floors *floors;
    const struct mpg_classes *classes; /* may be NULL */
    uint32_t stream_parts, slot_parts; /* of the mode's; passed ones only where something covers */
    double *stream, *slot;             /* capacity x parts x n */
    uint32_t stream_capacity, slot_capacity;
    uint32_t ready_slots, ready_streams; /* there is room for so many */
    bool covers;         /* detours that begin in a call can be part of what its messages cost: */
    double *covered_ns;  /* capacity; of a stream's last call, those that begin so long before its leave are */
    char *cursor;        /* capacity x n, where look-ups in the target's noise need any; of a
                            stream's last interval (struct mpg_interval) */
    size_t cursor_bytes; /* of a lane; 0: none do */
    uint32_t covered_capacity, cursor_capacity;
    uint32_t *last_stream; /* of each rank: that its FINISH is of */
    int64_t *traced_ns;
    double *account;       /* ranks x MPG_ACCOUNT_TERMS x n; where places are tallied, of a step */
    size_t account_stride; /* terms between two ranks': MPG_ACCOUNT_TERMS, or 0 */
    struct mpg_tally *tally;     /* NULL: nobody asks for places */
    double *rank_account;        /* where they are tallied: that of ranks */
    struct mpg_recorder *recorder; /* NULL: nobody asks what values come from (recorder.h) */
    struct mpg_choosing *choice; /* NULL: calls complete what they did in the trace */
    /* where calls choose, and a recorder is asked: what arrivals come from that they move */
    struct mpg_moved_arrivals *moves;
    struct mpg_expansion *expansion; /* NULL: no collective has been expanded yet */
    double *members;             /* capacity: values of all members of one, and what they come from; */
    uint32_t *member_slot;       /* their slots */
    uint32_t members_capacity, member_slots;
    uint64_t turns, *turn; /* calls, or lanes of them, that received; a rank, the last one in which it was received from */
    uint32_t streams;      /* met so far; one a rank, then threads as they appear */
    double *scratch, *kappa, *own; /* n each */

    /* perturb mode */
    const struct mpg_recurrences *code;
    enum mpg_absorb absorb;
    const struct mpg_perturbation *p;
    struct mpg_quantile_cache *shapes;
    const struct mpg_paths *paths; /* of messages; NULL: all are P's */
    bool comparable;    /* the ranks' clocks */
    double *slot_base;  /* of members of expanded collectives: when, unperturbed, ns after the
                           first one came */
    bool *slot_met;     /* of an arrival: a probe has met it */
    bool leaves;        /* messages have overheads, too: */
    struct mpg_left_draws *slot_left; /* what is left of an eager message's draws for its receiver; */
    struct mpg_left_draws sent_left;  /* and for the sender, of the last message */
    uint32_t base_capacity, met_capacity, left_capacity;
    bool computes, charges, flies; /* something but the tracer's part is put into compute intervals; into
                                      calls themselves; into messages */
    bool has_kappa;     /* calls have one */
    bool is_plain;      /* calls choose nothing */
    struct mpg_floored *floored; /* capacity, where there is slack: what a stream's last receive had */
    double *entered_ns; /* capacity, where calls' own work meets noise: when a stream's call began, traced,
                           after MPI_Init */
    uint32_t floored_capacity, entered_capacity;
    const double *own_kappa; /* of the call that is being left: KAPPA, or zeros */
    double *result, *local, *later, *answered, *all, *others, *put, *zeros, *left; /* n each */
    uint32_t *edge_place, edge_places; /* capacity; of the call that is being left, each edge's, */
    uint32_t *lane_place, lane_places; /* capacity x n; the same lane by lane, if they are mixed: */
    bool mixed;         /* some lane has another rank's message there; */
    uint32_t *latest;   /* and of the latest one in each lane, */
    double *latest_ns;  /* which is so late */
    struct mpg_look_ahead ahead;
    uint32_t *unjoined; /* of each rank: threads that go on */
    struct mpg_delay_edge *edge; /* those of a call, as they are evaluated */
    uint32_t edge_capacity;
    int64_t polling_ns;  /* intervals that poll, and are no longer, are waiting; -1: none is. Where calls choose: */
    double *before;      /* capacity x n: a stream's value before its last interval, INFINITY if that did not poll, */
    double *interval_ns; /* and that interval, with what the tracer took */
    uint32_t before_capacity, interval_capacity;

    /* predict mode */
    const struct mpg_target *target;
    struct mpg_times_options options;
    bool *threads;       /* of each rank: it has more than one */
    double *best, *lambda, *tau, *answer; /* n each */
    double *arrived;     /* n: when the last message that the call receives is there */
    bool *by_message;    /* n: whether a message, not a collective, was waited for */
    bool *receives;      /* n: the call receives at a cost what it did not in the trace */
    double *receive_ns;  /* of the messages that a call receives: o_r alone and after another of its rank, n each, and */
    struct mpg_arrival *arrival; /* the order in which they arrive in one lane */
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

static inline double *account_of(const struct mpg_evaluator *e, int32_t rank, uint32_t term)
{
    return e->account + ((size_t)rank * e->account_stride + term) * e->n;
}

/* Of P's noise of STREAM, whose last call or interval it was: where it is in the noise. */
static inline void meet_noise(const struct mpg_evaluator *e, uint32_t stream, struct mpg_interval *x)
{
    if (e->covers)
        x->passed_ns = stream_value(e, stream, STREAM_PASSED);
    if (e->cursor)
        x->cursor = e->cursor + (size_t)stream * e->n * e->cursor_bytes;
    x->lanes = e->n;
}

extern const struct mpg_evaluation mpg_delays_mode, mpg_times_mode;

/* --- in common (evaluator.c, tallied.c, choosing.c, expand.c) --- */

/* The beginning of an evaluator: what both modes have. NULL: out of memory. */
struct mpg_evaluator *mpg_evaluator_new(const struct mpg_evaluation *mode, int32_t ranks, uint32_t lanes, uint32_t first);
/* The same for S, with SLOTS slots in use, where there is none yet; its stream may be a thread that is new. */
static inline int reserve_for(struct mpg_evaluator *e, const struct mpg_step *s, uint32_t slots, struct mpg_error *err)
{
    return slots <= e->ready_slots && s->stream < e->ready_streams ? 0 : mpg_evaluator_reserve(e, s->stream + 1, slots, err);
}

/* STEPS one by one, for who asks for places, or what values come from. */
int mpg_evaluator_take_told(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err);
/* TERM of the step goes to PLACE and RANK's account, and is 0 again. */
void mpg_evaluator_move(struct mpg_evaluator *e, int32_t rank, uint32_t term, uint32_t place);
void mpg_evaluator_free_tally(struct mpg_evaluator *e);
/* A VIEW step. */
int mpg_evaluator_view(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
/* Evaluates S, of a collective that is expanded, by COSTS. */
int mpg_evaluator_expand(struct mpg_evaluator *e, const struct mpg_step *s, const struct mpg_message_costs *costs,
                         struct mpg_error *err);
/* Vectors for a message at hand, as wide as what is expanded; AT_HAND of them, in what mpg_evaluator_ready() makes room for. */
int mpg_evaluator_ready(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
double *mpg_evaluator_at_hand(const struct mpg_evaluator *e, uint32_t i);

/* --- perturb mode (delays*.c) --- */

/* Whether the interval of ENTER S only asks once more. */
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

static inline double *slot_bare(const struct mpg_evaluator *l, uint32_t slot)
{
    return slot_value(l, slot, SLOT_BARE);
}

/* What RANK's account adds up in a call. */
static inline struct mpg_lane_account lane_account_of(const struct mpg_evaluator *l, int32_t rank)
{
    double *first = account_of(l, rank, MPG_TERM_COMPUTE);
    const size_t n = l->n;
    return (struct mpg_lane_account){.call = first + MPG_TERM_CALL * n,
                                     .message = first + MPG_TERM_MESSAGE * n,
                                     .taken = first + MPG_TERM_TAKEN * n,
                                     .waited = first + MPG_TERM_WAITED * n,
                                     .hidden = first + MPG_TERM_HIDDEN * n};
}

/* What a call's leave is made of. */
static inline struct mpg_lane_leave leave_of(const struct mpg_evaluator *l)
{
    return (struct mpg_lane_leave){.own = l->own, .all = l->all, .others = l->others, .put = l->put};
}

/* What is left of the draws of the eager message that is in SLOT; NULL: nobody asks. */
static inline struct mpg_left_draws *slot_left(const struct mpg_evaluator *l, uint32_t slot)
{
    if (!l->leaves)
        return NULL;
    struct mpg_left_draws *left = &l->slot_left[slot];
    left->u = slot_value(l, slot, SLOT_DRAWN);
    return left;
}

/* What perturbs messages between A and B. */
static inline const struct mpg_perturbation *way_of(const struct mpg_evaluator *l, int32_t a, int32_t b)
{
    return l->paths ? mpg_paths_between(l->paths, a, b) : l->p;
}

/* l(bytes) between the ranks of a message; 0 where nobody needs it. */
static inline double flight_ns(const struct mpg_evaluator *l, int32_t a, int32_t b, double bytes)
{
    return l->floors ? mpg_floor_message(l->floors, a, b, bytes) : 0;
}

/* Whether kappa of a call that leaves a message's completion to a request is put on the message's way. */
static inline bool posts_kappa(const struct mpg_evaluator *l)
{
    return l->p->call_edges == MPG_CALL_EDGES_PAPER;
}

/* Adds that to each lane, of a call that does so: REQUESTED. */
static inline void add_posting(const struct mpg_evaluator *l, bool requested, int32_t rank,
                               uint64_t call, double *value)
{
    if (requested && posts_kappa(l))
        mpg_perturb_call(l->p, rank, call, l->first, l->n, value);
}

/* l0 of a synchronous message of BYTES: how long its envelope flies at least. */
static inline double envelope_ns(const struct mpg_evaluator *l, int32_t a, int32_t b, double bytes)
{
    double empty_ns = flight_ns(l, a, b, 0), whole_ns = flight_ns(l, a, b, bytes);
    return empty_ns < whole_ns ? empty_ns : whole_ns;
}

/* When the message of E, an arrival or an ack at RANK, can have started to fly, so that t(A) is
 * that + l(d): a synchronous one so that its envelope is there when its receive is posted. */
static inline double start_ns(const struct mpg_evaluator *l, int32_t rank, const struct mpg_edge *e)
{
    if (e->from_ns <= e->sent_ns)
        return e->sent_ns;
    double posted_ns = e->from_ns - envelope_ns(l, e->source, rank, e->bytes);
    return posted_ns > e->sent_ns ? posted_ns : e->sent_ns;
}

/* Adds to each lane what a collective takes longer, one's share with BYTES in ROUNDS, or, of
 * those that were measured as a whole, all of it: MEMBERS of them with BYTES_EACH. BYTES are as traced, the
 * others as hypotheses say. */
void mpg_delays_add_collective(struct mpg_evaluator *l, enum mpg_call call,
                              const struct mpg_origin *origin, uint32_t rounds, double bytes,
                              double target_bytes, const struct mpg_origin *meeting, int32_t members,
                              double bytes_each, double *value);

/* Whether S, the call that is being left, waits for others, or, but for hypotheses, did. */
static inline bool mpg_delays_waits(const struct mpg_step *s)
{
    return s->edge_number > 0 || s->lost_number > 0;
}

/* Time of S, the call that is being left, off the CPU, if that is taken out, ns. */
static inline double mpg_delays_call_off(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    return mpg_perturbation_removes_off_cpu(l->p) ? (double)s->call_off_ns : 0;
}

/* Whether S is shorter by that: it waits for nobody. */
static inline bool mpg_delays_shortens(const struct mpg_evaluator *l, const struct mpg_step *s)
{
    return s->call_off_ns > 0 && !mpg_delays_waits(s) && !s->changed && mpg_perturbation_removes_off_cpu(l->p);
}

/* Lists the edges of S, the call that is being left: those that are completed at a cost the latest
 * first, without clocks that are comparable the last of the call. Error: out of memory. */
int mpg_delays_list_edges(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* Whether arrivals in S are completed one after the other, at a cost. */
bool mpg_delays_takes_turns(const struct mpg_evaluator *l, const struct mpg_step *s);
/* The message that E, at EDGE of the list, brings, as draws of o_r see it. */
static inline struct mpg_sent_message received_of(const struct mpg_edge *e, const struct mpg_delay_edge *edge)
{
    struct mpg_sent_message m = sending_of(&e->origin, e->target_bytes);
    m.further = edge->further;
    return m;
}

/* Whether S blocks until a message is sent whose protocol changes, or is inserted: how long it took says nothing
 * of the target then. */
bool mpg_delays_is_absolute(const struct mpg_step *s);
/* What S took at least on the traced machine, had it not waited: no more than its messages'
 * overheads there, where these are known, ns. */
double mpg_delays_own_floor(const struct mpg_evaluator *l, const struct mpg_step *s);
/* With less than so many lanes there is little to ask for. */
enum { MPG_LANES_AHEAD_LEAST = 16 };
/* An interval of STREAM begins, in no fewer lanes: asks for a part of what its follower's lanes hold. */
void mpg_delays_look_ahead(struct mpg_evaluator *l, uint32_t stream);
/* Adds to each lane what the messages that S sends and receives cost it. Without a source's, its
 * own floor stands for theirs. */
void mpg_delays_add_overheads(struct mpg_evaluator *l, const struct mpg_step *s, double *value);
/* Detours that begin so long before S's leave are part of what its messages were measured to take
 * (docs/MODEL.md, 3, Times of messages contain noise), ns. */
double mpg_delays_covered(struct mpg_evaluator *l, const struct mpg_step *s);

/* What the steps of their kind mean (docs/MODEL.md, section 4). */
void mpg_delays_eager(struct mpg_evaluator *l, const struct mpg_step *s);
void mpg_delays_synchronous(struct mpg_evaluator *l, const struct mpg_step *s);
void mpg_delays_contribute(struct mpg_evaluator *l, const struct mpg_step *s);
void mpg_delays_merge(struct mpg_evaluator *l, const struct mpg_step *s);
/* Apart from the loop over steps, whose registers it does not share. */
__attribute__((noinline)) int mpg_delays_leave(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* A STORE that joins an expanded collective, besides what every STORE means. */
int mpg_delays_join_expanded(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t slots, struct mpg_error *err);
int mpg_delays_expand(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
uint32_t mpg_delays_expanded_lanes(const struct mpg_evaluator *l);
void mpg_delays_load(const struct mpg_evaluator *l, uint32_t slot, double *time);
void mpg_delays_store(struct mpg_evaluator *l, uint32_t slot, const double *time);
extern const struct mpg_arrivals mpg_delays_arrivals, mpg_times_arrivals;
/* After an EAGER step, where calls choose. */
int mpg_delays_sent(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* S, which chooses, has done so: its edges' places, lane by lane. */
int mpg_delays_tally_sources(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* Edge I of S has been taken, the FIRST of several or a further one: pairs only. */
void mpg_delays_tally_edge(struct mpg_evaluator *l, const struct mpg_step *s, uint32_t i, bool first);
void mpg_delays_tally(struct mpg_evaluator *l, const struct mpg_step *s);
/* The value of lane W, that does not make the call S, after it. */
double mpg_delays_vanished(const struct mpg_evaluator *l, const struct mpg_step *s, uint32_t w);

/* --- predict mode (times*.c) --- */

/* o_r of the I-th message received in the call, FURTHER after another one of its rank, or not. */
static inline double *mpg_times_receive_ns(const struct mpg_evaluator *t, uint32_t i, bool further)
{
    return t->receive_ns + (2 * (size_t)i + further) * t->n;
}

/* The target between the rank of S and the one at the other end of E, one of its edges. */
static inline const struct mpg_perturbation *mpg_times_way(const struct mpg_evaluator *t,
                                                           const struct mpg_step *s,
                                                           const struct mpg_edge *e)
{
    return mpg_target_between(t->target, s->rank, e->source);
}

/* Adds to each lane l_j of a collective: see mpg_delays_add_collective(). */
void mpg_times_add_collective(const struct mpg_evaluator *t, enum mpg_call call,
                              const struct mpg_origin *origin, uint32_t rounds, double bytes,
                              const struct mpg_origin *meeting, int32_t members, double bytes_each,
                              double *value);
/* Takes what arrives in S: at a cost, into what is its own, or without; when the last is there into
 * arrived, and when all are received into scratch. COSTS becomes true if in the trace, too, there is such a cost; RECEIVES where
 * it is of what is received here in place of later. */
int mpg_times_receive(struct mpg_evaluator *t, const struct mpg_step *s, bool *costs,
                      struct mpg_error *err);
/* Whether synchronous sends are done once an answer has come: --latency is that of each message of theirs. */
bool mpg_times_is_answered(const struct mpg_evaluator *t);
const double *mpg_times_sender_done(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e);
int mpg_times_sent(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
int mpg_times_expand(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
uint32_t mpg_times_expanded_lanes(const struct mpg_evaluator *t);
void mpg_times_load(const struct mpg_evaluator *t, uint32_t slot, double *value);
void mpg_times_store(struct mpg_evaluator *t, uint32_t slot, const double *value);
/* A LEAVE step. */
int mpg_times_leave(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);

#endif
