/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of handles as passed by the program, in C or Fortran (INTEGER) form. The standard ABI's C library has neither MPI_Fint
 * nor conversions (MPI-5.0, chapter 20: both belong to the library of Fortran bindings), and the tracer for the standard ABI has
 * no Fortran wrappers. */
#ifndef MPG_TRACER_HANDLES_H
#define MPG_TRACER_HANDLES_H

#include <stdbool.h>

#include "trace/pmpi/mpi_all.h"

#if defined(OPEN_MPI) || defined(MPICH)
#define FORTRAN_HANDLE(handles, i, f2c, none) f2c(((const MPI_Fint *)(handles))[i])
typedef MPI_Fint tracer_fortran_handle;
#else
#define FORTRAN_HANDLE(handles, i, f2c, none) (none)
typedef int tracer_fortran_handle;
#endif

static inline MPI_Request request_at(const void *handles, bool fortran, int i)
{
    return fortran ? FORTRAN_HANDLE(handles, i, PMPI_Request_f2c, MPI_REQUEST_NULL) : ((const MPI_Request *)handles)[i];
}

static inline MPI_Datatype type_at(const void *handles, bool fortran, int i)
{
    return fortran ? FORTRAN_HANDLE(handles, i, PMPI_Type_f2c, MPI_DATATYPE_NULL) : ((const MPI_Datatype *)handles)[i];
}

static inline MPI_Comm comm_at(const void *handle, bool fortran)
{
    return fortran ? FORTRAN_HANDLE(handle, 0, PMPI_Comm_f2c, MPI_COMM_NULL) : *(const MPI_Comm *)handle;
}

#endif
