/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All communication in one routine, as in many programs: only the routine's callers show where time grows.
 * wrapper [VISITS]: processes form pairs. The first process of a pair sends synchronously, VISITS times (10) from
 * each of two places. The second process is late by N ms at the first place, and by 32 / N ms at the second; N
 * processes. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The only caller of MPI_Ssend. */
static __attribute__((noinline)) int transmit(double value, int partner)
{
    const int error = MPI_Ssend(&value, 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    return error == MPI_SUCCESS ? 0 : -1;
}

static void take_late(double ms, int partner)
{
    double value;
    const struct timespec t = {0, (long)(ms * 1e6)};
    nanosleep(&t, NULL);
    MPI_Recv(&value, 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, n, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    const int visits = argc > 1 ? atoi(argv[1]) : 10, partner = rank ^ 1;
    if (visits < 1 || n % 2 != 0) {
        fprintf(stderr, "wrapper: needs an even number of processes, and a visit\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD); /* startup imbalance is not recorded */
    MPI_Pcontrol(1);
    for (int visit = 0; visit < visits; visit++) {
        if (rank % 2 == 0) {
            failed |= transmit(n, partner); /* grows */
            failed |= transmit(32.0 / n, partner); /* shrinks */
        } else {
            take_late(n, partner);
            take_late(32.0 / n, partner);
        }
    }
    MPI_Finalize();
    return failed;
}
