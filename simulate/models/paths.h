/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A perturbation for each pair of path classes: class of the path between two ranks on the target, and on the source
 * (docs/MODEL.md, Decisions, Paths). */
#ifndef MPG_PATHS_H
#define MPG_PATHS_H

#include "simulate/models/perturbation.h"
#include "simulate/models/placement.h"

struct mpg_paths {
    const struct mpg_placement *target, *source; /* NULL: a common path for all messages on this machine */
    /* [class on the target][class on the source]; index 0 for a machine without a placement. Unused pairs of classes are all
     * zero. */
    struct mpg_perturbation path_costs[MPG_PATHS][MPG_PATHS];
    bool covers;   /* measured message times of at least one path contain detours */
    bool speeds;   /* messages can become faster than traced */
    bool receives; /* receive overheads, o_r, are known on at least one path */
};

/* Fills PATHS from P, with drawn launches and the paths of the farthest ranks or, without a placement, of all ranks. All
 * arguments must outlive PATHS. Errors: a used path lacks requested fits; out of memory. The caller clears PATHS, even after an
 * error. */
int mpg_paths_init(struct mpg_paths *paths, const struct mpg_perturbation *p,
                   const struct mpg_placement *target, const struct mpg_placement *source,
                   struct mpg_error *err);
/* Fills PATHS with NOTHING, a perturbation without effect, for all paths of ALL. Only the overheads of ALL's source are copied,
 * for both machines, to derive minimum message times and call overheads. PATHS need not be cleared. */
void mpg_paths_unchanged(struct mpg_paths *paths, const struct mpg_paths *all,
                         const struct mpg_perturbation *nothing);
void mpg_paths_clear(struct mpg_paths *paths); /* zero-initialised is allowed */

/* Returns the perturbation of messages between ranks A and B. */
static inline const struct mpg_perturbation *mpg_paths_between(const struct mpg_paths *paths, int32_t a,
                                                               int32_t b)
{
    return &paths->path_costs[paths->target ? mpg_placement_path_class(paths->target, a, b) : 0]
                             [paths->source ? mpg_placement_path_class(paths->source, a, b) : 0];
}

#endif
