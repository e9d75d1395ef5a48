/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building blocks of the generated Fortran wrappers (MPI-3.1, chapter 17): Fortran forms of the macros in
 * trace/pmpi/calls.awk. Fortran passes every argument by address. */
#ifndef MPG_FORTRAN_H
#define MPG_FORTRAN_H

#include <stddef.h>

#include "trace/pmpi/devices.h"
#include "trace/pmpi/local.h"
#include "trace/pmpi/record.h"

typedef MPI_Fint F;
/* Fortran's arrays of counts and statuses then have C's layout. */
_Static_assert(sizeof(F) == sizeof(int), "INTEGER is no int");

#define WRAPPER __attribute__((visibility("default")))

/* The real function FUNCTION, a weak symbol. Undefined in programs without Fortran, in programs that load a Fortran module late,
 * and if the function without the p is not MPI's. */
#define REAL(function)                                                             \
    (*({                                                                           \
        static __typeof__(&function) late;                                         \
        &function ? &function                                                      \
        : late    ? late                                                           \
                  : (late = (__typeof__(late))fortran_real(#function, s.return_address)); \
    }))
/* Returns the function NAME from the libraries of the calling module. If these lack NAME, searches them, and then the program's
 * other libraries, for the name without the p. Ends the program if neither exists: without the tracer, the program could not have
 * started. */
void *fortran_real(const char *name, const void *caller);

#define INT(x) (*(x))
#define AINT(x) (*(x))
#define COUNTS(x) ((struct tracer_counts){(x), sizeof *(x) > sizeof(int)})
#define TAG(x) tracer_string_tag((x), x##_length)
#define COMM(x) PMPI_Comm_f2c(*(x))
#define TYPE(x) PMPI_Type_f2c(*(x))
#define WIN(x) PMPI_Win_f2c(*(x))
#define FH(x) PMPI_File_f2c(*(x))
#define GROUP(x) PMPI_Group_f2c(*(x))
#define OP(x) PMPI_Op_f2c(*(x))
#define SET(x) (*(x))
#define FLAG(x) (*(x) != 0)
#define IN_PLACE(x) fortran_in_place(x)
#define BUFFER(x) (x)
/* The address of a choice buffer: the first member of the descriptor (Fortran 2018, 18.5.3). */
#define DESCRIBED(x) (*(void *const *)(x))
#define TYPES(x) ((struct tracer_types){(x), true})
#define REQUESTS(x) (x), true
#define REQUEST(x) PMPI_Request_f2c(*(x))
#define REQUEST_VALUE(x) (x), true
/* mpi_f08 of MPICH 4.0 counts from 0 (MPICH issue 6270). */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40100000
#define INDICES(x) (x), 0
#else
#define INDICES(x) (x), 1
#endif
#define MADE_REQUEST(x) ((struct tracer_made){PMPI_Request_f2c(*(x)), (x), false})
#define MADE_PERSISTENT(x) ((struct tracer_made){PMPI_Request_f2c(*(x)), (x), true})
#define MADE_COMM(x) COMM(x)
#define MADE_WIN(x) WIN(x)
#define MADE_FILE(x) FH(x)
#define MADE_MESSAGE(x) PMPI_Message_f2c(*(x))
#define LATER_COMM(x) (x), true
#define OLD_COMM(x) COMM(x)
#define OLD_WIN(x) WIN(x)
#define OLD_FILE(x) FH(x)
#define OLD_MESSAGE(x) MADE_MESSAGE(x)
#define OLD_TYPE(x) TYPE(x)
#define GIVE_STATUS(status) GIVE_STATUSES(1, status)
#define STATUS(status) fortran_statuses_read(&given)
#define GIVE_STATUSES(n, statuses) \
    struct fortran_statuses given; \
    fortran_statuses_take(&given, (n), (statuses))
#define STATUSES(statuses) fortran_statuses_read(&given)

/* Returns true if ADDRESS is Fortran's MPI_IN_PLACE. */
bool fortran_in_place(const void *address);

/* The N statuses passed by the program, or substitutes for MPI_STATUS(ES)_IGNORE. */
struct fortran_statuses {
    F *use;        /* passed to the real call */
    MPI_Status *c; /* the memory of USE, or aligned copies; MPI_STATUSES_IGNORE without memory for copies */
    int n;
    struct tracer_statuses own;
};
/* _take() prepares S for a call with N STATUSES. _read() returns the statuses after the call, in C form. _drop() frees copies. */
void fortran_statuses_take(struct fortran_statuses *s, int n, F *statuses);
const MPI_Status *fortran_statuses_read(struct fortran_statuses *s);
void fortran_statuses_drop(struct fortran_statuses *s);

#endif
