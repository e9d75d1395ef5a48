/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/sets.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 12 };

static void put(struct set_table *table, struct set_entry *e)
{
    size_t i = e->hash & table->mask;
    while (table->slots[i])
        i = (i + 1) & table->mask;
    __atomic_store_n(&table->slots[i], e, __ATOMIC_RELEASE);
}

bool set_make_room(struct set *set)
{
    struct set_table *old = set->table;
    const size_t slots = old ? old->mask + 1 : 0;
    if (set->number == SET_MAX_ENTRIES)
        return false;
    if (2 * (set->number + 1) <= slots)
        return true;
    const size_t more = slots ? 2 * slots : FIRST_SLOTS;
    struct set_table *table = calloc(1, sizeof *table + more * sizeof *table->slots);
    if (!table)
        return false;
    table->older = old;
    table->mask = more - 1;
    for (size_t i = 0; i < slots; i++)
        if (old->slots[i])
            put(table, old->slots[i]);
    __atomic_store_n(&set->table, table, __ATOMIC_RELEASE);
    return true;
}

void set_add(struct set *set, struct set_entry *entry)
{
    put(set->table, entry);
    set->number++;
}
