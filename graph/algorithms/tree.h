/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees over the members of a rooted collective, numbered relative to the root: v = (index -
 * root) mod p. Every member's parent has a smaller number than it. */
#ifndef MPG_GRAPH_TREE_H
#define MPG_GRAPH_TREE_H

#include <stdint.h>

struct mpg_tree {
    const struct mpg_tree_shape *shape;
    int32_t p, radix; /* radix >= 2; 2: binomial, of a k-nomial shape */
};

struct mpg_tree_shape {
    /* v's parent, v > 0. */
    int32_t (*parent)(const struct mpg_tree *tree, int32_t v);
    /* How many children v has. */
    int32_t (*children)(const struct mpg_tree *tree, int32_t v);
    /* v's child K, 0 <= K < children, in the order in which v sends to them: the largest subtree
     * first, of equal ones the smallest number. From them it receives in the opposite order. */
    int32_t (*child)(const struct mpg_tree *tree, int32_t v, int32_t k);
    /* Which child of its parent v > 0 is. */
    int32_t (*place)(const struct mpg_tree *tree, int32_t v);
    /* v .. v + size - 1 are v > 0 and all below it; NULL: these are not together. */
    int32_t (*size)(const struct mpg_tree *tree, int32_t v);
};

extern const struct mpg_tree_shape mpg_tree_linear; /* 0 has all others */
extern const struct mpg_tree_shape mpg_tree_chain;  /* v has v + 1 */
extern const struct mpg_tree_shape mpg_tree_binary; /* v has 2 v + 1 and 2 v + 2 */
extern const struct mpg_tree_shape mpg_tree_knomial; /* radix r: v has v + j r^k, 1 <= j < r, for all r^k that divide v */
extern const struct mpg_tree_shape mpg_tree_libnbc_binomial;   /* v has v + 2^k for all 2^k > v */

static inline int32_t mpg_tree_parent(const struct mpg_tree *tree, int32_t v)
{
    return tree->shape->parent(tree, v);
}

static inline int32_t mpg_tree_children(const struct mpg_tree *tree, int32_t v)
{
    return tree->shape->children(tree, v);
}

static inline int32_t mpg_tree_child(const struct mpg_tree *tree, int32_t v, int32_t k)
{
    return tree->shape->child(tree, v, k);
}

static inline int32_t mpg_tree_place(const struct mpg_tree *tree, int32_t v)
{
    return tree->shape->place(tree, v);
}

static inline int32_t mpg_tree_size(const struct mpg_tree *tree, int32_t v)
{
    return v == 0 ? tree->p : tree->shape->size(tree, v);
}

#endif
