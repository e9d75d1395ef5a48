/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads MPI, or a module that uses MPI, at run time. late mpi LIBRARY global|local: calls MPI_Init and MPI_Finalize
 * of the process with dlsym (lookups.c searches LIBRARY itself). late module LIBRARY FUNCTION: calls FUNCTION of
 * LIBRARY, loaded with RTLD_LOCAL. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int use_mpi(void)
{
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_DEFAULT, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "MPI_Finalize");
    return !init || !finalize || init(NULL, NULL) != 0 || finalize() != 0;
}

static int use_module(void *library, const char *name)
{
    void (*function)(void) = (void (*)(void))dlsym(library, name);
    if (function)
        function();
    return !function;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int global = strcmp(argv[3], "global") == 0;
    void *library = dlopen(argv[2], RTLD_LAZY | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return strcmp(argv[1], "mpi") == 0 ? use_mpi() : use_module(library, argv[3]);
}
