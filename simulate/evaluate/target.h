/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target of predict mode: costs of messages between any two ranks, and noise. */
#ifndef MPG_TARGET_H
#define MPG_TARGET_H

#include "graph/graph.h"
#include "simulate/models/perturbation.h"
#include "simulate/models/placement.h"

struct mpg_target {
    /* costs of computation and noise; includes the source, whose noise is removed */
    const struct mpg_perturbation *noise;
    const struct mpg_placement *placement;      /* NULL: one path class */
    /* Costs of messages on each path class between ranks, or in [0] of the only class; the source is not used. Messages of a
     * rank to itself use the path of a core complex. If no two ranks use this path and the path is not usable (latencies or
     * requested fits are missing), these messages use the next usable path. */
    struct mpg_perturbation path_costs[MPG_PATHS];
};

/* Initialises T from P, whose launches are drawn; PLACEMENT may be NULL. P and PLACEMENT outlive T. Errors: a path between two
 * ranks lacks latencies, and --latency is not given; or a path lacks fits that options need; out of memory. The caller clears
 * T, also on failure. */
int mpg_target_init(struct mpg_target *t, const struct mpg_perturbation *p,
                    const struct mpg_placement *placement, struct mpg_error *err);
void mpg_target_clear(struct mpg_target *t); /* zero-initialised is allowed */

/* Returns whether the target has noise and, on some path class, measured message times, in which case the message times also
 * contain detours. */
bool mpg_target_covers(const struct mpg_target *t);

/* Adds the cost of sending in the call that S leaves to VALUE_NS, for N lanes from replica FIRST on: o_s of each message whose
 * send time does not include o_s, and the cost of data from or to the root of a collective. Returns false if no cost is
 * known. */
bool mpg_target_add_sent(const struct mpg_target *t, const struct mpg_step *s, uint32_t first, uint32_t n, double *value_ns);

/* Returns the costs of messages between ranks A and B. */
static inline const struct mpg_perturbation *mpg_target_between(const struct mpg_target *t,
                                                                int32_t a, int32_t b)
{
    return t->placement ? &t->path_costs[mpg_placement_path_class(t->placement, a, b)] : &t->path_costs[0];
}

/* Returns the costs on the path between the ranks farthest apart, used for operations of all ranks. */
static inline const struct mpg_perturbation *mpg_target_farthest(const struct mpg_target *t)
{
    return t->placement ? &t->path_costs[t->placement->farthest] : &t->path_costs[0];
}

#endif
