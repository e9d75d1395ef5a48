/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A task farm. Usage: farm [balance=REGION] [scale=REGION:F] [bytes=N] [rounds=N] [unit=MS]. In each round rank 0
 * distributes tasks (Scatter of sizes, Scatterv, as mpi4py does for objects), and all ranks work (region `task`,
 * uneven). Workers send results, which rank 0 receives in order of arrival (Mprobe of any source, Mrecv) and merges
 * (region `merge` per result). All ranks then agree whether to continue (Allreduce). Work is sleep, so ranks may
 * share cores. balance= and scale= change the work as the hypotheses of mpgsim do. Prints the run time in ms. */
#include "whatif.h"

enum { DONE = 3 };

/* Returns the work units of rank R in round K. */
static double task(int r, int k)
{
    return 1 + (5 * r + 3 * k) % 7;
}

/* Distributes tasks; the sizes go first, since only the root knows them. */
static void scatter(const char *all, const int *counts, const int *places, char *mine)
{
    int size = 0;
    MPI_Scatter(counts, 1, MPI_INT, &size, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(all, counts, places, MPI_BYTE, mine, size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void take_in(char *into)
{
    for (int i = 1; i < ranks; i++) {
        MPI_Message message;
        MPI_Status status;
        int size;
        MPI_Mprobe(MPI_ANY_SOURCE, DONE, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_BYTE, &size);
        MPI_Mrecv(into, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        work("merge", 0.75);
    }
}

static void run(char *all, char *mine, int *counts, int *places)
{
    for (int i = 0; i < ranks; i++) {
        counts[i] = bytes;
        places[i] = i * bytes;
    }
    for (int k = 0; k < rounds; k++) {
        double mean = 0;
        int max;
        for (int i = 0; i < ranks; i++)
            mean += task(i, k) / ranks;
        scatter(all, counts, places, mine);
        work("task", strcmp(balanced, "task") == 0 ? mean : task(rank, k));
        if (rank > 0)
            MPI_Send(mine, bytes, MPI_BYTE, 0, DONE, MPI_COMM_WORLD);
        else
            take_in(mine);
        MPI_Allreduce(&k, &max, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    bytes = 600;
    read_words(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *all = calloc((size_t)ranks, (size_t)bytes), *mine = calloc(1, (size_t)bytes);
    int *counts = calloc((size_t)ranks, sizeof *counts), *places = calloc((size_t)ranks, sizeof *places);
    const double begin = MPI_Wtime();
    run(all, mine, counts, places);
    print_longest(MPI_Wtime() - begin);
    MPI_Finalize();
    free(all);
    free(mine);
    free(counts);
    free(places);
    return 0;
}
