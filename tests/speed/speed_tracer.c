/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the mean CPU time (user and system) in ns of an MPI call in a loop of Irecv, Send and Wait on MPI_COMM_SELF,
 * some functions below main. Runs with and without the tracer (tests/speed/speed_tracer.sh) differ by the tracer's
 * overhead. Argument: the number of call stacks, in random order; 0: a new stack in each of 16384 loops; local: three
 * calls of MPI_Comm_rank instead; timer: three readings of the processor's counter instead. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/ticks.h"

enum { WARM_UP = 1000, LOOPS = 500000, NEW_BITS = 14, CALLS_A_LOOP = 3, FUNCTIONS = 8 };

static enum { MESSAGES, LOCAL, TIMER } mode;

static void exchange(void)
{
    int rank;
    for (int i = 0; mode != MESSAGES && i < CALLS_A_LOOP; i++)
        if (mode == LOCAL)
            MPI_Comm_rank(MPI_COMM_SELF, &rank);
        else
            (void)mpg_ticks_read();
    if (mode != MESSAGES)
        return;
    char in, out = 'x';
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Makes the loop's calls LEVELS functions deeper. Two bits of PATH select the call in each function. The text after
 * each call keeps the compiler from merging the calls or making a loop. */
#define BELOW(text)                     \
    descend(levels - 1, path >> 2);     \
    __asm__ volatile("# " text);        \
    break
__attribute__((noinline)) static void descend(unsigned levels, unsigned path)
{
    if (levels == 0) {
        exchange();
        return;
    }
    switch (path & 3) {
    case 0: BELOW("0");
    case 1: BELOW("1");
    case 2: BELOW("2");
    default: BELOW("3");
    }
}

static uint64_t state = 1;

static void loop(int loops, unsigned stacks)
{
    for (int i = 0; i < loops; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (stacks == 1)
            exchange();
        else
            descend(NEW_BITS / 2, stacks == 0 ? (unsigned)i : (unsigned)(state >> 33) % stacks);
    }
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Calls RUN at the stack depth that a tracer records by default. */
__attribute__((noinline)) static double measure(volatile int depth, unsigned stacks)
{
    const int loops = stacks == 0 ? 1 << NEW_BITS : LOOPS;
    if (depth > 0)
        return measure(depth - 1, stacks) + 0 * depth;
    loop(stacks == 0 ? 1 : WARM_UP, stacks);
    double start_ns = cpu_ns();
    loop(loops, stacks);
    return (cpu_ns() - start_ns) / ((double)loops * CALLS_A_LOOP);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "1";
    mode = strcmp(what, "local") == 0 ? LOCAL : strcmp(what, "timer") == 0 ? TIMER : MESSAGES;
    printf("%.2f\n", measure(FUNCTIONS, mode == MESSAGES ? (unsigned)atoi(what) : 1));
    MPI_Finalize();
    return 0;
}
