/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts more items than fit into memory: writes sorted runs to a temporary file, and merges the runs. All items have equal
 * size, and begin with numbers, the keys. Memory does not grow with the number of items: a buffer for the current run, then a
 * block of each run; 8 MiB of buffer are enough for 16 GiB of items. Not thread-safe. */
#ifndef MPG_SORTER_H
#define MPG_SORTER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum { MPG_SORTER_KEYS = 4 }; /* maximum number of keys */

struct mpg_sorter;

/* Begins to sort items of SIZE bytes, a multiple of 8, with BUFFER bytes of memory. An item begins with KEYS keys, 2 to 4, of
 * type int64_t and below INT64_MAX: items are sorted by the first key, then by the second, and so on. No two items have equal
 * keys. Returns NULL with ERR: out of memory. The caller frees the result. */
struct mpg_sorter *mpg_sorter_new(size_t size, size_t keys, size_t buffer, struct mpg_error *err);
void mpg_sorter_free(struct mpg_sorter *s); /* NULL is allowed */

/* Adds a copy of ITEM. Returns 0, or -1 with ERR: a full disk. */
int mpg_sorter_add(struct mpg_sorter *s, const void *item, struct mpg_error *err);
/* Sorts the items; to be called once, after the last mpg_sorter_add(). Returns 0, or -1 with ERR: out of memory, a full
 * disk. */
int mpg_sorter_sort(struct mpg_sorter *s, struct mpg_error *err);
/* Returns a key that sorts by HIGH, then by LOW. */
static inline int64_t mpg_sorter_pair(int32_t high, int32_t low)
{
    return (int64_t)high * ((int64_t)1 << 32) + ((int64_t)low - INT32_MIN);
}

/* Return HIGH and LOW of a key PAIR. */
static inline int32_t mpg_sorter_high(int64_t pair)
{
    return (int32_t)(pair >> 32);
}

static inline int32_t mpg_sorter_low(int64_t pair)
{
    return (int32_t)((pair & UINT32_MAX) + INT32_MIN);
}

/* After mpg_sorter_sort(): *ITEM is the next item in ascending order, valid until the next call. Returns 1; 0: no more items;
 * -1 with ERR. */
int mpg_sorter_next(struct mpg_sorter *s, const void **item, struct mpg_error *err);

#endif
