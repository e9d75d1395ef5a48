/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target as predict mode needs it: what messages take between any two ranks, and noise. */
#ifndef MPG_TARGET_H
#define MPG_TARGET_H

#include "graph/graph.h"
#include "simulate/models/perturbation.h"
#include "simulate/models/placement.h"

struct mpg_target {
    /* Computation: with the source, whose noise is taken out. */
    const struct mpg_perturbation *noise;
    const struct mpg_placement *places;      /* NULL: one path */
    /* Messages of each class that some ranks take, or of one in [0]: the target alone, on the path
     * that they take. What a rank sends itself takes that of a core complex; where no two ranks do,
     * and that is not usable (it says nothing of messages, or lacks fits that are asked for), the
     * next one. */
    struct mpg_perturbation way[MPG_PATHS];
};

/* Takes P, whose launches are drawn; PLACES may be NULL. What is passed outlives T. Errors: a path
 * that two ranks take says nothing of messages, though --latency does not, or lacks fits that are
 * asked for; out of memory. T is to be cleared even so. */
int mpg_target_init(struct mpg_target *t, const struct mpg_perturbation *p,
                    const struct mpg_placement *places, struct mpg_error *err);
void mpg_target_clear(struct mpg_target *t); /* zero-initialised is allowed */

/* Whether detours are in what any messages take, too. */
bool mpg_target_covers(const struct mpg_target *t);

/* Adds to each of N lanes, the first of which is replica FIRST, what the call that S leaves takes by sending: o_s of each
 * message whose time in the send has it not, and of what goes from a collective's root, or to it. Whether there is any. */
bool mpg_target_add_sent(const struct mpg_target *t, const struct mpg_step *s, uint32_t first, uint32_t n, double *value_ns);

/* Of messages between A and B. */
static inline const struct mpg_perturbation *mpg_target_between(const struct mpg_target *t,
                                                                int32_t a, int32_t b)
{
    return t->places ? &t->way[mpg_placement_path_class(t->places, a, b)] : &t->way[0];
}

/* Of what all take part in. */
static inline const struct mpg_perturbation *mpg_target_farthest(const struct mpg_target *t)
{
    return t->places ? &t->way[t->places->farthest] : &t->way[0];
}

#endif
