/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for test-replay-hypotheses.sh, which can also run as the hypotheses change it: changed [ARGUMENT]...
 *   halo=F: messages with tag 5 have F times their bytes (also those of persistent requests)
 *   sums=F: contributions to MPI_Allreduce, MPI_Alltoallv, MPI_Gatherv and MPI_Scatterv have F times their bytes
 *   quiet: no MPI_Barrier, and no message with tag 9 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 3, MOST = 16 };

static char in[1 << 17], out[1 << 17];
static int rank, size;
static double halo = 1, sums = 1;
static int quiet;

static int times(double factor, int bytes)
{
    return (int)(factor * bytes + 0.5);
}

/* Exchanges messages of BYTES with both neighbours: nonblocking calls and MPI_Waitall. */
static void swap(int tag, int bytes)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request request[2];
    MPI_Irecv(in, bytes, MPI_CHAR, left, tag, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, bytes, MPI_CHAR, right, tag, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/* Creates persistent requests. Those with MPI_PROC_NULL keep their size, because the hypothesis changes messages only. */
static void begin(int up, int down, MPI_Request *request)
{
    MPI_Recv_init(in, times(up == MPI_PROC_NULL ? 1 : halo, 1000), MPI_CHAR, up, 5, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(out, times(down == MPI_PROC_NULL ? 1 : halo, 1000), MPI_CHAR, down, 5, MPI_COMM_WORLD, &request[1]);
}

/* Passes a message from rank to rank, beginning at rank 0 and ending at the last rank. */
static void pass(int tag, int bytes)
{
    if (rank > 0)
        MPI_Recv(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank + 1 < size)
        MPI_Ssend(out, bytes, MPI_CHAR, rank + 1, tag, MPI_COMM_WORLD);
}

static void collect(int round)
{
    int sent[MOST], at[MOST], got[MOST], to[MOST], all[MOST], first[MOST];
    MPI_Allreduce(out, in, times(sums, 96), MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
    for (int p = 0, a = 0, b = 0, c = 0; p < size; p++) {
        sent[p] = times(sums, (3 * rank + p + round) % 7 * 10);
        got[p] = times(sums, (3 * p + rank + round) % 7 * 10);
        all[p] = times(sums, 20 * p + 10);
        at[p] = a;
        to[p] = b;
        first[p] = c;
        a += sent[p];
        b += got[p];
        c += all[p];
    }
    MPI_Alltoallv(out, sent, at, MPI_CHAR, in, got, to, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Gatherv(out, all[rank], MPI_CHAR, in, all, first, MPI_CHAR, 1, MPI_COMM_WORLD);
    MPI_Scatterv(out, all, first, MPI_CHAR, in, all[rank], MPI_CHAR, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Request request[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        sscanf(argv[i], "halo=%lf", &halo);
        sscanf(argv[i], "sums=%lf", &sums);
        quiet |= strcmp(argv[i], "quiet") == 0;
    }
    begin(rank > 0 ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, request);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Startall(2, request);
        swap(5, times(halo, 5000));
        swap(6, 300);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        if (!quiet) {
            MPI_Barrier(MPI_COMM_WORLD);
            swap(9, 40);
            pass(9, 50);
        }
        pass(8, 60);
        collect(round);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Finalize();
    return 0;
}
