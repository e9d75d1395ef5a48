/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts more items than fit into memory: writes sorted runs to a temporary file, and merges the runs. All items have equal
 * size. Memory does not grow with the number of items: a buffer for the current run, then a block of each run; 8 MiB of buffer
 * are enough for 16 GiB of items. Not thread-safe. */
#ifndef MPG_SORTER_H
#define MPG_SORTER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct mpg_sorter;

/* Begins to sort items of SIZE bytes by COMPARE, as for qsort(), with BUFFER bytes of memory. No two items are equal. Returns
 * NULL with ERR: out of memory. The caller frees the result. */
struct mpg_sorter *mpg_sorter_new(size_t size, int (*compare)(const void *, const void *), size_t buffer, struct mpg_error *err);
void mpg_sorter_free(struct mpg_sorter *s); /* NULL is allowed */

/* Adds a copy of ITEM. Returns 0, or -1 with ERR: a full disk. */
int mpg_sorter_add(struct mpg_sorter *s, const void *item, struct mpg_error *err);
/* Sorts the items; to be called once, after the last mpg_sorter_add(). Returns 0, or -1 with ERR: out of memory, a full
 * disk. */
int mpg_sorter_sort(struct mpg_sorter *s, struct mpg_error *err);
/* After mpg_sorter_sort(): *ITEM is the next item in ascending order, valid until the next call. Returns 1; 0: no more items;
 * -1 with ERR. */
int mpg_sorter_next(struct mpg_sorter *s, const void **item, struct mpg_error *err);

#endif
