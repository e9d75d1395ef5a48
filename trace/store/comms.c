/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators of all ranks in one table: definitions with equal parent, groups and instance number are one communicator.
 * Equal groups are stored once, since every rank defines MPI_COMM_WORLD, and programs duplicate communicators by the
 * thousand. */
#include "trace/store/private.h"

#include <stdlib.h>
#include <string.h>

#include "common/varint.h"

enum {
    /* Number of ranks that the groups of any trace may name; larger files may name NAMED_A_BYTE further ranks for each byte. */
    MIN_NAMED = 1 << 21,
    NAMED_A_BYTE = 16
};

bool mpg_trace_may_name(struct mpg_trace *t, uint64_t n)
{
    const uint64_t max = MIN_NAMED + NAMED_A_BYTE * (uint64_t)t->total_bytes;
    if (n > max || t->named > max - n)
        return false;
    t->named += n;
    return true;
}

/* --- groups --- */

static uint64_t hash_ranks(const int32_t *world_ranks, int32_t n)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)(uint32_t)n;
    for (int32_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)(uint32_t)world_ranks[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_encoded(int32_t size, int32_t remote_size, const uint8_t *encoded,
                             size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u ^ ((uint64_t)size << 32 | (uint64_t)remote_size);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ encoded[i]) * 0x100000001b3u;
    return hash;
}

static const struct trace_members *members_at(const struct mpg_trace *t, uint64_t i)
{
    return (const struct trace_members *)t->members.items + i;
}

/* Returns the entry of the groups with the bytes ENCODED in the map: 1 + number; 0: the groups are new; NULL: out of memory. */
static uint64_t *find_encoded(struct mpg_trace *t, int32_t size, int32_t remote_size,
                              const uint8_t *encoded, size_t bytes)
{
    const uint64_t hash = hash_encoded(size, remote_size, encoded, bytes);
    for (uint64_t collisions = 0;; collisions++) {
        uint64_t *slot = mpg_map_add(&t->members.index, hash, collisions);
        if (!slot || !*slot)
            return slot;
        const struct trace_members *m = members_at(t, *slot - 1);
        if (m->size == size && m->remote_size == remote_size && m->encoded_bytes == bytes &&
            memcmp(m->encoded, encoded, bytes) == 0)
            return slot;
    }
}

int32_t mpg_trace_find_members(struct mpg_trace *t, int32_t size, int32_t remote_size,
                               const uint8_t *encoded, size_t bytes)
{
    const uint64_t *slot = find_encoded(t, size, remote_size, encoded, bytes);
    return slot && *slot ? (int32_t)(*slot - 1) : -1;
}

int32_t mpg_trace_add_members(struct mpg_trace *t, int32_t size, int32_t remote_size,
                              const uint8_t *encoded, size_t bytes, int32_t *world_ranks)
{
    struct trace_members m = {.hash = hash_ranks(world_ranks, size),
                              .size = size,
                              .remote_size = remote_size,
                              .encoded_bytes = bytes,
                              .encoded = malloc(bytes + 1),
                              .world_ranks = world_ranks};
    uint64_t *slot = find_encoded(t, size, remote_size, encoded, bytes);
    if (remote_size > 0) /* a sum, so that the hash does not depend on the order of the two groups */
        m.hash += hash_ranks(world_ranks + size, remote_size);
    if (m.encoded && slot) {
        memcpy(m.encoded, encoded, bytes);
        int32_t number = mpg_trace_table_add(&t->members, &m, sizeof m, slot);
        if (number >= 0)
            return number;
    }
    free(m.encoded);
    free(world_ranks);
    return -1;
}

void mpg_trace_free_members(struct mpg_trace *t)
{
    for (int32_t i = 0; i < t->members.count; i++) {
        struct trace_members *m = (struct trace_members *)t->members.items + i;
        free(m->encoded);
        free(m->world_ranks);
    }
}

/* --- communicators --- */

static bool is_same(const struct mpg_trace *t, uint64_t number, int32_t parent, int32_t instance,
                    const struct trace_members *members)
{
    const struct mpg_comm *c = &t->comms[number];
    if (c->instance != instance || c->parent != parent)
        return false;
    if (c->world_ranks == members->world_ranks)
        return true;
    size_t n = (size_t)members->size, m = (size_t)members->remote_size;
    const int32_t *ranks = members->world_ranks;
    if (c->size == members->size && c->remote_size == members->remote_size &&
        memcmp(c->world_ranks, ranks, (n + m) * sizeof *ranks) == 0)
        return true;
    /* Members of either group define an inter-communicator with the local group first. */
    return m > 0 && c->size == members->remote_size && c->remote_size == members->size &&
           memcmp(c->world_ranks, ranks + n, m * sizeof *ranks) == 0 &&
           memcmp(c->world_ranks + m, ranks, n * sizeof *ranks) == 0;
}

/* Returns the entry of the communicator in the map: 1 + number; 0: the communicator is new; NULL: out of memory. */
static uint64_t *find_or_add(struct mpg_trace *t, int32_t parent, int32_t instance,
                             const struct trace_members *members)
{
    const uint64_t hash = members->hash + (uint64_t)parent;
    for (uint64_t collisions = 0;; collisions++) {
        uint64_t *slot =
            mpg_map_add(&t->comm_index, hash, collisions << 32 | (uint64_t)(uint32_t)instance);
        if (!slot || !*slot || is_same(t, *slot - 1, parent, instance, members))
            return slot;
    }
}

/* Chooses *LABEL, a communicator's number in outputs: WANTED, or a new number if WANTED is negative or taken. Returns 0;
 * -1: out of memory. */
static int choose_label(struct mpg_trace *t, int32_t wanted, int32_t *label)
{
    *label = wanted >= 0 && wanted < INT32_MAX ? wanted : t->next_label;
    uint64_t *taken = mpg_map_add(&t->labels, (uint64_t)*label, 0);
    if (taken && *taken) {
        *label = t->next_label;
        taken = mpg_map_add(&t->labels, (uint64_t)*label, 0);
    }
    if (!taken)
        return -1;
    *taken = 1;
    if (*label >= t->next_label && *label < INT32_MAX)
        t->next_label = *label + 1;
    return 0;
}

int32_t mpg_trace_intern_comm(struct mpg_trace *t, int32_t parent, int32_t instance, int32_t label,
                              const struct trace_members *members)
{
    uint64_t *slot = find_or_add(t, parent, instance, members);
    if (!slot)
        return -1;
    if (*slot)
        return (int32_t)(*slot - 1);
    if (t->comm_count == t->comm_capacity) {
        int32_t capacity = t->comm_capacity ? 2 * t->comm_capacity : 16;
        void *grown = realloc(t->comms, (size_t)capacity * sizeof *t->comms);
        if (!grown)
            return -1;
        t->comms = grown;
        t->comm_capacity = capacity;
    }
    int32_t chosen;
    if (choose_label(t, label, &chosen) < 0)
        return -1;
    t->comms[t->comm_count] = (struct mpg_comm){.label = chosen,
                                                .parent = parent,
                                                .instance = instance,
                                                .size = members->size,
                                                .remote_size = members->remote_size,
                                                .world_ranks = members->world_ranks};
    *slot = (uint64_t)++t->comm_count;
    return t->comm_count - 1;
}

/* Returns the number of new groups with the WORLD_RANKS of C; -1: out of memory. The key differs from all encoded groups, which
 * begin with a whole number. */
static int32_t add_own_members(struct mpg_trace *t, const struct mpg_comm *c)
{
    enum { NO_NUMBER = MPG_VARINT_BYTES + 1 };
    const size_t bytes = ((size_t)c->size + (size_t)c->remote_size) * sizeof *c->world_ranks;
    uint8_t *key = malloc(NO_NUMBER + bytes);
    int32_t *world_ranks = malloc(bytes + 1), members = -1;
    if (key && world_ranks) {
        memset(key, 0xff, NO_NUMBER);
        memcpy(key + NO_NUMBER, c->world_ranks, bytes);
        memcpy(world_ranks, c->world_ranks, bytes);
        members = mpg_trace_find_members(t, c->size, c->remote_size, key, NO_NUMBER + bytes);
        if (members < 0) {
            members = mpg_trace_add_members(t, c->size, c->remote_size, key, NO_NUMBER + bytes, world_ranks);
            world_ranks = NULL;
        }
    }
    free(key);
    free(world_ranks);
    return members;
}

int32_t mpg_trace_define_comm(struct mpg_trace *t, const struct mpg_comm *c)
{
    struct trace_members members = {.hash = hash_ranks(c->world_ranks, c->size),
                                    .size = c->size,
                                    .remote_size = c->remote_size,
                                    .world_ranks = c->world_ranks};
    if (c->remote_size > 0)
        members.hash += hash_ranks(c->world_ranks + c->size, c->remote_size);
    const uint64_t *slot = find_or_add(t, c->parent, c->instance, &members);
    if (!slot)
        return -1;
    if (*slot)
        return (int32_t)(*slot - 1);
    const int32_t own = add_own_members(t, c);
    return own < 0 ? -1 : mpg_trace_intern_comm(t, c->parent, c->instance, c->label, members_at(t, (uint64_t)own));
}

const struct mpg_comm *mpg_trace_comm(const struct mpg_trace *t, int32_t comm)
{
    return &t->comms[comm];
}

int32_t mpg_trace_comm_count(const struct mpg_trace *t)
{
    return t->comm_count;
}
