/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chain of messages between ranks 0 and 1: each message is sent after the previous one has arrived. Nothing
 * overlaps, so the run time is the sum of all message times.
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
