/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the nanoseconds an MPI call takes in a loop of Irecv, Send and Wait on
 * MPI_COMM_SELF, the least of several repetitions: run with and without the
 * tracer (tests/speed.sh), the difference is what the tracer costs. */
#include <mpi.h>
#include <stdio.h>

enum { REPETITIONS = 9, LOOPS = 50000, CALLS_A_LOOP = 3 };

static double seconds_of_loop(void)
{
    double start = MPI_Wtime();
    for (int i = 0; i < LOOPS; i++) {
        char in, out = 'x';
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
        MPI_Send(&out, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
    double least = 0;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < REPETITIONS; i++) {
        double seconds = seconds_of_loop();
        if (i == 0 || seconds < least)
            least = seconds;
    }
    printf("%.1f\n", least * 1e9 / (LOOPS * CALLS_A_LOOP));
    MPI_Finalize();
    return 0;
}
