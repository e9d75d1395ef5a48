/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of many kinds from several call sites, for tests/trace/profile/test-profile.sh: profiled LOOPS
 * [kill|exit|abort|pause|threads|many] */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, LEVELS = 14 };

static int loops;

static void exchange(int rank, int ranks, int bytes)
{
    char in[100], out[100] = "";
    MPI_Request requests[2];
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Irecv(in, 100, MPI_CHAR, from, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, to, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, bytes, MPI_CHAR, to, 2, in, 100, MPI_CHAR, from, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void steps(int rank, int ranks, int last)
{
    double x = rank, sum;
    int counts[64], places[64], all[64 * 3] = {0}, mine[3] = {0};
    for (int i = 0; i < ranks && i < 64; i++) {
        counts[i] = 1 + i % 3;
        places[i] = 3 * i;
    }
    for (int i = 0; i < last; i++) {
        exchange(rank, ranks, 10);
        exchange(rank, ranks, 20 + rank);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(&x, 1, MPI_DOUBLE, 1 % ranks, MPI_COMM_WORLD);
        MPI_Scatter(all, 1, MPI_INT, mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Ssend(mine, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
        MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void *self(void *tag)
{
    int mine = *(int *)tag, theirs;
    for (int i = 0; i < loops; i++) {
        MPI_Request request;
        MPI_Irecv(&theirs, 1, MPI_INT, 0, mine, MPI_COMM_SELF, &request);
        MPI_Send(&mine, 1, MPI_INT, 0, mine, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void in_threads(void)
{
    pthread_t threads[THREADS];
    int tags[THREADS];
    for (int i = 0; i < THREADS; i++) {
        tags[i] = i;
        pthread_create(&threads[i], NULL, self, &tags[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Calls through one of 2^LEVELS call stacks, which PATH selects. */
__attribute__((noipa)) static void descend(unsigned path, int level)
{
    if (level == 0)
        MPI_Barrier(MPI_COMM_SELF);
    else if (path & 1)
        descend(path >> 1, level - 1);
    else
        descend(path >> 1, level - 1);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "";
    int rank, ranks, provided, several = strcmp(how, "threads") == 0;
    loops = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    steps(rank, ranks, loops);
    if (strcmp(how, "kill") == 0 && rank == ranks - 1)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "exit") == 0)
        exit(7);
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (strcmp(how, "pause") == 0) {
        MPI_Pcontrol(0);
        steps(rank, ranks, loops);
        MPI_Pcontrol(1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (several && provided == MPI_THREAD_MULTIPLE)
        in_threads();
    for (unsigned path = 0; strcmp(how, "many") == 0 && path < 1u << LEVELS; path++)
        descend(path, LEVELS);
    MPI_Finalize();
    if (rank == 0)
        printf("profiled: done\n");
    return 0;
}
