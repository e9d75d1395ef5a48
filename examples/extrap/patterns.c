/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four communication patterns with work that does not depend on the number of ranks.
 *
 *     patterns chain|halos|puts|transposes
 *
 *     chain        blocks of 64 KiB pass from rank to rank, with work on each block
 *     halos        8 KiB to both neighbours, posted before work, and two MPI_Allreduce of one number per step
 *     puts         edges to both neighbours between fences
 *     transposes   MPI_Alltoall of 1 MiB in total between work, as in a parallel FFT
 *
 * docs/EXTRAP.md compares predictions with runs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static double sink; /* keeps the compiler from removing the work */

static void work(double *v, int n, int times)
{
    for (int k = 0; k < times; k++)
        for (int i = 1; i < n; i++)
            v[i] = v[i] * 0.999 + v[i - 1] * 0.001 + 1e-9;
    sink += v[n - 1];
}

static void chain(void)
{
    enum { N = 8192, BLOCKS = 300, WORK = 64 };
    double *v = calloc(N, sizeof *v);
    for (int b = 0; b < BLOCKS; b++) {
        if (rank > 0)
            MPI_Recv(v, N, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(v, N, WORK / ranks);
        if (rank < ranks - 1)
            MPI_Send(v, N, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
    }
    free(v);
}

/* Exchanges M doubles with rank OTHER, if OTHER exists. Returns the number of requests. */
static int swap(const double *out, double *in, int m, int other, MPI_Request *q)
{
    if (other < 0 || other >= ranks)
        return 0;
    MPI_Irecv(in, m, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(out, m, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &q[1]);
    return 2;
}

static void halos(void)
{
    enum { N = 4096, M = 1024, STEPS = 400, WORK = 64 };
    double *v = calloc(N, sizeof *v), *h = calloc(2 * M, sizeof *h), *own = calloc(2 * M, sizeof *own);
    for (int k = 0; k < STEPS; k++) {
        MPI_Request q[4];
        int n = swap(v, h, M, rank - 1, q);
        n += swap(v + N - M, h + M, M, rank + 1, q + n);
        work(own, 2 * M, WORK / ranks / 2);
        MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
        work(v, N, WORK / ranks);
        for (int i = 0; i < 2; i++) {
            double all;
            MPI_Allreduce(&v[7 + 2 * i], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
    free(v);
    free(h);
    free(own);
}

static void puts_between_fences(void)
{
    enum { N = 16384, M = 4096, STEPS = 250, WORK = 32 };
    double *v = calloc(N, sizeof *v), *edges;
    MPI_Win window;
    MPI_Win_allocate(2 * M * (MPI_Aint)sizeof *edges, sizeof *edges, MPI_INFO_NULL, MPI_COMM_WORLD, &edges, &window);
    MPI_Win_fence(0, window);
    for (int k = 0; k < STEPS; k++) {
        MPI_Put(v, M, MPI_DOUBLE, (rank + 1) % ranks, 0, M, MPI_DOUBLE, window);
        MPI_Put(v + N - M, M, MPI_DOUBLE, (rank + ranks - 1) % ranks, M, M, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
        work(v, N, WORK / ranks);
    }
    MPI_Win_free(&window);
    free(v);
}

static void transposes(void)
{
    enum { ALL = 131072, STEPS = 60, WORK = 16 };
    const int mine = ALL / ranks;
    double *from = calloc((size_t)mine, sizeof *from), *to = calloc((size_t)mine, sizeof *to);
    for (int k = 0; k < STEPS; k++) {
        double *last = from;
        MPI_Alltoall(from, mine / ranks, MPI_DOUBLE, to, mine / ranks, MPI_DOUBLE, MPI_COMM_WORLD);
        work(to, mine, WORK);
        from = to;
        to = last;
    }
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } pattern[] = {{"chain", chain}, {"halos", halos}, {"puts", puts_between_fences}, {"transposes", transposes}};
    size_t i = 0;
    while (i < 4 && (argc != 2 || strcmp(argv[1], pattern[i].name) != 0))
        i++;
    if (i == 4) {
        fprintf(stderr, "usage: patterns chain|halos|puts|transposes\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pattern[i].run();
    if (rank == 0)
        printf("%g\n", sink);
    MPI_Finalize();
    return 0;
}
