/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of ranks that send at the same time over one resource: a core complex, a node, or the ports of two nodes. */
#ifndef MPG_SHARING_GROUPS_H
#define MPG_SHARING_GROUPS_H

#include "bench/harness/pair.h"
#include "bench/harness/ranks.h"
#include "common/error.h"

/* Pairs of one path class, in the order of use: the first K pairs are used for K pairs at once. A rank is in one pair at most. */
struct mpg_sharing_group {
    int pairs;                  /* 0: none */
    struct mpg_rank_pair *pair; /* the caller frees it */
};

/* Finds the largest group of each path class into GROUP. In ascending order of ranks: core complex: neighbours among the ranks of
 * the complex with the most ranks; node: ranks of different core complexes of the host with the most pairs of this kind; between
 * nodes: each rank of the host with the most ranks with a rank of the host with the second most. Within a host only the first
 * rank of each core counts: two ranks on a core send in turns. Equal on all ranks; not collective. Errors: out of memory. */
int mpg_sharing_groups_find(const struct mpg_ranks *ranks, struct mpg_sharing_group group[MPG_PATHS],
                            struct mpg_error *err);
void mpg_sharing_groups_clear(struct mpg_sharing_group group[MPG_PATHS]);

#endif
