/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who comes first to the receives of a rank, one after the other, in one lane and one call: of each source
 * the first message that fits, while what a receive takes is not there for those after it (docs/MODEL.md,
 * section 6, Open receives). A receive costs no more than the logarithm of the number of sources.
 * Private to simulate/choice/. */
#ifndef MPG_FIRSTS_H
#define MPG_FIRSTS_H

#include "simulate/choice/unexpected.h"

/* Of one source. */
struct mpg_earliest_of_source {
    struct mpg_queue *queue;
    struct mpg_pending *pending; /* NULL: there is none any more */
    uint32_t since;            /* so many times were told before it became the first */
};

/* A time that was told, which none after it that was told exceeds. */
struct mpg_told_time {
    uint32_t number;
    double ns;
};

/* What fits one kind of receives. */
struct mpg_earliest {
    struct mpg_group *group;
    struct mpg_earliest_of_source *first; /* by source, once there is a tree */
    uint32_t n, capacity;
    uint32_t asked;          /* how often the least was */
    double *tree;            /* of the least arrivals, over LEAVES of them; */
    uint32_t leaves, tree_capacity; /* 0: there is none */
    struct mpg_told_time *told;
    uint32_t told_number, told_count, told_capacity;
};

struct mpg_decision {
    struct mpg_unexpected *unexpected;
    int32_t rank;
    uint32_t w;               /* a lane, or the trace, n */
    struct mpg_earliest **firsts; /* COUNT in use of those that there are */
    uint32_t count, made, capacity;
    struct mpg_pending **marked;
    uint32_t marked_count, marked_capacity;
};

/* RANK decides in lane W. What was marked in the decision before is there again. */
void mpg_decision_begin(struct mpg_decision *d, struct mpg_unexpected *unexpected, int32_t rank, uint32_t w);
void mpg_decision_end(struct mpg_decision *d);
void mpg_decision_clear(struct mpg_decision *d);
/* M is taken until the end. Error: out of memory. */
int mpg_decision_mark(struct mpg_decision *d, struct mpg_pending *m, struct mpg_error *err);
/* Of what FITS, which may name its source, OWN if that passes others, and has come by READY_NS, else the first to arrive, of
 * equal ones OWN, then the lowest rank's; NULL in *LEAST: there is none. */
int mpg_decision_least(struct mpg_decision *d, const struct mpg_message_pattern *fits, const struct mpg_pending *own,
                       double ready_ns, struct mpg_pending **least, struct mpg_error *err);
/* While w is the trace: OWN lay ready, and was taken. Whether that passed others that fit and had come before. */
int mpg_decision_note_passed(struct mpg_decision *d, const struct mpg_message_pattern *fits, struct mpg_pending *own,
                             struct mpg_error *err);
/* Nothing that FITS is there now arrived before NS: they are raised when they are settled. */
int mpg_decision_tell(struct mpg_decision *d, const struct mpg_message_pattern *fits, double ns, struct mpg_error *err);
/* Raises M, if it is among the firsts, as has been told; all that are. */
void mpg_decision_settle(struct mpg_decision *d, struct mpg_pending *m);
void mpg_decision_settle_all(struct mpg_decision *d);
/* T(A) in lane W, no less than when it was sent. */
double mpg_pending_arrival_ns(const struct mpg_pending *m, uint32_t w);
/* M arrived after SINCE_NS, by a tick at least. */
void mpg_pending_raise(struct mpg_pending *m, double since_ns);

#endif
