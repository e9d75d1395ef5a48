/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of critical paths, not certain yet. The parts of each lane form a tree: leaves are the values still readable by later
 * steps, and a branch stands for a part of the history shared by the branch's leaves. A branch holds sums, by place and term,
 * over this part. A branch without children is dropped. The branch shared by all leaves of a lane, the root, is certain to be on
 * the lane's critical path. Private to simulate/attribution/. */
#ifndef MPG_ATTRIBUTION_BRANCHES_H
#define MPG_ATTRIBUTION_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define MPG_NO_BRANCH UINT32_MAX
/* Stands for an unknown place: the place of the next branch towards the leaves. */
#define MPG_PLACE_AHEAD ((UINT32_C(1) << 28) - 1)

struct mpg_branches;

/* Returns an empty set of branches. NULL: no memory. */
struct mpg_branches *mpg_branches_new(void);
void mpg_branches_free(struct mpg_branches *branches); /* NULL is allowed */
/* Adds an empty branch: with GROWS with a single child, a branch or leaf, else without children. Returns the number of the
 * branch; MPG_NO_BRANCH: out of memory; mpg_branches_failed() then returns true. */
uint32_t mpg_branches_add(struct mpg_branches *branches, bool grows);
bool mpg_branches_failed(const struct mpg_branches *branches);
/* Adds VALUE to TERM (below 16) of PLACE (at most MPG_PLACE_AHEAD) in BRANCH. */
void mpg_branches_sum(struct mpg_branches *branches, uint32_t branch, uint32_t place, uint32_t term, double value);
/* Returns the address of a number, set by the caller: the place for BRANCH's message terms, and for terms of earlier records
 * whose call is not known. MPG_PLACE_AHEAD: not known yet. */
uint32_t *mpg_branches_between(struct mpg_branches *branches, uint32_t branch);
/* Returns whether BRANCH has no sums and only joins two branches. */
bool mpg_branches_is_joint(const struct mpg_branches *branches, uint32_t branch);
/* Makes PARENT the parent of BRANCH; to be called once for each branch. */
void mpg_branches_grow(struct mpg_branches *branches, uint32_t branch, uint32_t parent);
/* Returns the parent of BRANCH; MPG_NO_BRANCH: BRANCH is a root. */
uint32_t mpg_branches_parent(const struct mpg_branches *branches, uint32_t branch);
/* Drops BRANCH, which has no children any more, and each branch towards the root left without children. */
void mpg_branches_drop(struct mpg_branches *branches, uint32_t branch);
/* On the way from BRANCH to the root, merges a branch with the parent if the parent has no other child and the merge is worth the
 * time. Returns the root. */
uint32_t mpg_branches_join(struct mpg_branches *branches, uint32_t branch);
/* Calls TAKE with each sum of ROOT whose place is known, in the order of place and term, and removes these sums. */
void mpg_branches_give(struct mpg_branches *branches, uint32_t root,
                       void (*take)(void *context, uint32_t place, uint32_t term, double value), void *context);

#endif
