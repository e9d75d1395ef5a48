/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators as all ranks know them: the same parent, groups and instance number
 * are the same communicator. */
#include "trace/store/private.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const struct mpg_trace *t, uint64_t number, int32_t parent, int32_t instance,
                    int32_t size, int32_t remote_size, const int32_t *world_ranks)
{
    const struct mpg_comm *c = &t->comms[number];
    if (c->instance != instance || c->parent != parent)
        return false;
    size_t n = (size_t)size, m = (size_t)remote_size;
    if (c->size == size && c->remote_size == remote_size &&
        memcmp(c->world_ranks, world_ranks, (n + m) * sizeof *world_ranks) == 0)
        return true;
    /* The two sides of an inter-communicator name their own group first. */
    return m > 0 && c->size == remote_size && c->remote_size == size &&
           memcmp(c->world_ranks, world_ranks + n, m * sizeof *world_ranks) == 0 &&
           memcmp(c->world_ranks + m, world_ranks, n * sizeof *world_ranks) == 0;
}

static uint64_t hash_members(const int32_t *world_ranks, int32_t n)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)(uint32_t)n;
    for (int32_t i = 0; i < n; i++)
        hash = (hash ^ (uint64_t)(uint32_t)world_ranks[i]) * 0x100000001b3u;
    return hash;
}

/* The place of this communicator's number + 1, with 0 in it if it is new. */
static uint64_t *find_or_add(struct mpg_trace *t, int32_t parent, int32_t instance, int32_t size,
                             int32_t remote_size, const int32_t *world_ranks)
{
    /* The sum is the same from either side. */
    uint64_t hash = hash_members(world_ranks, size) + (uint64_t)parent;
    if (remote_size > 0)
        hash += hash_members(world_ranks + size, remote_size);
    for (uint64_t collisions = 0;; collisions++) {
        uint64_t *slot =
            mpg_map_add(&t->comm_index, hash, collisions << 32 | (uint64_t)(uint32_t)instance);
        if (!slot || !*slot ||
            is_same(t, *slot - 1, parent, instance, size, remote_size, world_ranks))
            return slot;
    }
}

/* A number for people: the one asked for unless it is taken. */
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
                              int32_t size, int32_t remote_size, const int32_t *world_ranks)
{
    uint64_t *slot = find_or_add(t, parent, instance, size, remote_size, world_ranks);
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
    size_t bytes = ((size_t)size + (size_t)remote_size) * sizeof *world_ranks;
    int32_t *copy = malloc(bytes ? bytes : 1), chosen;
    if (!copy || choose_label(t, label, &chosen) < 0) {
        free(copy);
        return -1;
    }
    memcpy(copy, world_ranks, bytes);
    t->comms[t->comm_count] = (struct mpg_comm){.label = chosen,
                                                .parent = parent,
                                                .instance = instance,
                                                .size = size,
                                                .remote_size = remote_size,
                                                .world_ranks = copy};
    *slot = (uint64_t)++t->comm_count;
    return t->comm_count - 1;
}

const struct mpg_comm *mpg_trace_comm(const struct mpg_trace *t, int32_t comm)
{
    return &t->comms[comm];
}

int32_t mpg_trace_comm_count(const struct mpg_trace *t)
{
    return t->comm_count;
}
