/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of one size that are taken and given back again and again. Each is one of malloc()'s, so that who clears up may
 * free() it as well. Not thread-safe: each world has its own. */
#ifndef MPG_EVENTS_POOL_H
#define MPG_EVENTS_POOL_H

#include <stdlib.h>

struct pool {
    void *spare; /* each begins with the next */
    size_t size; /* bytes of a block, at least a pointer's */
};

/* NULL: out of memory. What is in the block is undefined. */
static inline void *pool_take(struct pool *p)
{
    void *block = p->spare;
    if (!block)
        return malloc(p->size);
    p->spare = *(void **)block;
    __builtin_prefetch(p->spare, 1); /* the next one was given back long ago */
    return block;
}

static inline void pool_give(struct pool *p, void *block)
{
    *(void **)block = p->spare;
    p->spare = block;
}

static inline void pool_clear(struct pool *p)
{
    while (p->spare)
        free(pool_take(p));
}

#endif
