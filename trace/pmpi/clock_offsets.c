/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offsets between the clocks of hosts. */
#include "trace/pmpi/clock_offsets.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXCHANGES = 40, OFFSET_TAG = 32001, CLOCK_ID_SIZE = MPI_MAX_PROCESSOR_NAME + 160 };

/* What all processes that read one clock have in common: the host's name, the
 * kernel's boot, the time namespace. The last two are empty where the system does
 * not tell. */
static void identify_clock(char text[CLOCK_ID_SIZE])
{
    char boot[64] = "", space[64] = "", name[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file) {
        if (!fgets(boot, sizeof boot, file))
            boot[0] = '\0';
        fclose(file);
    }
    ssize_t n = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    PMPI_Get_processor_name(name, &length);
    memset(text, 0, CLOCK_ID_SIZE);
    snprintf(text, CLOCK_ID_SIZE, "%s %s %s", name, boot, space);
}

bool clock_is_shared(void)
{
    char own[CLOCK_ID_SIZE], first[CLOCK_ID_SIZE];
    int same, all = 0;
    identify_clock(own);
    memcpy(first, own, sizeof first);
    PMPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    same = strcmp(own, first) == 0;
    PMPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

static void serve(int64_t (*now_ns)(void), int ranks)
{
    long long time_ns;
    for (int rank = 1; rank < ranks; rank++)
        for (int i = 0; i < EXCHANGES; i++) {
            PMPI_Recv(NULL, 0, MPI_CHAR, rank, OFFSET_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            time_ns = now_ns();
            PMPI_Send(&time_ns, 1, MPI_LONG_LONG, rank, OFFSET_TAG, MPI_COMM_WORLD);
        }
}

bool clock_measure(int64_t (*now_ns)(void), struct clock_offset *offset)
{
    int rank, ranks;
    int64_t best_ns = INT64_MAX;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        serve(now_ns, ranks);
        return false;
    }
    for (int i = 0; i < EXCHANGES; i++) {
        long long remote_ns;
        int64_t before_ns = now_ns();
        PMPI_Send(NULL, 0, MPI_CHAR, 0, OFFSET_TAG, MPI_COMM_WORLD);
        PMPI_Recv(&remote_ns, 1, MPI_LONG_LONG, 0, OFFSET_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int64_t after_ns = now_ns();
        if (after_ns - before_ns >= best_ns)
            continue;
        best_ns = after_ns - before_ns;
        offset->time_ns = before_ns + best_ns / 2;
        offset->offset_ns = remote_ns - offset->time_ns;
    }
    return true;
}
