/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracers of this installation, one for each family of MPI libraries. */
#ifndef MPG_RECORD_TRACERS_H
#define MPG_RECORD_TRACERS_H

#include <stddef.h>

#include "common/error.h"
#include "common/mpi.h"

/* Copies to PATH (SIZE bytes) the path of the tracer library NAME: in $MPGKIT_LIBDIR, in the program's build tree, or
 * installed with the program. */
int mpg_tracer_library(const char *name, char *path, size_t size, struct mpg_error *err);

/* Copies to PATH (SIZE bytes) the tracer for the family MPI, with library file name MPI_LIBRARY (empty: unknown). Returns 1
 * with ERR if mpgkit was built without the family or for a different ABI version of the library; -1 with ERR if mpgkit was
 * built for the family but the tracer is missing. */
int mpg_tracer_find(enum mpg_mpi mpi, const char *mpi_library, char *path, size_t size,
                    struct mpg_error *err);

/* Prints the supported MPI families as a line of --version. */
void mpg_tracers_print(void);

/* Puts LIBRARIES (NULL-terminated) in front of LD_PRELOAD and removes tracers put into LD_PRELOAD by an outer run. */
int mpg_preload(const char *const *libraries, struct mpg_error *err);

#endif
