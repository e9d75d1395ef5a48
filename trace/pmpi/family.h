/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells the tracer to mpgtrace record, and the family of MPIs that it is compiled for. */
#ifndef MPG_TRACER_FAMILY_H
#define MPG_TRACER_FAMILY_H

#include "common/mpi.h"

/* In a program that was linked with the tracer's archive. */
#define MPG_TRACER_SIGN "mpgkit: this program holds the tracer"

/* The name of the process that says that nothing was traced (trace/record/watch.h). */
#define MPG_WATCH_NAME "mpgtrace-watch"
/* The signal by which it learns that Open MPI's MPI_Init has begun in a step of srun without PMIx. (Included with signal.h.) */
#define MPG_WATCH_IN_INIT SIGUSR1

/* The family; what mpg_mpi_word() and mpg_mpi_tracer() say of it. (After mpi.h.) */
#if defined(MPICH)
#define MPG_TRACER_MPI MPG_MPI_MPICH
#define MPG_TRACER_WORD "mpich"
#define MPG_TRACER_MARK mpgtrace_mpich
#elif defined(OPEN_MPI)
#define MPG_TRACER_MPI MPG_MPI_OPENMPI
#define MPG_TRACER_WORD "openmpi"
#define MPG_TRACER_MARK mpgtrace_openmpi
#elif defined(MPI_ABI_VERSION)
#define MPG_TRACER_MPI MPG_MPI_ABI
#define MPG_TRACER_WORD "abi"
#define MPG_TRACER_MARK mpgtrace_abi
#endif

#endif
