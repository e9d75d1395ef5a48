/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A free list over blocks of objects. */
#include "common/pool.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS_A_BLOCK = 128 };

union link {
    void *next;
    max_align_t align;
};

static int add_block(struct mpg_pool *pool)
{
    size_t size = (pool->size + sizeof(union link) - 1) / sizeof(union link) * sizeof(union link);
    union link *block = malloc(sizeof(union link) + OBJECTS_A_BLOCK * size);
    if (!block)
        return -1;
    block->next = pool->blocks;
    pool->blocks = block;
    for (int i = 0; i < OBJECTS_A_BLOCK; i++)
        mpg_pool_give(pool, (char *)(block + 1) + (size_t)i * size);
    return 0;
}

void *mpg_pool_take(struct mpg_pool *pool)
{
    if (!pool->unused && add_block(pool) < 0)
        return NULL;
    union link *object = pool->unused;
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
}
