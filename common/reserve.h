/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing arrays. */
#ifndef MPG_RESERVE_H
#define MPG_RESERVE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/error.h"

/* Grows ITEMS to at least COUNT items of BYTES bytes each and updates CAPACITY. New items are 0. The caller frees ITEMS.
 * Error: out of memory; nothing is changed. */
int mpg_reserve(void **items, size_t bytes, uint32_t *capacity, uint32_t count, struct mpg_error *err);

/* Like mpg_reserve(), for an array of any type. ITEMS is the address of the array's pointer. */
static inline int mpg_reserve_at(void *items, size_t bytes, uint32_t *capacity, uint32_t count,
                                 struct mpg_error *err)
{
    void *grown;
    if (count <= *capacity) /* almost always, for callers with an item for each step or call */
        return 0;
    memcpy(&grown, items, sizeof grown);
    const int status = mpg_reserve(&grown, bytes, capacity, count, err);
    memcpy(items, &grown, sizeof grown);
    return status;
}

/* Makes room for one more item of SIZE bytes in the array at ITEMS (the address of the array's pointer), which has N of *CAPACITY
 * items. New items are not set. The caller frees the array. Error: out of memory; nothing is changed. */
int mpg_grow(void *items, size_t n, size_t *capacity, size_t size, struct mpg_error *err);

#endif
