/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash map from pairs of 64-bit numbers to 64-bit values, with open addressing and deletion without tombstones. Not thread-
 * safe. */
#ifndef MPG_MAP_H
#define MPG_MAP_H

#include <stddef.h>
#include <stdint.h>

struct mpg_map_entry {
    uint64_t key[2], value;
    uint64_t used; /* 1: the slot of the hash table holds an entry; 0: empty */
};

/* An empty map when zero-initialised. */
struct mpg_map {
    struct mpg_map_entry *entries;
    size_t capacity, count;
};

/* Returns a pointer to the value, or NULL; valid until the next change of the map. */
uint64_t *mpg_map_find(const struct mpg_map *map, uint64_t key0, uint64_t key1);
/* Finds the key, or adds the key with value 0. Returns a pointer to the value, or NULL if out of memory. */
uint64_t *mpg_map_add(struct mpg_map *map, uint64_t key0, uint64_t key1);
/* Removes the key if present. */
void mpg_map_remove(struct mpg_map *map, uint64_t key0, uint64_t key1);
void mpg_map_clear(struct mpg_map *map); /* frees the storage */

#endif
