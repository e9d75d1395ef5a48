/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided transfers of one number that may need the target inside MPI.
 *
 *     transfers PATTERN [balance=REGION] [scale=REGION:F] [bytes=N] [rounds=N] [unit=MS]
 *
 * Each round has uneven work (region `foo`), a transfer by PATTERN, even work (`bar`), and the completion of the
 * transfer. Work is sleep, so ranks may share cores. balance= and scale= change the work as the hypotheses of mpgsim
 * do. Prints the run time in ms. */
#include "whatif.h"

static MPI_Win win;
static const long one = 1;

static int neighbor(int distance)
{
    return (rank + ranks + distance) % ranks;
}

static void foo(int k)
{
    work_of("foo", uneven, MPI_COMM_WORLD, k);
}

static void bar(int k)
{
    work_of("bar", even, MPI_COMM_WORLD, k);
}

static void accumulate(int to)
{
    MPI_Accumulate(&one, 1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_SUM, win);
}

/* Adds to the window of the right neighbour, between fences. */
static void right(int k)
{
    foo(k);
    accumulate(neighbor(1));
    bar(k);
    MPI_Win_fence(0, win);
}

/* Adds to the windows of both neighbours, between fences. */
static void both(int k)
{
    foo(k);
    accumulate(neighbor(1));
    accumulate(neighbor(-1));
    bar(k);
    MPI_Win_fence(0, win);
}

/* Compare-and-swap on the right neighbour's window, then a barrier. */
static void swap(int k)
{
    const long expected = 0;
    long was;
    foo(k);
    MPI_Compare_and_swap(&one, &expected, &was, MPI_LONG, neighbor(1), 0, win);
    MPI_Win_flush(neighbor(1), win);
    bar(k);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Fetch-and-add on a shared counter in rank 0's window. */
static void counter(int k)
{
    long was;
    foo(k);
    MPI_Fetch_and_op(&one, &was, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    bar(k);
}

/* Adds to the right neighbour's window by an operation with a request; a barrier every fourth round. */
static void requested(int k)
{
    MPI_Request request;
    foo(k);
    MPI_Raccumulate(&one, 1, MPI_LONG, neighbor(1), 0, 1, MPI_LONG, MPI_SUM, win, &request);
    bar(k);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (k % 4 == 3)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Puts into the right neighbour's window under a lock, with work (region `held`) before the unlock. */
static void locks(int k)
{
    foo(k);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, neighbor(1), 0, win);
    MPI_Put(&one, 1, MPI_LONG, neighbor(1), 0, 1, MPI_LONG, win);
    work("held", 1);
    MPI_Win_unlock(neighbor(1), win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct pattern {
    const char *name;
    void (*run)(int k);
    int locks_all; /* the run is one lock_all epoch */
} patterns[] = {{"right", right, 0},     {"both", both, 0},           {"swap", swap, 1},
                {"counter", counter, 1}, {"requested", requested, 1}, {"locks", locks, 0}};

int main(int argc, char **argv)
{
    const struct pattern *pattern = NULL;
    read_words(argc, argv);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (argc > 1 && strcmp(argv[1], patterns[i].name) == 0)
            pattern = &patterns[i];
    if (!pattern) {
        fprintf(stderr, "usage: transfers right|both|swap|counter|requested|locks [WORD]...\n");
        return 2;
    }
    long number = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_create(&number, sizeof number, sizeof number, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (pattern->run == right || pattern->run == both)
        MPI_Win_fence(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (pattern->locks_all)
        MPI_Win_lock_all(0, win);
    for (int k = 0; k < rounds; k++)
        pattern->run(k);
    if (pattern->locks_all)
        MPI_Win_unlock_all(win);
    print_longest(MPI_Wtime() - begin);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
