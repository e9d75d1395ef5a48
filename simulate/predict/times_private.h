/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times, as those who evaluate steps see them. Private to simulate/predict/. */
#ifndef MPG_TIMES_PRIVATE_H
#define MPG_TIMES_PRIVATE_H

#include <string.h>

#include "simulate/algorithms/expand.h"
#include "simulate/choice/choice_private.h"
#include "simulate/engine/vectors.h"
#include "simulate/models/parametric.h"
#include "simulate/models/times.h"
#include "simulate/predict/times.h"
#include "simulate/where/moves.h"
#include "simulate/where/tally.h"

/* What waits in a slot: vectors of n each, one after the other. */
enum slot_value { /* as enum mpg_slot_part */
    SLOT_TIME,     /* of the node; of a message its arrival */
    SLOT_ENVELOPE, /* of a message: when its envelope arrives */
    SLOT_MEET,     /* of a synchronous message: when it has met its receive */
    SLOT_BEGIN,    /* and when it had left, had its receiver waited for it; of an eager one: when it left */
    SLOT_VALUES
};

/* And what a stream has. */
enum stream_value {
    STREAM_TIME,
    STREAM_NEXT,   /* from when on it may send again */
    STREAM_PASSED, /* struct mpg_interval */
    STREAM_VALUES
};

/* What a rank's account adds up, lane by lane, in the order of struct mpg_run_account. */
enum times_term {
    TERM_COMPUTE,
    TERM_NOISE,
    TERM_CALL,
    TERM_MESSAGE,
    TERM_COLLECTIVE,
    TERM_THREAD,
    TERM_RUN,
    TERM_POLLED,
    TERMS
};

struct mpg_times {
    int32_t ranks;
    uint32_t n, first;
    const struct mpg_target *target;
    struct mpg_times_options options;
    struct mpg_floors *floors;
    const struct mpg_classes *classes; /* may be NULL */
    double *stream, *slot;         /* capacity x values x n */
    double *covered_ns;            /* of a stream's last call (struct mpg_interval) */
    uint32_t stream_capacity, slot_capacity, covered_capacity;
    bool covers;
    char *cursor; /* capacity x n, where look-ups in the target's noise need any */
    uint32_t cursor_capacity;
    uint32_t *last_stream; /* of each rank: that its FINISH is of */
    int64_t *traced_ns;
    double *account;                   /* ranks x TERMS x n; where places are tallied, of a step: TERMS x n */
    size_t account_stride;             /* terms between two ranks': TERMS, or 0 */
    struct mpg_tally *tally;           /* NULL: nobody asks for places */
    double *rank_account;              /* where they are tallied: that of ranks */
    bool *threads;                     /* of each rank: it has more than one */
    double *own, *best, *scratch, *lambda, *tau, *answer, *kappa; /* n each */
    double *arrived;                   /* n: when the last message that the call receives is there */
    bool *by_message;                  /* n: whether a message, not a collective, was waited for */
    /* Of the messages that a call receives: o_r alone and after another of its rank, n each, and
     * the order in which they arrive in one lane. */
    double *receive_ns;
    uint32_t receive_capacity;
    struct mpg_arrival *arrival;
    struct mpg_expansion *expansion; /* NULL: no collective has been expanded yet */
    double *members;                 /* capacity: values of all members of one, and what they come from; */
    uint32_t *member_slot; /* their slots */
    uint32_t members_capacity, member_slots;
    bool *receives;                  /* n: the call receives at a cost what it did not in the trace */
    struct mpg_choosing *choice;     /* NULL: calls complete what they did in the trace */
    struct mpg_path *path; /* of the one lane; NULL: nobody asks. Not owned */
    struct mpg_path_taken *taken; /* what the call that is left is made of, for it */
    struct mpg_times_trail *trail; /* of all lanes (trail.c); NULL: nobody asks */
    bool follows;          /* there is one of the two; then, where calls choose, */
    struct mpg_moves *moves; /* what arrivals come from that they move */
    uint64_t turns, *turn; /* lanes of calls; a rank, the last one in which it was received from */
};

/* What a call's time comes from, in the one lane whose path is asked for. */
struct mpg_path_taken {
    struct mpg_path_value from, last;  /* what decides; the message that decides what is received, */
    double last_ns;                    /* when that is there */
    double term[MPG_WHERE_TERMS];
};

struct mpg_arrival {
    double time_ns; /* -INFINITY: not in this lane */
    const struct mpg_edge *edge;
    uint32_t i;     /* which of those that are received */
    bool further;
    bool early;     /* not in the trace */
    bool costs;     /* else it takes nothing of its receiver */
};

static inline double *stream_value(const struct mpg_times *t, uint32_t stream,
                                   enum stream_value which)
{
    return t->stream + ((size_t)stream * STREAM_VALUES + which) * t->n;
}

static inline double *slot_value(const struct mpg_times *t, uint32_t slot, enum slot_value which)
{
    return t->slot + ((size_t)slot * SLOT_VALUES + which) * t->n;
}

static inline double *account_of(const struct mpg_times *t, int32_t rank, enum times_term term)
{
    return t->account + ((size_t)rank * t->account_stride + term) * t->n;
}

/* o_r of the I-th message received in the call, FURTHER after another one of its rank, or not. */
static inline double *mpg_times_receive_ns(const struct mpg_times *t, uint32_t i, bool further)
{
    return t->receive_ns + (2 * (size_t)i + further) * t->n;
}

/* The target between the rank of S and the one at the other end of E, one of its edges. */
static inline const struct mpg_perturbation *mpg_times_way(const struct mpg_times *t,
                                                           const struct mpg_step *s,
                                                           const struct mpg_edge *e)
{
    return mpg_target_between(t->target, s->rank, e->source);
}

/* Adds to each lane l_j of a collective: see mpg_lanes_add_collective(). */
void mpg_times_add_collective(const struct mpg_times *t, enum mpg_call call,
                              const struct mpg_origin *origin, uint32_t rounds, double bytes,
                              const struct mpg_origin *meeting, int32_t members, double bytes_each,
                              double *value);
/* An EXPAND step. */
int mpg_times_expand(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err);
/* After an EAGER step; a VIEW step. */
int mpg_times_sent(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err);
int mpg_times_view(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err);
/* Takes what arrives in S: at a cost, into what is its own, or without; when the last is there into
 * arrived, and when all are received into scratch. COSTS becomes true if in the trace, too, there is such a cost; RECEIVES where it is of what
 * is received here in place of later. */
int mpg_times_receive(struct mpg_times *t, const struct mpg_step *s, bool *costs,
                      struct mpg_error *err);
/* When the synchronous send that E completes is done. */
/* Whether synchronous sends are done once an answer has come: --latency is that of each message of theirs. */
bool mpg_times_is_answered(const struct mpg_times *t);
const double *mpg_times_sender_done(struct mpg_times *t, const struct mpg_step *s, const struct mpg_edge *e);
/* Where there is a path (simulate/predict/path.c): S has been evaluated: an ENTER, with DONE_NS of computation; what a LEAVE
 * receives, the last K of it at a cost; one that waits longest for what it receives, or for E, so far; with what the call
 * itself takes; a LEAVE as a whole, from BEFORE_NS on. */
void mpg_times_path_enter(struct mpg_times *t, const struct mpg_step *s, double before_ns, double done_ns);
void mpg_times_path_received(struct mpg_times *t, const struct mpg_step *s, uint32_t k);
void mpg_times_path_own(struct mpg_times *t, const struct mpg_step *s, double scaled_ns);
void mpg_times_path_message(struct mpg_times *t);
void mpg_times_path_edge(struct mpg_times *t, const struct mpg_step *s, const struct mpg_edge *e);
void mpg_times_path_leave(struct mpg_times *t, const struct mpg_step *s);
/* What arrivals come from that calls have moved, to whoever follows. */
int mpg_times_tell_moves(struct mpg_times *t, struct mpg_error *err);
/* A LEAVE step. */
int mpg_times_leave(struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err);

/* Of all lanes: what the values of S come from, told as it is evaluated (trail.c, trail_leave.c, trail_steps.c). */
void mpg_times_free_trail(struct mpg_times_trail *trail);
int mpg_times_trail_begin(const struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err);
void mpg_times_trail_end(const struct mpg_times *t, const struct mpg_step *s);
void mpg_times_trail_enter(const struct mpg_times *t, const struct mpg_step *s, const double *before, double done_ns);
void mpg_times_trail_received(const struct mpg_times *t, const struct mpg_step *s, uint32_t k, uint32_t w);
void mpg_times_trail_brought(const struct mpg_times *t, const struct mpg_step *s);
void mpg_times_trail_own(const struct mpg_times *t, const struct mpg_step *s, double scaled_ns);
void mpg_times_trail_before(const struct mpg_times *t);
void mpg_times_trail_message(const struct mpg_times *t);
void mpg_times_trail_edge(struct mpg_times *t, const struct mpg_step *s, const struct mpg_edge *e);
int mpg_times_trail_leave(const struct mpg_times *t, const struct mpg_step *s, struct mpg_error *err);

/* Expanded collectives, where FOLLOWS (trail_expand.c). VALUE, as wide as simulate/algorithms/expand.h has them, comes from itself, its
 * NUMBER. It is that of SLOT from now on, and comes from what it numbers of slots FROM: of several at a time all are told first,
 * then each ends. */
void mpg_times_came_begin(const struct mpg_times *t, double *value, uint32_t number);
void mpg_times_came(const struct mpg_times *t, uint32_t slot, double *value, const uint32_t *from);
void mpg_times_came_end(const struct mpg_times *t, uint32_t slot, const double *value);

/* When a stream may send again, on paths. */
static inline struct mpg_path_value next_of(uint32_t stream)
{
    return (struct mpg_path_value){stream, MPG_PATH_NEXT};
}

#endif
