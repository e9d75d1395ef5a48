/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Communicators: who is in them, told to the trace at first use.
 *
 * Two communicators with the same groups are told apart by how many with these
 * groups this rank met before, a number that all members agree on because they
 * make communicators together (MPI-3.1 section 6.4). */
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "trace/pmpi/tracer.h"

static struct mpg_map numbers;   /* handle -> number + 1 */
static struct mpg_map instances; /* hash of the groups -> communicators met */
static int32_t next_number;
static MPI_Group world_group = MPI_GROUP_NULL;

static void fnv(uint64_t hash[2], const int32_t *ranks, int n)
{
    for (int i = 0; i < n; i++) {
        hash[0] = (hash[0] ^ (uint64_t)(uint32_t)ranks[i]) * 0x100000001b3u;
        hash[1] = (hash[1] + (uint64_t)(uint32_t)ranks[i] + 1) * 0x9e3779b97f4a7c15u;
        hash[1] ^= hash[1] >> 29;
    }
    hash[0] = (hash[0] ^ 0xffffffffu) * 0x100000001b3u;
}

/* The world ranks of GROUP into RANKS (which holds SIZE); frees GROUP. */
static void world_ranks(MPI_Group group, int size, int32_t *ranks)
{
    int *own = malloc((size_t)size * sizeof *own), *world = malloc((size_t)size * sizeof *world);
    for (int i = 0; own && world && i < size; i++)
        own[i] = i;
    if (own && world)
        PMPI_Group_translate_ranks(group, size, own, world_group, world);
    for (int i = 0; i < size; i++)
        ranks[i] = own && world && world[i] >= 0 ? world[i] : 0;
    free(own);
    free(world);
    PMPI_Group_free(&group);
}

/* How many communicators with these groups came before. The two sides of an
 * inter-communicator put the groups into one order. */
static int32_t next_instance(const int32_t *ranks, int size, int remote_size)
{
    uint64_t hash[2] = {0xcbf29ce484222325u, 0};
    const int32_t *remote = ranks + size;
    if (remote_size > 0 && remote[0] < ranks[0]) {
        fnv(hash, remote, remote_size);
        fnv(hash, ranks, size);
    } else {
        fnv(hash, ranks, size);
        fnv(hash, remote, remote_size);
    }
    uint64_t *count = mpg_map_add(&instances, hash[0], hash[1]);
    return count ? (int32_t)(*count)++ : 0;
}

static int32_t define(MPI_Comm comm, uint64_t *slot)
{
    MPI_Group group;
    int inter = 0, size = 0, remote_size = 0;
    struct mpg_error err;
    if (world_group == MPI_GROUP_NULL)
        PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size);
    if (inter)
        PMPI_Comm_remote_size(comm, &remote_size);
    int32_t *ranks = malloc(((size_t)size + (size_t)remote_size) * sizeof *ranks);
    if (!ranks) {
        mpg_error_set(&err, "out of memory");
        tracer_fail(&err);
        return 0;
    }
    PMPI_Comm_group(comm, &group);
    world_ranks(group, size, ranks);
    if (inter) {
        PMPI_Comm_remote_group(comm, &group);
        world_ranks(group, remote_size, ranks + size);
    }
    int32_t number = next_number++;
    int32_t label = comm == MPI_COMM_WORLD ? 0 : -1;
    const struct mpg_comm_definition definition = {
        .comm = number,
        .parent = MPG_NO_COMM,
        .instance = next_instance(ranks, size, remote_size),
        .label = label,
        .size = size,
        .remote_size = remote_size,
        .world_ranks = ranks,
        .remote = ranks + size};
    if (mpg_trace_write_comm(tracer_writer(), &definition, &err) < 0)
        tracer_fail(&err);
    free(ranks);
    *slot = (uint64_t)number + 1;
    return number;
}

int32_t tracer_comm(MPI_Comm comm)
{
    uint64_t *slot = mpg_map_add(&numbers, (uint64_t)(uintptr_t)comm, 0);
    if (!slot) {
        struct mpg_error err;
        mpg_error_set(&err, "out of memory");
        tracer_fail(&err);
        return 0;
    }
    return *slot ? (int32_t)(*slot - 1) : define(comm, slot);
}

void tracer_comm_new(MPI_Comm comm)
{
    tracer_comm_forget(comm);
    (void)tracer_comm(comm);
}

void tracer_comm_forget(MPI_Comm comm)
{
    mpg_map_remove(&numbers, (uint64_t)(uintptr_t)comm, 0);
}

void tracer_comms_end(void)
{
    mpg_map_clear(&numbers);
    mpg_map_clear(&instances);
}
