/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat in a plate, with MPI and OpenMP: a stencil of five points on rows that ranks and their threads share. Each step exchanges
 * the outer rows with both neighbours, and every tenth step all ranks agree on the largest change.
 *
 *     OMPI_CC=clang mpicc -g -O2 -fopenmp -o hybrid hybrid.c -lm     (LLVM's OpenMP tells tools about its threads)
 *     OMP_NUM_THREADS=2 mpirun -np 2 ./hybrid [ROWS [COLUMNS [STEPS [LAST]]]]
 *
 * ROWS: of each rank. LAST: rows of a rank that belong to its last thread, instead of an equal share: a load imbalance within
 * each rank. */
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct plate {
    int rows, columns, last; /* rows without the neighbours' two */
    double *now, *next;
};

static double *row(double *field, const struct plate *p, int i)
{
    return field + (size_t)i * (size_t)p->columns;
}

/* Sets *FROM and *TO to the rows of this thread, from 1. */
static void share(const struct plate *p, int *from, int *to)
{
    const int threads = omp_get_num_threads(), me = omp_get_thread_num();
    const int last = p->last > 0 && threads > 1 ? p->last : p->rows / threads, others = threads > 1 ? threads - 1 : 1;
    const int shared = threads > 1 ? p->rows - last : p->rows;
    *from = 1 + (int)((long)shared * me / others);
    *to = me == threads - 1 ? p->rows + 1 : 1 + (int)((long)shared * (me + 1) / others);
}

static double sweep(struct plate *p)
{
    double largest = 0;
#pragma omp parallel reduction(max : largest)
    {
        int from, to;
        share(p, &from, &to);
        for (int i = from; i < to; i++) {
            const double *above = row(p->now, p, i - 1), *here = row(p->now, p, i), *below = row(p->now, p, i + 1);
            double *next = row(p->next, p, i);
            for (int j = 1; j < p->columns - 1; j++) {
                next[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
                largest = fmax(largest, fabs(next[j] - here[j]));
            }
        }
    }
    return largest;
}

static void exchange(struct plate *p, int up, int down)
{
    MPI_Sendrecv(row(p->now, p, 1), p->columns, MPI_DOUBLE, up, 0, row(p->now, p, p->rows + 1), p->columns, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row(p->now, p, p->rows), p->columns, MPI_DOUBLE, down, 1, row(p->now, p, 0), p->columns, MPI_DOUBLE, up, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double run(struct plate *p, int steps, int up, int down)
{
    double largest = 0, all = 0;
    for (int step = 0; step < steps; step++) {
        exchange(p, up, down);
        largest = sweep(p);
        double *swapped = p->now;
        p->now = p->next;
        p->next = swapped;
        if (step % 10 == 9)
            MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    return all;
}

int main(int argc, char **argv)
{
    int rank, ranks, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct plate p = {.rows = argc > 1 ? atoi(argv[1]) : 400,
                      .columns = argc > 2 ? atoi(argv[2]) : 1000,
                      .last = argc > 4 ? atoi(argv[4]) : 0};
    const int steps = argc > 3 ? atoi(argv[3]) : 500;
    if (p.rows < 1 || p.columns < 3 || p.last < 0 || p.last > p.rows)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const size_t points = (size_t)(p.rows + 2) * (size_t)p.columns;
    p.now = calloc(points, sizeof *p.now);
    p.next = calloc(points, sizeof *p.next);
    if (!p.now || !p.next)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < p.rows + 2; i++)
        row(p.now, &p, i)[0] = row(p.next, &p, i)[0] = 100;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    const double largest = run(&p, steps, rank > 0 ? rank - 1 : MPI_PROC_NULL, rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL);
    const double took = MPI_Wtime() - begin;
    if (rank == 0)
        printf("%d ranks x %d threads: %.4f s, change %.3g\n", ranks, omp_get_max_threads(), took, largest);
    free(p.now);
    free(p.next);
    MPI_Finalize();
    return 0;
}
