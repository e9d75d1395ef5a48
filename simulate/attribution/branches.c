/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/attribution/branches.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

/* The key of a sum consists of the place, in the upper bits, and the term, in the lowest TERM_BITS bits. */
enum { TERM_BITS = 4 };

struct sum {
    uint32_t key;
    double value;
};

struct branch {
    /* the parent branch; number of children, branches and leaves. Of a free branch, parent is the next free branch */
    uint32_t parent, children;
    uint32_t n, capacity;
    uint32_t between; /* place returned by mpg_branches_between() */
    bool joint;       /* the branch only joins branches, mpg_branches_is_joint() */
    struct sum *sum; /* sums in ascending order of keys */
};

struct mpg_branches {
    struct branch *branch;
    uint32_t n, capacity, free;
    bool failed;
    struct sum *merged;
    uint32_t merged_capacity;
};

struct mpg_branches *mpg_branches_new(void)
{
    struct mpg_branches *b = calloc(1, sizeof *b);
    if (b)
        b->free = MPG_NO_BRANCH;
    return b;
}

void mpg_branches_free(struct mpg_branches *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; i < b->n; i++)
        free(b->branch[i].sum);
    free(b->branch);
    free(b->merged);
    free(b);
}

bool mpg_branches_failed(const struct mpg_branches *b)
{
    return b->failed;
}

uint32_t mpg_branches_add(struct mpg_branches *b, bool grows)
{
    struct mpg_error err;
    uint32_t i = b->free;
    if (i == MPG_NO_BRANCH) {
        if (b->failed ||
            (b->n == b->capacity && mpg_reserve_at(&b->branch, sizeof *b->branch, &b->capacity, b->n + 1, &err) < 0)) {
            b->failed = true;
            return MPG_NO_BRANCH;
        }
        i = b->n++;
        b->branch[i] = (struct branch){.sum = NULL};
    } else
        b->free = b->branch[i].parent;
    struct branch *x = &b->branch[i]; /* keeps the branch's array of sums, for reuse */
    *x = (struct branch){.parent = MPG_NO_BRANCH, .children = grows, .between = MPG_PLACE_AHEAD, .joint = !grows,
                         .sum = x->sum, .capacity = x->capacity};
    return i;
}

/* Makes room for N sums in X. Each rank has some branches in each lane, most branches with few sums, so arrays grow in small
 * steps. */
static bool reserve(struct mpg_branches *b, struct branch *x, uint32_t n)
{
    if (n <= x->capacity)
        return true;
    const uint32_t wanted = n + n / 4 + 1;
    struct sum *sum = realloc(x->sum, wanted * sizeof *sum);
    if (!sum) {
        b->failed = true;
        return false;
    }
    x->sum = sum;
    x->capacity = wanted;
    return true;
}

/* Returns how many of the N keys of SUM, in ascending order, are less than KEY. */
static uint32_t find(const struct sum *sum, uint32_t n, uint32_t key)
{
    uint32_t low = 0;
    while (n > 0) {
        const uint32_t half = n / 2;
        const bool is_below = sum[low + half].key < key;
        low += is_below ? half + 1 : 0;
        n = is_below ? n - half - 1 : half;
    }
    return low;
}

void mpg_branches_sum(struct mpg_branches *b, uint32_t branch, uint32_t place, uint32_t term, double value)
{
    struct branch *x = &b->branch[branch];
    const uint32_t key = place << TERM_BITS | term, at = find(x->sum, x->n, key);
    if (at < x->n && x->sum[at].key == key) {
        x->sum[at].value += value;
        return;
    }
    if (!reserve(b, x, x->n + 1))
        return;
    memmove(x->sum + at + 1, x->sum + at, (x->n - at) * sizeof *x->sum);
    x->sum[at] = (struct sum){key, value};
    x->n++;
}

uint32_t *mpg_branches_between(struct mpg_branches *b, uint32_t branch)
{
    return &b->branch[branch].between;
}

bool mpg_branches_is_joint(const struct mpg_branches *b, uint32_t branch)
{
    return b->branch[branch].joint && b->branch[branch].n == 0 && b->branch[branch].between == MPG_PLACE_AHEAD;
}

void mpg_branches_grow(struct mpg_branches *b, uint32_t branch, uint32_t parent)
{
    b->branch[branch].parent = parent;
    b->branch[parent].children++;
}

uint32_t mpg_branches_parent(const struct mpg_branches *b, uint32_t branch)
{
    return b->branch[branch].parent;
}

static void release(struct mpg_branches *b, uint32_t i)
{
    struct branch *x = &b->branch[i];
    enum { KEPT = 4 };
    if (x->capacity > KEPT) {
        free(x->sum);
        x->sum = NULL;
        x->capacity = 0;
    }
    x->n = 0;
    x->parent = b->free;
    b->free = i;
}

void mpg_branches_drop(struct mpg_branches *b, uint32_t i)
{
    while (i != MPG_NO_BRANCH && --b->branch[i].children == 0) {
        const uint32_t parent = b->branch[i].parent;
        release(b, i);
        i = parent;
    }
}

/* --- merging --- */

/* Adds the sums of PARENT whose place is not known to BETWEEN, the place of the child, if BETWEEN is known. */
static void settle(struct mpg_branches *b, struct branch *parent, uint32_t between)
{
    const uint32_t first = find(parent->sum, parent->n, MPG_PLACE_AHEAD << TERM_BITS), n = parent->n - first;
    struct sum ahead[1 << TERM_BITS];
    if (n == 0 || between == MPG_PLACE_AHEAD)
        return;
    memcpy(ahead, parent->sum + first, n * sizeof *ahead);
    parent->n = first;
    for (uint32_t k = 0; k < n; k++)
        mpg_branches_sum(b, (uint32_t)(parent - b->branch), between, ahead[k].key & ((1u << TERM_BITS) - 1), ahead[k].value);
}

/* Adds the sums of Y to the sums of X. */
static void merge(struct mpg_branches *b, struct branch *x, const struct branch *y)
{
    struct mpg_error err;
    uint32_t n = 0, i = 0, k = 0;
    if (b->merged_capacity < x->n + y->n &&
        mpg_reserve_at(&b->merged, sizeof *b->merged, &b->merged_capacity, x->n + y->n, &err) < 0) {
        b->failed = true;
        return;
    }
    while (i < x->n || k < y->n) {
        const bool mine = k == y->n || (i < x->n && x->sum[i].key <= y->sum[k].key);
        const bool both = mine && k < y->n && x->sum[i].key == y->sum[k].key;
        b->merged[n] = mine ? x->sum[i++] : y->sum[k++];
        if (both)
            b->merged[n].value += y->sum[k++].value;
        n++;
    }
    if (n == 0 || !reserve(b, x, n)) /* without sums there may be no array */
        return;
    memcpy(x->sum, b->merged, n * sizeof *x->sum);
    x->n = n;
}

/* Returns whether a merge is worth the time: a merge copies all sums of PARENT, so merging waits until CHILD has enough sums. */
static bool is_due(const struct branch *child, const struct branch *parent)
{
    enum { FEW = 32, TIMES = 2 };
    return parent->n <= FEW + TIMES * child->n;
}

uint32_t mpg_branches_join(struct mpg_branches *b, uint32_t i)
{
    for (uint32_t p; (p = b->branch[i].parent) != MPG_NO_BRANCH;) {
        struct branch *x = &b->branch[i], *parent = &b->branch[p];
        if (parent->children != 1) {
            i = p;
            continue;
        }
        settle(b, parent, x->between);
        if (x->between != MPG_PLACE_AHEAD && !is_due(x, parent)) {
            i = p;
            continue;
        }
        merge(b, x, parent);
        x->between = parent->between != MPG_PLACE_AHEAD ? parent->between : x->between;
        x->parent = parent->parent;
        release(b, p);
    }
    return i;
}

void mpg_branches_give(struct mpg_branches *b, uint32_t root,
                       void (*take)(void *context, uint32_t place, uint32_t term, double value), void *context)
{
    struct branch *x = &b->branch[root];
    const uint32_t n = find(x->sum, x->n, MPG_PLACE_AHEAD << TERM_BITS);
    for (uint32_t k = 0; k < n; k++)
        take(context, x->sum[k].key >> TERM_BITS, x->sum[k].key & ((1u << TERM_BITS) - 1), x->sum[k].value);
    if (n > 0) /* without sums there may be no array */
        memmove(x->sum, x->sum + n, (x->n - n) * sizeof *x->sum);
    x->n -= n;
}
