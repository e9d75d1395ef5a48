/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fortran's view of MPI for mpif.h and `use mpi` (MPI-3.1, chapter 17).
 *
 * A Fortran wrapper makes the real call with the program's own arguments, so
 * that MPI's special addresses mean what they meant, and converts handles for
 * the record only. */
#ifndef MPG_FORTRAN_H
#define MPG_FORTRAN_H

#include <stdlib.h>

#include "trace/pmpi/shares.h"

typedef MPI_Fint F; /* every INTEGER argument comes by address */

/* INTEGERs in a Fortran status; Open MPI's is its C status as it is. */
enum { FORTRAN_STATUS_SIZE = sizeof(MPI_Status) / sizeof(MPI_Fint) };

#define COMM(f) PMPI_Comm_f2c(*(f))
#define TYPE(f) PMPI_Type_f2c(*(f))
#define REQUEST(f) PMPI_Request_f2c(*(f))

/* Declares pmpi_NAME_, absent in programs without Fortran, and begins mpi_NAME_. */
#define FORTRAN(name, parameters)                                                             \
    extern void pmpi_##name##_ parameters __attribute__((weak));                              \
    __attribute__((visibility("default"))) void mpi_##name##_ parameters

/* Whether the address is Fortran's MPI_IN_PLACE. */
bool fortran_in_place(const void *address);

/* A Fortran status or array of N as the program gave it, or one of our own where
 * it gave MPI_STATUS(ES)_IGNORE. */
struct fortran_statuses {
    F *use;          /* for the real call */
    F *own;
    MPI_Status *c;   /* what record functions are given, after fortran_statuses_read */
    MPI_Status one;
};
void fortran_statuses_take(struct fortran_statuses *s, F *given, int n);
/* Converts the first N; false without memory for them. */
bool fortran_statuses_read(struct fortran_statuses *s, int n);
void fortran_statuses_drop(struct fortran_statuses *s);

#endif
