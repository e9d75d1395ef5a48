/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Perturb mode where ranks have places: what perturbs messages is that of the path between the two
 * ranks, on the target and on the source (docs/MODEL.md, Decisions, Paths). */
#ifndef MPG_PATHS_H
#define MPG_PATHS_H

#include "simulate/models/perturbation.h"
#include "simulate/models/placement.h"

struct mpg_paths {
    const struct mpg_placement *target, *source; /* NULL: all messages take one path there */
    /* By class on the target, on the source; [0] of a machine without places. Those that no two ranks
     * take, nor a rank to itself, are all zero. */
    struct mpg_perturbation way[MPG_PATHS][MPG_PATHS];
    bool covers;   /* detours are in what any messages take, too */
    bool speeds;   /* some message can become faster than traced */
    bool receives; /* some message has an o_r */
};

/* Takes P, whose launches are drawn and whose paths are those of the farthest ranks, or of all where
 * there are no places. What is passed outlives PATHS. Errors: a path that messages take lacks fits
 * that are asked for, out of memory. PATHS is to be cleared even so. */
int mpg_paths_init(struct mpg_paths *paths, const struct mpg_perturbation *p,
                   const struct mpg_placement *target, const struct mpg_placement *source,
                   struct mpg_error *err);
/* Into PATHS, which needs no clearing: those of ALL with NOTHING but the source's overheads on both
 * machines, which floors and calls are told by. */
void mpg_paths_unchanged(struct mpg_paths *paths, const struct mpg_paths *all,
                         const struct mpg_perturbation *nothing);
void mpg_paths_clear(struct mpg_paths *paths); /* zero-initialised is allowed */

/* Of messages between A and B. */
static inline const struct mpg_perturbation *mpg_paths_between(const struct mpg_paths *paths, int32_t a,
                                                               int32_t b)
{
    return &paths->way[paths->target ? mpg_placement_path_class(paths->target, a, b) : 0]
                      [paths->source ? mpg_placement_path_class(paths->source, a, b) : 0];
}

#endif
