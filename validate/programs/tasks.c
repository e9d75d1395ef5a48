/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks of known length, handed out as workers ask for them: rank 0 answers each request, received from any source, with the
 * next task. A task sleeps, so ranks can share cores.
 *
 *     tasks [TASKS [RANK [PERCENT]]]
 *
 * Task K of TASKS (60) takes 2 + (7 K mod 19) ms. Worker RANK (0: none) takes PERCENT (300) of a task's time in addition, in the
 * region "handicap": so the run gives out the tasks otherwise. Rank 0 prints the time of the distribution, in ms. */
#include <time.h>

#include "trace/mpg_region.h"
#include "validate/programs/work.h"

enum { REQUEST = 1, TASK, STOP };

static void rest(double ms)
{
    const long ns = (long)(ms * 1e6);
    const struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    nanosleep(&time, NULL);
}

static void master(int ranks, int tasks)
{
    MPI_Status status;
    int stop = -1;
    for (int next = 0; next < tasks + ranks - 1; next++) {
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
        MPI_Send(next < tasks ? &next : &stop, 1, MPI_INT, status.MPI_SOURCE, next < tasks ? TASK : STOP, MPI_COMM_WORLD);
    }
}

static void worker(double handicap)
{
    MPI_Status status;
    for (;;) {
        int task;
        MPI_Send(NULL, 0, MPI_BYTE, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        rest(2 + 7 * task % 19);
        if (handicap > 0) {
            mpg_region_begin("handicap");
            rest(handicap * (2 + 7 * task % 19));
            mpg_region_end("handicap");
        }
    }
}

int main(int argc, char **argv)
{
    int rank, ranks, tasks = argument(argc, argv, 1, 1, 60), slow = argument(argc, argv, 2, 0, 0),
                     percent = argument(argc, argv, 3, 0, 300);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (rank == 0)
        master(ranks, tasks);
    else
        worker(rank == slow ? percent / 100.0 : 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f\n", 1e3 * (MPI_Wtime() - begin));
    MPI_Finalize();
    return 0;
}
