/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of MPI that go past the tracer: of modules that were loaded so that their own libraries come first (dlopen(3),
 * RTLD_DEEPBIND), and of functions that the program looked up in a library (dlsym(3)) and that the tracer has no wrapper for
 * there. */
#ifndef MPG_TRACER_PAST_H
#define MPG_TRACER_PAST_H

#include <stddef.h>

/* The program looked up NAME, a function of MPI, and got FUNCTION, no wrapper. Thread-safe. */
void past_looked_up(const char *name, const void *function);

/* The functions that were so looked up, as "MPI_Init, MPI_Send and 3 more functions of MPI", into TEXT of SIZE bytes, and the
 * file of the first, which stays valid; NULL: none was. */
const char *past_describe(char *text, size_t size);

/* Returns the file of the module that calls PMPI_Init or PMPI_Init_thread in the library itself, past the tracer, which stays
 * valid while that is loaded; NULL: none does. */
const char *past_initializer(void);

/* At the end of the run: says, in one line a module, which functions of MPI it calls in the library itself, and, in one line,
 * which the program has looked up. */
void past_tell(void);

#endif
