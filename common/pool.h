/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects of one size, allocated in blocks and reused; freed all at once. Not
 * thread-safe. */
#ifndef MPG_POOL_H
#define MPG_POOL_H

#include <stddef.h>

/* Initialise with {.size = sizeof (struct thing)}; a thing holds a pointer at least. Where there can be millions of them,
 * .large_alloc is mpg_large_alloc() of large.h. */
struct mpg_pool {
    size_t size, stride;
    void *(*large_alloc)(size_t bytes); /* of blocks, once there is a large page of them; NULL: malloc() */
    size_t bytes;                       /* of all blocks */
    void *unused, *blocks;
    char *fresh, *fresh_end; /* of the newest block, what has not been handed out yet */
};

/* A zeroed object, or NULL when out of memory. */
void *mpg_pool_take(struct mpg_pool *pool);
void mpg_pool_give(struct mpg_pool *pool, void *object);
void mpg_pool_clear(struct mpg_pool *pool); /* frees every object ever taken */

#endif
