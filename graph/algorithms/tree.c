/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapes of trees: the parent and the children of a member, by member numbers relative to the root. */
#include "graph/algorithms/tree.h"

/* --- linear --- */

static int32_t linear_parent(const struct mpg_tree *t, int32_t v)
{
    (void)t, (void)v;
    return 0;
}

static int32_t linear_children(const struct mpg_tree *t, int32_t v)
{
    return v == 0 ? t->p - 1 : 0;
}

static int32_t linear_child(const struct mpg_tree *t, int32_t v, int32_t k)
{
    (void)t, (void)v;
    return k + 1;
}

static int32_t linear_child_index(const struct mpg_tree *t, int32_t v)
{
    (void)t;
    return v - 1;
}

static int32_t linear_size(const struct mpg_tree *t, int32_t v)
{
    (void)t, (void)v;
    return 1;
}

const struct mpg_tree_shape mpg_tree_linear = {
    .parent = linear_parent, .children = linear_children, .child = linear_child, .child_index = linear_child_index,
    .size = linear_size};

/* --- a chain --- */

static int32_t chain_parent(const struct mpg_tree *t, int32_t v)
{
    (void)t;
    return v - 1;
}

static int32_t chain_children(const struct mpg_tree *t, int32_t v)
{
    return v + 1 < t->p;
}

static int32_t chain_child(const struct mpg_tree *t, int32_t v, int32_t k)
{
    (void)t, (void)k;
    return v + 1;
}

static int32_t chain_child_index(const struct mpg_tree *t, int32_t v)
{
    (void)t, (void)v;
    return 0;
}

static int32_t chain_size(const struct mpg_tree *t, int32_t v)
{
    return t->p - v;
}

const struct mpg_tree_shape mpg_tree_chain = {
    .parent = chain_parent, .children = chain_children, .child = chain_child, .child_index = chain_child_index,
    .size = chain_size};

/* --- binary --- */

static int32_t binary_parent(const struct mpg_tree *t, int32_t v)
{
    (void)t;
    return (v - 1) / 2;
}

static int32_t binary_children(const struct mpg_tree *t, int32_t v)
{
    return (2 * (int64_t)v + 1 < t->p) + (2 * (int64_t)v + 2 < t->p);
}

static int32_t binary_child(const struct mpg_tree *t, int32_t v, int32_t k)
{
    (void)t;
    return 2 * v + 1 + k;
}

static int32_t binary_child_index(const struct mpg_tree *t, int32_t v)
{
    (void)t;
    return (v - 1) % 2;
}

const struct mpg_tree_shape mpg_tree_binary = {
    .parent = binary_parent, .children = binary_children, .child = binary_child, .child_index = binary_child_index};

/* --- k-nomial --- */

/* Returns the largest r^k that divides v, r: the tree's radix, but at most the least r^k >= p, which is also the result
 * for v = 0. The subtree of v lies within v .. v + r^k - 1. */
static int64_t reach(const struct mpg_tree *t, int32_t v)
{
    int64_t step = 1;
    while (step < t->p && v % (step * t->radix) == 0)
        step *= t->radix;
    return step;
}

/* Returns the number of children of v among v + STEP, v + 2 STEP .. v + (radix - 1) STEP: the members below p. */
static int32_t children_at(const struct mpg_tree *t, int32_t v, int64_t step)
{
    int64_t below = (t->p - 1 - v) / step;
    return (int32_t)(below < t->radix - 1 ? below : t->radix - 1);
}

static int32_t knomial_parent(const struct mpg_tree *t, int32_t v)
{
    return (int32_t)(v - v % (reach(t, v) * t->radix));
}

static int32_t knomial_children(const struct mpg_tree *t, int32_t v)
{
    int32_t n = 0;
    for (int64_t step = reach(t, v) / t->radix; step >= 1; step /= t->radix)
        n += children_at(t, v, step);
    return n;
}

static int32_t knomial_child(const struct mpg_tree *t, int32_t v, int32_t k)
{
    for (int64_t step = reach(t, v) / t->radix; step >= 1; step /= t->radix) {
        int32_t n = children_at(t, v, step);
        if (k < n)
            return (int32_t)(v + (k + 1) * step);
        k -= n;
    }
    return -1;
}

static int32_t knomial_child_index(const struct mpg_tree *t, int32_t v)
{
    int32_t parent = knomial_parent(t, v);
    int64_t own = reach(t, v);
    int32_t child_index = (int32_t)((v - parent) / own) - 1;
    for (int64_t step = reach(t, parent) / t->radix; step > own; step /= t->radix)
        child_index += children_at(t, parent, step);
    return child_index;
}

static int32_t knomial_size(const struct mpg_tree *t, int32_t v)
{
    const int64_t below = reach(t, v);
    return (int32_t)(below < t->p - v ? below : t->p - v);
}

const struct mpg_tree_shape mpg_tree_knomial = {
    .parent = knomial_parent, .children = knomial_children, .child = knomial_child, .child_index = knomial_child_index,
    .size = knomial_size};

/* --- LibNBC's binomial tree --- */

/* Returns the smallest power of two above v. */
static int64_t beyond(int32_t v)
{
    int64_t step = 1;
    while (step <= v)
        step *= 2;
    return step;
}

static int32_t libnbc_parent(const struct mpg_tree *t, int32_t v)
{
    (void)t;
    return (int32_t)(v - beyond(v) / 2);
}

static int32_t libnbc_children(const struct mpg_tree *t, int32_t v)
{
    int32_t n = 0;
    for (int64_t step = beyond(v); v + step < t->p; step *= 2)
        n++;
    return n;
}

static int32_t libnbc_child(const struct mpg_tree *t, int32_t v, int32_t k)
{
    (void)t;
    return (int32_t)(v + (beyond(v) << k));
}

static int32_t libnbc_child_index(const struct mpg_tree *t, int32_t v)
{
    int32_t n = 0;
    for (int64_t step = beyond(libnbc_parent(t, v)); step < beyond(v) / 2; step *= 2)
        n++;
    return n;
}

const struct mpg_tree_shape mpg_tree_libnbc_binomial = {
    .parent = libnbc_parent, .children = libnbc_children, .child = libnbc_child, .child_index = libnbc_child_index};
