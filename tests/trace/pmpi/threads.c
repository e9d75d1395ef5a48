/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that all call MPI: threads [ROUNDS]. On each rank two threads send around the ranks, each on its own
 * communicator. One thread completes requests that the other has started. Threads start and end, also during
 * another thread's first call. Both threads create windows and files. One thread calls local functions while
 * MPI_Finalize runs. Prints "RANK NAME NUMBER", the number of calls of each rank (tests/trace/pmpi/test-
 * threads.sh). */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, SHORT_LIVED = 5, BUFFERS = 4, HANDLES = 50 };

static int rank, ranks, rounds = 2000;
static MPI_Comm comms[THREADS], handed;
static pthread_barrier_t barrier;
static MPI_Request requests[THREADS][BUFFERS];
static int in[THREADS][BUFFERS], out[THREADS][BUFFERS];
static atomic_long isends, irecvs, waitalls, sends, recvs;
static atomic_bool asking;
static MPI_Op operation;
static MPI_Message probed;

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "threads: rank %d: %s\n", rank, what);
    exit(1);
}

/* Starts the operations that the other thread waits for. */
static void *exchange(void *argument)
{
    const int me = *(const int *)argument, other = 1 - me;
    for (int i = 0; i < rounds; i++) {
        for (int b = 0; b < BUFFERS; b += 2) {
            out[me][b] = i * 10 + me;
            MPI_Irecv(&in[me][b], 1, MPI_INT, (rank + ranks - 1) % ranks, b, comms[me],
                      &requests[me][b]);
            MPI_Isend(&out[me][b], 1, MPI_INT, (rank + 1) % ranks, b, comms[me],
                      &requests[me][b + 1]);
            irecvs++;
            isends++;
        }
        pthread_barrier_wait(&barrier);
        MPI_Waitall(BUFFERS, requests[other], MPI_STATUSES_IGNORE);
        waitalls++;
        check(in[other][0] == i * 10 + other, "a message went wrong");
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void *live_shortly(void *argument)
{
    int value = 0;
    if (rank % 2 == 0 && rank + 1 < ranks) {
        MPI_Send(&rank, 1, MPI_INT, rank + 1, 1, handed);
        sends++;
    } else if (rank % 2 == 1) {
        MPI_Recv(&value, 1, MPI_INT, rank - 1, 1, handed, MPI_STATUS_IGNORE);
        check(value == rank - 1, "a short-lived thread's message went wrong");
        recvs++;
    }
    return argument;
}

/* Calls MPI_Finalized, which is permitted at any time, again and again while the other threads end. */
static void *ask(void *argument)
{
    int flag = 0;
    asking = true;
    while (!flag)
        MPI_Finalized(&flag);
    for (int i = 0; i < 1000; i++)
        MPI_Finalized(&flag);
    return argument;
}

/* MPI_Finalized of Open MPI 6.0.0rc2, concurrent with MPI_Finalize, ends in a segmentation fault, traced or not. */
static bool finalized_is_safe(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    return !strstr(version, "Open MPI v6.0.0rc2");
}

static void run(void *(*function)(void *), int number)
{
    pthread_t threads[THREADS];
    int numbers[THREADS] = {0, 1};
    for (int i = 0; i < number; i++)
        check(pthread_create(&threads[i], NULL, function, &numbers[i]) == 0, "no thread");
    for (int i = 0; i < number; i++)
        pthread_join(threads[i], NULL);
}

/* Creates windows and files, whose handles the other thread gets again as soon as they are freed. */
static void *make_and_free(void *argument)
{
    const int me = *(const int *)argument;
    MPI_Win win;
    MPI_File file;
    void *memory;
    char name[32];
    snprintf(name, sizeof name, "threads-%d-%d", rank, me);
    for (int i = 0; i < HANDLES; i++) {
        MPI_Win_allocate(8, 1, MPI_INFO_NULL, comms[me], &memory, &win);
        MPI_Win_free(&win);
        check(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                            &file) == MPI_SUCCESS, "cannot open a file");
        MPI_File_close(&file);
    }
    return NULL;
}

/* Receives a message that the main thread has probed. */
static void *receive(void *argument)
{
    int value = -1;
    MPI_Mrecv(&value, 1, MPI_INT, &probed, MPI_STATUS_IGNORE);
    check(value == rank, "a probed message went wrong");
    return argument;
}

static void probe_for_another(void)
{
    MPI_Request request;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Isend(&rank, 1, MPI_INT, 0, 1, comm, &request);
    MPI_Mprobe(0, 1, comm, &probed, MPI_STATUS_IGNORE);
    run(receive, 1);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    isends++;
    waitalls++;
    MPI_Comm_free(&comm);
}

static void *look(void *argument)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return argument;
}

/* Called by MPI_Reduce_local: meanwhile another thread starts and ends. */
static void meanwhile(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
    run(look, 1);
}

static void *reduce(void *argument)
{
    int value = 1, sum = 0;
    MPI_Reduce_local(&value, &sum, 1, MPI_INT, operation);
    return argument;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t asker;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(provided == MPI_THREAD_MULTIPLE, "MPI does not provide MPI_THREAD_MULTIPLE");
    if (argc > 1)
        rounds = atoi(argv[1]);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    MPI_Comm_dup(MPI_COMM_WORLD, &handed);
    pthread_barrier_init(&barrier, NULL, THREADS);
    run(exchange, THREADS);
    for (int i = 0; i < SHORT_LIVED; i++)
        run(live_shortly, 1);
    probe_for_another();
    run(make_and_free, THREADS);
    MPI_Op_create(meanwhile, 1, &operation);
    run(reduce, 1);
    MPI_Op_free(&operation);
    printf("%d Irecv %ld\n%d Isend %ld\n%d Waitall %ld\n%d Send %ld\n%d Recv %ld\n", rank,
           (long)irecvs, rank, (long)isends, rank, (long)waitalls, rank, (long)sends, rank,
           (long)recvs);
    const bool asks = finalized_is_safe();
    check(!asks || pthread_create(&asker, NULL, ask, NULL) == 0, "no thread");
    while (asks && !asking) {
    }
    MPI_Finalize();
    if (asks)
        pthread_join(asker, NULL);
    return 0;
}
