/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose output depends on its heap. After each step of MPI calls it prints the growth of the heap, the
 * distance of a new block from a block freed before the step, and how much of the freed block's content is still there.
 * A tracer that allocates on this heap changes the output (test-heap.sh). Each rank sends to itself. */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/mpg_region.h"

enum { MANY = 100 };

static void ask(void)
{
    int rank;
    double now = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (now < 0 || rank < 0)
        abort();
}

static void exchange(void)
{
    int out[4] = {0}, in[4];
    MPI_Sendrecv(out, 1, MPI_INT, 0, 1, in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Uses more requests in one call than the tracer keeps on the stack. */
static void post_many(void)
{
    static int out[MANY], in[MANY];
    MPI_Request requests[2 * MANY];
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < MANY; i++)
        MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[MANY + i]);
    MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
}

static void name_regions(void)
{
    static int number;
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "region %d", number++);
        mpg_region_begin(name);
        mpg_region_end(name);
    }
}

__attribute__((noinline)) static void descend(volatile int depth)
{
    if (depth > 0)
        descend(depth - 1);
    else
        ask();
    depth = 0;
}

/* Each call has a new call stack. */
static void descend_often(void)
{
    for (int i = 0; i < 40; i++)
        descend(i);
}

static void step(const char *name, void (*calls)(void))
{
    static const size_t sizes[] = {24, 40, 104, 264, 520, 1032, 3000, 20000};
    enum { N = sizeof sizes / sizeof *sizes };
    unsigned char *before[N];
    for (int i = 0; i < N; i++) {
        before[i] = malloc(sizes[i]);
        memset(before[i], 'x', sizes[i]);
    }
    for (int i = 0; i < N; i++)
        free(before[i]);
    const size_t used = mallinfo2().uordblks;
    calls();
    printf("%s: %+ld bytes;", name, (long)(mallinfo2().uordblks - used));
    for (int i = 0; i < N; i++) {
        unsigned char *after = malloc(sizes[i]);
        size_t same = 0;
        for (size_t k = 0; k + 8 <= sizes[i]; k += 8) /* compares whole words, because a single byte of an address may be an x */
            same += memcmp(after + k, "xxxxxxxx", 8) == 0;
        printf(" %+ld %zu", (long)(after - before[i]), same);
        free(after);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    setvbuf(stdout, line, _IOFBF, sizeof line);
    MPI_Init(&argc, &argv);
    /* MPI, and the region header in an untraced program, allocate memory in the first round */
    exchange();
    post_many();
    name_regions();
    for (int i = 0; i < 2; i++) {
        step("ask", ask);
        step("exchange", exchange);
        step("post many", post_many);
        step("name regions", name_regions);
        step("descend", descend_often);
    }
    MPI_Finalize();
    return 0;
}
