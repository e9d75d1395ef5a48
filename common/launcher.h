/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the launcher that started this process says about it, in the environment. */
#ifndef MPG_LAUNCHER_H
#define MPG_LAUNCHER_H

#include <stdbool.h>

#include "common/mpi.h"

/* The MPI that the launcher belongs to; MPG_MPI_NONE if it does not tell. */
enum mpg_mpi mpg_launcher_mpi(void);

/* How many processes the launcher has started together with this one, as far as it says; 1: no launcher;
 * 0: it does not say. */
int mpg_launcher_processes(void);

/* The most processes that any launcher says it has started together with this one, whoever's it is, and into *LAUNCHER its
 * name; 0 if none says. */
int mpg_launcher_started(const char **launcher);

/* The PMI version that srun offers to the tasks of a step. */
enum mpg_srun_protocol {
    MPG_SRUN_NONE, /* none (--mpi=none), or this process is in no step of srun */
    MPG_SRUN_PMI2, /* --mpi=pmi2 */
    MPG_SRUN_PMIX  /* --mpi=pmix */
};

/* Returns true if this process runs in a step that srun started, and stores the step's PMI version in *PROTOCOL (which may be
 * NULL). A batch script is no such step, however many tasks its allocation has. */
bool mpg_launcher_srun(enum mpg_srun_protocol *protocol);

/* Returns the number of tasks that this process's srun step has on this host; 0 if Slurm's variables do not tell it, or there is
 * no step. */
int mpg_launcher_srun_tasks_here(void);

/* Whether this process is the one that speaks for its job: rank 0, or one that has no
 * number. */
bool mpg_launcher_is_first(void);

/* Its number among them, which is its rank with the launchers that are known; -1: it has none. */
int mpg_launcher_rank(void);

/* Whether it is the first of its host, as far as is known. */
bool mpg_launcher_is_first_here(void);

/* Whether the process was started by a program's MPI_Comm_spawn. */
bool mpg_launcher_spawned(void);

#endif
