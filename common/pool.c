/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A free list over blocks of objects. Objects never used before are not in the list. */
#include "common/pool.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/large.h"

enum { OBJECTS_A_BLOCK = 128, LINE_BYTES = 64 /* bytes of a cache line */ };

union link {
    void *next;
    max_align_t align;
};

/* Objects begin at a cache line, so an object of whole lines touches as few lines as possible. Not aligned_alloc(): the tracer's
 * allocator cannot align. */
static int add_block(struct mpg_pool *pool)
{
    const bool is_large = pool->large_alloc && pool->bytes >= MPG_LARGE_PAGE;
    const size_t bytes = is_large ? MPG_LARGE_PAGE : sizeof(union link) + LINE_BYTES - 1 + OBJECTS_A_BLOCK * pool->stride;
    union link *block = is_large ? pool->large_alloc(bytes) : malloc(bytes);
    if (!block)
        return -1;
    block->next = pool->blocks;
    pool->blocks = block;
    pool->bytes += bytes;
    pool->fresh = (char *)(block + 1);
    pool->fresh += -(uintptr_t)pool->fresh % LINE_BYTES;
    pool->fresh_end = pool->fresh + ((char *)block + bytes - pool->fresh) / (ptrdiff_t)pool->stride * (ptrdiff_t)pool->stride;
    return 0;
}

/* Returns a never-used object. The memory of a block is touched only on use. */
static void *take_fresh(struct mpg_pool *pool)
{
    pool->stride = (pool->size + sizeof(union link) - 1) / sizeof(union link) * sizeof(union link);
    if (pool->fresh == pool->fresh_end && add_block(pool) < 0)
        return NULL;
    void *object = pool->fresh;
    pool->fresh += pool->stride;
    return memset(object, 0, pool->size);
}

void *mpg_pool_take(struct mpg_pool *pool)
{
    union link *object = pool->unused;
    if (!object)
        return take_fresh(pool);
    pool->unused = object->next;
    return memset(object, 0, pool->size);
}

void mpg_pool_give(struct mpg_pool *pool, void *object)
{
    ((union link *)object)->next = pool->unused;
    pool->unused = object;
}

void mpg_pool_clear(struct mpg_pool *pool)
{
    for (union link *block = pool->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    pool->blocks = pool->unused = NULL;
    pool->bytes = 0;
    pool->fresh = pool->fresh_end = NULL;
}
