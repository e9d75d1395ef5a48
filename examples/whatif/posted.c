/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonblocking collectives with work.
 *
 *     posted OPERATION [way=mid|before|both|now] [balance=REGION] [scale=REGION:F] [bytes=N] [rounds=N] [unit=MS]
 *
 * Each round posts OPERATION (ibcast, igather, ireduce, iallreduce, ialltoall, iallgather, iscan, ibarrier) and
 * waits for completion. The places of uneven work (region `foo`) and even work (region `bar`):
 *     mid      foo between post and wait, bar after the wait
 *     before   foo before the post, bar between post and wait
 *     both     foo before the post and between post and wait, bar after the wait
 *     now      foo before the post, bar after the wait
 * Work is sleep, so ranks may share cores. balance= and scale= change the work as the hypotheses of mpgsim do.
 * Prints the run time in ms. */
#include "whatif.h"

static char *in, *out;

static void foo(int k)
{
    work_of("foo", uneven, MPI_COMM_WORLD, k);
}

static void bar(int k)
{
    work_of("bar", even, MPI_COMM_WORLD, k);
}

static MPI_Request post(const char *operation)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    if (!strcmp(operation, "ibcast"))
        MPI_Ibcast(out, bytes, MPI_BYTE, 0, world, &request);
    else if (!strcmp(operation, "igather"))
        MPI_Igather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, world, &request);
    else if (!strcmp(operation, "ireduce"))
        MPI_Ireduce(out, in, bytes, MPI_BYTE, MPI_BOR, 0, world, &request);
    else if (!strcmp(operation, "iallreduce"))
        MPI_Iallreduce(out, in, bytes, MPI_BYTE, MPI_BOR, world, &request);
    else if (!strcmp(operation, "ialltoall"))
        MPI_Ialltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, world, &request);
    else if (!strcmp(operation, "iallgather"))
        MPI_Iallgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, world, &request);
    else if (!strcmp(operation, "iscan"))
        MPI_Iscan(out, in, bytes, MPI_BYTE, MPI_BOR, world, &request);
    else
        MPI_Ibarrier(world, &request);
    return request;
}

static void one_round(const char *operation, const char *way, int k)
{
    if (strcmp(way, "mid") != 0)
        foo(k);
    MPI_Request request = post(operation);
    if (strcmp(way, "mid") == 0)
        foo(k);
    else if (strcmp(way, "both") == 0)
        foo(k + 1);
    else if (strcmp(way, "before") == 0)
        bar(k);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (strcmp(way, "before") != 0)
        bar(k);
}

int main(int argc, char **argv)
{
    const char *operation = argc > 1 ? argv[1] : "", *way = "mid";
    bytes = 1024;
    read_words(argc, argv);
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "way=", 4) == 0)
            way = argv[i] + 4;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = calloc((size_t)ranks, (size_t)bytes);
    out = calloc((size_t)ranks, (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int k = 0; k < rounds; k++)
        one_round(operation, way, k);
    print_longest(MPI_Wtime() - begin);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
