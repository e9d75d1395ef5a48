/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program to run: file, and MPI library. */
#ifndef MPG_RECORD_TARGET_H
#define MPG_RECORD_TARGET_H

#include <limits.h>
#include <stdbool.h>

#include "common/error.h"
#include "common/mpi.h"
#include "trace/record/elf.h"

struct mpg_record_target {
    char path[PATH_MAX]; /* file started by execvp(); for a script the interpreter */
    enum mpg_elf_kind kind;
    enum mpg_mpi mpi;       /* family linked to the program or to its libraries */
    bool loads_late;        /* MPI is linked only to mpi4py, possibly not loaded by the program */
    char mpi_library[256];  /* file name of the MPI library, for example libmpi.so.40 */
    char unknown_mpi[256];  /* if `mpi` is MPG_MPI_NONE: a library with PMPI_Init of an unknown family; or empty */
    bool odd_fortran;       /* linked to Open MPI's Fortran library, which has four names for each function */
    char sanitizer[PATH_MAX]; /* a sanitizer's runtime library that must be loaded first; or empty */
    bool gains_rights;      /* setuid, setgid or file capabilities: the dynamic linker preloads nothing */
    bool has_tracer;        /* a static program with the tracer linked in */
};

/* Fills TARGET for the program NAME, searched as by execvp(3). Returns an error if the program cannot be run; leaves all
 * further fields empty if they cannot be determined. */
int mpg_target_find(struct mpg_record_target *target, const char *name, struct mpg_error *err);

/* Returns the family of the MPI library PATH; MPG_MPI_NONE for all other files. */
enum mpg_mpi mpg_library_mpi(const char *path);

#endif
