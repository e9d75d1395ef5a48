/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries of ours that call MPI, one for each family, which programs load that need MPI only where a
 * launcher has started them. */
#ifndef MPG_MODULE_H
#define MPG_MODULE_H

#include "common/error.h"
#include "common/mpi.h"

/* The MPI that the processes which a launcher has started have in common; MPG_MPI_NONE: it does not tell. */
enum mpg_mpi mpg_module_mpi(void);

/* What SYMBOL is in NAME-WORD.so, WORD being that of MPI, which stays loaded; in a build tree the room ROOM
 * has it. Errors: it is not there, or what is preloaded is of another family. */
void *mpg_module_load(enum mpg_mpi mpi, const char *name, const char *room, const char *symbol,
                      struct mpg_error *err);

#endif
