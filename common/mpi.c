/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What MPIs are called, and which configure has found. */
#include "config.h"

#include "common/mpi.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *word, *name, *built;
} families[MPG_MPI_FAMILIES] = {
    [MPG_MPI_OPENMPI] = {"openmpi", "Open MPI",
#ifdef MPGKIT_OPENMPI
                         MPGKIT_OPENMPI
#else
                         NULL
#endif
    },
    [MPG_MPI_MPICH] = {"mpich", "MPICH",
#ifdef MPGKIT_MPICH
                       MPGKIT_MPICH
#else
                       NULL
#endif
    },
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
