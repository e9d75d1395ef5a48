/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat in a rod: a one-dimensional stencil whose ranks exchange halos without
 * blocking and sum up the change of every step with MPI_Allreduce.
 *
 *     halo [STEPS [CELLS]]          CELLS a rank */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TO_LEFT = 1, TO_RIGHT = 2 };

/* Exchanges the edges of cells 1 to N with the neighbours' halos 0 and N + 1. */
static void exchange(double *cells, int n, int left, int right)
{
    MPI_Request requests[4];
    MPI_Irecv(&cells[0], 1, MPI_DOUBLE, left, TO_RIGHT, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&cells[n + 1], 1, MPI_DOUBLE, right, TO_LEFT, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&cells[1], 1, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&cells[n], 1, MPI_DOUBLE, right, TO_RIGHT, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* Computes one explicit step into NEXT; returns the sum of squared changes. */
static double diffuse(const double *cells, double *next, int n)
{
    double change = 0;
    for (int i = 1; i <= n; i++) {
        double flow = 0.25 * (cells[i - 1] - 2 * cells[i] + cells[i + 1]);
        next[i] = cells[i] + flow;
        change += flow * flow;
    }
    return change;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    int n = argc > 2 ? atoi(argv[2]) : 4096;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *cells = calloc((size_t)n + 2, sizeof *cells);
    double *next = calloc((size_t)n + 2, sizeof *next);
    if (steps < 1 || n < 1 || !cells || !next) {
        fprintf(stderr, "usage: halo [STEPS [CELLS]], both at least 1\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 1; i <= n; i++)
        cells[i] = rank == 0 ? 1 : 0;

    /* The rod is a closed ring: no heat is lost. */
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    double change = 0, heat = 0, total;
    for (int step = 0; step < steps; step++) {
        exchange(cells, n, left, right);
        double own = diffuse(cells, next, n);
        MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *old = cells;
        cells = next;
        next = old;
    }
    for (int i = 1; i <= n; i++)
        heat += cells[i];
    MPI_Reduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    int right_result = rank != 0 || fabs(total - n) <= 1e-6 * n;
    if (rank == 0)
        printf("halo: %d ranks, %d steps, heat %.6f of %d, last change %.3g: result %s\n", ranks, steps,
               total, n, change, right_result ? "correct" : "WRONG");
    free(cells);
    free(next);
    MPI_Finalize();
    return right_result ? 0 : 1;
}
