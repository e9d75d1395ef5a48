/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash map with linear probing and backward-shift deletion. */
#include "common/map.h"

#include <stdlib.h>

/* Consecutive keys (request numbers, ranks) shall share a cache line: the lowest NEAR_BITS bits of key 0 select the place
 * in a group of adjacent entries. */
enum { NEAR_BITS = 3 };

static size_t slot_of(const struct mpg_map *map, uint64_t key0, uint64_t key1)
{
    uint64_t h = ((key0 >> NEAR_BITS) ^ (key1 * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    h ^= h >> 29;
    h *= 0xc4ceb9fe1a85ec53u;
    h ^= h >> 32;
    return (size_t)(h << NEAR_BITS | ((key0 ^ h >> (64 - NEAR_BITS)) & ((1u << NEAR_BITS) - 1))) &
           (map->capacity - 1);
}

uint64_t *mpg_map_find(const struct mpg_map *map, uint64_t key0, uint64_t key1)
{
    if (map->count == 0)
        return NULL;
    for (size_t i = slot_of(map, key0, key1); map->entries[i].used;
         i = (i + 1) & (map->capacity - 1)) {
        struct mpg_map_entry *e = &map->entries[i];
        if (e->key[0] == key0 && e->key[1] == key1)
            return &e->value;
    }
    return NULL;
}

static int grow(struct mpg_map *map)
{
    struct mpg_map larger = {.capacity = map->capacity ? 2 * map->capacity : 16};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries)
        return -1;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].used)
            *mpg_map_add(&larger, map->entries[i].key[0], map->entries[i].key[1]) =
                map->entries[i].value;
    free(map->entries);
    *map = larger;
    return 0;
}

uint64_t *mpg_map_add(struct mpg_map *map, uint64_t key0, uint64_t key1)
{
    if (4 * (map->count + 1) > 3 * map->capacity && grow(map) < 0)
        return NULL;
    size_t i = slot_of(map, key0, key1);
    for (; map->entries[i].used; i = (i + 1) & (map->capacity - 1)) {
        struct mpg_map_entry *e = &map->entries[i];
        if (e->key[0] == key0 && e->key[1] == key1)
            return &e->value;
    }
    map->entries[i] = (struct mpg_map_entry){.key = {key0, key1}, .used = 1};
    map->count++;
    return &map->entries[i].value;
}

void mpg_map_remove(struct mpg_map *map, uint64_t key0, uint64_t key1)
{
    uint64_t *value = mpg_map_find(map, key0, key1);
    if (!value)
        return;
    size_t mask = map->capacity - 1;
    size_t hole = (size_t)((struct mpg_map_entry *)(void *)((char *)value -
                                                            offsetof(struct mpg_map_entry, value)) -
                           map->entries);
    for (size_t i = (hole + 1) & mask; map->entries[i].used; i = (i + 1) & mask) {
        size_t home = slot_of(map, map->entries[i].key[0], map->entries[i].key[1]);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            map->entries[hole] = map->entries[i];
            hole = i;
        }
    }
    map->entries[hole].used = 0;
    map->count--;
}

void mpg_map_clear(struct mpg_map *map)
{
    free(map->entries);
    *map = (struct mpg_map){0};
}
