/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory shared by the processes of a host, without MPI: MPI_Win_allocate_shared() needs Open MPI's component osc, which
 * a user may have disabled. The memory has no name: nothing remains if the processes are killed. */
#define _GNU_SOURCE /* for memfd_create */
#include "replay/enact/player.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void *map(int fd, size_t bytes)
{
    void *at = fd >= 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    return at == MAP_FAILED ? NULL : at;
}

void *play_shared_memory(MPI_Comm comm, size_t bytes)
{
    enum { FIRST = 0 };
    char path[64];
    int rank, fd = -1, place[2];
    PMPI_Comm_rank(comm, &rank);
    if (rank == FIRST) {
        fd = memfd_create("mpgreplay", MFD_CLOEXEC);
        if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
            close(fd);
            fd = -1;
        }
        place[0] = (int)getpid();
        place[1] = fd;
    }
    PMPI_Bcast(place, 2, MPI_INT, FIRST, comm);
    if (rank != FIRST) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", place[0], place[1]);
        fd = open(path, O_RDWR | O_CLOEXEC);
    }
    void *at = map(fd, bytes);
    int all = at != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
    if (fd >= 0)
        close(fd);
    if (at && !all)
        munmap(at, bytes);
    return all ? at : NULL;
}
