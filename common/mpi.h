/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI families: sets of MPI libraries with binary compatible programs. Each mpgkit library calling MPI is built once per family,
 * as libNAME-WORD.so. The table of families is in mpi.c. */
#ifndef MPG_MPI_H
#define MPG_MPI_H

#include <stdbool.h>

/* MPG_MPI_ABI is the standard ABI of MPI-5.0, chapter 20. Both Open MPI and MPICH offer this ABI as an additional library. Only
 * the tracer is built for MPG_MPI_ABI. */
enum mpg_mpi { MPG_MPI_NONE, MPG_MPI_OPENMPI, MPG_MPI_MPICH, MPG_MPI_ABI, MPG_MPI_FAMILIES };

/* Returns the word for names of files and options: "openmpi", "mpich" or "abi". NULL for MPG_MPI_NONE. */
const char *mpg_mpi_word(enum mpg_mpi mpi);
/* Returns "Open MPI", "MPICH" or "MPI's standard ABI". */
const char *mpg_mpi_name(enum mpg_mpi mpi);
/* Returns the MPI version mpgkit was built with, for example "Open MPI 4.1.4"; NULL if not built for MPI. */
const char *mpg_mpi_built(enum mpg_mpi mpi);
/* Returns the library linked by programs of the family, for example "libmpi.so.40"; empty if configure did not find the name. */
const char *mpg_mpi_soname(enum mpg_mpi mpi);
/* Returns a symbol referred to by the family's mpi.h and defined only by the family's libraries; NULL: none. */
const char *mpg_mpi_symbol(enum mpg_mpi mpi);
/* Returns the name of a variable exported by the family's tracer. */
const char *mpg_mpi_tracer(enum mpg_mpi mpi);
/* Returns the family with word WORD, or MPG_MPI_NONE. */
enum mpg_mpi mpg_mpi_of_word(const char *word);
/* Returns the family of the MPI mpgkit was configured with; MPG_MPI_NONE if configured without MPI. */
enum mpg_mpi mpg_mpi_default(void);

/* Returns the family of the MPI library FILE (a path or its last part, NULL if unknown), or MPG_MPI_NONE. HAS(DATA, NAME) returns
 * true if the library defines the symbol NAME. The standard ABI is recognised by the file name prescribed by MPI-5.0, the other
 * families by a symbol: file names are ambiguous (libmpi.so.12 has been Open MPI's, and is MPICH's and Intel's). */
enum mpg_mpi mpg_mpi_of_library(const char *file, bool (*has)(const void *data, const char *symbol), const void *data);

#endif
