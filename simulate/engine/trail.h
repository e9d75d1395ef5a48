/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the delays of all lanes come from (docs/MODEL.md, 8, Paths of delays), told as steps are evaluated, for
 * simulate/where/trail.h. Of ties it is the rank's own, then what comes first. What is put into a message, its bytes too, is
 * MPG_WHERE_LATENCY there, into a collective MPG_WHERE_WHOLE. Private to simulate/engine/. */
#ifndef MPG_LANES_TRAIL_H
#define MPG_LANES_TRAIL_H

#include "simulate/engine/lanes_private.h"
#include "simulate/where/moves.h"
#include "simulate/where/trail.h"

enum { NOWHERE = UINT32_MAX };

struct mpg_lanes_trail {
    struct mpg_trail *trail;
    double *before;          /* n each: a value before the step, or the latest so far; */
    double *began;           /* a stream's before the call is left; */
    double *from_ns, *put;   /* of the call: where it comes from, what of it is a message's or a collective's; */
    double *trip;            /* what the one-sided transfers add that it waits for */
    double *other, *first;   /* of use for a while */
    uint32_t *code;          /* n: which edge the call that is left comes from */
    bool puts;               /* put is not 0 in all lanes */
    bool vanishes;           /* in some lane it is not made */
    bool told;               /* what it comes from has been told */
    bool clamps;             /* a message can come as early as it can have left */
    double slack_ns;         /* of that call's local edge */
    double *known;           /* a code: what is the same in all of its lanes; */
    bool *used;              /* whether it has any */
    uint32_t known_capacity, used_capacity;
    uint64_t *firsts;        /* words: lanes that come from the first of two */
    uint64_t steps;          /* since the last cut */
    struct mpg_moves *moves; /* where calls choose: what arrivals come from that they move; */
    struct mpg_lanes_interval { /* a stream: its last interval, */
        double length_ns, more_ns, tracer_ns;
    } *interval;
    uint32_t intervals;      /* capacity */
    double *part;            /* n: of a time */
    uint32_t streams, ended; /* capacity of: */
    bool *finished;          /* a stream */
};

/* What a synchronous message is made of: draws of lambda and tau, what its sender and who posts its receive add, n each;
 * when it were there if it were eager all the same (NULL: it may not). */
struct mpg_lanes_met {
    const double *lambda, *tau, *sending, *posting, *eager;
    double sender_slack_ns, poster_slack_ns;
};

/* Calls choose. Error: out of memory. */
int mpg_lanes_trail_choose(struct mpg_lanes *l, struct mpg_error *err);
/* Before and after step S is evaluated. Error: out of memory. */
int mpg_lanes_trail_begin(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
int mpg_lanes_trail_end(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
/* S, a synchronous message, has met its receive. */
void mpg_lanes_trail_met(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_lanes_met *met);
/* The call S is being left, by edges, or it is not made; or what it
 * comes from is told at once, if that is EDGE, which it receives, or its own with LOCAL_NS. */
void mpg_lanes_trail_leaving(struct mpg_lanes *l, const struct mpg_step *s);
int mpg_lanes_trail_receive(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_lane_edge *edge, double local_ns,
                            struct mpg_error *err);
/* As the call S is left: its own edge has SLACK_NS; an edge is taken into OUT, and has been, EDGE of the list as E; no call
 * ends before it began, POSTING before its stream's value. */
void mpg_lanes_trail_own(struct mpg_lanes *l, double slack_ns);
void mpg_lanes_trail_before(struct mpg_lanes *l, const double *out);
void mpg_lanes_trail_edge(struct mpg_lanes *l, const struct mpg_step *s, const struct mpg_lanes_edge *edge,
                          const struct mpg_lane_edge *e, const double *out);
void mpg_lanes_trail_clamp(struct mpg_lanes *l, const struct mpg_step *s, const double *out);
/* In lanes in which S vanishes it is GONE. */
void mpg_lanes_trail_vanished(struct mpg_lanes *l, const struct mpg_step *s, const double *gone);
/* After S has been left. */
int mpg_lanes_trail_left(struct mpg_lanes *l, const struct mpg_step *s, struct mpg_error *err);
/* After STEPS. Errors: as mpg_lanes_finish_trail() has. */
int mpg_lanes_cut_trail(struct mpg_lanes *l, const struct mpg_steps *steps, struct mpg_error *err);
/* Expanded collectives (trail_expand.c): VALUE, as wide as simulate/algorithms/expand.h has them, the first n lanes followed, comes
 * from itself, its NUMBER. It will be that of SLOT, and comes from what it numbers of slots FROM, as they are before; of several at a
 * time all are told first, then each ends, and is stored. */
void mpg_lanes_came_begin(const struct mpg_lanes *l, double *value, uint32_t number);
void mpg_lanes_came(const struct mpg_lanes *l, uint32_t slot, double *value, const uint32_t *from);
void mpg_lanes_came_end(const struct mpg_lanes *l, uint32_t slot);
void mpg_lanes_trail_free(struct mpg_lanes_trail *trail); /* NULL is allowed */

#endif
