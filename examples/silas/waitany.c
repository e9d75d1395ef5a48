/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of Boehme, Hermanns, Geimer and Wolf 2010, section 4.2 (table 2): workers send to rank 0, which
 * processes messages in order of arrival. Work is sleep, so more ranks than cores do not matter. Milliseconds: all
 * ranks 48, foo 20 r, bar (workers) 10 (4 - r) + 10, rank 0 5 after each message.
 * waitany [ITERATIONS [balanced]]     foo is 30 on all ranks */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <mpg_region.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RANKS = 4, TAG = 1 };

static void work(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void foo(int ms)
{
    mpg_region_begin("foo");
    work(ms);
    mpg_region_end("foo");
}

static void bar(int ms)
{
    mpg_region_begin("bar");
    work(ms);
    mpg_region_end("bar");
}

int main(int argc, char **argv)
{
    const int iterations = argc > 1 ? atoi(argv[1]) : 10, balanced = argc > 2;
    int rank, ranks, results[RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != RANKS || iterations < 1) {
        fprintf(stderr, "usage: mpirun -np 4 waitany [ITERATIONS [balanced]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < iterations; i++) {
        work(48);
        foo(balanced ? 30 : 20 * rank);
        if (rank > 0) {
            bar(10 * (4 - rank) + 10);
            MPI_Send(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        } else {
            MPI_Request request[RANKS - 1];
            for (int r = 1; r < RANKS; r++)
                MPI_Irecv(&results[r], 1, MPI_INT, r, TAG, MPI_COMM_WORLD, &request[r - 1]);
            for (int n = 1, which; n < RANKS; n++) {
                MPI_Waitany(RANKS - 1, request, &which, MPI_STATUS_IGNORE);
                work(5);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
