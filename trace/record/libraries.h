/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The libraries that a program starts with, as its own dynamic linker finds them. */
#ifndef MPG_RECORD_LIBRARIES_H
#define MPG_RECORD_LIBRARIES_H

#include <limits.h>
#include <stddef.h>

#include "trace/record/elf.h"

struct mpg_library {
    char name[256];      /* as it is asked for, mostly its SONAME */
    char path[PATH_MAX]; /* empty: not found */
};

/* All libraries of PROGRAM (a path), those that libraries need too, in a new array of NUMBER
 * that the caller frees. The dynamic linker INTERPRETER is run to list them; the program is
 * not run. NULL and 0 if it cannot say. */
struct mpg_library *mpg_libraries(const char *program, const char *interpreter, size_t *number);

/* The extension module of mpi4py that the interpreter PYTHON would load, into PATH of PATH_MAX
 * bytes; false if it has none. It is asked: only itself knows its folders. The module is not
 * loaded. */
bool mpg_python_module(const char *python, char *path);

#endif
