/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spawns two jobs of two processes, one after the other. The arguments of spawn COMMAND [ARGUMENT]... are the
 * command to spawn, which must finally run "spawn" without arguments. Each job communicates with its parents. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = 2, CHILDREN = 2 };

static void exchange(MPI_Comm with, int value)
{
    int rank, sum = -1;
    MPI_Comm merged;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Intercomm_merge(with, value, &merged);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, merged);
    if (sum != CHILDREN) {
        fprintf(stderr, "spawn: %d instead of %d\n", sum, CHILDREN);
        exit(1);
    }
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&with);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        exchange(parent, 1);
    for (int i = 0; parent == MPI_COMM_NULL && i < WORLDS; i++) {
        MPI_Comm_spawn(argv[1], argv + 2, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE);
        exchange(children, 0);
    }
    if (parent == MPI_COMM_NULL && rank == 0)
        printf("spawn: %d worlds of %d\n", WORLDS, CHILDREN);
    MPI_Finalize();
    return 0;
}
