/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real MPI: every function PMPI_X, and every object of mpi.h, is reached through a pointer, and PMPI_X is a macro
 * for it. The tracer is linked to no MPI: it is that of the program, whichever library of its family and
 * wherever from, also one that a module loads late with names that only its users see (dlopen(3), RTLD_LOCAL). Included
 * before all else (-include).
 *
 * What a wrapper hands on to is NEXT(X): the MPI_X that the program would call without the tracer, which is another tool's
 * where one is loaded behind the tracer (Darshan, IPM), and else PMPI_X. The tracer's own calls are PMPI's. */
#ifndef MPG_TRACER_REAL_H
#define MPG_TRACER_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/pmpi/mpi_all.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "real_names.h"
#pragma GCC diagnostic pop

#define NEXT(name) (*tracer_behind.MPI_##name)

/* Where each name's pointer is in struct tracer_real, and in struct tracer_behind (-1: an object's is not); ends with NULL. */
struct tracer_real_name {
    const char *name;
    size_t place;
    ptrdiff_t next;
};
extern const struct tracer_real_name tracer_real_names[] __attribute__((visibility("hidden")));

/* False once the program's MPI is known to be of the tracer's family. */
extern bool tracer_may_be_other __attribute__((visibility("hidden")));

/* The dynamic linker has set the pointers where the program starts with its MPI. Else finds the one that the module of CALLER
 * (an address in it) is linked to, or that another module has loaded, or else loads that of the tracer, and sets them. Where
 * the module has loaded an MPI of another family, the program runs untraced, and one line says so; ends the program, which has
 * called MPI, if there is none at all. */
void tracer_real_find(const void *caller);
static inline void tracer_real_be_found(const void *caller)
{
    if (__builtin_expect(tracer_may_be_other, false))
        tracer_real_find(caller);
}

/* Finds the program's MPI as tracer_real_find() does. Returns its function NAME, MPI_X, where it is of another family: a wrapper
 * cannot stand before that, as handles and constants differ. NULL: MPI is of the tracer's family. */
void *tracer_real_other(const char *name, const void *caller);

/* Returns whether the program's MPI is of another family than the tracer. */
bool tracer_real_is_other(void);

/* Returns the file of a loaded MPI of another family, where none of the tracer's is known; NULL: there is none. */
const char *tracer_real_loaded_other(void);

/* Before MPI_Init: finds what comes next. And, if it TELLS, says which functions are defined before the tracer's, whose calls it
 * does not see. */
void tracer_real_chain(bool tells);

/* The file of the module that defines NAME, MPI_X, before the tracer does; NULL if none does. */
const char *tracer_real_before(const char *name);

/* Whether FUNCTION is one of the tracer's. */
bool tracer_real_is_own(const void *function);

/* Returns whether FUNCTION is an entry of the program's procedure linkage table, not the function itself. The dynamic linker
 * gives such an address to everybody where the program is no PIE and takes the function's address (System V ABI, AMD64
 * supplement, Function Addresses). */
bool tracer_real_is_entry(const void *function);

/* Returns the function of MPI behind FUNCTION where that is such an entry; else FUNCTION. */
const void *tracer_real_definition(const void *function);

/* Returns whether MPI is initialized, and *ENDED whether it has been finalized, by MPI's own word. False where no MPI is found
 * yet. */
bool tracer_real_was_initialized(bool *ended);

/* Whether the addresses A and B are in one library, or are the same. */
bool tracer_real_is_of_one_library(const void *a, const void *b);

/* Whether what the wrapper of NAME, MPI_X, hands on to is in the library of FUNCTION, a function of that name. If the tracer has
 * found no MPI yet, that library becomes its MPI if it is of its family, and what comes next is found. */
bool tracer_real_leads_to(const char *name, const void *function);

/* Whether CALLER is in the library that the wrapper of NAME, MPI_X, hands on to: a tool's, or MPI's. */
bool tracer_real_is_behind(const char *name, const void *caller);

/* The function NAME of that MPI, or of the libraries behind the tracer; NULL if there is none. */
void *tracer_real_function(const char *name);

#endif
