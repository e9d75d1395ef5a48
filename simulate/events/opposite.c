/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/opposite.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the first message from FROM to TO in MAP; NULL: none. */
static struct opposing *first(const struct mpg_map *map, int32_t from, int32_t to)
{
    const uint64_t *head = mpg_map_find(map, (uint64_t)from, (uint64_t)to);
    return head ? (struct opposing *)(uintptr_t)*head : NULL;
}

static int insert(struct mpg_map *map, struct opposing *x, struct mpg_error *err)
{
    uint64_t *head = mpg_map_add(map, (uint64_t)x->from, (uint64_t)x->to);
    if (!head)
        return mpg_error_set(err, "out of memory");
    x->before = NULL;
    x->next = (struct opposing *)(uintptr_t)*head;
    if (x->next)
        x->next->before = x;
    *head = (uint64_t)(uintptr_t)x;
    return 0;
}

static void take_out(struct mpg_map *map, struct opposing *x)
{
    if (x->next)
        x->next->before = x->before;
    if (x->before)
        x->before->next = x->next;
    else if (x->next)
        *mpg_map_find(map, (uint64_t)x->from, (uint64_t)x->to) = (uint64_t)(uintptr_t)x->next;
    else
        mpg_map_remove(map, (uint64_t)x->from, (uint64_t)x->to);
}

/* Returns whether X waits for the opposite message Y, which has begun. */
static bool awaits(const struct opposing *x, const struct opposing *y)
{
    return y->begin_ns < x->before_ns;
}

int mpg_opposites_add(struct opposites *o, struct opposing *x, double now_ns, struct mpg_error *err)
{
    x->missing = 0;
    x->begin_ns = now_ns;
    for (const struct opposing *y = first(&o->under_way, x->to, x->from); y; y = y->next)
        x->missing += awaits(x, y);
    if (insert(x->missing > 0 ? &o->waiting : &o->under_way, x, err) < 0)
        return -1;
    return x->missing > 0;
}

int mpg_opposites_end(struct opposites *o, struct opposing *x, double now_ns, struct opposing **begins, struct mpg_error *err)
{
    *begins = NULL;
    take_out(&o->under_way, x);
    for (struct opposing *y = first(&o->waiting, x->to, x->from), *next; y; y = next) {
        next = y->next;
        if (!awaits(y, x) || --y->missing > 0)
            continue;
        take_out(&o->waiting, y);
        y->begin_ns = now_ns;
        if (insert(&o->under_way, y, err) < 0)
            return -1;
        y->then = *begins;
        *begins = y;
    }
    return 0;
}

void mpg_opposites_clear(struct opposites *o)
{
    mpg_map_clear(&o->under_way);
    mpg_map_clear(&o->waiting);
}
