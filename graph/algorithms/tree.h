/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees over the members of a rooted collective, numbered relative to the root: v = (index -
 * root) mod p. Every member's parent has a smaller number than it. */
#ifndef MPG_GRAPH_TREE_H
#define MPG_GRAPH_TREE_H

#include <stdint.h>

enum mpg_tree_kind {
    MPG_TREE_LINEAR,  /* 0 has all others */
    MPG_TREE_CHAIN,   /* v has v + 1 */
    MPG_TREE_BINARY,  /* v has 2 v + 1 and 2 v + 2 */
    MPG_TREE_KNOMIAL, /* radix r: v has v + j r^k, 1 <= j < r, for all r^k that divide v */
    MPG_TREE_NEAR     /* v has v + 2^k for all 2^k > v */
};

struct mpg_tree {
    enum mpg_tree_kind kind;
    int32_t p, radix; /* radix >= 2, of KNOMIAL; 2: binomial */
};

/* v's parent, v > 0. */
int32_t mpg_tree_parent(const struct mpg_tree *tree, int32_t v);
/* How many children v has. */
int32_t mpg_tree_children(const struct mpg_tree *tree, int32_t v);
/* v's child K, 0 <= K < children, in the order in which v sends to them: the largest subtree
 * first, of equal ones the smallest number. From them it receives in the opposite order. */
int32_t mpg_tree_child(const struct mpg_tree *tree, int32_t v, int32_t k);
/* Which child of its parent v > 0 is. */
int32_t mpg_tree_place(const struct mpg_tree *tree, int32_t v);
/* v .. v + size - 1 are v and all below it, in LINEAR, CHAIN and KNOMIAL trees. */
int32_t mpg_tree_size(const struct mpg_tree *tree, int32_t v);

#endif
