/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for test-replay.sh, with an even number of ranks, at least 4. Row and column communicators of a grid,
 * with their neighbours; persistent requests on them, completed with Waitany, one of them to MPI_PROC_NULL;
 * concurrent collectives of different sizes; matched probes; cancelled requests. */
#include <mpi.h>
#include <unistd.h>

enum { MOST = 64, ROUNDS = 4 };

static char in[4][1 << 16], out[4][1 << 16];
static int rank, size;

/* Starts persistent messages along ROW (a ring) and COLUMN (a line), and completes them with MPI_Waitany. */
static void start_over(MPI_Comm row, MPI_Comm column)
{
    MPI_Request request[4];
    int up, down, i;
    MPI_Cart_shift(row, 0, 1, &up, &down);
    MPI_Recv_init(in[0], 5000, MPI_CHAR, up, 3, row, &request[0]);
    MPI_Send_init(out[0], 5000, MPI_CHAR, down, 3, row, &request[1]);
    MPI_Cart_shift(column, 0, 1, &up, &down);
    MPI_Recv_init(in[1], 300, MPI_CHAR, up, 4, column, &request[2]);
    MPI_Ssend_init(out[1], 300, MPI_CHAR, down, 4, column, &request[3]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Startall(4, request);
        for (int k = 0; k < 4; k++)
            MPI_Waitany(4, request, &i, MPI_STATUS_IGNORE);
        MPI_Neighbor_allgather(out[0], 4, MPI_CHAR, in[2], 4, MPI_CHAR, row);
        MPI_Neighbor_alltoall(out[0], 5, MPI_CHAR, in[2], 5, MPI_CHAR, column);
    }
    for (i = 0; i < 4; i++)
        MPI_Request_free(&request[i]);
}

static void grids(void)
{
    const int dims[4] = {2, 1, size / 2, 1}, periods[4] = {0, 1, 1, 0};
    const int keeps[4][4] = {{0, 1, 1, 0}, {1, 0, 0, 1}, {1, 1, 1, 1}, {0, 0, 1, 0}};
    MPI_Comm grid, part[4];
    MPI_Cart_create(MPI_COMM_WORLD, 4, dims, periods, 0, &grid);
    for (int i = 0; i < 4; i++)
        MPI_Cart_sub(grid, keeps[i], &part[i]);
    start_over(part[3], part[1]);
    for (int i = 0; i < 4; i++) {
        MPI_Neighbor_alltoall(out[0], 3 + i, MPI_CHAR, in[0], 3 + i, MPI_CHAR, part[i]);
        MPI_Comm_free(&part[i]);
    }
    MPI_Comm_free(&grid);
}

/* Computes sizes and displacements of the blocks that this rank sends to and receives from each rank, from ROUND and
 * SEED. */
static void sizes(int round, int seed, int *sent, int *at, int *got, int *to)
{
    for (int p = 0, a = 0, b = 0; p < size; p++) {
        sent[p] = (seed * rank + p + round) % 7 * 16;
        got[p] = (seed * p + rank + round) % 7 * 16;
        at[p] = a;
        to[p] = b;
        a += sent[p];
        b += got[p];
    }
}

/* Four nonblocking collectives are active at once. The counts of one must not be used for another. */
static void at_once(void)
{
    const int sources[2] = {(rank + size - 1) % size, rank}, destinations[2] = {(rank + 1) % size, rank};
    MPI_Comm ring;
    MPI_Datatype types[MOST];
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
    for (int i = 0; i < MOST; i++)
        types[i] = MPI_CHAR;
    for (int round = 0; round < ROUNDS; round++) {
        int sent[2][MOST], at[2][MOST], got[2][MOST], to[2][MOST];
        const int near[2] = {10 + round, 20 + 2 * round}, places[2] = {0, 30};
        const MPI_Aint far[2] = {0, 30};
        MPI_Request request[4];
        sizes(round, 3, sent[0], at[0], got[0], to[0]);
        sizes(round, 5, sent[1], at[1], got[1], to[1]);
        MPI_Ialltoallw(out[0], sent[0], at[0], types, in[0], got[0], to[0], types, MPI_COMM_WORLD, &request[0]);
        MPI_Ialltoallv(out[1], sent[1], at[1], MPI_CHAR, in[1], got[1], to[1], MPI_CHAR, MPI_COMM_WORLD,
                       &request[1]);
        MPI_Ineighbor_alltoallw(out[2], near, far, types, in[2], near, far, types, ring, &request[2]);
        MPI_Ineighbor_alltoallv(out[3], near, places, MPI_CHAR, in[3], near, places, MPI_CHAR, ring, &request[3]);
        usleep(100 * (useconds_t)rank);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&ring);
}

/* Each rank sends to all ranks; receivers poll with MPI_Iprobe. */
static void probes(void)
{
    MPI_Request request[MOST], stray;
    for (int p = 0; p < size; p++)
        MPI_Isend(out[0], 1 + 10 * rank, MPI_CHAR, p, 7, MPI_COMM_WORLD, &request[p]);
    for (int n = 0; n < size; n++) {
        int found = 0, bytes;
        MPI_Message message;
        MPI_Status status;
        while (!found)
            MPI_Improbe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &found, &message, &status);
        MPI_Get_count(&status, MPI_CHAR, &bytes);
        MPI_Imrecv(in[0], bytes, MPI_CHAR, &message, &stray);
        MPI_Wait(&stray, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(size, request, MPI_STATUSES_IGNORE);
    MPI_Irecv(in[0], 100, MPI_CHAR, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &stray);
    MPI_Cancel(&stray);
    MPI_Wait(&stray, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    grids();
    at_once();
    probes();
    MPI_Finalize();
    return 0;
}
