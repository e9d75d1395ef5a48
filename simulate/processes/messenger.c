/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messenger of a parallel run, implemented with MPI. Errors are left to MPI's default handler, which ends all processes. */
#include "simulate/processes/messenger.h"

#include <mpi.h>
#include <time.h>

enum {
    TAG = 1,
    PIECE_BYTES = 64 << 20, /* bytes of the largest message; larger data is sent in pieces, because MPI may copy messages */
    MIN_SLEEP_NS = 20000,
    MAX_SLEEP_NS = 2000000
};

static MPI_Comm all; /* communicator of all processes, or of the processes of this part */

static void begin(int *rank, int *size)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    all = MPI_COMM_WORLD;
    MPI_Comm_rank(all, rank);
    MPI_Comm_size(all, size);
}

/* Waits for REQUEST by sleeping, because MPI_Wait occupies a processor that other processes may use. */
static void wait_asleep(MPI_Request *request)
{
    struct timespec pause = {.tv_nsec = MIN_SLEEP_NS};
    for (int done = 0;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < MAX_SLEEP_NS)
            pause.tv_nsec *= 2;
    }
}

static int min(int own)
{
    int result;
    MPI_Request request;
    MPI_Iallreduce(&own, &result, 1, MPI_INT, MPI_MIN, all, &request);
    wait_asleep(&request);
    return result;
}

static void tell(int from, void *data, size_t bytes)
{
    MPI_Request request;
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, from, all, &request);
    wait_asleep(&request);
}

static int alike(int own)
{
    int n;
    MPI_Comm those;
    MPI_Comm_split(all, own, 0, &those);
    MPI_Comm_size(those, &n);
    MPI_Comm_free(&those);
    return n;
}

static void divide(int part)
{
    if (all != MPI_COMM_WORLD)
        MPI_Comm_free(&all);
    all = MPI_COMM_WORLD;
    if (part >= 0)
        MPI_Comm_split(MPI_COMM_WORLD, part, 0, &all);
}

static void end(void)
{
    MPI_Request request;
    MPI_Ibarrier(all, &request);
    wait_asleep(&request);
    MPI_Finalize();
}

/* Returns the number of rows of BYTES that fit into one message, at most ROWS. */
static size_t piece_of(size_t rows, size_t bytes)
{
    const size_t max = bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
    return rows < max ? rows : max;
}

static void send(const void *data, size_t rows, size_t bytes)
{
    const char *next = data;
    for (size_t n; rows > 0 && bytes > 0; rows -= n, next += n * bytes) {
        n = piece_of(rows, bytes);
        MPI_Request request;
        MPI_Isend(next, (int)(n * bytes), MPI_BYTE, 0, TAG, all, &request);
        wait_asleep(&request);
    }
}

static void receive(int from, void *data, size_t rows, size_t bytes, size_t stride)
{
    char *next = data;
    for (size_t n; rows > 0 && bytes > 0; rows -= n, next += n * stride) {
        n = piece_of(rows, bytes);
        MPI_Datatype piece;
        MPI_Type_create_hvector((int)n, (int)bytes, (MPI_Aint)stride, MPI_BYTE, &piece);
        MPI_Type_commit(&piece);
        MPI_Recv(next, 1, piece, from, TAG, all, MPI_STATUS_IGNORE);
        MPI_Type_free(&piece);
    }
}

const struct mpg_messenger mpg_messenger = {.begin = begin,
                                            .min = min,
                                            .tell = tell,
                                            .alike = alike,
                                            .divide = divide,
                                            .end = end,
                                            .send = send,
                                            .receive = receive};
