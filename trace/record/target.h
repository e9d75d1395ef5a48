/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program that is to be run: its file, and which MPI it is linked to. */
#ifndef MPG_RECORD_TARGET_H
#define MPG_RECORD_TARGET_H

#include <limits.h>
#include <stdbool.h>

#include "common/error.h"
#include "common/mpi.h"
#include "trace/record/elf.h"

struct mpg_record_target {
    char path[PATH_MAX]; /* what execvp() would start; of a script, its interpreter */
    enum mpg_elf_kind kind;
    enum mpg_mpi mpi;       /* that it is linked to, itself or by a library */
    bool loads_late;        /* ... or its mpi4py is, which it may or may not load */
    char mpi_library[256];  /* that MPI's library, as libmpi.so.40 */
    char unknown_mpi[256];  /* without one: a library that has MPI_Init and is of no family known; or empty */
    bool odd_fortran;       /* ... and to Open MPI's Fortran library, which has each function by four names */
    char sanitizer[PATH_MAX]; /* a sanitizer's runtime library that must come first; or empty */
    bool gains_rights;      /* setuid and the like: the dynamic linker preloads nothing */
    bool has_tracer;        /* a static program that was linked with the tracer */
};

/* Looks at the program NAME, found as execvp(3) finds it. Fails if it cannot be run; what
 * cannot be found out otherwise is left empty. */
int mpg_target_find(struct mpg_record_target *target, const char *name, struct mpg_error *err);

/* The family of the MPI library PATH, and of one that is none MPG_MPI_NONE. */
enum mpg_mpi mpg_library_mpi(const char *path);

#endif
