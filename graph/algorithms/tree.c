/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parents and children by their numbers. */
#include "graph/algorithms/tree.h"

/* Of a k-nomial tree: the least r^k that v is not a multiple of r times; of 0, and beyond p, the
 * least one that reaches p. v's children are below it, and so is what is below v. */
static int64_t reach(const struct mpg_tree *t, int32_t v)
{
    int64_t step = 1;
    while (step < t->p && v % (step * t->radix) == 0)
        step *= t->radix;
    return step;
}

/* How many children v of a k-nomial tree has at STEP. */
static int32_t children_at(const struct mpg_tree *t, int32_t v, int64_t step)
{
    int64_t below = (t->p - 1 - v) / step;
    return (int32_t)(below < t->radix - 1 ? below : t->radix - 1);
}

/* Of a tree whose members have their nearest children first: the least 2^k > v. */
static int64_t beyond(int32_t v)
{
    int64_t step = 1;
    while (step <= v)
        step *= 2;
    return step;
}

int32_t mpg_tree_parent(const struct mpg_tree *t, int32_t v)
{
    switch (t->kind) {
    case MPG_TREE_LINEAR:
        return 0;
    case MPG_TREE_CHAIN:
        return v - 1;
    case MPG_TREE_BINARY:
        return (v - 1) / 2;
    case MPG_TREE_KNOMIAL:
        return (int32_t)(v - v % (reach(t, v) * t->radix));
    case MPG_TREE_NEAR:
        return (int32_t)(v - beyond(v) / 2);
    }
    return 0;
}

int32_t mpg_tree_children(const struct mpg_tree *t, int32_t v)
{
    int32_t n = 0;
    switch (t->kind) {
    case MPG_TREE_LINEAR:
        return v == 0 ? t->p - 1 : 0;
    case MPG_TREE_CHAIN:
        return v + 1 < t->p;
    case MPG_TREE_BINARY:
        return (2 * (int64_t)v + 1 < t->p) + (2 * (int64_t)v + 2 < t->p);
    case MPG_TREE_KNOMIAL:
        for (int64_t step = reach(t, v) / t->radix; step >= 1; step /= t->radix)
            n += children_at(t, v, step);
        return n;
    case MPG_TREE_NEAR:
        for (int64_t step = beyond(v); v + step < t->p; step *= 2)
            n++;
        return n;
    }
    return 0;
}

int32_t mpg_tree_child(const struct mpg_tree *t, int32_t v, int32_t k)
{
    switch (t->kind) {
    case MPG_TREE_LINEAR:
        return k + 1;
    case MPG_TREE_CHAIN:
        return v + 1;
    case MPG_TREE_BINARY:
        return 2 * v + 1 + k;
    case MPG_TREE_KNOMIAL:
        for (int64_t step = reach(t, v) / t->radix; step >= 1; step /= t->radix) {
            int32_t n = children_at(t, v, step);
            if (k < n)
                return (int32_t)(v + (k + 1) * step);
            k -= n;
        }
        break;
    case MPG_TREE_NEAR:
        return (int32_t)(v + (beyond(v) << k));
    }
    return -1;
}

int32_t mpg_tree_place(const struct mpg_tree *t, int32_t v)
{
    if (t->kind == MPG_TREE_LINEAR)
        return v - 1;
    if (t->kind == MPG_TREE_CHAIN)
        return 0;
    if (t->kind == MPG_TREE_BINARY)
        return (v - 1) % 2;
    if (t->kind == MPG_TREE_NEAR) {
        int32_t n = 0;
        for (int64_t step = beyond(mpg_tree_parent(t, v)); step < beyond(v) / 2; step *= 2)
            n++;
        return n;
    }
    int32_t parent = mpg_tree_parent(t, v);
    int64_t own = reach(t, v);
    int32_t place = (int32_t)((v - parent) / own) - 1;
    for (int64_t step = reach(t, parent) / t->radix; step > own; step /= t->radix)
        place += children_at(t, parent, step);
    return place;
}

int32_t mpg_tree_size(const struct mpg_tree *t, int32_t v)
{
    if (v == 0)
        return t->p;
    if (t->kind == MPG_TREE_LINEAR)
        return 1;
    int64_t below = t->kind == MPG_TREE_CHAIN ? t->p : reach(t, v);
    return (int32_t)(below < t->p - v ? below : t->p - v);
}
