/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that call MPI at once: crew [ROUNDS]. Each rank starts two threads. Each thread sends messages around the ranks with
 * a separate tag, and calls collectives of different sizes on a separate communicator. The threads complete, use or free
 * requests and communicators of the other thread. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, MOST = 64 };

static int rank, ranks, rounds = 20;
static MPI_Comm own[THREADS], lent;
static MPI_Request posted[THREADS], started[THREADS];
static pthread_barrier_t barrier;
static char into[THREADS][2][MOST], from[THREADS][MOST];

static void ring(int me, int round)
{
    char in[MOST];
    MPI_Sendrecv(from[me], 3 + 7 * me + round, MPI_BYTE, (rank + 1) % ranks, 10 + me, in, MOST, MPI_BYTE,
                 (rank + ranks - 1) % ranks, 10 + me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collectives(int me, int round)
{
    int counts[MOST], places[MOST], sent[MOST], back[MOST];
    char in[MOST * MOST];
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1 + (rank + 2 * i + round) % 5;
        places[i] = 8 * i;
        sent[i] = 8 * i;
        back[i] = 1 + (i + 2 * rank + round) % 5;
    }
    char out[MOST * MOST] = {0};
    MPI_Bcast(into[me][0], 5 + me, MPI_BYTE, round % ranks, own[me]);
    MPI_Alltoallv(out, counts, sent, MPI_BYTE, in, back, places, MPI_BYTE, own[me]);
}

/* Completes requests that the other thread has created or started. */
static void hand_over(int me, int round)
{
    const int other = 1 - me;
    MPI_Irecv(into[me][0], MOST, MPI_BYTE, (rank + 1) % ranks, 20 + me, MPI_COMM_WORLD, &posted[me]);
    MPI_Start(&started[me]);
    pthread_barrier_wait(&barrier);
    MPI_Send(from[other], 11 + other + round, MPI_BYTE, (rank + ranks - 1) % ranks, 20 + other, MPI_COMM_WORLD);
    MPI_Send(from[other], 30, MPI_BYTE, (rank + ranks - 1) % ranks, 30 + other, MPI_COMM_WORLD);
    MPI_Request both[2] = {posted[other], started[other]};
    int which;
    MPI_Waitany(2, both, &which, MPI_STATUS_IGNORE);
    MPI_Wait(&both[1 - which], MPI_STATUS_IGNORE);
    started[other] = both[1];
    pthread_barrier_wait(&barrier);
}

/* Thread 0 creates a communicator, both threads use the communicator in turn, thread 1 frees it. */
static void lend(int me)
{
    if (me == 0) {
        MPI_Comm_dup(own[0], &lent);
        MPI_Barrier(lent);
    }
    pthread_barrier_wait(&barrier);
    if (me == 1) {
        MPI_Bcast(into[me][1], 7, MPI_BYTE, 0, lent);
        MPI_Comm_free(&lent);
    }
    pthread_barrier_wait(&barrier);
}

static void *live(void *argument)
{
    const int me = *(const int *)argument;
    MPI_Recv_init(into[me][1], MOST, MPI_BYTE, (rank + 1) % ranks, 30 + me, MPI_COMM_WORLD, &started[me]);
    for (int i = 0; i < rounds; i++) {
        ring(me, i % 20);
        collectives(me, i);
        hand_over(me, i % 20);
        if (i % 5 == 0)
            lend(me);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static int me[THREADS] = {0, 1};
    pthread_t thread[THREADS];
    int provided;
    if (argc > 1)
        rounds = atoi(argv[1]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided < MPI_THREAD_MULTIPLE || ranks > 8) {
        fprintf(stderr, "crew: no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, live, &me[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        MPI_Request_free(&started[i]);
        MPI_Comm_free(&own[i]);
    }
    MPI_Finalize();
    return 0;
}
