/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Critical paths while they are not certain: for each lane a tree whose leaves are the readable values, those that later steps
 * can still read. A branch holds sums of its part of a path, by place and term. A branch that nothing grows from is dropped; the
 * common root of all leaves of a lane is certain to be on the lane's critical path. Private to simulate/attribution/. */
#ifndef MPG_ATTRIBUTION_BRANCHES_H
#define MPG_ATTRIBUTION_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define MPG_NO_BRANCH UINT32_MAX
/* A place that is not known yet: the place of the next branch towards the leaves. */
#define MPG_PLACE_AHEAD ((UINT32_C(1) << 28) - 1)

struct mpg_branches;

/* Returns an empty set of branches. NULL: no memory. */
struct mpg_branches *mpg_branches_new(void);
void mpg_branches_free(struct mpg_branches *branches); /* NULL is allowed */
/* Adds an empty branch with one branch or leaf growing from it (GROWS), or none. MPG_NO_BRANCH: no memory;
 * mpg_branches_failed() then returns true. */
uint32_t mpg_branches_add(struct mpg_branches *branches, bool grows);
bool mpg_branches_failed(const struct mpg_branches *branches);
/* Adds VALUE to TERM (below 16) of PLACE (at most MPG_PLACE_AHEAD) in BRANCH. */
void mpg_branches_sum(struct mpg_branches *branches, uint32_t branch, uint32_t place, uint32_t term, double value);
/* Returns the address of a number that the caller sets: the place for terms that BRANCH gets from earlier records without a known
 * call, and for its message terms. MPG_PLACE_AHEAD: not known yet. */
uint32_t *mpg_branches_between(struct mpg_branches *branches, uint32_t branch);
/* Returns whether BRANCH is an empty joint of two branches. */
bool mpg_branches_is_joint(const struct mpg_branches *branches, uint32_t branch);
/* Makes PARENT the parent of BRANCH; called once for each branch. */
void mpg_branches_grow(struct mpg_branches *branches, uint32_t branch, uint32_t parent);
/* Returns the branch that BRANCH grows from; MPG_NO_BRANCH: BRANCH is a root. */
uint32_t mpg_branches_parent(const struct mpg_branches *branches, uint32_t branch);
/* Drops BRANCH, from which nothing grows any more, and each branch towards the root that then has no other child. */
void mpg_branches_drop(struct mpg_branches *branches, uint32_t branch);
/* From BRANCH to the root, merges each branch with its parent if nothing else grows from the parent and the merge is worth its
 * time. Returns the root. */
uint32_t mpg_branches_join(struct mpg_branches *branches, uint32_t branch);
/* Calls TAKE with all sums of ROOT whose place is known, in the order of place and term, and removes them. */
void mpg_branches_give(struct mpg_branches *branches, uint32_t root,
                       void (*take)(void *context, uint32_t place, uint32_t term, double value), void *context);

#endif
