/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the largest tag that this MPI allows. Used by test-replay-tags.sh, which compiles it for each MPI. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int *limit = NULL, found = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
    if (found)
        printf("%d\n", *limit);
    MPI_Finalize();
    return found ? 0 : 1;
}
