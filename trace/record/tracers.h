/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracers that this installation has, one a family of MPI libraries. */
#ifndef MPG_RECORD_TRACERS_H
#define MPG_RECORD_TRACERS_H

#include <stddef.h>

#include "common/error.h"
#include "common/mpi.h"

/* The library NAME of the tracer's: in $MPGKIT_LIBDIR, in this build tree, or where it was
 * installed with this program, into PATH of SIZE bytes. */
int mpg_tracer_library(const char *name, char *path, size_t size, struct mpg_error *err);

/* The tracer for MPI, which has such a library of the name MPI_LIBRARY (empty: not known),
 * into PATH of SIZE bytes. Returns 1 if there is none for it: mpgkit was built without, or
 * the one that is there was built for another version of its ABI; ERR then says so. Fails
 * if the one that should be there is not. */
int mpg_tracer_find(enum mpg_mpi mpi, const char *mpi_library, char *path, size_t size,
                    struct mpg_error *err);

/* Prints the MPIs that are served as a line of --version. */
void mpg_tracers_print(void);

/* Puts LIBRARIES, the last of which is NULL, in front of what LD_PRELOAD holds, without
 * tracers that an outer run has put there. */
int mpg_preload(const char *const *libraries, struct mpg_error *err);

#endif
