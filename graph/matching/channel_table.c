/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table with linear probing over buckets of one cache line. Each bucket counts the entries that did not fit and went to
 * later buckets; the removal of an entry therefore moves no entry. */
#include "graph/matching/channel_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "common/prefetch.h"

_Static_assert(sizeof(struct channel_bucket) == 64 || sizeof(void *) != 8, "a line of places is not one of a cache");

uint32_t mpg_graph_channel_hash(const struct channel_name *n)
{
    uint64_t h = (uint64_t)(uint32_t)n->source << 32 | (uint32_t)n->destination;
    h = (h ^ h >> 29) * 0xff51afd7ed558ccdu;
    h ^= ((uint64_t)n->space << 62 ^ (uint64_t)(uint32_t)n->where << 31 ^ (uint32_t)n->tag) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(h >> 32);
}

/* Difference of two names' ranks, modulo 2^32. */
struct channel_stride {
    uint32_t source, destination;
};

static bool is_alone(const void *entry)
{
    return (uintptr_t)entry & 1;
}

static struct channel_entry read_place(void *entry)
{
    if (is_alone(entry))
        return (struct channel_entry){.alone = (struct message *)(void *)((char *)entry - 1)};
    return (struct channel_entry){.channel = entry};
}

static void *write_place(struct channel_entry entry)
{
    return entry.alone ? (void *)((char *)entry.alone + 1) : entry.channel;
}

static bool is_called(struct channel_entry entry, const struct channel_name *n)
{
    const struct message *m = entry.alone;
    if (m)
        return m->source == n->source && m->destination == n->destination && m->tag == n->tag &&
               m->comm == n->where && m->space == n->space;
    const struct channel_name *o = &entry.channel->name;
    return o->source == n->source && o->destination == n->destination && o->tag == n->tag && o->where == n->where &&
           o->space == n->space;
}

struct channel_entry mpg_graph_channel_find(const struct channel_table *channel_table, const struct channel_name *name,
                                            uint32_t hash, void ***where)
{
    /* A search ends at a bucket without overflow. If all buckets have overflowed, the search ends after one round. */
    for (size_t n = 0; n < channel_table->lines; n++) {
        struct channel_bucket *line = &channel_table->line[(hash + n) & (channel_table->lines - 1)];
        for (int i = 0; i < BUCKET_ENTRIES; i++) {
            if (line->hash[i] != hash || !line->entry[i])
                continue;
            const struct channel_entry entry = read_place(line->entry[i]);
            *where = &line->entry[i];
            if (is_called(entry, name))
                return entry;
        }
        if (line->passed == 0)
            break;
    }
    *where = NULL;
    return (struct channel_entry){NULL, NULL};
}

static void prefetch_bucket(const struct channel_table *channel_table, uint32_t hash)
{
    mpg_prefetch(&channel_table->line[hash & (channel_table->lines - 1)]);
}

/* Prefetches the channels and messages with HASH in the first bucket of HASH. */
static void prefetch_entries(const struct channel_table *channel_table, uint32_t hash)
{
    const struct channel_bucket *line = &channel_table->line[hash & (channel_table->lines - 1)];
    for (int i = 0; i < BUCKET_ENTRIES; i++)
        if (line->hash[i] == hash && line->entry[i])
            mpg_prefetch_bytes(line->entry[i], sizeof(struct message));
}

/* Returns the hash of the name N steps after NAME. */
static uint32_t hash_ahead(const struct channel_name *name, struct channel_stride stride, uint32_t n)
{
    struct channel_name ahead = *name;
    ahead.source = (int32_t)((uint32_t)name->source + n * stride.source);
    ahead.destination = (int32_t)((uint32_t)name->destination + n * stride.destination);
    return mpg_graph_channel_hash(&ahead);
}

void mpg_graph_channel_expect(struct channel_table *channel_table, const struct channel_name *name)
{
    /* A bucket is prefetched early enough to be in the cache when its entries are prefetched. */
    enum { ENTRIES_AHEAD = 4, BUCKETS_AHEAD = CHANNELS_AHEAD };
    enum { MIN_LINES = 1024 }; /* smaller tables, and their entries, stay in the cache */
    const struct channel_stride stride = {(uint32_t)name->source - (uint32_t)channel_table->last_source,
                                          (uint32_t)name->destination - (uint32_t)channel_table->last_destination};
    channel_table->last_source = name->source;
    channel_table->last_destination = name->destination;
    if (channel_table->lines < MIN_LINES)
        return;
    uint32_t *ahead = channel_table->ahead, at = channel_table->at++;
    ahead[at % CHANNELS_AHEAD] = hash_ahead(name, stride, BUCKETS_AHEAD);
    prefetch_bucket(channel_table, ahead[at % CHANNELS_AHEAD]);
    prefetch_entries(channel_table, ahead[(at + ENTRIES_AHEAD) % CHANNELS_AHEAD]);
}

/* Inserts ENTRY, a channel or single message with this HASH. The table has a free entry. */
static void insert(struct channel_table *channel_table, uint32_t hash, void *entry)
{
    for (size_t l = hash & (channel_table->lines - 1);; l = (l + 1) & (channel_table->lines - 1)) {
        struct channel_bucket *line = &channel_table->line[l];
        for (int i = 0; i < BUCKET_ENTRIES; i++)
            if (!line->entry[i]) {
                line->entry[i] = entry;
                line->hash[i] = hash;
                return;
            }
        line->passed++;
    }
}

static int grow(struct channel_table *channel_table)
{
    enum { MIN_LINES = 16 };
    struct channel_table larger = {.lines = channel_table->lines ? 2 * channel_table->lines : MIN_LINES,
                                   .count = channel_table->count};
    const size_t bytes = larger.lines * sizeof *larger.line;
    larger.line = bytes < MPG_LARGE_PAGE ? aligned_alloc(sizeof *larger.line, bytes) : mpg_large_alloc(bytes);
    if (!larger.line)
        return -1;
    memset(larger.line, 0, bytes);
    for (size_t l = 0; l < channel_table->lines; l++)
        for (int i = 0; i < BUCKET_ENTRIES; i++)
            if (channel_table->line[l].entry[i])
                insert(&larger, channel_table->line[l].hash[i], channel_table->line[l].entry[i]);
    free(channel_table->line);
    *channel_table = larger;
    return 0;
}

int mpg_graph_channel_add(struct channel_table *channel_table, uint32_t hash, struct channel_entry entry)
{
    if (5 * channel_table->count >= 3 * BUCKET_ENTRIES * channel_table->lines && grow(channel_table) < 0)
        return -1;
    insert(channel_table, hash, write_place(entry));
    channel_table->count++;
    return 0;
}

void mpg_graph_channel_change(void **where, struct channel_entry entry)
{
    *where = write_place(entry);
}

void mpg_graph_channel_remove(struct channel_table *channel_table, uint32_t hash, void **where)
{
    const size_t home = hash & (channel_table->lines - 1);
    const size_t there = (size_t)((char *)where - (char *)channel_table->line) / sizeof *channel_table->line;
    for (size_t l = home; l != there; l = (l + 1) & (channel_table->lines - 1))
        channel_table->line[l].passed--;
    *where = NULL;
    channel_table->count--;
}

struct channel_entry mpg_graph_channel_next(const struct channel_table *channel_table, size_t *i)
{
    for (; *i < BUCKET_ENTRIES * channel_table->lines; ++*i) {
        void *entry = channel_table->line[*i / BUCKET_ENTRIES].entry[*i % BUCKET_ENTRIES];
        if (!entry)
            continue;
        ++*i;
        return read_place(entry);
    }
    return (struct channel_entry){NULL, NULL};
}

void mpg_graph_channel_table_clear(struct channel_table *channel_table)
{
    free(channel_table->line);
    *channel_table = (struct channel_table){0};
}
