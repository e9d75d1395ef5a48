/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of ranks with a common clock, and offsets between the clocks of hosts. */
#include "trace/pmpi/clock_offsets.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/peek.h"
#include "trace/pmpi/clock.h"

enum { EXCHANGES = 40, OFFSET_TAG = 1, CLOCK_ID_SIZE = MPI_MAX_PROCESSOR_NAME + 160 };

/* Returns a hash of the properties common to processes with a common clock: host name, kernel boot, time namespace, kind of
 * clock. Unknown boot and namespace are empty. */
static uint64_t identify_clock(void)
{
    char boot[64], space[64] = "", name[MPI_MAX_PROCESSOR_NAME] = "", text[CLOCK_ID_SIZE];
    int length;
    (void)mpg_peek("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    PMPI_Get_processor_name(name, &length);
    snprintf(text, sizeof text, "%s %s %s %d", name, boot, space, (int)tracer_clock.counter);
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a, 64 bits */
    for (const char *p = text; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 0x100000001b3u;
    return hash;
}

/* Returns a communicator of the ranks of COMM with equal lowest 31 bits of ID, in COMM's order. */
static MPI_Comm split(MPI_Comm comm, uint64_t id)
{
    MPI_Comm part = MPI_COMM_NULL;
    PMPI_Comm_split(comm, (int)(id & INT_MAX), 0, &part);
    return part;
}

/* Splits MPI_COMM_WORLD by ID in two steps, since a color holds only 31 bits; then joins the lowest ranks of the groups. */
static void split_world(struct clock_group *group, uint64_t id)
{
    int rank = 0;
    MPI_Comm half = split(MPI_COMM_WORLD, id);
    group->members = split(half, id >> 31);
    PMPI_Comm_free(&half);
    PMPI_Comm_rank(group->members, &rank);
    group->leads = rank == 0;
    PMPI_Comm_split(MPI_COMM_WORLD, group->leads ? 0 : MPI_UNDEFINED, 0, &group->leaders);
}

void clock_group_find(struct clock_group *group)
{
    uint64_t id = identify_clock(), min[2] = {id, ~id};
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Allreduce(MPI_IN_PLACE, min, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    *group = (struct clock_group){.all = min[0] == ~min[1],
                                  .leads = rank == 0,
                                  .members = MPI_COMM_NULL,
                                  .leaders = MPI_COMM_NULL};
    if (!group->all)
        split_world(group, id);
    PMPI_Bcast(&tracer_clock, sizeof tracer_clock, MPI_BYTE, 0,
               group->all ? MPI_COMM_WORLD : group->members);
}

void clock_group_free(struct clock_group *group)
{
    if (group->members != MPI_COMM_NULL)
        PMPI_Comm_free(&group->members);
    if (group->leaders != MPI_COMM_NULL)
        PMPI_Comm_free(&group->leaders);
}

static void serve(MPI_Comm leaders, int size)
{
    for (int other = 1; other < size; other++)
        for (int i = 0; i < EXCHANGES; i++) {
            PMPI_Recv(NULL, 0, MPI_CHAR, other, OFFSET_TAG, leaders, MPI_STATUS_IGNORE);
            int64_t time_ns = clock_now_ns();
            PMPI_Send(&time_ns, 1, MPI_INT64_T, other, OFFSET_TAG, leaders);
        }
}

static void exchange(MPI_Comm leaders, struct clock_offset *offset)
{
    int64_t best_ns = INT64_MAX;
    for (int i = 0; i < EXCHANGES; i++) {
        int64_t remote_ns;
        int64_t before_ns = clock_now_ns();
        PMPI_Send(NULL, 0, MPI_CHAR, 0, OFFSET_TAG, leaders);
        PMPI_Recv(&remote_ns, 1, MPI_INT64_T, 0, OFFSET_TAG, leaders, MPI_STATUS_IGNORE);
        int64_t after_ns = clock_now_ns();
        if (after_ns - before_ns >= best_ns)
            continue;
        best_ns = after_ns - before_ns;
        offset->time_ns = before_ns + best_ns / 2;
        offset->offset_ns = remote_ns - offset->time_ns;
    }
}

bool clock_measure(const struct clock_group *group, struct clock_offset *offset)
{
    int rank;
    if (group->all)
        return false;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *offset = (struct clock_offset){clock_now_ns(), 0};
    if (group->leads) {
        int rank, size;
        PMPI_Comm_rank(group->leaders, &rank);
        PMPI_Comm_size(group->leaders, &size);
        if (rank == 0)
            serve(group->leaders, size);
        else
            exchange(group->leaders, offset);
    }
    PMPI_Bcast(offset, sizeof *offset, MPI_BYTE, 0, group->members);
    return rank != 0;
}
