/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recurrences of docs/MODEL.md, sections 4 and 8, for a vector of lanes: what calls, messages and
 * edges do to delays and to the account. They stand in recurrences.inc, once, and are compiled for
 * several instruction sets (common/isa.h), each of which gives the same bits. Private to
 * simulate/evaluate/. Vectors have N values; none overlaps another one that is written, but where it is
 * said. */
#ifndef MPG_RECURRENCES_H
#define MPG_RECURRENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/isa.h"

/* How an edge of a call counts in the account: how late it is without what was put into its message or
 * collective. */
enum mpg_counted {
    MPG_COUNTED_HERE,  /* what its slot's value is without that */
    MPG_COUNTED_LATER, /* nothing was: an envelope's draw is its message's, and counts where that is
                          received; a message that a probe has met has counted there */
    MPG_COUNTED_BACK   /* an answer: the message's own lateness, and the clamp */
};

/* An edge of a call. Those that are only read may overlap. */
struct mpg_lane_edge {
    const double *value;   /* D(u) + delta, but for kappa; of one that is READY with kappa */
    const double *bare;    /* D(u) without what was put in */
    const double *arrival; /* D(A) of its message */
    const double *left;    /* when it can have left, as a delay: mostly BARE */
    const double *behind;  /* what is completed after it costs */
    const double *kappa;
    double shift_ns;       /* added to VALUE */
    double slack_ns;
    double gap_ns;         /* through it the call ends no earlier than LEFT - so much */
    bool ready;            /* of a meeting or its like, which has no gap and is counted here */
    enum mpg_counted counted;
};

/* What a call's leave is made of, lane by lane. */
struct mpg_lane_leave {
    double *own;    /* where the rank is with what the call adds itself */
    double *all;    /* the latest edge, slack apart */
    double *others; /* the same without what was put into messages and collectives */
    double *put;    /* what was, of all edges */
};

/* What a rank's account adds up in a call, lane by lane. */
struct mpg_lane_account {
    double *call, *message, *taken, *waited, *hidden;
};

struct mpg_recurrences {
    /* VALUE less NS. */
    void (*less)(uint32_t n, double ns, double *value);
    /* An interval: VALUE, on its way from BEFORE, loses TRACER_NS; what it gains is PUT_IN. */
    void (*enter)(uint32_t n, const double *before, double tracer_ns, double *value, double *put_in);
    /* An eager message's S_s -> A without lambda and tau: OUT, and BARE of it, by the sender's delay and
     * what its call adds; FROM_SENDER: what is put in by POSTING is not part of BARE. */
    void (*send)(uint32_t n, const double *sent, const double *posting, bool from_sender, double *out,
                 double *bare);
    /* S -> E without slack: no call ends before it began. VALUE is S's, LOCAL what the call adds. */
    void (*own)(uint32_t n, const double *value, const double *local, double duration_ns,
                const struct mpg_lane_leave *leave, double *put_in);
    /* A call that waits for nobody: own(), and E is where that ends. */
    void (*alone)(uint32_t n, const double *local, double duration_ns, double *value, double *put_in);
    /* S -> E as an edge, into OUT. */
    void (*local)(uint32_t n, const double *value, const double *local, double slack_ns, double *out);
    /* u -> E, into OUT and LEAVE; what it puts in to PUT_IN. */
    void (*edge)(uint32_t n, const struct mpg_lane_edge *edge, const struct mpg_lane_leave *leave,
                 double *out, double *put_in);
    /* E: VALUE, by OUT, what its edges give; the call began POSTING before VALUE - DURATION_NS. */
    void (*leave)(uint32_t n, const double *out, double duration_ns,
                  const struct mpg_lane_leave *leave, double *value,
                  const struct mpg_lane_account *account);
    /* A call with one edge, of a message, that nothing is completed after: own(), local() with SLACK_NS,
     * edge() and leave() in one. */
    void (*receive)(uint32_t n, const double *local, double slack_ns, double duration_ns,
                    const struct mpg_lane_edge *edge, double *value,
                    const struct mpg_lane_account *account);
    /* What that comes from, before it: lanes of BITS, 64 a word, from EDGE, by its kappa, all others from their own, by LOCAL,
     * which is ADDED. False: some come from neither. */
    bool (*origin)(uint32_t n, const double *local, double slack_ns, double duration_ns, const struct mpg_lane_edge *edge,
                   const double *value, uint64_t *bits, double *added);
};

/* That of mpg_isa(), which is asked once. Thread-safe. */
const struct mpg_recurrences *mpg_recurrences(void);

#endif
