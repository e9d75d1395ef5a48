/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computation and MPI_Allreduce only, like the scalar products of a solver.
 *
 *     allreduce [STEPS [DOUBLES [WORK]]]          WORK: about microseconds */
#include "validate/programs/work.h"

int main(int argc, char **argv)
{
    int steps = argument(argc, argv, 1, 1, 2000), n = argument(argc, argv, 2, 1, 1);
    int units = argument(argc, argv, 3, 0, 20);
    uint64_t sum = 1;
    MPI_Init(&argc, &argv);
    double *own = calloc((size_t)n, sizeof *own), *all = calloc((size_t)n, sizeof *all);
    if (!own || !all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < steps; step++) {
        sum = work(units, sum);
        MPI_Allreduce(own, all, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    free(own);
    free(all);
    MPI_Finalize();
    return sum == 0;
}
