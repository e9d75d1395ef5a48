/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder: provenance of the values of all lanes (docs/MODEL.md, section 8, Paths of delays, Critical path), reported to
 * simulate/attribution/provenance.h step by step. If several inputs of a maximum are equal, the origin is the rank's own value
 * if among these, else the value of the first edge. In perturb mode the delay injected into a message, including its bytes,
 * counts as MPG_CRITICAL_LATENCY, the delay injected into a collective as MPG_CRITICAL_WHOLE. Private to
 * simulate/evaluate/. */
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
    uint32_t *code;          /* by lane: the origin of the value at the call's leave, as a number */
    bool *used;              /* by number in `code`: true if some lane has this number */
    uint32_t used_capacity;
    uint64_t *lane_mask; /* one bit for each lane: the value comes from the first of two inputs; or the stream may not send yet */
    uint64_t steps;          /* number of steps since provenance was last resolved (mpg_provenance_cut()) */
    uint32_t streams, ended; /* number of streams so far; capacity of `finished` */
    bool *finished;          /* by stream: its FINISH step has been evaluated */

    /* perturb mode */
    /* by lane: a stream's value before the call; the part of the stream's value after the call that was injected into a
     * message or a collective */
    double *began, *put;
    double *trip;            /* by lane: costs of the one-sided transfers completed by the call */
    double *first, *part;    /* by lane: scratch; parts of a time */
    bool puts;               /* `put` is nonzero in some lane */
    bool skips;           /* some lane does not make the call */
    bool is_recorded;        /* the provenance of the current call has been recorded */
    bool clamps;             /* the earliest departure of a message can limit the message's time */
    double slack_ns;         /* slack of the call's local edge */
    double *known;           /* by number in `code`: sum of the terms, ns, equal in all lanes with this number */
    uint32_t known_capacity;
    struct mpg_delay_interval { /* by stream, with choices: the stream's last interval */
        double length_ns, more_ns, tracer_ns;
    } *interval;
    uint32_t intervals;      /* capacity of `interval` */

    /* predict mode */
    double *latency, *bytes, *whole, *last_ns, *latest; /* one value for each lane */
    /* one value for each lane, if `holds`: number of latencies and of bytes in the time of a synchronous send */
    double *messages, *size;
    bool holds;              /* `messages` or `size` is nonzero in some lane */
    uint32_t *last;          /* by lane: the edge whose message arrives last */
    bool has_terms;          /* `latency`, `bytes` or `whole` may be nonzero in some lane */
    double costs[MPG_ATTRIBUTION_TERMS];
};

void mpg_recorder_free(struct mpg_recorder *recorder); /* NULL is allowed */
/* To be called by the evaluator: mpg_recorder_begin() before and mpg_recorder_end() after step S is evaluated,
 * mpg_recorder_cut() after STEPS, mpg_recorder_finish() after the last step. Errors: out of memory; the errors of
 * mpg_evaluator_finish(). */
int mpg_recorder_begin(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
int mpg_recorder_end(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
int mpg_recorder_cut(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err);
int mpg_recorder_finish(const struct mpg_evaluator *e, struct mpg_error *err);
/* Begins the record of the new value of S's stream: the sum of the stream's last value, TERMS (NULL: 0), and terms added
 * later. */
void mpg_recorder_continue(const struct mpg_evaluator *e, const struct mpg_step *s, const double *terms);
/* Adds to the current record of S the origin FROM with TERMS, in the lanes whose code is CODE. If pairs of ranks are recorded,
 * the pair consists of the ranks of EDGE, an edge of S (NULL: no pair); in lanes in which CHOICE (NULL: none) put another
 * message into the view of EDGE, of this message's sender and the rank of S. Error: out of memory. */
int mpg_recorder_add_lanes(const struct mpg_evaluator *e, const struct mpg_choosing *choice, const struct mpg_step *s,
                           const struct mpg_edge *edge, uint32_t code, struct mpg_value from, const double *terms,
                           struct mpg_error *err);
/* For expanded collectives, whose values include the provenance (simulate/algorithms/expand.h). mpg_recorder_came_begin()
 * makes NUMBER the origin of VALUE in all lanes, without terms. mpg_recorder_came() records the provenance of SLOT's new
 * VALUE, whose origins are indices in FROM, the slots read by the step. If a step writes several slots, call
 * mpg_recorder_came() for all slots first, then mpg_recorder_came_end() for each stored slot. */
void mpg_recorder_came_begin(const struct mpg_evaluator *e, double *value, uint32_t number);
void mpg_recorder_came(const struct mpg_evaluator *e, uint32_t slot, double *value, const uint32_t *from);
void mpg_recorder_came_end(const struct mpg_evaluator *e, uint32_t slot);

/* --- perturb mode (delays/record.c, delays/record_leave.c) --- */

/* Components of the time of a synchronous message, one value for each lane: lambda and tau; costs of the sender, and of the
 * rank that posts the receive; the arrival as an eager message (NULL: the message does not grow, see `grows` of struct
 * mpg_step). */
struct mpg_delay_met {
    const double *lambda, *tau, *sending, *posting, *eager;
    double sender_slack_ns, poster_slack_ns;
};

void mpg_record_delays_begin(struct mpg_evaluator *l, const struct mpg_step *s);
int mpg_record_delays_end(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* Returns the run time of RANK in lane W, ns: the traced run time plus the delay. */
double mpg_record_delays_run(const struct mpg_evaluator *l, int32_t rank, uint32_t w);
void mpg_record_delays_came(const struct mpg_evaluator *l, double *value, const uint32_t *from);
/* Records the value of S, a SYNCHRONOUS step, in which a message has met the receive. */
void mpg_record_delays_met(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_met *met);
/* mpg_record_delays_leaving() begins the record of S, a LEAVE. mpg_record_delays_receive() records the whole provenance in the
 * most frequent case, and then sets `is_recorded`: S has a single edge, EDGE, of a received message; LOCAL_NS is the slack of
 * the local edge. */
void mpg_record_delays_leaving(struct mpg_evaluator *l, const struct mpg_step *s);
int mpg_record_delays_receive(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_lane_edge *edge,
                              double local_ns, struct mpg_error *err);
/* To be called while call S is left: mpg_record_delays_own() after the local edge, whose slack is SLACK_NS;
 * mpg_record_delays_before() before an edge is added to OUT; mpg_record_delays_edge() after EDGE, whose vectors are in E, was
 * added; mpg_record_delays_clamp() after all edges, for lanes in which the begin of the call limits the end. */
void mpg_record_delays_own(struct mpg_evaluator *l, double slack_ns);
void mpg_record_delays_before(struct mpg_evaluator *l, const double *out);
void mpg_record_delays_edge(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_edge *edge,
                            const struct mpg_lane_edge *e, const double *out);
void mpg_record_delays_clamp(struct mpg_evaluator *l, const struct mpg_step *s, const double *out);
/* Records the value GONE in lanes that do not make call S. */
void mpg_record_delays_vanished(struct mpg_evaluator *l, const struct mpg_step *s, const double *gone);
/* Records the value at the leave of S, from the notes of the functions above. */
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
/* Store the message for which S waits longest in `last` and `last_ns`: mpg_record_times_received() among K messages with
 * costs, in lane W; mpg_record_times_brought() in all lanes, if no message has a cost. */
void mpg_record_times_received(const struct mpg_evaluator *t, const struct mpg_step *s, uint32_t k, uint32_t w);
void mpg_record_times_brought(const struct mpg_evaluator *t, const struct mpg_step *s);
/* To be called while call S is left: mpg_record_times_own() after the call's own cost, which includes SCALED_NS of
 * computation; mpg_record_times_before() before each wait; mpg_record_times_message() after the wait for received messages,
 * mpg_record_times_edge() after the wait for E; mpg_record_times_leave() at the end of the call. */
void mpg_record_times_own(const struct mpg_evaluator *t, const struct mpg_step *s, double scaled_ns);
void mpg_record_times_before(const struct mpg_evaluator *t);
void mpg_record_times_message(const struct mpg_evaluator *t);
void mpg_record_times_edge(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e);
int mpg_record_times_leave(const struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
/* Splits TOOK_NS, the time added by mpg_times_add_collective(), into latency, bytes and whole in lanes with positive TOOK_NS;
 * TERM receives the terms equal in these lanes. Overwrites `other` and `latest`. */
void mpg_record_times_collective(const struct mpg_evaluator *t, enum mpg_call call, const struct mpg_origin *origin,
                                 uint32_t rounds, double bytes, int32_t members, double bytes_each, const double *took_ns,
                                 double *term);

#endif
