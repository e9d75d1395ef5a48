/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision of a call in a lane: the messages taken by the rank's posted MPI_ANY_SOURCE receives. Candidates are the
 * first matching message from each source. A message taken by a receive is hidden from the later receives of the call
 * (docs/MODEL.md, section 6, Open receives). Time per receive is logarithmic in the number of sources. Private to
 * simulate/choice/. */
#ifndef MPG_EARLIEST_H
#define MPG_EARLIEST_H

#include "simulate/choice/unexpected.h"

/* The earliest arrival from a source. */
struct mpg_earliest_of_source {
    struct mpg_queue *queue;
    struct mpg_pending *pending; /* the first message neither taken nor hidden; NULL: none */
    uint32_t since;              /* number of the first bound not yet applied to PENDING */
};

/* A lower bound of arrival times. Bounds later in the list are lower. */
struct mpg_arrival_bound {
    uint32_t number; /* number of bounds added before this bound */
    double ns;
};

/* The earliest arrivals for a pattern of receives. */
struct mpg_earliest {
    struct mpg_group *group;
    struct mpg_earliest_of_source *first; /* an element for each source; sorted by source once there is a tree */
    uint32_t n, capacity;
    uint32_t searches;          /* number of searches for the earliest arrival; many make a tree worth while */
    double *tree;            /* a tournament tree over the arrivals from LEAVES sources */
    uint32_t leaves, tree_capacity; /* leaves 0: there is no tree */
    struct mpg_arrival_bound *bound; /* bounds, the highest first: a new bound replaces earlier bounds that are not higher */
    uint32_t bound_number, bound_count, bound_capacity; /* bound_number: bounds ever added; bound_count: bounds in the list */
};

struct mpg_decision {
    struct mpg_unexpected *unexpected;
    int32_t rank;
    uint32_t w;               /* the lane; n stands for the trace */
    struct mpg_earliest **earliest; /* MADE elements, of which the first COUNT are in use */
    uint32_t count, made, capacity;
    struct mpg_pending **marked;
    uint32_t marked_count, marked_capacity;
};

/* Begins the decision of a call of RANK in lane W (n: in the trace). UNEXPECTED outlives the decision. */
void mpg_decision_begin(struct mpg_decision *d, struct mpg_unexpected *unexpected, int32_t rank, uint32_t w);
/* Ends the decision: all hidden messages can be taken again. */
void mpg_decision_end(struct mpg_decision *d);
void mpg_decision_clear(struct mpg_decision *d);
/* Hides M until the end of the decision. Returns 0, or -1 with ERR: no memory. */
int mpg_decision_mark(struct mpg_decision *d, struct mpg_pending *m, struct mpg_error *err);
/* Sets *MIN to the message taken by a receive with pattern FITS; NULL: no message matches. OWN: the message taken in the
 * trace (NULL: none). The receive takes OWN if OWN `passes` and arrives by READY_NS; otherwise the message that arrives
 * first; among equal arrivals OWN, or else the message from the lowest rank. Returns 0, or -1 with ERR: no memory. */
int mpg_decision_earliest(struct mpg_decision *d, const struct mpg_message_pattern *fits, const struct mpg_pending *own,
                          double ready_ns, struct mpg_pending **min, struct mpg_error *err);
/* Sets `passes` of OWN, an unexpected message that pattern FITS took in the trace, if matching messages had arrived earlier
 * than OWN. W is the trace. Returns 0, or -1 with ERR: out of memory. */
int mpg_decision_note_passed(struct mpg_decision *d, const struct mpg_message_pattern *fits, struct mpg_pending *own,
                             struct mpg_error *err);
/* Records NS as lower bound of the arrivals of all messages that match FITS now; mpg_decision_settle() applies this
 * bound. Returns 0, or -1 with ERR: no memory. */
int mpg_decision_add_bound(struct mpg_decision *d, const struct mpg_message_pattern *fits, double ns, struct mpg_error *err);
/* mpg_decision_settle() applies the lower bounds to the arrival of M, if M is an earliest arrival;
 * mpg_decision_settle_all() applies the bounds to all earliest arrivals. */
void mpg_decision_settle(struct mpg_decision *d, struct mpg_pending *m);
void mpg_decision_settle_all(struct mpg_decision *d);
/* Returns the arrival of M in lane W, ns: T(A), but at least the time of the send. */
double mpg_pending_arrival_ns(const struct mpg_pending *m, uint32_t w);
/* Raises the arrival of M in the trace to at least MPG_TICK_NS after SINCE_NS. */
void mpg_pending_raise(struct mpg_pending *m, double since_ns);

#endif
