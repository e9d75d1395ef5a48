/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracer's marks for mpgtrace record, and the MPI family for which the tracer is compiled. */
#ifndef MPG_TRACER_FAMILY_H
#define MPG_TRACER_FAMILY_H

#include <stdbool.h>

#include "common/mpi.h"

/* Contained in each program that is linked with the tracer's archive. */
#define MPG_TRACER_SIGN "mpgkit: this program holds the tracer"

/* The name of the watch process, which reports that nothing was traced (trace/record/watch.h). */
#define MPG_WATCH_NAME "mpgtrace-watch"
/* Signals the watch process that Open MPI's MPI_Init has begun in an srun step without PMIx. (Include signal.h, too.) */
#define MPG_WATCH_IN_INIT SIGUSR1

/* The family, and its values of mpg_mpi_word() and mpg_mpi_tracer(). (Include mpi.h first.) */
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

/* Makes this tracer record nothing: the tracer's functions only call the next functions in the chain. Called by another tracer of
 * the process that precedes this tracer: in a program linked with a tracer, under mpgtrace record, which preloads a tracer. */
void mpgtrace_stand_aside(void);

/* Returns whether this tracer records nothing: another tracer has called mpgtrace_stand_aside(), or the program has raised rights
 * (setuid, setgid or file capabilities). */
bool tracer_stands_aside(void);

#endif
