/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program with additional messages.
 *
 *     inserted PATTERN [insert=BYTES:TO[:LAST]] [bytes=N] [rounds=N] [unit=MS]
 *
 * Each round has uneven work (region `foo`) and communication by PATTERN:
 *     ring     to the right neighbour after the work
 *     posted   to the right neighbour, posted before the work
 *     chain    from the left neighbour before the work, to the right neighbour after the work
 *     sum      Allreduce after the work
 *     none     no communication
 * With insert= each rank up to LAST also sends BYTES at the start of foo, to the rank at offset TO (+1, -1) or to
 * rank TO, and receives the additional messages of other ranks, like mpgsim's hypothesis
 * `insert foo bytes=BYTES to=TO ranks=0-LAST`. Work is sleep, so ranks may share cores. Prints the run time in ms. */
#include "whatif.h"

static char *in, *out;
static int length = -1, to, last;
static int relative;

static int receiver_of(int r)
{
    const int receiver = relative ? ((r + to) % ranks + ranks) % ranks : to;
    return length < 0 || r > last || receiver == r ? MPI_PROC_NULL : receiver;
}

/* Exchanges the additional messages: one to another rank, and any number from other ranks. */
static void exchange(void)
{
    const int receiver = receiver_of(rank);
    int sender[64], n = 0;
    for (int r = 0; r < ranks; r++)
        if (receiver_of(r) == rank)
            sender[n++] = r;
    if (n < 2 && (n == 1 || receiver != MPI_PROC_NULL))
        MPI_Sendrecv(out, length, MPI_BYTE, receiver, 7, in, length, MPI_BYTE, n == 1 ? sender[0] : MPI_PROC_NULL, 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        for (int i = 0; i < n; i++)
            MPI_Recv(in, length, MPI_BYTE, sender[i], 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void foo(int k)
{
    mpg_region_begin("foo");
    exchange();
    sleep_ms(unit_ms * uneven(rank, ranks, k));
    mpg_region_end("foo");
}

static void one_round(const char *pattern, int k)
{
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, is_chain = strcmp(pattern, "chain") == 0;
    MPI_Request request[2];
    if (is_chain && rank > 0)
        MPI_Recv(in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(pattern, "posted") == 0) {
        MPI_Irecv(in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &request[1]);
    }
    foo(k);
    if (is_chain && rank + 1 < ranks)
        MPI_Send(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD);
    else if (strcmp(pattern, "posted") == 0)
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    else if (strcmp(pattern, "ring") == 0)
        MPI_Sendrecv(out, bytes, MPI_BYTE, right, 1, in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (strcmp(pattern, "sum") == 0)
        MPI_Allreduce(out, in, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

/* Parses the value of insert=: BYTES:TO[:LAST]. */
static void read_insert(const char *text)
{
    char *end;
    length = (int)strtol(text, &end, 10);
    relative = *end == ':' && (end[1] == '+' || end[1] == '-');
    to = *end == ':' ? (int)strtol(end + 1, &end, 10) : 1;
    last = *end == ':' ? atoi(end + 1) : 63;
}

int main(int argc, char **argv)
{
    const char *pattern = argc > 1 ? argv[1] : "";
    bytes = 1024;
    read_words(argc, argv);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "insert=", 7) == 0)
            read_insert(argv[i] + 7);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const size_t room = (size_t)(length > bytes ? length : bytes) + 1;
    in = calloc(1, room);
    out = calloc(1, room);
    if (ranks > 64 || !in || !out)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int k = 0; k < rounds; k++)
        one_round(pattern, k);
    print_longest(MPI_Wtime() - begin);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
