/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths that lead to what can still be read, of each lane, as a tree that is put together from its twigs: a branch has the
 * sums of what is on its part of a path, by place and term. Branches that nothing grows from any more are let go, and what all
 * that is left of a lane grows from is the lane's path for good. Private to simulate/attribution/. */
#ifndef MPG_WHERE_BRANCHES_H
#define MPG_WHERE_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define MPG_NO_BRANCH UINT32_MAX
/* A place that is not known yet: that of what grows from it. */
#define MPG_PLACE_AHEAD ((UINT32_C(1) << 28) - 1)

struct mpg_branches;

/* NULL: out of memory. */
struct mpg_branches *mpg_branches_new(void);
void mpg_branches_free(struct mpg_branches *branches); /* NULL is allowed */
/* A new one, with nothing in it, that one thing grows from, or none that GROWS yet. MPG_NO_BRANCH: out of memory, as
 * mpg_branches_failed() says then. */
uint32_t mpg_branches_add(struct mpg_branches *branches, bool grows);
bool mpg_branches_failed(const struct mpg_branches *branches);
/* Adds VALUE to TERM (below 16) of PLACE (at most MPG_PLACE_AHEAD) in BRANCH. */
void mpg_branches_sum(struct mpg_branches *branches, uint32_t branch, uint32_t place, uint32_t term, double value);
/* Where what messages take is that comes before all that BRANCH has. */
uint32_t *mpg_branches_between(struct mpg_branches *branches, uint32_t branch);
/* Whether there is nothing in it yet, and it is a joint of two. */
bool mpg_branches_is_joint(const struct mpg_branches *branches, uint32_t branch);
/* BRANCH grows from PARENT, for good. */
void mpg_branches_grow(struct mpg_branches *branches, uint32_t branch, uint32_t parent);
/* What it grows from; MPG_NO_BRANCH: a root. */
uint32_t mpg_branches_parent(const struct mpg_branches *branches, uint32_t branch);
/* Nothing grows from BRANCH here any more: it goes, and all that only it grew from. */
void mpg_branches_drop(struct mpg_branches *branches, uint32_t branch);
/* Branches that one thing alone grows from become one with it, from BRANCH on down; returned is the root. */
uint32_t mpg_branches_join(struct mpg_branches *branches, uint32_t branch);
/* Gives all that is certain of ROOT to TAKE, by place and term in their order, and keeps the rest. */
void mpg_branches_give(struct mpg_branches *branches, uint32_t root,
                       void (*take)(void *context, uint32_t place, uint32_t term, double value), void *context);

#endif
