/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees over the members of a rooted collective, numbered relative to the root: v = (index - root) mod p. A parent has a
 * smaller number than the children. */
#ifndef MPG_GRAPH_TREE_H
#define MPG_GRAPH_TREE_H

#include <stdint.h>

struct mpg_tree {
    const struct mpg_tree_shape *shape;
    int32_t p, radix; /* radix >= 2; 2 makes k-nomial trees binomial */
};

struct mpg_tree_shape {
    /* Returns v's parent, v > 0. */
    int32_t (*parent)(const struct mpg_tree *tree, int32_t v);
    /* Returns the number of v's children. */
    int32_t (*children)(const struct mpg_tree *tree, int32_t v);
    /* Returns v's child K, 0 <= K < children, in sending order: largest subtree first, then smallest number. Receives
     * are in reverse order. */
    int32_t (*child)(const struct mpg_tree *tree, int32_t v, int32_t k);
    /* Returns the index of v > 0 among the children of v's parent: the K of child(). */
    int32_t (*child_index)(const struct mpg_tree *tree, int32_t v);
    /* Returns the size of the subtree of v > 0, whose members are v .. v + size - 1; NULL: subtrees are not contiguous. */
    int32_t (*size)(const struct mpg_tree *tree, int32_t v);
};

extern const struct mpg_tree_shape mpg_tree_linear; /* 0 is the parent of all further members */
extern const struct mpg_tree_shape mpg_tree_chain;  /* v is the parent of v + 1 */
extern const struct mpg_tree_shape mpg_tree_binary; /* v is the parent of 2 v + 1 and 2 v + 2 */
/* radix r: v is the parent of v + j r^k, 1 <= j < r, for all r^k that divide v (MPICH's binomial tree; Open MPI's
 * in-order binomial tree) */
extern const struct mpg_tree_shape mpg_tree_knomial;
/* v is the parent of v + 2^k for all 2^k > v (LibNBC's binomial tree; Open MPI's bmtree) */
extern const struct mpg_tree_shape mpg_tree_libnbc_binomial;

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

static inline int32_t mpg_tree_child_index(const struct mpg_tree *tree, int32_t v)
{
    return tree->shape->child_index(tree, v);
}

static inline int32_t mpg_tree_size(const struct mpg_tree *tree, int32_t v)
{
    return v == 0 ? tree->p : tree->shape->size(tree, v);
}

#endif
