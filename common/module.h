/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads mpgkit libraries calling MPI. Each library exists once per MPI family, and programs load a library only after a launcher
 * has started them. */
#ifndef MPG_MODULE_H
#define MPG_MODULE_H

#include "common/error.h"
#include "common/mpi.h"

/* Returns the MPI family of the launched processes; MPG_MPI_NONE if unknown. */
enum mpg_mpi mpg_module_mpi(void);

/* Loads the library NAME-WORD.so (WORD is the word of MPI) for the life of the process and returns the address of SYMBOL.
 * ROOM is the library's folder in a build tree. Returns NULL with ERR if the library or symbol is missing, or if a preloaded
 * library belongs to another MPI family. */
void *mpg_module_load(enum mpg_mpi mpi, const char *name, const char *room, const char *symbol,
                      struct mpg_error *err);

#endif
