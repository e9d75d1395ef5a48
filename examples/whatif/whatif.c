/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs with changeable work. Usage: whatif PATTERN [balance=REGION] [scale=REGION:F] [drop] [bytes=N] [rounds=N]
 * [unit=MS]. Region `foo` is uneven over ranks and rounds, `bar` is equal on all ranks. balance= and scale= change
 * the work as the hypotheses of mpgsim do; drop removes the pattern's barrier (or the operation named at the
 * pattern); bytes= is the message size. Work is sleep, so ranks may share cores. Prints the run time in ms. */
#include "whatif.h"

static int dropped;
static char *in, *out;
enum { MAX_REQUESTS = 64 };

static void wait_ms(double ms)
{
    struct timespec t = {(time_t)(ms / 1e3), 0};
    t.tv_nsec = (long)((ms - 1e3 * (double)t.tv_sec) * 1e6);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static void foo(int k) { work_of("foo", uneven, MPI_COMM_WORLD, k); }
static void bar(int k) { work_of("bar", even, MPI_COMM_WORLD, k); }

/* --- patterns --- */

static void reduce(int k)
{
    foo(k);
    MPI_Reduce(out, in, bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    bar(k);
}
static void gather(int k)
{
    foo(k);
    MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, k % ranks, MPI_COMM_WORLD);
    bar(k);
}
static void gatherv(int k)
{
    int count[MAX_REQUESTS], at[MAX_REQUESTS], sum = 0;
    for (int i = 0; i < ranks; sum += count[i++]) {
        count[i] = bytes / (i + 1);
        at[i] = sum;
    }
    foo(k);
    MPI_Gatherv(out, count[rank], MPI_BYTE, in, count, at, MPI_BYTE, 0, MPI_COMM_WORLD);
    bar(k);
}
static void bcast(int k)
{
    foo(k);
    MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    bar(k);
}
static void scatter(int k)
{
    foo(k);
    MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    bar(k);
}
static void scan(int k)
{
    foo(k);
    MPI_Scan(out, in, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    bar(k);
}
static void ireduce(int k)
{
    MPI_Request q;
    foo(k);
    MPI_Ireduce(out, in, bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD, &q);
    bar(k);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
}
static void both(int k) /* reduction, work of the root, broadcast */
{
    foo(k);
    MPI_Reduce(out, in, bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        wait_ms(unit_ms);
    MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    bar(k);
}
static void tree(int k) /* a reduction tree from messages */
{
    foo(k);
    int mask = 1;
    for (; mask < ranks && !(rank & mask); mask <<= 1)
        if (rank + mask < ranks)
            MPI_Recv(in, bytes, MPI_BYTE, rank + mask, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(out, bytes, MPI_BYTE, rank - mask, 1, MPI_COMM_WORLD);
    bar(k);
}
static void stencil(int k) /* nonblocking */
{
    MPI_Request q[4];
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Irecv(in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(in + bytes, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &q[1]);
    MPI_Isend(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &q[2]);
    MPI_Isend(out, bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &q[3]);
    foo(k);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    bar(k);
}
static void late_stencil(int k) /* posted after the work */
{
    MPI_Request q[4];
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    foo(k);
    MPI_Irecv(in, bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(in + bytes, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &q[1]);
    MPI_Isend(out, bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &q[2]);
    MPI_Isend(out, bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    bar(k);
}
static void persistent(int k)
{
    static MPI_Request q[2];
    if (k == 0) {
        MPI_Recv_init(in, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &q[0]);
        MPI_Send_init(out, bytes, MPI_BYTE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &q[1]);
    }
    foo(k);
    MPI_Startall(2, q);
    bar(k);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    if (k == rounds - 1)
        for (int i = 0; i < 2; i++)
            MPI_Request_free(&q[i]);
}
static void pipeline(int k) /* Sendrecv along a line; drop: no barrier in every third round */
{
    foo(k);
    MPI_Sendrecv(out, bytes, MPI_BYTE, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 4, in, bytes, MPI_BYTE,
                 rank > 0 ? rank - 1 : MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    bar(k);
    if (k % 3 == 2 && !dropped)
        MPI_Barrier(MPI_COMM_WORLD);
}
static void wildcard(int k) /* a master receives in order of arrival */
{
    foo(k);
    if (rank > 0)
        MPI_Send(out, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wait_ms(unit_ms);
    }
    bar(k);
    MPI_Barrier(MPI_COMM_WORLD);
}
static void waitany(int k)
{
    MPI_Request q[MAX_REQUESTS];
    int which;
    for (int i = 1; rank == 0 && i < ranks; i++)
        MPI_Irecv(in + i * bytes, bytes, MPI_BYTE, i, 6, MPI_COMM_WORLD, &q[i - 1]);
    foo(k);
    if (rank > 0)
        MPI_Send(out, bytes, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Waitany(ranks - 1, q, &which, MPI_STATUS_IGNORE);
        wait_ms(unit_ms);
    }
    bar(k);
    MPI_Barrier(MPI_COMM_WORLD);
}
static void waitsome(int k)
{
    MPI_Request q[MAX_REQUESTS];
    int which[MAX_REQUESTS], n;
    for (int i = 1; rank == 0 && i < ranks; i++)
        MPI_Irecv(in + i * bytes, bytes, MPI_BYTE, i, 7, MPI_COMM_WORLD, &q[i - 1]);
    foo(k);
    if (rank > 0)
        MPI_Send(out, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
    for (int done = 0; rank == 0 && done < ranks - 1; done += n) {
        MPI_Waitsome(ranks - 1, q, &n, which, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++)
            wait_ms(unit_ms);
    }
    bar(k);
    MPI_Barrier(MPI_COMM_WORLD);
}
static void fence(int k)
{
    static MPI_Win win;
    if (k == 0)
        MPI_Win_create(in, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    foo(k);
    MPI_Win_fence(0, win);
    MPI_Put(out, bytes, MPI_BYTE, (rank + 1) % ranks, 0, bytes, MPI_BYTE, win);
    bar(k);
    MPI_Win_fence(0, win);
    if (k == rounds - 1)
        MPI_Win_free(&win);
}
static void epochs(int k) /* post, start, complete, wait along a ring */
{
    static MPI_Win win;
    MPI_Group world, to, from;
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    if (k == 0)
        MPI_Win_create(in, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &right, &to);
    MPI_Group_incl(world, 1, &left, &from);
    foo(k);
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(out, bytes, MPI_BYTE, right, 0, bytes, MPI_BYTE, win);
    bar(k);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&world);
    if (k == rounds - 1)
        MPI_Win_free(&win);
}
static void subcomms(int k) /* rows reduce all, columns broadcast */
{
    static MPI_Comm row, column;
    if (k == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
    }
    foo(k);
    MPI_Allreduce(out, in, bytes, MPI_BYTE, MPI_BOR, row);
    bar(k);
    MPI_Bcast(in, bytes, MPI_BYTE, 0, column);
    if (k == rounds - 1) {
        MPI_Comm_free(&row);
        MPI_Comm_free(&column);
    }
}
static void alltoallv(int k)
{
    int count[MAX_REQUESTS], at[MAX_REQUESTS];
    for (int i = 0; i < ranks; i++) {
        count[i] = bytes;
        at[i] = i * bytes;
    }
    foo(k);
    MPI_Alltoallv(out, count, at, MPI_BYTE, in, count, at, MPI_BYTE, MPI_COMM_WORLD);
    bar(k);
}
static void chain(int k) /* blocking sends from rank to rank */
{
    if (rank > 0)
        MPI_Recv(in, bytes, MPI_BYTE, rank - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    foo(k);
    if (rank < ranks - 1)
        MPI_Send(out, bytes, MPI_BYTE, rank + 1, 8, MPI_COMM_WORLD);
    bar(k);
}
static void ahead(int k) /* a producer and a later consumer: the size decides who waits */
{
    if (rank % 2 == 0) {
        bar(k);
        if (rank + 1 < ranks)
            MPI_Send(out, bytes, MPI_BYTE, rank + 1, 9, MPI_COMM_WORLD);
        bar(k);
    } else {
        bar(k);
        foo(k);
        MPI_Recv(in, bytes, MPI_BYTE, rank - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static const struct {
    const char *name;
    void (*run)(int k);
} patterns[] = {{"reduce", reduce}, {"gather", gather}, {"gatherv", gatherv}, {"bcast", bcast}, {"scatter", scatter},
                {"scan", scan}, {"ireduce", ireduce}, {"both", both}, {"tree", tree}, {"stencil", stencil},
                {"late_stencil", late_stencil}, {"persistent", persistent}, {"pipeline", pipeline},
                {"wildcard", wildcard}, {"waitany", waitany}, {"waitsome", waitsome}, {"fence", fence},
                {"epochs", epochs}, {"subcomms", subcomms}, {"alltoallv", alltoallv}, {"chain", chain},
                {"ahead", ahead}};

int main(int argc, char **argv)
{
    void (*run)(int k) = NULL;
    bytes = 1024;
    read_words(argc, argv);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "drop") == 0)
            dropped = 1;
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
            if (strcmp(argv[i], patterns[k].name) == 0)
                run = patterns[k].run;
    }
    if (!run) {
        fprintf(stderr, "usage: whatif PATTERN [WORD]... (patterns: see the end of whatif.c)\n");
        return 2;
    }
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = calloc((size_t)ranks + 1, (size_t)bytes);
    out = calloc((size_t)ranks + 1, (size_t)bytes);
    const double begin = MPI_Wtime();
    for (int k = 0; k < rounds; k++)
        run(k);
    print_longest(MPI_Wtime() - begin);
    MPI_Finalize();
    free(in);
    free(out);
    return 0;
}
