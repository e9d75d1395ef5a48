/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for tests/scale/test-run.sh: app [WORD N]: with N processes it fails or aborts, all ranks sleep N / 10
 * s, or rank 0 prints its input. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *word = argc > 2 ? argv[1] : "";
    const int number = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(word, "fail") == 0 && ranks == number) {
        if (rank == 0)
            fprintf(stderr, "cannot do it with %d\n", ranks);
        MPI_Finalize();
        return 3;
    }
    if (strcmp(word, "abort") == 0 && ranks == number) {
        if (rank == 0)
            fprintf(stderr, "residual error 2.385\n%d is no square\n", ranks);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    if (strcmp(word, "sleep") == 0)
        usleep(100000 * (unsigned)number);
    for (int c; strcmp(word, "echo") == 0 && rank == 0 && (c = getchar()) != EOF;)
        putchar(c);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
