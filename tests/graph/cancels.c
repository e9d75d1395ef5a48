/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cancels HOW: a program that keeps receives in reserve, like Graph500's message layer. Each rank keeps a few receives
 * posted, receives some messages, posts again, and at the end cancels the remaining receives. The actions after the
 * cancel depend on HOW: leave (MPI_Finalize without completing the requests), wait, free, persistent (also a started
 * persistent request), source (like leave, and then a receive from a known source is cancelled, for the next receive with
 * this tag to get the message). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { RESERVE = 4, MESSAGES = 10, TAG = 1, TAG_SOURCE = 2 };

static MPI_Request request[RESERVE];
static int buffer[RESERVE];

static void keep_posted(int i)
{
    MPI_Irecv(&buffer[i], 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[i]);
}

/* Sends MESSAGES messages around the ring, and posts a new receive for each completed receive. */
static void exchange(int to)
{
    for (int n = 0; n < MESSAGES; n++) {
        int i;
        MPI_Send(&n, 1, MPI_INT, to, TAG, MPI_COMM_WORLD);
        MPI_Waitany(RESERVE, request, &i, MPI_STATUS_IGNORE);
        keep_posted(i);
    }
}

/* Posts a receive, cancels the receive, and posts another receive for the same messages. */
static void cancel_first(int from, int to)
{
    int value = 7, other;
    MPI_Request first;
    MPI_Irecv(&other, 1, MPI_INT, from, TAG_SOURCE, MPI_COMM_WORLD, &first);
    MPI_Cancel(&first);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(&value, 1, MPI_INT, to, TAG_SOURCE, &other, 1, MPI_INT, from, TAG_SOURCE,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size, i;
    const char *how = argc > 1 ? argv[1] : "leave";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < RESERVE; i++)
        keep_posted(i);
    exchange((rank + 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < RESERVE; i++) {
        MPI_Cancel(&request[i]);
        if (strcmp(how, "wait") == 0)
            MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        if (strcmp(how, "free") == 0)
            MPI_Request_free(&request[i]);
    }
    if (strcmp(how, "persistent") == 0) {
        MPI_Request started;
        MPI_Recv_init(buffer, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &started);
        MPI_Start(&started);
        MPI_Cancel(&started);
    }
    if (strcmp(how, "source") == 0)
        cancel_first((rank + size - 1) % size, (rank + 1) % size);
    MPI_Finalize();
    return 0;
}
