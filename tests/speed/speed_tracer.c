/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the nanoseconds of CPU time, user and system, that an MPI call takes in a loop
 * of Irecv, Send and Wait on MPI_COMM_SELF, some functions below main: run with and
 * without the tracer (tests/speed/speed_tracer.sh), the difference is what the tracer costs. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { WARM_UP = 1000, LOOPS = 500000, CALLS_A_LOOP = 3, FUNCTIONS = 8 };

static void loop(int loops)
{
    for (int i = 0; i < loops; i++) {
        char in, out = 'x';
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
        MPI_Send(&out, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* As deep in the stack as a tracer looks by default. */
__attribute__((noinline)) static double measure(volatile int depth)
{
    if (depth > 0)
        return measure(depth - 1) + 0 * depth;
    loop(WARM_UP);
    double start_ns = cpu_ns();
    loop(LOOPS);
    return cpu_ns() - start_ns;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("%.2f\n", measure(FUNCTIONS) / ((double)LOOPS * CALLS_A_LOOP));
    MPI_Finalize();
    return 0;
}
