/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks of known length, handed out as workers ask for them: rank 0 answers each request with the next task. A task sleeps, so
 * ranks can share cores.
 *
 *     tasks [TASKS [RANK [PERCENT [PATTERN]]]]
 *
 * Task K of TASKS (60) takes 2 + (7 K mod 19) ms. Worker RANK (0: none) takes PERCENT (300) of a task's time in addition, in the
 * region "handicap", which changes who gets which task. PATTERN says how rank 0 takes a request: 0 MPI_Recv from any source,
 * 1 MPI_Probe, 2 MPI_Iprobe each half millisecond, 3 MPI_Irecv and MPI_Wait, 4 MPI_Irecv and MPI_Test, 5 MPI_Waitany of one
 * MPI_Irecv for each worker, 6 MPI_Mprobe, 7 as 0, with two tasks at once for each worker, 8 as 0, with requests and tasks in two
 * messages. Rank 0 prints the time of the distribution, in ms. */
#include <time.h>

#include "trace/mpg_region.h"
#include "validate/programs/work.h"

enum { REQUEST = 1, TASK, STOP, PART };
enum { RECV, PROBE, IPROBE, WAIT, TEST, WAITANY, MPROBE, AHEAD, PARTS };

static void rest(double ms)
{
    const long ns = (long)(ms * 1e6);
    const struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    nanosleep(&time, NULL);
}

/* Receives the next request in the way of PATTERN. POSTED: a posted receive from each worker, for MPI_Waitany. Returns
 * the worker's rank. */
static int take(int pattern, int ranks, MPI_Request *posted)
{
    MPI_Status status = {.MPI_SOURCE = MPI_ANY_SOURCE};
    MPI_Request request;
    MPI_Message message;
    int done = 0;
    if (pattern == WAITANY) {
        MPI_Waitany(ranks - 1, posted, &done, &status);
        return done + 1;
    }
    if (pattern == WAIT || pattern == TEST)
        MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &request);
    while (pattern == TEST && (MPI_Test(&request, &done, &status), !done))
        rest(0.5);
    while (pattern == IPROBE && (MPI_Iprobe(MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &done, &status), !done))
        rest(0.5);
    if (pattern == WAIT)
        MPI_Wait(&request, &status);
    if (pattern == PROBE)
        MPI_Probe(MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
    if (pattern == MPROBE) {
        MPI_Mprobe(MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(NULL, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    } else if (pattern != WAIT && pattern != TEST)
        MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
    if (pattern == PARTS)
        MPI_Recv(&done, 1, MPI_INT, status.MPI_SOURCE, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

static void post(int worker, MPI_Request *posted)
{
    MPI_Irecv(NULL, 0, MPI_BYTE, worker, REQUEST, MPI_COMM_WORLD, &posted[worker - 1]);
}

static void master(int ranks, int tasks, int pattern)
{
    MPI_Request *posted = malloc((size_t)ranks * sizeof *posted);
    const int last = tasks + (pattern == AHEAD ? 2 : 1) * (ranks - 1);
    int stop = -1;
    if (!posted)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int worker = 1; worker < ranks && pattern == WAITANY; worker++)
        post(worker, posted);
    for (int next = 0; next < last; next++) {
        const int worker = take(pattern, ranks, posted);
        if (pattern == WAITANY && next < tasks)
            post(worker, posted);
        if (pattern == PARTS && next < tasks)
            MPI_Send(&next, 1, MPI_INT, worker, PART, MPI_COMM_WORLD);
        MPI_Send(next < tasks ? &next : &stop, 1, MPI_INT, worker, next < tasks ? TASK : STOP, MPI_COMM_WORLD);
    }
    free(posted);
}

static void ask(int pattern)
{
    int part = 0;
    MPI_Send(NULL, 0, MPI_BYTE, 0, REQUEST, MPI_COMM_WORLD);
    if (pattern == PARTS)
        MPI_Send(&part, 1, MPI_INT, 0, PART, MPI_COMM_WORLD);
}

static void worker(double handicap, int pattern)
{
    MPI_Status status;
    const int ahead = pattern == AHEAD ? 2 : 1;
    for (int i = 0; i < ahead; i++)
        ask(pattern);
    for (int stops = 0; stops < ahead;) {
        int task;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == PART)
            MPI_Recv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, &status);
        stops += status.MPI_TAG == STOP;
        if (status.MPI_TAG == STOP)
            continue;
        rest(2 + 7 * task % 19);
        if (handicap > 0) {
            mpg_region_begin("handicap");
            rest(handicap * (2 + 7 * task % 19));
            mpg_region_end("handicap");
        }
        ask(pattern);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks, tasks = argument(argc, argv, 1, 1, 60), slow = argument(argc, argv, 2, 0, 0),
                     percent = argument(argc, argv, 3, 0, 300), pattern = argument(argc, argv, 4, 0, RECV);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (rank == 0)
        master(ranks, tasks, pattern);
    else
        worker(rank == slow ? percent / 100.0 : 0, pattern);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f\n", 1e3 * (MPI_Wtime() - begin));
    MPI_Finalize();
    return 0;
}
