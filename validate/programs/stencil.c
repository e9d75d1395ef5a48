/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stencil on a ring of ranks: post the halo exchange, compute the inner cells, wait for the exchange, compute
 * the edge cells.
 *
 *     stencil [STEPS [BYTES [INNER [EDGE]]]]          INNER, EDGE: work, about microseconds */
#include "validate/programs/work.h"

int main(int argc, char **argv)
{
    int rank, ranks, steps = argument(argc, argv, 1, 1, 1000);
    int size = argument(argc, argv, 2, 0, 2048);
    int inner = argument(argc, argv, 3, 0, 40), edge = argument(argc, argv, 4, 0, 5);
    uint64_t sum = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *halo[4] = {buffer(size), buffer(size), buffer(size), buffer(size)};
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (int step = 0; step < steps; step++) {
        MPI_Request request[4];
        MPI_Irecv(halo[0], size, MPI_BYTE, left, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(halo[1], size, MPI_BYTE, right, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(halo[2], size, MPI_BYTE, right, 0, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(halo[3], size, MPI_BYTE, left, 1, MPI_COMM_WORLD, &request[3]);
        sum = work(inner, sum);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        sum = work(edge, sum);
    }
    for (int i = 0; i < 4; i++)
        free(halo[i]);
    MPI_Finalize();
    return sum == 0;
}
