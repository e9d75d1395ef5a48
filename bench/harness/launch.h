/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks from the environment of the launcher (mpirun, srun), and command lines answered by rank 0 only. Needs no
 * MPI. */
#ifndef MPG_LAUNCH_H
#define MPG_LAUNCH_H

#include "common/error.h"
#include "common/option.h"

struct mpg_launch {
    int rank, ranks;             /* rank and number of ranks; RANKS 0: several ranks, unknown number */
    int local_rank, local_ranks; /* rank on this host and number of ranks on this host; local_rank -1: unknown */
};

/* Reads the variables of Open MPI, MVAPICH, Hydra (MPICH, Intel MPI), PMIx and Slurm, in this order. Without a launcher: rank 0
 * of 1. Slurm's batch script does not count as a launcher; srun's steps do. */
void mpg_launch_find(struct mpg_launch *launch);

/* Calls mpg_option_parse() with output from rank 0 only; on a wrong command line the other ranks exit after rank
 * 0. For main() only, before MPI_Init. */
int mpg_launch_parse(const struct mpg_program *program, int argc, char **argv);

/* Calls mpg_option_usage_error() with output from rank 0 only. For main() only. */
void mpg_launch_usage_error(const struct mpg_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
