/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication.
 *
 *     shelf [balance=REGION] [scale=REGION:F] [bytes=N] [rounds=N] [unit=MS]
 *
 * In each round a rank makes a part (region `make`, uneven), puts the part into the right neighbour's window and
 * flushes, counts the part by a Fetch_and_op on rank 0, and waits in a barrier. Then the rank gets the left
 * neighbour's part under a lock and works on this part (region `use`). Every third round ends with a fence of
 * another window. Work is sleep, so ranks may share cores. balance= and scale= change the work as the hypotheses
 * of mpgsim do. Prints the run time in ms. */
#include "whatif.h"

/* Returns the work units of rank R in round K. */
static double part(int r, int k)
{
    return 1 + (r * r + 2 * k) % 5 + (r == 1 ? 1.5 : 0);
}

static void make(int k)
{
    double mean = 0;
    for (int i = 0; i < ranks; i++)
        mean += part(i, k) / ranks;
    work("make", strcmp(balanced, "make") == 0 ? mean : part(rank, k));
}

int main(int argc, char **argv)
{
    MPI_Win shelf, books;
    long *counted, one = 1, was;
    char *stock;
    bytes = 2000;
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
    MPI_Win_free(&shelf);
    MPI_Win_free(&books);
    print_longest(mine);
    MPI_Finalize();
    free(parcel);
    return 0;
}
