/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The libraries loaded at a program's start, found by the program's own dynamic linker. */
#ifndef MPG_RECORD_LIBRARIES_H
#define MPG_RECORD_LIBRARIES_H

#include <limits.h>
#include <stddef.h>

#include "trace/record/elf.h"

struct mpg_library {
    char name[256];      /* name in the list of needed libraries of the program or a library, mostly a SONAME; if a path is
                          * listed, the SONAME of this path */
    char path[PATH_MAX]; /* empty: not found */
};

/* Returns all libraries of PROGRAM (a path), also the libraries needed by libraries, in a new array of *NUMBER entries, freed
 * by the caller. Runs the dynamic linker INTERPRETER, not the program. Returns NULL and 0 if the dynamic linker gives no
 * list. */
struct mpg_library *mpg_libraries(const char *program, const char *interpreter, size_t *number);

/* Copies to PATH (PATH_MAX bytes) the extension module of mpi4py that the interpreter PYTHON would load; returns false without
 * mpi4py. Runs PYTHON, because only the interpreter knows the module folders, but does not load the module. */
bool mpg_python_module(const char *python, char *path);

#endif
