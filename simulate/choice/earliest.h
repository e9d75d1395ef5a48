/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The earliest arrivals for the posted receives, to which one call of a rank assigns messages in one lane: the first matching
 * message from each source. A receive that takes a message hides the message from later receives of the call (docs/MODEL.md,
 * section 6, Open receives). Time per receive is logarithmic in the number of sources. Private to simulate/choice/. */
#ifndef MPG_EARLIEST_H
#define MPG_EARLIEST_H

#include "simulate/choice/unexpected.h"

/* The earliest arrival of one source. */
struct mpg_earliest_of_source {
    struct mpg_queue *queue;
    struct mpg_pending *pending; /* NULL: none is left */
    uint32_t since;              /* bounds with a lower number do not apply to PENDING, or are applied */
};

/* A lower bound of arrivals. A later bound in the list is lower. */
struct mpg_arrival_bound {
    uint32_t number; /* number of bounds added before this bound */
    double ns;
};

/* The earliest arrivals for one pattern of receives. */
struct mpg_earliest {
    struct mpg_group *group;
    struct mpg_earliest_of_source *first; /* one for each source; in the order of sources as soon as there is a tree */
    uint32_t n, capacity;
    uint32_t searches;          /* number of searches for the earliest */
    double *tree;            /* a tournament of arrivals over LEAVES sources */
    uint32_t leaves, tree_capacity; /* leaves 0: there is no tree */
    struct mpg_arrival_bound *bound; /* bounds, the largest first: a new bound replaces earlier bounds that are not larger */
    uint32_t bound_number, bound_count, bound_capacity; /* bound_number: all added so far; bound_count: those in the list */
};

struct mpg_decision {
    struct mpg_unexpected *unexpected;
    int32_t rank;
    uint32_t w;               /* a lane; n: the trace */
    struct mpg_earliest **earliest; /* the first COUNT of MADE are in use */
    uint32_t count, made, capacity;
    struct mpg_pending **marked;
    uint32_t marked_count, marked_capacity;
};

/* Begins the decision of a call of RANK in lane W (n: in the trace). UNEXPECTED outlives the decision. */
void mpg_decision_begin(struct mpg_decision *d, struct mpg_unexpected *unexpected, int32_t rank, uint32_t w);
/* Ends the decision: all marked messages can be taken again. */
void mpg_decision_end(struct mpg_decision *d);
void mpg_decision_clear(struct mpg_decision *d);
/* Hides M until the end of the decision. Returns 0, or -1 with ERR: no memory. */
int mpg_decision_mark(struct mpg_decision *d, struct mpg_pending *m, struct mpg_error *err);
/* Sets *MIN to the message that a receive with pattern FITS takes. OWN: its message in the trace (NULL: none). The receive takes
 * OWN if OWN passes and arrives by READY_NS; else the earliest arrival: of equal arrivals OWN, else the lowest rank's. *MIN is
 * NULL if no message matches. Returns 0, or -1 with ERR: no memory. */
int mpg_decision_earliest(struct mpg_decision *d, const struct mpg_message_pattern *fits, const struct mpg_pending *own,
                          double ready_ns, struct mpg_pending **min, struct mpg_error *err);
/* Sets passes of OWN, an unexpected message taken in the trace by pattern FITS, if OWN overtook matching messages that arrived
 * earlier. W is the trace. Returns 0, or -1 with ERR: no memory. */
int mpg_decision_note_passed(struct mpg_decision *d, const struct mpg_message_pattern *fits, struct mpg_pending *own,
                             struct mpg_error *err);
/* Records the lower bound NS for arrivals of all messages that match FITS now; settling applies the bound. Returns 0, or -1
 * with ERR: no memory. */
int mpg_decision_add_bound(struct mpg_decision *d, const struct mpg_message_pattern *fits, double ns, struct mpg_error *err);
/* The first function raises M, if M is an earliest arrival, to its lower bound; the second raises all earliest arrivals. */
void mpg_decision_settle(struct mpg_decision *d, struct mpg_pending *m);
void mpg_decision_settle_all(struct mpg_decision *d);
/* Returns T(A) in lane W, no less than the time of the send, ns. */
double mpg_pending_arrival_ns(const struct mpg_pending *m, uint32_t w);
/* Raises the arrival of M in the trace to at least a tick after SINCE_NS. */
void mpg_pending_raise(struct mpg_pending *m, double since_ns);

#endif
