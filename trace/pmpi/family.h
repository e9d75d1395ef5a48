/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells the tracer to mpgtrace record. */
#ifndef MPG_TRACER_FAMILY_H
#define MPG_TRACER_FAMILY_H

/* In a program that was linked with the tracer's archive. */
#define MPG_TRACER_SIGN "mpgkit: this program holds the tracer"

/* The name of the process that says that nothing was traced (trace/record/watch.h). */
#define MPG_WATCH_NAME "mpgtrace-watch"

/* A name of the ABI that the tracer is compiled for, which its libraries have and no others: what MPI_DUP_FN or MPI_COMM_WORLD of
 * their mpi.h stands for. (Included with mpi.h, config.h.) */
#ifdef MPICH
#define MPG_TRACER_FAMILY "MPIR_Dup_fn"
#define MPG_TRACER_FAMILY_NAME "MPICH"
#define MPG_TRACER_SONAME MPGKIT_MPICH_SONAME
#elif defined(OPEN_MPI)
#define MPG_TRACER_FAMILY "ompi_mpi_comm_world"
#define MPG_TRACER_FAMILY_NAME "Open MPI"
#define MPG_TRACER_SONAME MPGKIT_OPENMPI_SONAME
#endif

#endif
