/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the MPI of a program that starts without it. */
#define _GNU_SOURCE
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pmpi/family.h"
#include "trace/pmpi/say.h"

static void *library; /* that MPI's, or a module that is linked to it; never closed */

/* What PATH, a module that is loaded, and the libraries that it needs have. */
static void *open_loaded(const char *path)
{
    return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

/* Whether PATH, or what it needs, is an MPI of the tracer's family; that is then kept. */
static bool has_mpi(const char *path)
{
    void *module = open_loaded(path);
    if (!module)
        return false;
    if (dlsym(module, "PMPI_Init") && dlsym(module, MPG_TRACER_FAMILY)) {
        library = module;
        return true;
    }
    dlclose(module);
    return false;
}

static int look_at(struct dl_phdr_info *module, size_t size, void *data)
{
    (void)size, (void)data;
    return module->dlpi_name && module->dlpi_name[0] && strstr(module->dlpi_name, "libmpi") &&
           has_mpi(module->dlpi_name);
}

void tracer_real_find(const void *caller)
{
    Dl_info module;
    const bool known = dladdr(caller, &module) && module.dli_fname;
    if (!(known && has_mpi(module.dli_fname)) && !dl_iterate_phdr(look_at, NULL))
        library = dlopen(MPG_TRACER_SONAME, RTLD_LAZY | RTLD_GLOBAL); /* linked with the tracer, which was enough */
    if (!library) {
        say_start();
        say("%s calls MPI, and loads none that this tracer is for (" MPG_TRACER_FAMILY_NAME "): mpgtrace record --mpi names another",
            known ? module.dli_fname : "the program");
        abort();
    }
    for (const struct tracer_real_name *n = tracer_real_names; n->name; n++) {
        void *address = dlsym(library, n->name);
        memcpy((char *)&tracer_real + n->place, &address, sizeof address);
    }
}

void *tracer_real_function(const char *name)
{
    void *function = library ? dlsym(library, name) : NULL;
    return function ? function : dlsym(RTLD_NEXT, name);
}
