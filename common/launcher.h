/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the environment variables set by the MPI launcher for this process. */
#ifndef MPG_LAUNCHER_H
#define MPG_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/mpi.h"

/* Returns the MPI family of the launcher; MPG_MPI_NONE if unknown. */
enum mpg_mpi mpg_launcher_mpi(void);

/* Returns the number of processes started by the launcher together with this process; 1 without a launcher; 0 if unknown. */
int mpg_launcher_processes(void);

/* Returns the largest number of processes reported by any launcher's variables, and stores the launcher's name in *LAUNCHER; 0 if
 * no launcher reports a number. */
int mpg_launcher_started(const char **launcher);

/* Stores in JOB, of BYTES bytes, a name of the job whose processes on this host were started by process id PROXY, a proxy of
 * Hydra (MPICH, MVAPICH). The name is the same on all hosts of the job, and no other running job has the name. Returns false if
 * PROXY's arguments do not tell (Intel MPI since 2019), or cannot be read. Source: Hydra, src/pm/hydra/ of MPICH 4.0. */
bool mpg_launcher_hydra_job(long proxy, char *job, size_t bytes);

/* The PMI version offered by srun to the tasks of a job step. */
enum mpg_srun_protocol {
    MPG_SRUN_NONE, /* none (--mpi=none), or this process is not in an srun step */
    MPG_SRUN_PMI2, /* --mpi=pmi2 */
    MPG_SRUN_PMIX  /* --mpi=pmix */
};

/* Returns true if this process runs in a step started by srun, and stores the step's PMI version in *PROTOCOL (may be NULL). A
 * batch script does not count as a step. */
bool mpg_launcher_srun(enum mpg_srun_protocol *protocol);

/* Returns the number of tasks of this process's srun step on this host; 0 if Slurm's variables do not tell, or outside a
 * step. */
int mpg_launcher_srun_tasks_here(void);

/* Returns true if this process prints for its job: rank 0, or a process without a rank. */
bool mpg_launcher_is_first(void);

/* Returns the rank of this process by the launcher's variables; -1: none. */
int mpg_launcher_rank(void);

/* Returns true if this process is the first on the host, or if the local rank is unknown. */
bool mpg_launcher_is_first_here(void);

/* Returns true if MPI_Comm_spawn started this process. */
bool mpg_launcher_spawned(void);

#endif
