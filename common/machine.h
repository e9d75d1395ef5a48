/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the machine of this process. Results files and traces use the same words, and so are comparable. The functions do not
 * allocate and do not use stdio files: the tracer calls them inside the application. */
#ifndef MPG_COMMON_MACHINE_H
#define MPG_COMMON_MACHINE_H

#include <stddef.h>

/* The functions below write into TEXT of SIZE bytes and return TEXT. TEXT is "unknown" if the system does not tell. */

/* The processor's name: /proc/cpuinfo "model name" on x86, "cpu" on POWER. */
char *mpg_machine_cpu(char *text, size_t size);
/* The kernel, in the format of uname -srvm. */
char *mpg_machine_kernel(char *text, size_t size);
/* The environment variables that change how an MPI library communicates (Open MPI, MPICH and derivatives, UCX, libfabric, PSM,
 * HCOLL), as NAME=VALUE, sorted by name, separated by blanks. Excludes variables set by launchers. "none" if there are no
 * settings. */
char *mpg_machine_mpi_settings(char *text, size_t size);

/* Writes the cores allowed to the calling thread into TEXT ("0-3,8") and returns their number. Returns 0 and an empty TEXT if the
 * system does not tell. */
int mpg_machine_cores(char *text, size_t size);
/* Returns the CPU quota of the process's control group (cgroups version 2, cpu.max) in cores; 0 if no limit is known. */
double mpg_machine_core_limit(void);
/* Returns the number of threads able to run at once: the cores allowed to the calling thread, at most the quota rounded up, at
 * least 1. */
unsigned mpg_machine_threads(void);

#endif
