/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All declarations of the MPI library, with its extensions: the tracer wraps the extensions, too. */
#ifndef MPG_MPI_ALL_H
#define MPG_MPI_ALL_H

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#endif
