/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lanes, as those who evaluate steps see them. Private to simulate/engine/. */
#ifndef MPG_LANES_PRIVATE_H
#define MPG_LANES_PRIVATE_H

#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/choice/choice_private.h"
#include "simulate/engine/lanes.h"
#include "simulate/engine/recurrences.h"
#include "simulate/engine/vectors.h"
#include "simulate/models/shapes.h"
#include "simulate/where/tally.h"

/* An edge of the call that is being left. */
struct mpg_lanes_edge {
    double slack_ns, arrival_ns;
    uint32_t i;
    bool further; /* another message of its rank, that arrived before it, is completed here */
};

/* What a rank's account adds up, lane by lane, in the order of struct mpg_lanes_account. */
enum mpg_lanes_term {
    MPG_TERM_COMPUTE,
    MPG_TERM_CALL,
    MPG_TERM_MESSAGE,
    MPG_TERM_COLLECTIVE,
    MPG_TERM_TAKEN,
    MPG_TERM_WAITED,
    MPG_TERM_HIDDEN,
    MPG_TERM_LEFT,
    MPG_TERMS
};

/* Which stream's steps come when those of one are done, as far as the last time tells: what lanes hold of
 * one is read from memory while another one's steps are evaluated. */
struct mpg_lanes_ahead {
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

struct mpg_lanes {
    int32_t ranks;
    uint32_t n, first;
    const struct mpg_recurrences *code;
    enum mpg_absorb absorb;
    const struct mpg_perturbation *p;
    struct mpg_shapes *shapes;
    const struct mpg_paths *paths; /* of messages; NULL: all are P's */
    bool comparable; /* the ranks' clocks */
    struct mpg_floors *floors;
    const struct mpg_classes *classes; /* may be NULL */
    double *stream_value; /* capacity x n */
    double *slot_value;   /* capacity x n */
    double *slot_bare;    /* the same without what was put into the message or collective
                             itself; of arrivals, contributions and merges */
    double *slot_base;    /* of members of expanded collectives: when, unperturbed, ns after the
                             first one came */
    bool *slot_met;       /* of an arrival: a probe has met it */
    bool leaves;                      /* messages have overheads, too: */
    struct mpg_left_draws *slot_left; /* what is left of an eager message's draws for its receiver, whose arrays */
    double *slot_u;                   /* are these: capacity x n; and for the sender, of the last message: */
    struct mpg_left_draws sent_left;
    bool computes, charges, flies; /* something but the tracer's part is put into compute intervals; into
                                      calls themselves; into messages */
    bool has_kappa;       /* calls have one */
    bool is_plain;        /* calls choose nothing */
    bool covers;          /* detours that begin in a call can be part of what its messages cost: */
    double *covered_ns;   /* capacity; of a stream's last call, those that begin so long before
                             its leave are, */
    double *passed_ns;    /* capacity x n; and until when these are over (struct mpg_interval) */
    struct mpg_floored *floored; /* capacity, where there is slack: what a stream's last receive had */
    uint32_t floored_capacity;
    double *entered_ns; /* capacity, where calls' own work meets noise: when a stream's call began, traced,
                           after MPI_Init */
    uint32_t entered_capacity;
    char *cursor;         /* capacity x n, where look-ups in the target's noise need any; of a
                             stream's last interval (struct mpg_interval) */
    size_t cursor_bytes;  /* of a lane; 0: none do */
    uint32_t cursor_capacity;
    uint32_t stream_capacity, slot_capacity, bare_capacity, met_capacity, passed_capacity,
        covered_capacity, left_capacity, u_capacity;
    uint32_t ready_slots, ready_streams; /* there is room for so many */
    uint32_t base_capacity, members_capacity;
    struct mpg_expansion *expansion; /* NULL: none has been expanded yet */
    uint32_t *member_slot;           /* its members' slots, where it is asked what values come from; capacity: */
    uint32_t member_slots;
    double *members;      /* capacity: values of all members of one, and what they come from */
    uint32_t *last_stream; /* of each rank: that its FINISH is of */
    const double *own_kappa; /* of the call that is being left: KAPPA, or zeros */
    double *scratch, *result, *kappa, *local, *later, *answered, *own, *all, *others,
        *put, *zeros, *left; /* n each */
    int64_t *traced_ns;
    double *account; /* ranks x MPG_TERMS x n; where places are tallied, of a step: MPG_TERMS x n */
    size_t account_stride; /* terms between two ranks': MPG_TERMS, or 0 */
    struct mpg_tally *tally; /* NULL: nobody asks for places */
    double *rank_account;    /* where they are tallied: that of ranks, */
    uint32_t *edge_place, edge_places; /* capacity; of the call that is being left, each edge's, */
    uint32_t *lane_place, lane_places; /* capacity x n; the same lane by lane, if they are mixed: */
    bool mixed;              /* some lane has another rank's message there; */
    uint32_t *latest;        /* and of the latest one in each lane, */
    double *latest_ns;       /* which is so late */
    struct mpg_lanes_trail *trail; /* NULL: nobody asks what delays come from (trail.h) */
    uint32_t streams;    /* met so far; one a rank, then threads as they appear */
    struct mpg_lanes_ahead ahead;
    uint32_t *unjoined;  /* of each rank: threads that go on */
    struct mpg_lanes_edge *edge; /* those of a call, as they are evaluated */
    uint32_t edge_capacity;
    struct mpg_choosing *choice; /* NULL: calls complete what they did in the trace */
    int64_t polling_ns;   /* intervals that poll, and are no longer, are waiting; -1: none is. Where calls choose: */
    double *before;       /* capacity x n: a stream's value before its last interval, INFINITY if that did not poll, */
    double *interval_ns;  /* and that interval, with what the tracer took */
    uint32_t before_capacity, interval_capacity;
    uint64_t turns, *turn; /* calls that completed several receives; a rank, the last one that
                              completed one of its messages */
};

/* Whether the interval of ENTER S only asks once more. */
static inline bool polls(const struct mpg_lanes *l, const struct mpg_step *s)
{
    return s->polls && s->interval_ns <= l->polling_ns;
}

static inline double *stream_value(const struct mpg_lanes *l, uint32_t stream)
{
    return l->stream_value + (size_t)stream * l->n;
}

static inline double *account_of(const struct mpg_lanes *l, int32_t rank, enum mpg_lanes_term term)
{
    return l->account + ((size_t)rank * l->account_stride + term) * l->n;
}

/* What RANK's account adds up in a call. */
static inline struct mpg_lane_account lane_account_of(const struct mpg_lanes *l, int32_t rank)
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
static inline struct mpg_lane_leave leave_of(const struct mpg_lanes *l)
{
    return (struct mpg_lane_leave){.own = l->own, .all = l->all, .others = l->others, .put = l->put};
}

static inline double *slot_value(const struct mpg_lanes *l, uint32_t slot)
{
    return l->slot_value + (size_t)slot * l->n;
}

static inline double *slot_bare(const struct mpg_lanes *l, uint32_t slot)
{
    return l->slot_bare + (size_t)slot * l->n;
}

/* What is left of the draws of the eager message that is in SLOT; NULL: nobody asks. */
static inline struct mpg_left_draws *slot_left(const struct mpg_lanes *l, uint32_t slot)
{
    if (!l->leaves)
        return NULL;
    struct mpg_left_draws *left = &l->slot_left[slot];
    left->u = l->slot_u + (size_t)slot * l->n;
    return left;
}

/* What perturbs messages between A and B. */
static inline const struct mpg_perturbation *way_of(const struct mpg_lanes *l, int32_t a, int32_t b)
{
    return l->paths ? mpg_paths_between(l->paths, a, b) : l->p;
}

/* l(bytes) between the ranks of a message; 0 where nobody needs it. */
static inline double flight_ns(const struct mpg_lanes *l, int32_t a, int32_t b, double bytes)
{
    return l->floors ? mpg_floor_message(l->floors, a, b, bytes) : 0;
}

/* Whether kappa of a call that leaves a message's completion to a request is put on the message's way. */
static inline bool posts_kappa(const struct mpg_lanes *l)
{
    return l->p->call_edges == MPG_CALL_EDGES_PAPER;
}

/* Adds that to each lane, of a call that does so: REQUESTED. */
static inline void add_posting(const struct mpg_lanes *l, bool requested, int32_t rank,
                               uint64_t call, double *value)
{
    if (requested && posts_kappa(l))
        mpg_perturb_call(l->p, rank, call, l->first, l->n, value);
}

/* l0 of a synchronous message of BYTES: how long its envelope flies at least. */
static inline double envelope_ns(const struct mpg_lanes *l, int32_t a, int32_t b, double bytes)
{
    double empty_ns = flight_ns(l, a, b, 0), whole_ns = flight_ns(l, a, b, bytes);
    return empty_ns < whole_ns ? empty_ns : whole_ns;
}

/* When the message of E, an arrival or an ack at RANK, can have started to fly, so that t(A) is
 * that + l(d): a synchronous one so that its envelope is there when its receive is posted. */
static inline double start_ns(const struct mpg_lanes *l, int32_t rank, const struct mpg_edge *e)
{
    if (e->from_ns <= e->sent_ns)
        return e->sent_ns;
    double posted_ns = e->from_ns - envelope_ns(l, e->source, rank, e->bytes);
    return posted_ns > e->sent_ns ? posted_ns : e->sent_ns;
}

/* Adds to each lane what a collective takes longer, one's share with BYTES in ROUNDS, or, of
 * those that were measured as a whole, all of it: MEMBERS of them with BYTES_EACH. BYTES are as traced, the
 * others as hypotheses say. */
void mpg_lanes_add_collective(struct mpg_lanes *l, enum mpg_call call,
                              const struct mpg_origin *origin, uint32_t rounds, double bytes,
                              double target_bytes, const struct mpg_origin *meeting, int32_t members,
                              double bytes_each, double *value);

/* What noise can take of STREAM's, whose last call or interval it was: where it is in the noise. */
static inline void meet_noise(const struct mpg_lanes *l, uint32_t stream, struct mpg_interval *x)
{
    if (l->covers)
        x->passed_ns = l->passed_ns + (size_t)stream * l->n;
    if (l->cursor)
        x->cursor = l->cursor + (size_t)stream * l->n * l->cursor_bytes;
    x->lanes = l->n;
}

/* Whether S, the call that is being left, waits for others, or, but for hypotheses, did. */
static inline bool mpg_lanes_waits(const struct mpg_step *s)
{
    return s->edge_number > 0 || s->lost_number > 0;
}

/* Time of S, the call that is being left, off the CPU, if that is taken out, ns. */
static inline double mpg_lanes_call_off(const struct mpg_lanes *l, const struct mpg_step *s)
{
    return mpg_perturbation_removes_off_cpu(l->p) ? (double)s->call_off_ns : 0;
}

/* Whether S is shorter by that: it waits for nobody. */
static inline bool mpg_lanes_shortens(const struct mpg_lanes *l, const struct mpg_step *s)
{
    return s->call_off_ns > 0 && !mpg_lanes_waits(s) && !s->changed && mpg_perturbation_removes_off_cpu(l->p);
}

/* Lists the edges of S, the call that is being left: those that are completed at a cost the latest
 * first, without clocks that are comparable the last of the call. Error: out of memory. */
int mpg_lanes_list_edges(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
/* Whether arrivals in S are completed one after the other, at a cost. */
bool mpg_lanes_takes_turns(const struct mpg_lanes *l, const struct mpg_step *s);
/* The message that E, at EDGE of the list, brings, as draws of o_r see it. */
static inline struct mpg_sending received_of(const struct mpg_edge *e, const struct mpg_lanes_edge *edge)
{
    struct mpg_sending m = sending_of(&e->origin, e->target_bytes);
    m.further = edge->further;
    return m;
}

/* Whether S blocks until a message is sent whose protocol changes, or is inserted: how long it took says nothing
 * of the target then. */
bool mpg_lanes_is_absolute(const struct mpg_step *s);
/* What S took at least on the traced machine, had it not waited: no more than its messages'
 * overheads there, where these are known, ns. */
double mpg_lanes_own_floor(const struct mpg_lanes *l, const struct mpg_step *s);
/* With less than so many lanes there is little to ask for. */
enum { MPG_LANES_AHEAD_LEAST = 16 };
/* An interval of STREAM begins, in no fewer lanes: asks for a part of what its follower's lanes hold. */
void mpg_lanes_look_ahead(struct mpg_lanes *l, uint32_t stream);
/* Adds to each lane what the messages that S sends and receives cost it. Without a source's, its
 * own floor stands for theirs. */
void mpg_lanes_add_overheads(struct mpg_lanes *l, const struct mpg_step *s, double *value);
/* Detours that begin so long before S's leave are part of what its messages were measured to take
 * (docs/MODEL.md, 3, What messages took), ns. */
double mpg_lanes_covered(struct mpg_lanes *l, const struct mpg_step *s);

/* What the steps of their kind mean (docs/MODEL.md, section 4). */
void mpg_lanes_eager(struct mpg_lanes *l, const struct mpg_step *s);
void mpg_lanes_synchronous(struct mpg_lanes *l, const struct mpg_step *s);
void mpg_lanes_contribute(struct mpg_lanes *l, const struct mpg_step *s);
void mpg_lanes_merge(struct mpg_lanes *l, const struct mpg_step *s);
int mpg_lanes_sent(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
int mpg_lanes_view(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
/* Apart from the loop over steps, whose registers it does not share. */
__attribute__((noinline)) int mpg_lanes_leave(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
/* A STORE that joins an expanded collective, besides what every STORE means; an EXPAND. */
int mpg_lanes_join_expanded(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots,
                            struct mpg_error *err);
int mpg_lanes_expand(struct mpg_lanes *l, const struct mpg_step *s, uint32_t slots,
                     struct mpg_error *err);

/* With a tally: S is to be evaluated, and has been, so that what it has added to the account goes to its place. */
int mpg_lanes_tally_begin(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
void mpg_lanes_tally_end(struct mpg_lanes *l, const struct mpg_step *s);
/* The same of S, which chooses, once it has. */
int mpg_lanes_tally_sources(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
/* FINISH of S, with what it adds. */
void mpg_lanes_tally_finish(struct mpg_lanes *l, const struct mpg_step *s,
                            void (*finish)(struct mpg_lanes *, const struct mpg_step *));
/* Edge I of S has been taken, the FIRST of several or a further one: pairs only. */
void mpg_lanes_tally_edge(struct mpg_lanes *l, const struct mpg_step *s, uint32_t i, bool first);
void mpg_lanes_tally_free(struct mpg_lanes *l);

/* The value of lane W, that does not make the call S, after it. */
double mpg_lanes_vanished(const struct mpg_lanes *l, const struct mpg_step *s, uint32_t w);

#endif
