/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messenger of a parallel run, implemented with MPI. Errors are left to MPI's default handler, which ends all processes. */
#include "simulate/processes/messenger.h"

#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum {
    TAG = 1,
    POST_TAG = 2,
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
    char *at = data;
    for (size_t left = bytes, piece; left > 0; left -= piece, at += piece) {
        MPI_Request request;
        piece = left < PIECE_BYTES ? left : PIECE_BYTES;
        MPI_Ibcast(at, (int)piece, MPI_BYTE, from, all, &request);
        wait_asleep(&request);
    }
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

/* --- post --- */

/* Messages under way. */
static struct {
    struct letter {
        MPI_Request request;
        void *data;
    } *letter;
    size_t n, capacity;
} posted;

static MPI_Status next;      /* of the message found by post_arrived() */
static MPI_Request sum_request;

/* Frees the messages that are sent. */
static void free_sent(void)
{
    for (size_t i = 0; i < posted.n;) {
        int is_sent;
        MPI_Test(&posted.letter[i].request, &is_sent, MPI_STATUS_IGNORE);
        if (is_sent) {
            free(posted.letter[i].data);
            posted.letter[i] = posted.letter[--posted.n];
        } else
            i++;
    }
}

static void post_send(int to, void *data, size_t bytes)
{
    free_sent();
    if (posted.n == posted.capacity) {
        const size_t capacity = posted.capacity ? 2 * posted.capacity : 64;
        void *grown = realloc(posted.letter, capacity * sizeof *posted.letter);
        if (!grown) { /* the receiver takes in all messages at any time */
            MPI_Send(data, (int)bytes, MPI_BYTE, to, POST_TAG, all);
            free(data);
            return;
        }
        posted.letter = grown;
        posted.capacity = capacity;
    }
    struct letter *letter = &posted.letter[posted.n++];
    letter->data = data;
    MPI_Isend(data, (int)bytes, MPI_BYTE, to, POST_TAG, all, &letter->request);
}

static size_t post_arrived(void)
{
    int has_arrived, bytes;
    MPI_Iprobe(MPI_ANY_SOURCE, POST_TAG, all, &has_arrived, &next);
    if (!has_arrived)
        return 0;
    MPI_Get_count(&next, MPI_BYTE, &bytes);
    return (size_t)bytes;
}

static void post_receive(void *data, size_t bytes)
{
    MPI_Recv(data, (int)bytes, MPI_BYTE, next.MPI_SOURCE, POST_TAG, all, MPI_STATUS_IGNORE);
}

static void begin_sum(const int64_t *own, int64_t *sum, int n)
{
    MPI_Iallreduce(own, sum, n, MPI_INT64_T, MPI_SUM, all, &sum_request);
}

static bool sum_ended(void)
{
    int has_ended;
    MPI_Test(&sum_request, &has_ended, MPI_STATUS_IGNORE);
    return has_ended;
}

static void flush(void)
{
    struct timespec pause = {.tv_nsec = MIN_SLEEP_NS};
    for (free_sent(); posted.n > 0; free_sent())
        nanosleep(&pause, NULL);
    free(posted.letter);
    posted.letter = NULL;
    posted.capacity = 0;
}

const struct mpg_messenger mpg_messenger = {.begin = begin,
                                            .min = min,
                                            .tell = tell,
                                            .alike = alike,
                                            .divide = divide,
                                            .end = end,
                                            .send = send,
                                            .receive = receive,
                                            .post = {.send = post_send,
                                                     .arrived = post_arrived,
                                                     .receive = post_receive,
                                                     .begin_sum = begin_sum,
                                                     .sum_ended = sum_ended,
                                                     .flush = flush}};
