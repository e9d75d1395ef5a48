/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder: provenance of the values of all lanes (docs/MODEL.md, 8, Paths of delays, Critical path), reported to
 * simulate/attribution/provenance.h step by step. Among equal values the rank's own comes first, then the earlier edge. In
 * perturb mode the delay injected into a message, its bytes included, counts as MPG_CRITICAL_LATENCY, that of a collective as
 * MPG_CRITICAL_WHOLE. Private to simulate/evaluate/. */
#ifndef MPG_RECORDER_H
#define MPG_RECORDER_H

#include "simulate/evaluate/evaluator_private.h"

enum { NOWHERE = UINT32_MAX };

struct mpg_recorder {
    struct mpg_provenance *trail;
    struct mpg_tally *tally; /* places of calls: the evaluator's, or a critical path's; not owned */
    double *before;          /* n each: a value before the step, or the latest so far */
    double *from_ns;         /* the value that the call's leave comes from */
    double *other;           /* scratch */
    uint32_t *code;          /* n: the edge that the call's leave comes from */
    bool *used;              /* for each code: some lane has it */
    uint32_t used_capacity;
    uint64_t *firsts;        /* words: lanes that come from the first of two inputs, or whose stream may not send yet */
    uint64_t steps;          /* steps since the last cut */
    uint32_t streams, ended; /* capacity of: */
    bool *finished;          /* a stream */

    /* perturb mode */
    double *began, *put;     /* a stream's value before the call; the part of it injected into a message or a collective */
    double *trip;            /* costs of the one-sided transfers that the call waits for */
    double *first, *part;    /* scratch; parts of a time */
    bool puts;               /* put is not 0 in all lanes */
    bool skips;           /* some lane leaves the call out */
    bool told;               /* the provenance has been recorded */
    bool clamps;             /* a message can be limited by the earliest departure */
    double slack_ns;         /* slack of the call's local edge */
    double *known;           /* for each code: terms that are equal in all the lanes */
    uint32_t known_capacity;
    struct mpg_delay_interval { /* with choices, for each stream: the last interval */
        double length_ns, more_ns, tracer_ns;
    } *interval;
    uint32_t intervals;      /* capacity */

    /* predict mode */
    double *latency, *bytes, *whole, *last_ns, *latest; /* n each */
    uint32_t *last;          /* n: the edge whose message arrives last */
    bool has_terms;          /* latency, bytes or whole are not 0 */
    double costs[MPG_ATTRIBUTION_TERMS];
};

void mpg_recorder_free(struct mpg_recorder *recorder); /* NULL is allowed */
/* Called before and after step S is evaluated, and after STEPS. Errors: out of memory; as mpg_evaluator_finish(). */
int mpg_recorder_begin(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
int mpg_recorder_end(struct mpg_evaluator *e, const struct mpg_step *s, struct mpg_error *err);
int mpg_recorder_cut(struct mpg_evaluator *e, const struct mpg_steps *steps, struct mpg_error *err);
int mpg_recorder_finish(const struct mpg_evaluator *e, struct mpg_error *err);
/* S's stream continues from the last value, by TERMS. */
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

/* Components of a synchronous message: draws of lambda and tau; costs of the sender and of the rank that posts the receive, n
 * each; the arrival if it were eager (NULL: impossible). */
struct mpg_delay_met {
    const double *lambda, *tau, *sending, *posting, *eager;
    double sender_slack_ns, poster_slack_ns;
};

void mpg_record_delays_begin(struct mpg_evaluator *l, const struct mpg_step *s);
int mpg_record_delays_end(struct mpg_evaluator *l, const struct mpg_step *s, struct mpg_error *err);
/* Run time of RANK without parts that are equal in all ranks, which keeps full precision. */
double mpg_record_delays_run(const struct mpg_evaluator *l, int32_t rank, uint32_t w);
void mpg_record_delays_came(const struct mpg_evaluator *l, double *value, const uint32_t *from);
/* S, a synchronous message, has met the receive. */
void mpg_record_delays_met(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_delay_met *met);
/* The LEAVE of S begins: by edges, or in lanes that leave S out. The common case records at once: S receives the message of
 * EDGE only, or continues with LOCAL_NS. */
void mpg_record_delays_leaving(struct mpg_evaluator *l, const struct mpg_step *s);
int mpg_record_delays_receive(struct mpg_evaluator *l, const struct mpg_step *s, const struct mpg_lane_edge *edge,
                              double local_ns, struct mpg_error *err);
/* As the call S is left: its own edge has SLACK_NS; an edge is taken into OUT, and has been, EDGE of the list as E; no call
 * ends before it began, POSTING before the stream's value. */
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
/* The K messages that S receives in lane W at a cost; in all lanes without a cost. */
void mpg_record_times_received(const struct mpg_evaluator *t, const struct mpg_step *s, uint32_t k, uint32_t w);
void mpg_record_times_brought(const struct mpg_evaluator *t, const struct mpg_step *s);
/* As the call S is left: with what it takes itself, SCALED_NS of it computation; before something more is waited for; what it
 * receives has been waited for, or E; as a whole. */
void mpg_record_times_own(const struct mpg_evaluator *t, const struct mpg_step *s, double scaled_ns);
void mpg_record_times_before(const struct mpg_evaluator *t);
void mpg_record_times_message(const struct mpg_evaluator *t);
void mpg_record_times_edge(struct mpg_evaluator *t, const struct mpg_step *s, const struct mpg_edge *e);
int mpg_record_times_leave(const struct mpg_evaluator *t, const struct mpg_step *s, struct mpg_error *err);
/* Splits TOOK_NS, the time that mpg_times_add_collective() adds, into latency, bytes and whole in lanes where it is positive;
 * TERM receives the terms that are equal in these lanes. Overwrites `other` and `latest`. */
void mpg_record_times_collective(const struct mpg_evaluator *t, enum mpg_call call, const struct mpg_origin *origin,
                                 uint32_t rounds, double bytes, int32_t members, double bytes_each, const double *took_ns,
                                 double *term);

#endif
