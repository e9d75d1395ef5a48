/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that the MPI library declares, its extensions too: what there are wrappers for. */
#ifndef MPG_MPI_ALL_H
#define MPG_MPI_ALL_H

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#endif
