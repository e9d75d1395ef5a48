/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chain of messages: each is sent when the one before has come, to and fro between
 * ranks 0 and 1, so that nothing is hidden and the run is the sum of all flights.
 *
 *     chain [BYTES [MESSAGES]] */
#include "validate/programs/work.h"

int main(int argc, char **argv)
{
    int rank, size = argument(argc, argv, 1, 0, 8), n = argument(argc, argv, 2, 1, 4000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *bytes = buffer(size);
    for (int i = 0; rank < 2 && i < n; i++)
        if (rank == i % 2)
            MPI_Send(bytes, size, MPI_BYTE, !rank, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(bytes, size, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(bytes);
    MPI_Finalize();
    return 0;
}
