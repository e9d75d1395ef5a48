/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash map from pairs of 64-bit numbers to a 64-bit value; open addressing,
 * deletion without tombstones. Not thread-safe. */
#ifndef MPG_MAP_H
#define MPG_MAP_H

#include <stddef.h>
#include <stdint.h>

struct mpg_map_entry {
    uint64_t key[2], value;
    uint64_t used; /* 0 or 1 */
};

/* Zero-initialised is empty. */
struct mpg_map {
    struct mpg_map_entry *entries;
    size_t capacity, count;
};

/* The value's place, or NULL; valid until the map is next changed. */
uint64_t *mpg_map_find(const struct mpg_map *map, uint64_t key0, uint64_t key1);
/* Finds or adds (with value 0); NULL when out of memory. */
uint64_t *mpg_map_add(struct mpg_map *map, uint64_t key0, uint64_t key1);
/* Removes the key if it is there. */
void mpg_map_remove(struct mpg_map *map, uint64_t key0, uint64_t key1);
void mpg_map_clear(struct mpg_map *map); /* frees the storage */

#endif
