/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that a process runs on, in the words that results files and traces share, so
 * that they can be held against each other. Nothing here allocates or uses stdio's files:
 * the tracer calls it in programs of others. */
#ifndef MPG_COMMON_MACHINE_H
#define MPG_COMMON_MACHINE_H

#include <stddef.h>

/* Each writes into TEXT of SIZE bytes, and returns it; "unknown" where the system does not
 * tell. */

/* The processor's name: "model name" on x86, "cpu" on POWER. */
char *mpg_machine_cpu(char *text, size_t size);
/* The kernel as uname -srvm has it. */
char *mpg_machine_kernel(char *text, size_t size);
/* What in the environment changes how an MPI library communicates: the settings of Open MPI,
 * MPICH and its kin, UCX, libfabric, PSM, HCOLL, as NAME=VALUE with blanks between them, by
 * name; not what launchers tell their processes. "none" without any. */
char *mpg_machine_mpi_settings(char *text, size_t size);

/* The cores that the calling thread may run on, as "0-3,8" in TEXT; how many they are, 0
 * where the system does not tell (TEXT is then empty). */
int mpg_machine_cores(char *text, size_t size);
/* The cores that a control group's quota (cgroups version 2, cpu.max) is worth; 0: no limit
 * is known. */
double mpg_machine_core_limit(void);

#endif
