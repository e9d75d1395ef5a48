/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recurrences of docs/MODEL.md, sections 4 and 8, for a vector of lanes: effects of calls, messages and edges on delays
 * and the account. recurrences.inc is compiled for several instruction sets (common/isa.h), whose results are bitwise equal.
 * Private to simulate/evaluate/. Vectors have N values. A written vector overlaps no other vector, except where stated. */
#ifndef MPG_RECURRENCES_H
#define MPG_RECURRENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/isa.h"

/* Which lateness of an edge counts in the account. The delay injected into the edge's message or collective must not count
 * twice. */
enum mpg_counted {
    MPG_COUNTED_HERE,  /* the lateness of the slot's value without the injected delay */
    /* none: the delay of an envelope counts where the message is received; the delay of a message found by a probe has counted
     * at the probe */
    MPG_COUNTED_LATER,
    MPG_COUNTED_BACK   /* for an acknowledgement: the lateness of the message's arrival, but at least LEFT - gap_ns */
};

/* An edge into the leave of a call; delays by lane, ns. D is a node's delay, u the node at the edge's begin, A the arrival.
 * Vectors that are only read may overlap. */
struct mpg_lane_edge {
    const double *value;   /* D(u) plus the cost of the edge, without kappa; if READY, with kappa */
    const double *propagated; /* D(u) without the injected delay */
    const double *arrival; /* D(A) of the edge's message */
    const double *left;    /* earliest departure of the message, as a delay; mostly PROPAGATED */
    const double *behind;  /* cost of the receives completed after this edge */
    const double *kappa;
    double shift_ns;       /* added to VALUE */
    double slack_ns;
    double gap_ns;         /* the call does not end before LEFT - gap_ns */
    bool ready; /* a MEETING, MEMBER or HELD edge: VALUE contains kappa, gap_ns does not apply, and MPG_COUNTED_HERE holds */
    enum mpg_counted counted;
};

/* Vectors used while a call is left, by lane. */
struct mpg_lane_leave {
    double *own;    /* the rank's value plus the call's own cost */
    double *all;    /* the latest value by any edge so far, before slack is subtracted */
    double *others; /* `all` without the delay injected into messages and collectives */
    double *put;    /* delay injected into messages and collectives by all edges so far */
};

/* Terms of a rank's account that change at a call, lane by lane. */
struct mpg_lane_account {
    double *call, *message, *taken, *waited, *hidden;
};

struct mpg_recurrences {
    /* Subtracts NS from VALUE. */
    void (*less)(uint32_t n, double ns, double *value);
    /* An interval: subtracts TRACER_NS from VALUE, which is BEFORE plus the interval's delay; adds VALUE - BEFORE to PUT_IN. */
    void (*enter)(uint32_t n, const double *before, double tracer_ns, double *value, double *put_in);
    /* An eager message, edge S_s -> A without lambda and tau: sets OUT from the sender's delay SENT and the call's costs
     * POSTING, and PROPAGATED to OUT without the injected delay. FROM_SENDER: PROPAGATED does not contain POSTING. */
    void (*send)(uint32_t n, const double *sent, const double *posting, bool from_sender, double *out,
                 double *propagated);
    /* Local edge S -> E without slack: the call does not end before the begin. VALUE is the delay of S, LOCAL the call's own
     * cost. Sets the vectors of LEAVE. */
    void (*own)(uint32_t n, const double *value, const double *local, double duration_ns,
                const struct mpg_lane_leave *leave, double *put_in);
    /* A call that waits for no rank: as own(), but sets VALUE to the result. */
    void (*alone)(uint32_t n, const double *local, double duration_ns, double *value, double *put_in);
    /* The local edge S -> E with slack: sets OUT. */
    void (*local)(uint32_t n, const double *value, const double *local, double slack_ns, double *out);
    /* An edge u -> E: raises OUT and LEAVE to the edge's value; adds the injected delay to PUT_IN. */
    void (*edge)(uint32_t n, const struct mpg_lane_edge *edge, const struct mpg_lane_leave *leave,
                 double *out, double *put_in);
    /* The node E: sets VALUE to the larger of OUT, the maximum over the edges, and VALUE - DURATION_NS, because the call does
     * not end before the begin. Adds to ACCOUNT. */
    void (*leave)(uint32_t n, const double *out, double duration_ns,
                  const struct mpg_lane_leave *leave, double *value,
                  const struct mpg_lane_account *account);
    /* A call with one edge, from a message, and no later completion: own(), local() with SLACK_NS, edge() and leave() in one
     * function. */
    void (*receive)(uint32_t n, const double *local, double slack_ns, double duration_ns,
                    const struct mpg_lane_edge *edge, double *value,
                    const struct mpg_lane_account *account);
    /* Finds the origin of the value that receive() will set; to be called before receive(). Sets in BITS, 64 lanes a word, the
     * lanes whose value comes from EDGE; the value of the remaining lanes comes from the rank's own value. ADDED receives the
     * cost of the call by lane: the kappa of EDGE, or LOCAL. Returns false if a limit sets the value of some lane. */
    bool (*origin)(uint32_t n, const double *local, double slack_ns, double duration_ns, const struct mpg_lane_edge *edge,
                   const double *value, uint64_t *bits, double *added);
};

/* Returns the table for mpg_isa(), which is determined once. Thread-safe. */
const struct mpg_recurrences *mpg_recurrences(void);

#endif
