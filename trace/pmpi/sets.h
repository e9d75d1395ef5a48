/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets that grow: open hash tables of pointers to permanent entries. One thread at a time adds, under the caller's lock.
 * Readers take no lock: entries and tables are published with release stores and never freed. */
#ifndef MPG_TRACER_SETS_H
#define MPG_TRACER_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SET_MAX_ENTRIES = 1 << 18 }; /* maximum number of entries of a set */

/* Entries begin with a hash. */
struct set_entry {
    uint64_t hash;
};

struct set_table {
    struct set_table *older; /* kept for readers; the total size of older tables is at most the size of the newest */
    size_t mask;             /* number of slots - 1; the search for a hash begins at hash & mask and goes on to the next slots */
    struct set_entry *slots[];
};

/* At most half full. Zero-initialised. */
struct set {
    struct set_table *table; /* NULL: no entry yet */
    size_t number;
};

/* Returns X mixed, for hashes. */
static inline uint64_t set_hash(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

/* Makes room for a further entry. Returns false without memory, or if the set has SET_MAX_ENTRIES entries. */
bool set_make_room(struct set *set);
/* Adds ENTRY, with its hash set, not yet in SET. The caller must have made room. */
void set_add(struct set *set, struct set_entry *entry);

#endif
