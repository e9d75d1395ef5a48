/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Access to the real MPI: every function PMPI_X and every object of mpi.h is reached through a pointer, and PMPI_X is a macro for
 * this pointer. The tracer is not linked to MPI, but uses the program's library, provided that the library belongs to the
 * tracer's family: from any path, and also if a module loads the library late with names visible only to this module (dlopen(3),
 * RTLD_LOCAL). The compiler includes this header before all other headers (-include).
 *
 * A wrapper calls NEXT(X): the MPI_X that the program would call without the tracer. NEXT(X) is another tool's function if a tool
 * is loaded behind the tracer (Darshan, IPM), and PMPI_X otherwise. The tracer's own calls are always PMPI calls. */
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

/* Offsets of each name's pointer in struct tracer_real and in struct tracer_behind (-1 for an object, which has no pointer in
 * tracer_behind). A NULL name ends the table. */
struct tracer_real_name {
    const char *name;
    size_t offset;
    ptrdiff_t next;
};
extern const struct tracer_real_name tracer_real_names[] __attribute__((visibility("hidden")));

/* False as soon as the program's MPI is known to belong to the tracer's family. */
extern bool tracer_may_be_other __attribute__((visibility("hidden")));

/* Finds the program's MPI and sets the pointers. The dynamic linker has already set the pointers for a program that starts with
 * MPI. Otherwise takes the MPI linked to the module of CALLER (an address in the module), or an MPI loaded by another module, or
 * loads the library for which the tracer was built. If the module has loaded an MPI of another family, the program runs untraced,
 * with a one-line report. Ends the program if no MPI exists. */
void tracer_real_find(const void *caller);
static inline void tracer_real_be_found(const void *caller)
{
    if (__builtin_expect(tracer_may_be_other, false))
        tracer_real_find(caller);
}

/* Finds the program's MPI like tracer_real_find(). Returns the function NAME (MPI_X) of an MPI of another family,
 * whose handles and constants the wrappers cannot use. Returns NULL if the MPI belongs to the tracer's family. */
void *tracer_real_other(const char *name, const void *caller);

/* Returns whether the program's MPI is of another family than the tracer. */
bool tracer_real_is_other(void);

/* Returns the file name of a loaded MPI of another family, or NULL: none, or an MPI of the tracer's family is known. */
const char *tracer_real_loaded_other(void);

/* Finds the next functions in the chain, before MPI_Init. A second tracer among them stands aside (tracer_stands_aside()). With
 * REPORTS, reports functions defined before the tracer's: the tracer misses calls of these functions. */
void tracer_real_chain(bool reports);

/* Returns the file name of the module that defines NAME (MPI_X) before the tracer; NULL: no such module. */
const char *tracer_real_before(const char *name);

/* Returns whether FUNCTION belongs to the tracer. */
bool tracer_real_is_own(const void *function);

/* Returns whether FUNCTION is an entry of the program's procedure linkage table instead of the function. The dynamic linker gives
 * this address to all modules if the program is not position-independent and takes the function's address (System V ABI, AMD64
 * supplement, Function Addresses). */
bool tracer_real_is_entry(const void *function);

/* Returns the MPI function behind a FUNCTION that is an entry of a procedure linkage table; otherwise returns FUNCTION. */
const void *tracer_real_definition(const void *function);

/* Returns whether MPI is initialized and sets *ENDED to whether MPI is finalized, as reported by MPI. Returns false if no MPI is
 * known yet. */
bool tracer_real_was_initialized(bool *ended);

/* Returns whether the addresses A and B are equal or in the same library. */
bool tracer_real_is_of_one_library(const void *a, const void *b);

/* Returns whether the next function in the chain behind the wrapper of NAME (MPI_X) is in the library of FUNCTION,
 * a function of this name. If the tracer knows no MPI yet and the library belongs to the tracer's family, first
 * takes this library as the MPI and finds the next functions. */
bool tracer_real_leads_to(const char *name, const void *function);

/* Returns whether CALLER is in the library (of a tool or of MPI) that the wrapper of NAME (MPI_X) calls next. */
bool tracer_real_is_behind(const char *name, const void *caller);

/* Returns the function NAME of the program's MPI or of the libraries behind the tracer, or NULL: no such function. */
void *tracer_real_function(const char *name);

#endif
