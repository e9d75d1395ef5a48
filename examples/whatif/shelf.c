/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided, nobody receives: shelf [balance=REGION] [scale=REGION:F] [bytes=N] [rounds=N] [unit=MS]
 *
 * Each rank makes a part (region `make`, uneven), puts it on its right neighbour's shelf and flushes, counts it by a
 * Fetch_and_op on rank 0, and all meet in a barrier; then it gets its left neighbour's stock under a lock of its own and
 * works on that (region `use`), and every third round a fence of another window closes the books. Work is sleep, so that
 * ranks may share cores; balance and scale change it as hypotheses of mpgsim suppose it. Prints the run, ms. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpg_region.h"

static int rank, ranks, rounds = 12, bytes = 2000;
static double unit_ms = 4, factor = 1;
static const char *balanced = "", *scaled = "";

/* Units that rank R works on its part in round K. */
static double part(int r, int k)
{
    return 1 + (r * r + 2 * k) % 5 + (r == 1 ? 1.5 : 0);
}

static void work(const char *region, double units)
{
    const double ms = unit_ms * units * (strcmp(region, scaled) == 0 ? factor : 1);
    const struct timespec t = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000};
    mpg_region_begin(region);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
    mpg_region_end(region);
}

static void make(int k)
{
    double mean = 0;
    for (int i = 0; i < ranks; i++)
        mean += part(i, k) / ranks;
    work("make", strcmp(balanced, "make") == 0 ? mean : part(rank, k));
}

static void read_words(int argc, char **argv)
{
    char *colon;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "balance=", 8) == 0)
            balanced = argv[i] + 8;
        else if (strncmp(argv[i], "scale=", 6) == 0 && (colon = strchr(argv[i], ':'))) {
            *colon = '\0';
            scaled = argv[i] + 6;
            factor = atof(colon + 1);
        } else if (strncmp(argv[i], "bytes=", 6) == 0)
            bytes = atoi(argv[i] + 6);
        else if (strncmp(argv[i], "rounds=", 7) == 0)
            rounds = atoi(argv[i] + 7);
        else if (strncmp(argv[i], "unit=", 5) == 0)
            unit_ms = atof(argv[i] + 5);
    }
}

int main(int argc, char **argv)
{
    MPI_Win shelf, books;
    long *counted, one = 1, was;
    char *stock;
    read_words(argc, argv);
    char *parcel = calloc(1, (size_t)bytes);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &stock, &shelf);
    MPI_Win_allocate(sizeof *counted, sizeof *counted, MPI_INFO_NULL, MPI_COMM_WORLD, &counted, &books);
    *counted = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int k = 0; k < rounds; k++) {
        make(k);
        MPI_Win_lock_all(0, shelf);
        MPI_Put(parcel, bytes, MPI_BYTE, right, 0, bytes, MPI_BYTE, shelf);
        MPI_Win_flush(right, shelf);
        MPI_Win_unlock_all(shelf);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, books);
        MPI_Fetch_and_op(&one, &was, MPI_LONG, 0, 0, MPI_SUM, books);
        MPI_Win_unlock(0, books);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, left, 0, shelf);
        MPI_Get(parcel, bytes, MPI_BYTE, left, 0, bytes, MPI_BYTE, shelf);
        MPI_Win_unlock(left, shelf);
        work("use", 1 + rank % 2);
        if (k % 3 == 2)
            MPI_Win_fence(MPI_MODE_NOSUCCEED, books);
    }
    const double mine = MPI_Wtime() - begin;
    double longest;
    MPI_Win_free(&shelf);
    MPI_Win_free(&books);
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.1f\n", longest * 1e3);
    MPI_Finalize();
    free(parcel);
    return 0;
}
