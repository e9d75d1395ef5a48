/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the values of all lanes come from (docs/MODEL.md, 8, Paths of delays, Critical path), told as steps are evaluated, for
 * simulate/attribution/provenance.h. Of ties it is the rank's own, then what comes first. Of delays, what is put into a
 * message, its bytes
 * too, is MPG_CRITICAL_LATENCY there, into a collective MPG_CRITICAL_WHOLE. Private to simulate/evaluate/. */
#ifndef MPG_RECORDER_H
#define MPG_RECORDER_H

#include "simulate/evaluate/evaluator_private.h"

enum { NOWHERE = UINT32_MAX };

struct mpg_recorder {
    struct mpg_provenance *trail;
    struct mpg_tally *tally; /* where calls are: the evaluator's, or a path's; not owned */
    double *before;          /* n each: a value before the step, or the latest so far; */
    double *from_ns;         /* of the call: where it comes from; */
    double *other;           /* of use for a while */
    uint32_t *code;          /* n: which edge the call that is left comes from */
    bool *used;              /* a code: whether it has any lanes */
    uint32_t used_capacity;
    uint64_t *firsts;        /* words: lanes that come from the first of two, or whose stream may not send yet */
    uint64_t steps;          /* since the last cut */
    uint32_t streams, ended; /* capacity of: */
    bool *finished;          /* a stream */

    /* perturb mode */
    double *began, *put;     /* a stream's before the call is left; what of it is a message's or a collective's; */
    double *trip;            /* what the one-sided transfers add that it waits for */
    double *first, *part;    /* of use for a while; of a time */
    bool puts;               /* put is not 0 in all lanes */
    bool skips;           /* in some lane it is not made */
    bool told;               /* what it comes from has been told */
    bool clamps;             /* a message can come as early as it can have left */
    double slack_ns;         /* of that call's local edge */
    double *known;           /* a code: what is the same in all of its lanes */
    uint32_t known_capacity;
    struct mpg_delay_interval { /* where calls choose, a stream: its last interval, */
        double length_ns, more_ns, tracer_ns;
    } *interval;
    uint32_t intervals;      /* capacity */

    /* predict mode */
    double *latency, *bytes, *whole, *last_ns, *latest; /* n each */
    uint32_t *last;          /* n: the edge whose message decides what is received */
    bool has_terms;          /* latency, bytes or whole are not 0 */
    double costs[MPG_ATTRIBUTION_TERMS];
};

void mpg_recorder_free(struct mpg_recorder *recorder); /* NULL is allowed */
/* Before and after step S is evaluated; after STEPS. Errors: out of memory; as mpg_evaluator_finish() has. */
int mpg_recorder_begin(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
int mpg_recorder_end(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
int mpg_recorder_cut(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err);
int mpg_recorder_finish(const struct mpg_evaluator *e, struct mpg_error *err);
/* S's stream goes on from where it was, by TERMS. */
void mpg_recorder_go_on(const struct mpg_evaluator *e, const struct mpg_step *s, const double *terms);
/* The record that is made, of S, comes FROM there, with TERMS, in the lanes whose codes are CODE: by E, an edge of S (NULL: by
 * none), between whose ranks it is, for who asks for pairs: of what CHOICE (NULL: none) has put into its view, of whoever sent
 * that. Error: out of memory. */
int mpg_recorder_add_lanes(const struct mpg_evaluator *e, const struct mpg_choosing *choice, const struct mpg_step *s,
                           const struct mpg_edge *edge, uint32_t code, struct mpg_value from, const double *terms,
                           struct mpg_error *err);
/* Expanded collectives: VALUE, as wide as simulate/algorithms/expand.h has them, comes from itself, its NUMBER. It will be that
 * of SLOT, and comes from what it numbers of slots FROM, as they are before; of several at a time all are told first, then each
 * ends, and is stored. */
void mpg_recorder_came_begin(const struct mpg_evaluator *e, double *value, uint32_t number);
void mpg_recorder_came(const struct mpg_evaluator *e, uint32_t slot, double *value, const uint32_t *from);
void mpg_recorder_came_end(const struct mpg_evaluator *e, uint32_t slot);

/* --- perturb mode (recorder_delays.c, recorder_delays_leave.c) --- */

/* What a synchronous message is made of: draws of lambda and tau, what its sender and who posts its receive add, n each;
 * when it were there if it were eager all the same (NULL: it may not). */
struct mpg_delay_met {
    const double *lambda, *tau, *sending, *posting, *eager;
    double sender_slack_ns, poster_slack_ns;
};

void mpg_record_delays_begin(struct mpg_evaluator *l, const struct mpg_step *s);
int mpg_record_delays_end(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* How long the run of RANK is, but for the same in all ranks: no number is lost in it. */
double mpg_record_delays_run(const struct mpg_evaluator *l, int32_t rank, uint32_t w);
void mpg_record_delays_came(const struct mpg_evaluator *l, double *value, const uint32_t *from);
/* S, a synchronous message, has met its receive. */
void mpg_record_delays_met(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_met *met);
/* The call S is being left, by edges, or it is not made; or what it
 * comes from is told at once, if that is EDGE, which it receives, or its own with LOCAL_NS. */
void mpg_record_delays_leaving(struct mpg_evaluator *l, const struct mpg_step *s);
int mpg_record_delays_receive(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_lane_edge *edge,
                              double local_ns, struct mpg_error *err);
/* As the call S is left: its own edge has SLACK_NS; an edge is taken into OUT, and has been, EDGE of the list as E; no call
 * ends before it began, POSTING before its stream's value. */
void mpg_record_delays_own(struct mpg_evaluator *l, double slack_ns);
void mpg_record_delays_before(struct mpg_evaluator *l, const double *out);
void mpg_record_delays_edge(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_edge *edge,
                            const struct mpg_lane_edge *e, const double *out);
void mpg_record_delays_clamp(struct mpg_evaluator *l, const struct mpg_step *s, const double *out);
/* In lanes that skip S the value is GONE. */
void mpg_record_delays_vanished(struct mpg_evaluator *l, const struct mpg_step *s, const double *gone);
/* After S has been left. */
int mpg_record_delays_left(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);

/* --- predict mode (recorder_times.c, recorder_times_leave.c) --- */

void mpg_record_times_begin(struct mpg_evaluator *t, const struct mpg_step *s);
int mpg_record_times_end(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
double mpg_record_times_run(const struct mpg_evaluator *t, int32_t rank, uint32_t w);
void mpg_record_times_came(const struct mpg_evaluator *t, double *value, const uint32_t *from);
/* The interval S, which began BEFORE, has DONE_NS of computation; it only asked once more. */
void mpg_record_times_enter(const struct mpg_evaluator *t, const struct mpg_step *s, const double *before, double done_ns);
void mpg_record_times_polled(const struct mpg_evaluator *t, const struct mpg_step *s);
/* What S receives in lane W, K messages, at a cost; in all lanes, at none. */
void mpg_record_times_received(const struct mpg_evaluator *t, const struct mpg_step *s, uint32_t k, uint32_t w);
void mpg_record_times_brought(const struct mpg_evaluator *t, const struct mpg_step *s);
/* As the call S is left: with what it takes itself, SCALED_NS of it computation; before something more is waited for; what it
 * receives has been waited for, or E; as a whole. */
void mpg_record_times_own(const struct mpg_evaluator *t, const struct mpg_step *s, double scaled_ns);
void mpg_record_times_before(const struct mpg_evaluator *t);
void mpg_record_times_message(const struct mpg_evaluator *t);
void mpg_record_times_edge(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e);
int mpg_record_times_leave(const struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
/* What mpg_times_add_collective() adds, TOOK_NS in all, into latency, bytes and whole of the lanes where it is more than
 * nothing; TERM has what is alike in them. Other and latest are written over. */
void mpg_record_times_collective(const struct mpg_evaluator *t, enum mpg_call call, const struct mpg_origin *origin,
                                 uint32_t rounds, double bytes, int32_t members, double bytes_each, const double *took_ns,
                                 double *term);

#endif
