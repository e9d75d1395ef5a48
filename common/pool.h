/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of equally sized objects: allocates in blocks, reuses objects, frees all at once. Not thread-safe. */
#ifndef MPG_POOL_H
#define MPG_POOL_H

#include <stddef.h>

/* Initialise with {.size = sizeof (struct thing)}; size is at least the size of a pointer. For pools of millions of objects set
 * .large_alloc to mpg_large_alloc() (large.h). */
struct mpg_pool {
    size_t size, stride;
    void *(*large_alloc)(size_t bytes); /* allocator of blocks once the pool fills a large page; NULL: malloc() */
    size_t bytes;                       /* total size of all blocks */
    void *unused, *blocks;
    char *fresh, *fresh_end; /* unused part of the newest block */
};

/* Returns a zeroed object, or NULL if out of memory. */
void *mpg_pool_take(struct mpg_pool *pool);
void mpg_pool_give(struct mpg_pool *pool, void *object);
void mpg_pool_clear(struct mpg_pool *pool); /* frees all objects */

#endif
