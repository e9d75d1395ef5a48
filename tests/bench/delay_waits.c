/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload into a benchmark: each nonblocking send and receive of more than a byte takes at least MPGKIT_TRANSFER_NS,
 * like the transfers of a slow network. With MPGKIT_PROGRESS=always the time runs from the posting on, as with a library that
 * progresses transfers during computation; else only inside MPI_Wait. Used by test-overlap.sh. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t begun_ns; /* posting of the last nonblocking transfer; 0: none is under way */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    begun_ns = count > 1 ? now_ns() : 0;
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    begun_ns = count > 1 ? now_ns() : 0;
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    const char *progress = getenv("MPGKIT_PROGRESS"), *transfer_ns = getenv("MPGKIT_TRANSFER_NS");
    const int always = progress && strcmp(progress, "always") == 0;
    const int64_t from_ns = always ? begun_ns : now_ns();
    while (begun_ns > 0 && transfer_ns && now_ns() < from_ns + atoll(transfer_ns)) {
    }
    begun_ns = 0;
    return PMPI_Wait(request, status);
}
