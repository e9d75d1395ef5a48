/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families of MPI libraries whose programs are binary compatible. Each has its own build of whatever of
 * ours calls MPI and is in a library, libNAME-WORD.so. The one table of them (mpi.c). */
#ifndef MPG_MPI_H
#define MPG_MPI_H

#include <stdbool.h>

/* MPG_MPI_ABI: the standard ABI of MPI-5.0, chapter 20, which both other families offer as a library of its own beside theirs.
 * Only the tracer is built for it. */
enum mpg_mpi { MPG_MPI_NONE, MPG_MPI_OPENMPI, MPG_MPI_MPICH, MPG_MPI_ABI, MPG_MPI_FAMILIES };

/* "openmpi", "mpich", "abi": in names of files and options. NULL for MPG_MPI_NONE. */
const char *mpg_mpi_word(enum mpg_mpi mpi);
/* "Open MPI", "MPICH", "MPI's standard ABI" */
const char *mpg_mpi_name(enum mpg_mpi mpi);
/* What mpgkit was built with of it, "Open MPI 4.1.4"; NULL: nothing. */
const char *mpg_mpi_built(enum mpg_mpi mpi);
/* The library that programs of it need, "libmpi.so.40"; empty if configure could not tell. */
const char *mpg_mpi_soname(enum mpg_mpi mpi);
/* A symbol that its mpi.h refers to, which its libraries have and no others; NULL: there is none. */
const char *mpg_mpi_symbol(enum mpg_mpi mpi);
/* A variable that its tracer exports. */
const char *mpg_mpi_tracer(enum mpg_mpi mpi);
/* The family called WORD, or MPG_MPI_NONE. */
enum mpg_mpi mpg_mpi_of_word(const char *word);
/* That of the MPI that mpgkit was configured with; MPG_MPI_NONE: without any. */
enum mpg_mpi mpg_mpi_default(void);

/* The family of the MPI library FILE, a path or its last part (NULL: not known), of which HAS(DATA, name) tells whether it
 * names a symbol; MPG_MPI_NONE: none of those. The standard ABI is told by the file's name, which MPI-5.0 lays down; the
 * others by a symbol that their mpi.h refers to, as names of files tell them apart badly (libmpi.so.12 has been Open MPI's, and
 * is MPICH's, Intel's and others'). */
enum mpg_mpi mpg_mpi_of_library(const char *file, bool (*has)(const void *data, const char *symbol), const void *data);

#endif
