/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of MPI families: names, recognition of libraries, and the families found by configure. */
#include "config.h"

#include "common/mpi.h"

#include <stddef.h>
#include <string.h>

#ifndef MPGKIT_OPENMPI
#define MPGKIT_OPENMPI NULL
#endif
#ifndef MPGKIT_MPICH
#define MPGKIT_MPICH NULL
#endif
#ifndef MPGKIT_ABI
#define MPGKIT_ABI NULL
#endif

static const struct {
    const char *word, *name, *built;
    const char *soname;
    const char *tracer; /* a symbol exported by the tracer for this MPI (trace/pmpi/family.h) */
    const char *symbol; /* the symbol behind MPI_COMM_WORLD or MPI_DUP_FN in mpi.h, a part of the ABI */
    const char *file;   /* prefix of the library's file name, for a family without SYMBOL */
} families[MPG_MPI_FAMILIES] = {
    [MPG_MPI_OPENMPI] = {"openmpi", "Open MPI", MPGKIT_OPENMPI, MPGKIT_OPENMPI_SONAME, "mpgtrace_openmpi",
                         .symbol = "ompi_mpi_comm_world"},
    [MPG_MPI_MPICH] = {"mpich", "MPICH", MPGKIT_MPICH, MPGKIT_MPICH_SONAME, "mpgtrace_mpich", .symbol = "MPIR_Dup_fn"},
    [MPG_MPI_ABI] = {"abi", "MPI's standard ABI", MPGKIT_ABI, MPGKIT_ABI_SONAME, "mpgtrace_abi", .file = "libmpi_abi.so"},
};

const char *mpg_mpi_word(enum mpg_mpi mpi)
{
    return families[mpi].word;
}

const char *mpg_mpi_name(enum mpg_mpi mpi)
{
    return families[mpi].name;
}

const char *mpg_mpi_built(enum mpg_mpi mpi)
{
    return families[mpi].built;
}

const char *mpg_mpi_soname(enum mpg_mpi mpi)
{
    return families[mpi].soname;
}

const char *mpg_mpi_symbol(enum mpg_mpi mpi)
{
    return families[mpi].symbol;
}

const char *mpg_mpi_tracer(enum mpg_mpi mpi)
{
    return families[mpi].tracer;
}

enum mpg_mpi mpg_mpi_of_word(const char *word)
{
    for (int i = MPG_MPI_NONE + 1; i < MPG_MPI_FAMILIES; i++)
        if (strcmp(word, families[i].word) == 0)
            return i;
    return MPG_MPI_NONE;
}

enum mpg_mpi mpg_mpi_default(void)
{
    return mpg_mpi_of_word(MPGKIT_DEFAULT_MPI);
}

enum mpg_mpi mpg_mpi_of_library(const char *file, bool (*has)(const void *data, const char *symbol), const void *data)
{
    const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
    /* First by name: Open MPI's library of the standard ABI depends on Open MPI's own library and therefore exports the
     * symbol of Open MPI, too. */
    for (int i = MPG_MPI_NONE + 1; i < MPG_MPI_FAMILIES; i++)
        if (base && families[i].file && strncmp(base, families[i].file, strlen(families[i].file)) == 0)
            return i;
    for (int i = MPG_MPI_NONE + 1; i < MPG_MPI_FAMILIES; i++)
        if (families[i].symbol && has(data, families[i].symbol))
            return i;
    return MPG_MPI_NONE;
}
