/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of an expanded collective in simulated time: members, and who sends to whom in a round. Private to
 * simulate/events/. */
#ifndef MPG_EVENTS_LETTERS_H
#define MPG_EVENTS_LETTERS_H

#include "common/map.h"
#include "simulate/algorithms/expand.h"
#include "simulate/evaluate/evaluator.h"
#include "simulate/events/collective.h"

struct running_member {
    struct node *node;   /* whose batch holds the step of the member */
    double enter_ns, at_ns; /* when the member entered; begin of the current call, or end of the last call */
    double own_ns;       /* in a call: end of the member's own work but for receive overheads and kappa */
    double free_ns;      /* earliest time of the next send, F in docs/MODEL.md */
    struct letter *sent, *received; /* messages of the current call */
    struct letter **sent_end;       /* where the next sent message belongs */
    int phase;
    uint32_t place;      /* number of the call, or round, in the phase */
    uint32_t calls;      /* number of calls until now, in all phases; part of the key of kappa's draws */
    uint32_t missing;    /* number of events for which the current call waits */
    int32_t entry_of;    /* the current call ends no earlier than this member enters; -1: no member */
    bool entered, calling, awaits_entry;
};

struct running_collective {
    const struct mpg_expanding *of;
    struct mpg_times_expanding expanding;
    struct mpg_message_costs costs;
    struct mpg_map letters;  /* by members and round */
    struct running_collective *next, *before; /* in the replica's list */
    struct round_senders {
        int32_t **of; /* of each round: for each member, the sender to the member, -1: none; NULL: not needed yet */
        int32_t passed; /* number of members past the phase */
    } senders[MPG_PHASES_MAX];
    uint32_t *on_host;       /* number of members on each host, if the collective posts too many messages for flows; else NULL */
    int32_t left;            /* number of members gone */
    bool runs;
    int32_t *ready, readies; /* stack of the members ready to go on */
    struct running_member member[];  /* relative to the root */
};

/* Returns the collective of the EXPAND step S, made at the collective's first step. NULL: out of memory. */
struct running_collective *mpg_letters_collective(struct replica *rep, const struct mpg_step *s, struct mpg_error *err);
/* Removes and frees C, and the nodes of C's members. */
void mpg_letters_end(struct replica *rep, struct running_collective *c);
/* Returns, for each member, the member sending to this member in ROUND of PHASE, -1: none; members relative to the root. NULL:
 * out of memory. */
const int32_t *mpg_letters_senders(struct running_collective *c, int phase, uint32_t round, struct mpg_error *err);
/* Returns 0 if the messages of C are flows. Otherwise returns the minimum time of message M, with members by index, given that
 * all members of a host send at once. */
double mpg_letters_share_ns(const struct replica *rep, const struct running_collective *c, const struct mpg_message *m);
/* A member has passed PHASE: after the last member, the senders of the rounds are freed. */
void mpg_letters_pass(struct running_collective *c, int phase);

#endif
