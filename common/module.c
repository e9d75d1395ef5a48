/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the library for the MPI family and loads the library. */
#define _GNU_SOURCE
#include "common/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/installed.h"
#include "common/launcher.h"

/* Returns the MPI for a step of srun, which starts programs of any MPI: the MPI that usually supports the step's PMI version,
 * otherwise the MPI configured for mpgkit. Open MPI 5 supports only PMIx; some builds of earlier versions support PMI-2. */
static enum mpg_mpi for_step(enum mpg_srun_protocol protocol, enum mpg_mpi launcher_mpi)
{
    if (protocol == MPG_SRUN_PMI2 && mpg_mpi_built(MPG_MPI_MPICH))
        return MPG_MPI_MPICH;
    if (protocol == MPG_SRUN_PMIX && mpg_mpi_built(MPG_MPI_OPENMPI))
        return MPG_MPI_OPENMPI;
    return mpg_mpi_default() ? mpg_mpi_default() : launcher_mpi;
}

/* Returns the MPI family common to the launched processes. */
enum mpg_mpi mpg_module_mpi(void)
{
    enum mpg_srun_protocol protocol;
    const enum mpg_mpi launcher_mpi = mpg_launcher_mpi();
    const bool others = getenv("OMPI_COMM_WORLD_RANK") || getenv("MPI_LOCALRANKID");
    return mpg_launcher_srun(&protocol) && !others ? for_step(protocol, launcher_mpi) : launcher_mpi;
}

/* Returns an error if a preloaded library, for example a tracer, belongs to another MPI family: the loaded library would bind to
 * the preloaded library's MPI symbols. */
static int check_preloaded(enum mpg_mpi mpi, struct mpg_error *err)
{
    for (int i = MPG_MPI_NONE + 1; i < MPG_MPI_FAMILIES; i++) {
        const char *symbol = mpg_mpi_symbol(i);
        if (i != (int)mpi && ((symbol && dlsym(RTLD_DEFAULT, symbol)) || dlsym(RTLD_DEFAULT, mpg_mpi_tracer(i))))
            return mpg_error_set(err, "%s is preloaded, but the processes are %s's (mpgtrace record --mpi=%s traces them)",
                                 mpg_mpi_name(i), mpg_mpi_name(mpi), mpg_mpi_word(mpi));
    }
    return 0;
}

void *mpg_module_load(enum mpg_mpi mpi, const char *name, const char *room, const char *symbol,
                      struct mpg_error *err)
{
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof file, "%s-%s.so", name, mpg_mpi_word(mpi));
    if (check_preloaded(mpi, err) < 0 || mpg_installed_library(file, room, path, sizeof path, err) < 0)
        return NULL;
    /* RTLD_GLOBAL: the plug-ins of the MPI library look up MPI symbols in the global scope. */
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *found = library ? dlsym(library, symbol) : NULL;
    if (!found)
        mpg_error_set(err, "%s", dlerror());
    return found;
}
