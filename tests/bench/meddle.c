/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload between a program and MPI: disturbs collective operations in the way that $MEDDLE names. "delay":
 * MPI_Bcast begins 3 ms later on rank 1. "corrupt": one byte in the result of MPI_Alltoall, MPI_Alltoallv, MPI_Scan and
 * MPI_Reduce_scatter is wrong on rank 1. "corrupt-root": the same for MPI_Gather and for MPI_Reduce of 64 bytes on rank 0.
 * "corrupt-local": the same for MPI_Reduce_local on rank 1. "slow-local": MPI_Reduce_local takes 3 ms on rank 1. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int asked_of(int asked_rank, const char *what, MPI_Comm comm)
{
    const char *meddle = getenv("MEDDLE");
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank == asked_rank && meddle && strcmp(meddle, what) == 0;
}

static int asked(const char *what, MPI_Comm comm)
{
    return asked_of(1, what, comm);
}

static void wait_3_ms(void)
{
    struct timespec t = {0, 3000000};
    nanosleep(&t, NULL);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (asked("delay", comm))
        wait_3_ms();
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

int MPI_Alltoallv(const void *send, const int *sends, const int *from, MPI_Datatype sent, void *receive,
                  const int *receives, const int *to, MPI_Datatype received, MPI_Comm comm)
{
    int status = PMPI_Alltoallv(send, sends, from, sent, receive, receives, to, received, comm);
    if (asked("corrupt", comm))
        ((char *)receive)[to[1] + receives[1] - 1] ^= 1;
    return status;
}

int MPI_Reduce_scatter(const void *send, void *receive, const int *receives, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int status = PMPI_Reduce_scatter(send, receive, receives, type, op, comm);
    if (asked("corrupt", comm))
        ((char *)receive)[8 * receives[1] - 1] ^= 1;
    return status;
}

int MPI_Scan(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int status = PMPI_Scan(send, receive, count, type, op, comm);
    if (asked("corrupt", comm))
        *(char *)receive ^= 1;
    return status;
}

int MPI_Gather(const void *send, int sends, MPI_Datatype sent, void *receive, int receives,
               MPI_Datatype received, int root, MPI_Comm comm)
{
    int status = PMPI_Gather(send, sends, sent, receive, receives, received, root, comm);
    if (sends == 64 && sent == MPI_BYTE && asked_of(0, "corrupt-root", comm))
        ((char *)receive)[2 * receives - 1] ^= 1;
    return status;
}

int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    int status = PMPI_Reduce(send, receive, count, type, op, root, comm);
    if (count == 8 && type == MPI_DOUBLE && asked_of(0, "corrupt-root", comm))
        *(char *)receive ^= 1;
    return status;
}

int MPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    int status = PMPI_Reduce_local(in, inout, count, type, op);
    if (asked("corrupt-local", MPI_COMM_WORLD))
        *(char *)inout ^= 1;
    if (asked("slow-local", MPI_COMM_WORLD))
        wait_3_ms();
    return status;
}
