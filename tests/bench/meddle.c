/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded between a program and MPI, it does to collective operations what
 * $MEDDLE says: "delay" lets MPI_Bcast on rank 1 wait 3 ms before it begins,
 * "corrupt" changes one byte of what MPI_Alltoall delivers to rank 1. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int asked(const char *what, MPI_Comm comm)
{
    const char *meddle = getenv("MEDDLE");
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == 1 && meddle && strcmp(meddle, what) == 0;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (asked("delay", comm)) {
        struct timespec t = {0, 3000000};
        nanosleep(&t, NULL);
    }
    return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Alltoall(const void *send, int sends, MPI_Datatype sent, void *receive, int receives,
                 MPI_Datatype received, MPI_Comm comm)
{
    int status = PMPI_Alltoall(send, sends, sent, receive, receives, received, comm);
    if (asked("corrupt", comm))
        ((char *)receive)[receives - 1] ^= 1;
    return status;
}
