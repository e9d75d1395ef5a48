/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "last MODE MS STEPS": a ring whose messages are in flight over the borders of steps, with receives from any source, persistent
 * requests, a communicator, a datatype and a window made at the begin, and a region that is open all the time. MODE: "steady"
 * repeats blocks of steps for MS ms; "burst" does so, too, sleeps for 2.3 s, and then does STEPS steps; "killed" is "steady",
 * and then rank 1 is killed; "abort" and "exit" end without MPI_Finalize; "threads" is "steady" in two threads of each rank,
 * each with a communicator of its own; "late" is "steady" in one thread, and then for a short time in two; "tags" is "steady"
 * with a new tag for each message; "taken" is "steady", but a file of the tracer's is there already; "post" is "steady", and then
 * uses MPI_Win_post. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/mpg_region.h"

enum { AHEAD = 1, ANY = 5, PERSISTENT = 3, TAGS = 100, BLOCK = 20 };

struct ring {
    int rank, right, left, in[8], out[8];
    MPI_Comm comm, half;
    MPI_Datatype pair;
    MPI_Win window;
    int exposed;
    MPI_Request persistent[2], any, sum;
    int sums[2];
};

static void begin(struct ring *r, MPI_Comm comm)
{
    int size;
    memset(r, 0, sizeof *r);
    r->comm = comm;
    MPI_Comm_rank(comm, &r->rank);
    MPI_Comm_size(comm, &size);
    r->right = (r->rank + 1) % size;
    r->left = (r->rank + size - 1) % size;
    MPI_Comm_split(comm, r->rank % 2, r->rank, &r->half);
    MPI_Type_contiguous(2, MPI_INT, &r->pair);
    MPI_Type_commit(&r->pair);
    MPI_Win_create(&r->exposed, sizeof r->exposed, sizeof r->exposed, MPI_INFO_NULL, comm, &r->window);
    MPI_Win_fence(0, r->window);
    MPI_Send_init(r->out, 1, MPI_INT, r->right, PERSISTENT, comm, &r->persistent[0]);
    MPI_Recv_init(r->in + 2, 1, MPI_INT, MPI_ANY_SOURCE, PERSISTENT, comm, &r->persistent[1]);
#if MPI_VERSION >= 4
    MPI_Allreduce_init(&r->sums[0], &r->sums[1], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &r->sum);
#endif
    MPI_Send(r->out, 1, r->pair, r->right, AHEAD, comm); /* received in the first step */
    MPI_Irecv(r->in + 3, 1, MPI_INT, MPI_ANY_SOURCE, ANY, comm, &r->any);
}

static void step(struct ring *r, int i)
{
    MPI_Request late;
    MPI_Status statuses[2];
    int sum, rank;
    mpg_region_begin("step");
    for (int j = 0; j < 3; j++) /* the second and third calls are recorded as a sum */
        MPI_Comm_rank(r->comm, &rank);
    MPI_Startall(2, r->persistent);
    MPI_Send(r->out, 1, r->pair, r->right, AHEAD, r->comm);
    MPI_Recv(r->in, 1, r->pair, r->left, AHEAD, r->comm, MPI_STATUS_IGNORE);
    MPI_Isend(r->out, 1, MPI_INT, r->right, ANY, r->comm, &late);
    MPI_Wait(&r->any, MPI_STATUS_IGNORE);
    MPI_Irecv(r->in + 3, 1, MPI_INT, MPI_ANY_SOURCE, ANY, r->comm, &r->any);
    MPI_Wait(&late, MPI_STATUS_IGNORE);
    if (i % 4 == 0)
        MPI_Allreduce(&r->rank, &sum, 1, MPI_INT, MPI_SUM, r->half);
    MPI_Waitall(2, r->persistent, statuses);
#if MPI_VERSION >= 4
    if (i % 5 == 0) {
        MPI_Start(&r->sum);
        MPI_Wait(&r->sum, MPI_STATUS_IGNORE);
    }
#endif
    mpg_region_end("step");
    if (i % 10 == 9)
        MPI_Win_fence(0, r->window);
}

static void end(struct ring *r)
{
    MPI_Recv(r->in, 1, r->pair, r->left, AHEAD, r->comm, MPI_STATUS_IGNORE);
    MPI_Send(r->out, 1, MPI_INT, r->right, ANY, r->comm);
    MPI_Wait(&r->any, MPI_STATUS_IGNORE);
    MPI_Request_free(&r->persistent[0]);
    MPI_Request_free(&r->persistent[1]);
#if MPI_VERSION >= 4
    MPI_Request_free(&r->sum);
#endif
    MPI_Win_free(&r->window);
    MPI_Type_free(&r->pair);
    MPI_Comm_free(&r->half);
}

/* Messages of new tags. */
static void send_tags(const struct ring *r, int *tag)
{
    int out = 0, in;
    for (int i = 0; i < BLOCK; i++, ++*tag)
        MPI_Sendrecv(&out, 1, MPI_INT, r->right, *tag, &in, 1, MPI_INT, r->left, *tag, r->comm, MPI_STATUS_IGNORE);
}

/* Repeats blocks of steps for MS ms, by the clock of rank 0. */
static void repeat(struct ring *r, int ms, int has_tags)
{
    const double from = MPI_Wtime();
    int goes_on = 1, tag = TAGS;
    while (goes_on) {
        for (int i = 0; i < BLOCK; i++)
            step(r, i);
        if (has_tags)
            send_tags(r, &tag);
        goes_on = MPI_Wtime() - from < ms / 1000.0;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, r->comm);
    }
}

static int duration_ms;

static void *run_thread(void *comm)
{
    struct ring r;
    mpg_region_begin("thread");
    begin(&r, *(MPI_Comm *)comm);
    repeat(&r, duration_ms, 0);
    end(&r);
    mpg_region_end("thread");
    return NULL;
}

static void run_threads(int late)
{
    MPI_Comm comms[2];
    pthread_t thread;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    if (late) {
        run_thread(&comms[0]);
        duration_ms = 60;
    }
    pthread_create(&thread, NULL, run_thread, &comms[1]);
    run_thread(&comms[0]);
    pthread_join(thread, NULL);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
}

/* Makes the file of the tracer's ninth part. */
static void take_file(int rank)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%d.part-000000009.mpgt", getenv("MPGTRACE_OUTPUT"), rank);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0)
        perror(path);
    close(fd);
}

/* Opens and closes a window for the right neighbour. */
static void post(const struct ring *r)
{
    MPI_Group all, left, right;
    MPI_Comm_group(r->comm, &all);
    MPI_Group_incl(all, 1, &r->left, &left);
    MPI_Group_incl(all, 1, &r->right, &right);
    MPI_Win_post(left, 0, r->window);
    MPI_Win_start(right, 0, r->window);
    MPI_Win_complete(r->window);
    MPI_Win_wait(r->window);
    MPI_Group_free(&all);
    MPI_Group_free(&left);
    MPI_Group_free(&right);
}

static void run(const char *mode, int steps)
{
    struct ring r;
    begin(&r, MPI_COMM_WORLD);
    if (r.rank == 1 && strcmp(mode, "taken") == 0)
        take_file(r.rank);
    repeat(&r, duration_ms, strcmp(mode, "tags") == 0);
    if (strcmp(mode, "post") == 0)
        post(&r);
    if (strcmp(mode, "burst") == 0)
        usleep(2300000);
    for (int i = 0; i < steps; i++)
        step(&r, i);
    if (r.rank == 1 && strcmp(mode, "killed") == 0)
        raise(SIGKILL);
    if (r.rank == 1 && strcmp(mode, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    end(&r);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 3 ? argv[1] : "steady";
    const int late = strcmp(mode, "late") == 0, threads = late || strcmp(mode, "threads") == 0;
    int provided;
    duration_ms = argc > 3 ? atoi(argv[2]) : 100;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    mpg_region_begin("main");
    if (threads)
        run_threads(late);
    else
        run(mode, argc > 3 ? atoi(argv[3]) : 0);
    mpg_region_end("main");
    if (strcmp(mode, "exit") == 0)
        return 0;
    return MPI_Finalize();
}
