/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder: provenance of the values of all lanes (docs/MODEL.md, section 8, Paths of delays, Critical path), reported to
 * simulate/attribution/provenance.h step by step. If a value is the maximum of equal values, its origin is the rank's own
 * value, otherwise that of the first edge. In perturb mode the delay injected into a message, including its bytes, counts as
 * MPG_CRITICAL_LATENCY, the delay injected into a collective as MPG_CRITICAL_WHOLE. Private to simulate/evaluate/. */
#ifndef MPG_RECORDER_H
#define MPG_RECORDER_H

#include "simulate/evaluate/evaluator_private.h"

enum { NOWHERE = UINT32_MAX };

struct mpg_recorder {
    struct mpg_provenance *provenance;
    struct mpg_tally *tally; /* places of calls; owned by the evaluator or by a critical path */
    double *before;          /* by lane: a value before the step, or the latest value so far */
    double *from_ns;         /* by lane: the value from which the value at the call's leave comes */
    double *other;           /* by lane: scratch values */
    uint32_t *code;          /* by lane: the edge from which the value at the call's leave comes, as a number */
    bool *used;              /* by number in `code`: true if some lane has it */
    uint32_t used_capacity;
    uint64_t *lane_mask; /* one bit for each lane: the value comes from the first of two inputs; or the stream may not send yet */
    uint64_t steps;          /* number of steps since provenance was last resolved (mpg_provenance_cut()) */
    uint32_t streams, ended; /* number of streams so far; capacity of `finished` */
    bool *finished;          /* by stream: its FINISH step has been evaluated */

    /* perturb mode */
    /* by lane: a stream's value before the call; the part of its value after the call that was injected into a message or a
     * collective */
    double *began, *put;
    double *trip;            /* by lane: costs of the one-sided transfers that the call completes */
    double *first, *part;    /* by lane: scratch; parts of a time */
    bool puts;               /* `put` is not 0 in some lane */
    bool skips;           /* some lane does not make the call */
    bool is_recorded;        /* the provenance of the current call has been recorded */
    bool clamps;             /* the earliest departure of a message can limit its time */
    double slack_ns;         /* slack of the call's local edge */
    double *known;           /* by number in `code`: sum of the terms, ns, that are equal in all lanes with this number */
    uint32_t known_capacity;
    struct mpg_delay_interval { /* by stream, with choices: the stream's last interval */
        double length_ns, more_ns, tracer_ns;
    } *interval;
    uint32_t intervals;      /* capacity of `interval` */

    /* predict mode */
    double *latency, *bytes, *whole, *last_ns, *latest; /* one value for each lane */
    /* one value for each lane, if HOLDS: number of latencies and of bytes in the time of a synchronous send */
    double *messages, *size;
    bool holds;              /* `messages` or `size` is not 0 in some lane */
    uint32_t *last;          /* by lane: the edge whose message arrives last */
    bool has_terms;          /* `latency`, `bytes` or `whole` may differ from 0 in some lane */
    double costs[MPG_ATTRIBUTION_TERMS];
};

void mpg_recorder_free(struct mpg_recorder *recorder); /* NULL is allowed */
/* To be called by the evaluator: mpg_recorder_begin() and _end() before and after step S is evaluated, _cut() after STEPS,
 * _finish() after the last step. Errors: out of memory; as mpg_evaluator_finish(). */
int mpg_recorder_begin(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
int mpg_recorder_end(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
int mpg_recorder_cut(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err);
int mpg_recorder_finish(const struct mpg_evaluator *e, struct mpg_error *err);
/* Begins the record of the new value of S's stream: the sum of its last value, TERMS (NULL: 0), and the terms that are added
 * later. */
void mpg_recorder_continue(const struct mpg_evaluator *e, const struct mpg_step *s, const double *terms);
/* Adds to the current record of S the origin FROM with TERMS, in the lanes whose code is CODE. If pairs of ranks are
 * recorded, the pair is that of EDGE, an edge of S (NULL: no pair); in lanes in which CHOICE (NULL: none) put another message
 * into the view of EDGE, the pair has this message's sender. Error: out of memory. */
int mpg_recorder_add_lanes(const struct mpg_evaluator *e, const struct mpg_choosing *choice, const struct mpg_step *s,
                           const struct mpg_edge *edge, uint32_t code, struct mpg_value from, const double *terms,
                           struct mpg_error *err);
/* For expanded collectives, whose values carry their provenance (simulate/algorithms/expand.h). mpg_recorder_came_begin()
 * makes NUMBER the origin of VALUE in all lanes, without terms. _came() records the provenance of SLOT's new VALUE, whose
 * origins are indices in FROM, the slots that the step reads. If a step writes several slots, call _came() for all of them
 * first, then _came_end() for each slot that is stored. */
void mpg_recorder_came_begin(const struct mpg_evaluator *e, double *value, uint32_t number);
void mpg_recorder_came(const struct mpg_evaluator *e, uint32_t slot, double *value, const uint32_t *from);
void mpg_recorder_came_end(const struct mpg_evaluator *e, uint32_t slot);

/* --- perturb mode (delays/record.c, delays/record_leave.c) --- */

/* What determines the time of a synchronous message, one value for each lane: lambda and tau; costs of the sender, and of the
 * rank that posts the receive; the arrival if the message were eager (NULL: it cannot be). */
struct mpg_delay_met {
    const double *lambda, *tau, *sending, *posting, *eager;
    double sender_slack_ns, poster_slack_ns;
};

void mpg_record_delays_begin(struct mpg_evaluator *l, const struct mpg_step *s);
int mpg_record_delays_end(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* Returns the run time of RANK in lane W, ns: the traced run time plus the delay. */
double mpg_record_delays_run(const struct mpg_evaluator *l, int32_t rank, uint32_t w);
void mpg_record_delays_came(const struct mpg_evaluator *l, double *value, const uint32_t *from);
/* Records the value of S, a SYNCHRONOUS step, in which a message has met its receive. */
void mpg_record_delays_met(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_met *met);
/* mpg_record_delays_leaving() begins the record of S, a LEAVE. mpg_record_delays_receive() records the common case at once,
 * and sets `is_recorded`: S has a single edge, EDGE, of a received message; LOCAL_NS is the slack of the local edge. */
void mpg_record_delays_leaving(struct mpg_evaluator *l, const struct mpg_step *s);
int mpg_record_delays_receive(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_lane_edge *edge,
                              double local_ns, struct mpg_error *err);
/* To be called while call S is left: mpg_record_delays_own() after the local edge, whose slack is SLACK_NS; _before() before
 * an edge is added to OUT, _edge() after EDGE, whose vectors are in E, was added; _clamp() after all edges, because no call
 * may end before its begin. */
void mpg_record_delays_own(struct mpg_evaluator *l, double slack_ns);
void mpg_record_delays_before(struct mpg_evaluator *l, const double *out);
void mpg_record_delays_edge(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_edge *edge,
                            const struct mpg_lane_edge *e, const double *out);
void mpg_record_delays_clamp(struct mpg_evaluator *l, const struct mpg_step *s, const double *out);
/* Records that lanes that do not make call S have the value GONE. */
void mpg_record_delays_vanished(struct mpg_evaluator *l, const struct mpg_step *s, const double *gone);
/* Records the value at the leave of S from what the functions above have noted. */
int mpg_record_delays_left(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);

/* --- predict mode (times/record.c, times/record_leave.c) --- */

void mpg_record_times_begin(struct mpg_evaluator *t, const struct mpg_step *s);
int mpg_record_times_end(struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
double mpg_record_times_run(const struct mpg_evaluator *t, int32_t rank, uint32_t w);
void mpg_record_times_came(const struct mpg_evaluator *t, double *value, const uint32_t *from);
/* Records the end of the interval of S, which began at BEFORE and contains DONE_NS of computation; a polling interval counts
 * as waiting. */
void mpg_record_times_enter(const struct mpg_evaluator *t, const struct mpg_step *s, const double *before, double done_ns);
void mpg_record_times_polled(const struct mpg_evaluator *t, const struct mpg_step *s);
/* Store the message that S waits for longest in `last` and `last_ns`: mpg_record_times_received() among K messages with
 * costs, in lane W; _brought() in all lanes, if no message has a cost. */
void mpg_record_times_received(const struct mpg_evaluator *t, const struct mpg_step *s, uint32_t k, uint32_t w);
void mpg_record_times_brought(const struct mpg_evaluator *t, const struct mpg_step *s);
/* To be called while call S is left: mpg_record_times_own() after the call's own cost, of which SCALED_NS is computation;
 * _before() before each wait; _message() after the wait for received messages, _edge() after the wait for E; _leave() at the
 * end of the call. */
void mpg_record_times_own(const struct mpg_evaluator *t, const struct mpg_step *s, double scaled_ns);
void mpg_record_times_before(const struct mpg_evaluator *t);
void mpg_record_times_message(const struct mpg_evaluator *t);
void mpg_record_times_edge(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e);
int mpg_record_times_leave(const struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
/* Splits TOOK_NS, the time that mpg_times_add_collective() adds, into latency, bytes and whole in lanes where TOOK_NS is
 * positive; TERM receives the terms that are equal in these lanes. Overwrites `other` and `latest`. */
void mpg_record_times_collective(const struct mpg_evaluator *t, enum mpg_call call, const struct mpg_origin *origin,
                                 uint32_t rounds, double bytes, int32_t members, double bytes_each, const double *took_ns,
                                 double *term);

#endif
