/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload into a benchmark: delays calls on windows by the ns that these variables say, like a library that is
 * slower by this amount: MPGKIT_PUT_NS, MPGKIT_GET_NS, MPGKIT_FLUSH_NS, MPGKIT_LOCK_NS, MPGKIT_UNLOCK_NS, MPGKIT_FENCE_NS. With
 * MPGKIT_NO_WINDOWS it opens none. Used by test-onesided.sh. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void delay(const char *name)
{
    const int64_t until_ns = now_ns() + (getenv(name) ? atoll(getenv(name)) : 0);
    while (now_ns() < until_ns) {
    }
}

int MPI_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count, MPI_Datatype target_type,
            MPI_Win win)
{
    delay("MPGKIT_PUT_NS");
    return PMPI_Put(origin, count, type, target, at, target_count, target_type, win);
}

int MPI_Get(void *origin, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count, MPI_Datatype target_type,
            MPI_Win win)
{
    delay("MPGKIT_GET_NS");
    return PMPI_Get(origin, count, type, target, at, target_count, target_type, win);
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    delay("MPGKIT_FLUSH_NS");
    return PMPI_Win_flush(rank, win);
}

int MPI_Win_lock(int type, int rank, int assert, MPI_Win win)
{
    delay("MPGKIT_LOCK_NS");
    return PMPI_Win_lock(type, rank, assert, win);
}

int MPI_Win_unlock(int rank, MPI_Win win)
{
    delay("MPGKIT_UNLOCK_NS");
    return PMPI_Win_unlock(rank, win);
}

int MPI_Win_fence(int assert, MPI_Win win)
{
    delay("MPGKIT_FENCE_NS");
    return PMPI_Win_fence(assert, win);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    if (getenv("MPGKIT_NO_WINDOWS"))
        return MPI_ERR_WIN;
    return PMPI_Win_allocate(size, unit, info, comm, base, win);
}
