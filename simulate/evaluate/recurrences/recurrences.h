/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recurrences of docs/MODEL.md, sections 4 and 8, for a vector of lanes: effects of calls, messages and edges on delays
 * and the account. recurrences.inc is compiled for several instruction sets (common/isa.h), with equal results in all bits.
 * Private to simulate/evaluate/. Vectors have N values. A written vector overlaps no other vector, except where stated. */
#ifndef MPG_RECURRENCES_H
#define MPG_RECURRENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/isa.h"

/* The lateness of an edge in the account, without the delay injected into its message or collective. */
enum mpg_counted {
    MPG_COUNTED_HERE,  /* the slot's value without that delay */
    MPG_COUNTED_LATER, /* nothing here: the delay of an envelope counts where its message is received; the delay of a message
                        * found by a probe counted at the probe */
    MPG_COUNTED_BACK   /* an acknowledgement: the delay of the message's arrival, at least LEFT - gap_ns */
};

/* An edge of a call. Vectors that are only read may overlap. */
struct mpg_lane_edge {
    const double *value;   /* D(u) + delta without kappa; with kappa if READY */
    const double *propagated; /* D(u) without the injected delay */
    const double *arrival; /* D(A) of the edge's message */
    const double *left;    /* the earliest departure, as a delay; mostly PROPAGATED */
    const double *behind;  /* cost of receives that complete after the edge */
    const double *kappa;
    double shift_ns;       /* added to VALUE */
    double slack_ns;
    double gap_ns;         /* the call ends no earlier than LEFT - gap_ns */
    bool ready;            /* a MEETING, MEMBER or HELD edge: VALUE contains kappa, no gap applies, MPG_COUNTED_HERE */
    enum mpg_counted counted;
};

/* Vectors used while a call is left. */
struct mpg_lane_leave {
    double *own;    /* the rank's value with the call's own cost */
    double *all;    /* the latest edge, slack apart */
    double *others; /* `all` without the delay injected into messages and collectives */
    double *put;    /* the delay injected into messages and collectives, of all edges */
};

/* Terms of a rank's account that a call changes, lane by lane. */
struct mpg_lane_account {
    double *call, *message, *taken, *waited, *hidden;
};

struct mpg_recurrences {
    /* Subtracts NS from VALUE. */
    void (*less)(uint32_t n, double ns, double *value);
    /* An interval: VALUE, BEFORE plus the interval's delay, loses TRACER_NS; adds VALUE - BEFORE to PUT_IN. */
    void (*enter)(uint32_t n, const double *before, double tracer_ns, double *value, double *put_in);
    /* An eager message's S_s -> A without lambda and tau: OUT, from the sender's delay SENT and the call's costs POSTING;
     * PROPAGATED: OUT without injected delay. FROM_SENDER: PROPAGATED excludes POSTING. */
    void (*send)(uint32_t n, const double *sent, const double *posting, bool from_sender, double *out,
                 double *propagated);
    /* Local edge S -> E without slack: no call ends before its begin. VALUE is the delay of S, LOCAL the call's own
     * cost. */
    void (*own)(uint32_t n, const double *value, const double *local, double duration_ns,
                const struct mpg_lane_leave *leave, double *put_in);
    /* A call that waits for nobody: own(), which is also the value of E. */
    void (*alone)(uint32_t n, const double *local, double duration_ns, double *value, double *put_in);
    /* S -> E as an edge, into OUT. */
    void (*local)(uint32_t n, const double *value, const double *local, double slack_ns, double *out);
    /* u -> E, into OUT and LEAVE; adds the injected delay to PUT_IN. */
    void (*edge)(uint32_t n, const struct mpg_lane_edge *edge, const struct mpg_lane_leave *leave,
                 double *out, double *put_in);
    /* E: sets VALUE to OUT, the maximum over the edges, or to VALUE - DURATION_NS if that is later: no call ends before its
     * begin. Adds to ACCOUNT. */
    void (*leave)(uint32_t n, const double *out, double duration_ns,
                  const struct mpg_lane_leave *leave, double *value,
                  const struct mpg_lane_account *account);
    /* A call with one edge, of a message, and no later completion: own(), local() with SLACK_NS, edge() and leave() in one. */
    void (*receive)(uint32_t n, const double *local, double slack_ns, double duration_ns,
                    const struct mpg_lane_edge *edge, double *value,
                    const struct mpg_lane_account *account);
    /* The provenance of the value of receive(), called before receive(). BITS, 64 lanes a word: lanes whose new value
     * comes from EDGE; all other lanes come from the rank's own value. ADDED receives the cost of the call in the lane: the kappa
     * of EDGE, or LOCAL. Returns false if some lane has neither origin, since a limit sets its value. */
    bool (*origin)(uint32_t n, const double *local, double slack_ns, double duration_ns, const struct mpg_lane_edge *edge,
                   const double *value, uint64_t *bits, double *added);
};

/* Returns the table for mpg_isa(), which is determined once. Thread-safe. */
const struct mpg_recurrences *mpg_recurrences(void);

#endif
