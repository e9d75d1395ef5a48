/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that moves from rank to rank while messages of 256 KiB, which wait for the receiver, are in transit.
 * docs/EXTRAP.md compares predictions with runs.
 *
 *     mpicc -O2 -o uneven uneven.c -lm */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { NUMBERS = 32768, STEPS = 60, STEPS_A_BARRIER = 20, WORK = 2400000 };

static double work(long turns)
{
    double x = 1.0001;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + sqrt(x) * 1e-9;
    return x;
}

int main(int argc, char **argv)
{
    static double in[NUMBERS], out[NUMBERS];
    double sum = 0, all = 0;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < STEPS; step++) {
        MPI_Request request[2];
        MPI_Irecv(in, NUMBERS, MPI_DOUBLE, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &request[0]);
        for (int i = 0; i < NUMBERS; i++)
            out[i] = i + step;
        MPI_Isend(out, NUMBERS, MPI_DOUBLE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &request[1]);
        sum += work((long)(WORK / ranks * (1 + (rank + step) % ranks * 0.4)));
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        sum += in[5];
        if (step % STEPS_A_BARRIER == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g\n", all);
    MPI_Finalize();
    return 0;
}
