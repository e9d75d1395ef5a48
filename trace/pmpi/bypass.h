/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI calls that bypass the tracer: calls of modules loaded with precedence for the module's libraries (dlopen(3),
 * RTLD_DEEPBIND), and calls of functions that the program looked up by dlsym(3) without getting the tracer's wrapper. */
#ifndef MPG_TRACER_BYPASS_H
#define MPG_TRACER_BYPASS_H

#include <stddef.h>

/* Stores that the program looked up NAME, an MPI function, and got FUNCTION instead of a wrapper. Thread-safe. */
void bypass_looked_up(const char *name, const void *function);

/* Writes the functions noted by bypass_looked_up() to TEXT of SIZE bytes, as "MPI_Init, MPI_Send and 3 more functions of
 * MPI". Returns the file of the first function, which stays valid; NULL: no function was noted. */
const char *bypass_describe(char *text, size_t size);

/* Returns the file of the module that calls PMPI_Init or PMPI_Init_thread in the library directly, bypassing the tracer; NULL: no
 * such module. Valid while the module is loaded. */
const char *bypass_initializer(void);

/* At the end of the run: reports the MPI functions that bypass the tracer, in one line for each calling module and one
 * line for the functions looked up by dlsym. */
void bypass_report(void);

#endif
