/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families of MPI libraries whose programs are binary compatible. Each has its own build of whatever of
 * ours calls MPI and is in a library, libNAME-WORD.so. */
#ifndef MPG_MPI_H
#define MPG_MPI_H

enum mpg_mpi { MPG_MPI_NONE, MPG_MPI_OPENMPI, MPG_MPI_MPICH, MPG_MPI_FAMILIES };

/* "openmpi", "mpich": in names of files and options. NULL for MPG_MPI_NONE. */
const char *mpg_mpi_word(enum mpg_mpi mpi);
/* "Open MPI", "MPICH" */
const char *mpg_mpi_name(enum mpg_mpi mpi);
/* What mpgkit was built with of it, "Open MPI 4.1.4"; NULL: nothing. */
const char *mpg_mpi_built(enum mpg_mpi mpi);
/* The family called WORD, or MPG_MPI_NONE. */
enum mpg_mpi mpg_mpi_of_word(const char *word);
/* That of the MPI that mpgkit was configured with; MPG_MPI_NONE: without any. */
enum mpg_mpi mpg_mpi_default(void);

#endif
