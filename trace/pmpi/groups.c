/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/groups.h"

#include <stdlib.h>

#include "common/map.h"
#include "trace/event.h"

static struct mpg_map interned;  /* hash of both groups -> struct tracer_groups * */
static struct mpg_map numbers;   /* hash of both groups, hashed in the same order by ranks of either group -> number, from 1 */
static struct mpg_map instances; /* (group tag, groups' number, number of the parent) -> number of communicators so far */
static int32_t next_number;
static MPI_Group world_group; /* group of MPI_COMM_WORLD; 0, not a valid handle, until first used */

/* A hash of 128 bits, because groups with equal hashes count as equal. */
static void hash_ranks(uint64_t hash[2], const int32_t *ranks, int n)
{
    for (int i = 0; i < n; i++) {
        hash[0] = (hash[0] ^ (uint64_t)(uint32_t)ranks[i]) * 0x100000001b3u;
        hash[1] = (hash[1] + (uint64_t)(uint32_t)ranks[i] + 1) * 0x9e3779b97f4a7c15u;
        hash[1] ^= hash[1] >> 29;
    }
    hash[0] = (hash[0] ^ 0xffffffffu) * 0x100000001b3u;
    hash[1] = (hash[1] ^ hash[0] >> 31) * 0x9e3779b97f4a7c15u;
}

bool tracer_group_ranks(MPI_Group group, int n, MPI_Group of, int *ranks)
{
    int *own = malloc(((size_t)n + 1) * sizeof *own);
    for (int i = 0; own && i < n; i++)
        own[i] = i;
    bool ok = own && PMPI_Group_translate_ranks(group, n, own, of, ranks) == MPI_SUCCESS;
    free(own);
    return ok;
}

/* Writes the world ranks of GROUP's N members to RANKS, and frees GROUP. Returns false on failure. */
static bool world_ranks(MPI_Group group, int n, int32_t *ranks)
{
    if (!world_group)
        PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    bool ok = tracer_group_ranks(group, n, world_group, ranks);
    for (int i = 0; i < n; i++)
        if (ranks[i] < 0)
            ranks[i] = MPG_FOREIGN;
    PMPI_Group_free(&group);
    return ok;
}

static struct tracer_groups *read_groups(MPI_Comm comm)
{
    MPI_Group group;
    int inter = 0, size = 0, remote_size = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size);
    if (inter)
        PMPI_Comm_remote_size(comm, &remote_size);
    struct tracer_groups *g =
        malloc(sizeof *g + ((size_t)size + (size_t)remote_size) * sizeof *g->ranks);
    if (!g)
        return NULL;
    *g = (struct tracer_groups){.size = size, .remote_size = remote_size};
    PMPI_Comm_group(comm, &group);
    bool ok = world_ranks(group, size, g->ranks);
    if (inter) {
        PMPI_Comm_remote_group(comm, &group);
        ok &= world_ranks(group, remote_size, g->ranks + size);
    }
    if (ok)
        return g;
    free(g);
    return NULL;
}

/* Sets the number of G. The ranks on both sides of an inter-communicator hash both groups in a common order, and get equal
 * numbers. */
static bool set_number(struct tracer_groups *g)
{
    uint64_t hash[2] = {0xcbf29ce484222325u, 0};
    const int32_t *remote = g->ranks + g->size;
    bool swapped = g->remote_size > 0 && remote[0] < g->ranks[0];
    hash_ranks(hash, swapped ? remote : g->ranks, swapped ? g->remote_size : g->size);
    hash_ranks(hash, swapped ? g->ranks : remote, swapped ? g->size : g->remote_size);
    uint64_t *slot = mpg_map_add(&numbers, hash[0], hash[1]);
    if (!slot)
        return false;
    if (!*slot)
        *slot = (uint64_t)++next_number;
    g->number = (int32_t)*slot;
    return true;
}

const struct tracer_groups *tracer_groups_of(MPI_Comm comm)
{
    struct tracer_groups *g = read_groups(comm);
    uint64_t hash[2] = {0xcbf29ce484222325u, 1};
    if (!g)
        return NULL;
    hash_ranks(hash, g->ranks, g->size);
    hash_ranks(hash, g->ranks + g->size, g->remote_size);
    uint64_t *slot = mpg_map_add(&interned, hash[0], hash[1]);
    if (slot && !*slot && set_number(g)) {
        *slot = (uint64_t)(uintptr_t)g;
        return g;
    }
    free(g);
    return slot ? (const struct tracer_groups *)(uintptr_t)*slot : NULL;
}

int32_t tracer_groups_instance(const struct tracer_groups *groups, int32_t parent,
                               const int *group_tag)
{
    /* Fits into an int32_t of the trace: 1 bit: a tag is given; 10 bits from the tag; 20 bits: the count. */
    int32_t order = group_tag ? 1 << 30 | (*group_tag & 0x3ff) << 20 : 0;
    uint64_t key = (uint64_t)order << 32 | (uint32_t)groups->number;
    uint64_t *count = mpg_map_add(&instances, key, (uint64_t)(int64_t)parent);
    return count ? order | (int32_t)((*count)++ & (group_tag ? 0xfffff : 0x3fffffff)) : -1;
}

void tracer_groups_end(void)
{
    for (size_t i = 0; i < interned.capacity; i++)
        if (interned.entries[i].used)
            free((struct tracer_groups *)(uintptr_t)interned.entries[i].value);
    mpg_map_clear(&interned);
    mpg_map_clear(&numbers);
    mpg_map_clear(&instances);
}
