/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of calls on windows by the times of one-sided operations that signatures have (docs/MODEL.md, section 3, One-sided
 * operations). */
#ifndef MPG_EVALUATE_ONE_SIDED_H
#define MPG_EVALUATE_ONE_SIDED_H

#include "graph/graph.h"
#include "simulate/models/perturbation.h"

/* A cost of a call: the time WHICH for BYTES, on the path to world rank TO (-1: on the path between the farthest ranks). */
struct mpg_one_sided_cost {
    enum mpg_overhead which;
    int32_t to;
    double bytes, traced_bytes; /* as changed by hypotheses, and as traced */
    bool completes;             /* the call completes transfers with it, in place of their round trip */
};
enum { MPG_ONE_SIDED_COSTS = 2 };

/* Fills COST with the costs of S, a LEAVE, and returns their number. */
uint32_t mpg_one_sided_costs(const struct mpg_step *s, struct mpg_one_sided_cost cost[MPG_ONE_SIDED_COSTS]);

/* Returns true if S may have such costs; most calls have none. */
static inline bool mpg_may_be_one_sided(const struct mpg_step *s)
{
    return s->round_trip || s->transfer != &mpg_no_transfer;
}

/* Returns true if P's signatures have the time WHICH. */
static inline bool mpg_one_sided_known(const struct mpg_perturbation *p, enum mpg_overhead which)
{
    return !p->parameters && p->overhead[which].target;
}

/* The message whose address draws cost C of S; with its bytes. */
static inline struct mpg_sent_message mpg_one_sided_message(const struct mpg_step *s, const struct mpg_one_sided_cost *c)
{
    return (struct mpg_sent_message){.rank = s->rank, .to = c->to, .call = s->number, .bytes = c->bytes};
}

#endif
