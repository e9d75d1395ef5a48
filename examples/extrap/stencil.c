/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smoothing of a field on a line: in each step one number goes to both neighbours, in each tenth step a sum to all
 * ranks. docs/EXTRAP.md compares predictions with runs. Build: mpicc -O2 -o stencil stencil.c -lm */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 1 << 18, STEPS = 400, STEPS_A_SUM = 10 };

/* Computes one step from A to B, with N points and a neighbour's point at both ends; returns the sum of absolute changes. */
static double smooth(const double *a, double *b, int n, int step)
{
    double change = 0;
    for (int i = 1; i <= n; i++) {
        b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1] + 1e-9 * sqrt(fabs(a[i]) + step);
        change += fabs(b[i] - a[i]);
    }
    return change;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int n = POINTS / ranks;
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    double *a = calloc((size_t)n + 2, sizeof *a), *b = calloc((size_t)n + 2, sizeof *b), all = 0;
    if (!a || !b)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 1; i <= n; i++)
        a[i] = sin(0.001 * (rank * n + i));
    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(&a[n], 1, MPI_DOUBLE, right, 1, &a[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&a[1], 1, MPI_DOUBLE, left, 2, &a[n + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        double change = smooth(a, b, n, step), *old = a;
        a = b;
        b = old;
        if (step % STEPS_A_SUM == 0)
            MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%g\n", all);
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
