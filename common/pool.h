/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects of one size, allocated in blocks and reused; freed all at once. Not
 * thread-safe. */
#ifndef MPG_POOL_H
#define MPG_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* Initialise with {.size = sizeof (struct thing)}, and .may_be_large if there can be millions; a thing holds a pointer
 * at least. */
struct mpg_pool {
    size_t size, stride;
    bool may_be_large;       /* from then on, blocks are large pages (large.h) */
    size_t bytes;            /* of all blocks */
    void *unused, *blocks;
    char *fresh, *fresh_end; /* of the newest block, what has not been handed out yet */
};

/* A zeroed object, or NULL when out of memory. */
void *mpg_pool_take(struct mpg_pool *pool);
void mpg_pool_give(struct mpg_pool *pool, void *object);
void mpg_pool_clear(struct mpg_pool *pool); /* frees every object ever taken */

#endif
