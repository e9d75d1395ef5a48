/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a launcher (mpirun, srun) told this process through its environment, and
 * command lines that only one of the processes answers. Needs no MPI. */
#ifndef MPG_LAUNCH_H
#define MPG_LAUNCH_H

#include "common/error.h"
#include "common/option.h"

struct mpg_launch {
    int rank, ranks;             /* of all; ranks 0: there are several, nobody says how many */
    int local_rank, local_ranks; /* on this host; local_rank -1: nobody says */
};

/* What Open MPI, MVAPICH, Hydra (MPICH, Intel MPI), PMIx or Slurm say, in this
 * order; rank 0 of one where none does. A Slurm batch script's own environment
 * is no launch: only srun's steps are. */
void mpg_launch_find(struct mpg_launch *launch);

/* mpg_option_parse() where only rank 0 prints; on a wrong command line the
 * others end after it. Before MPI is initialised. For main() only. */
int mpg_launch_parse(const struct mpg_program *program, int argc, char **argv);

/* mpg_option_usage_error() "TEXT" that only rank 0 prints. For main() only. */
void mpg_launch_usage_error(const struct mpg_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
