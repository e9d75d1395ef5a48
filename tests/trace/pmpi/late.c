/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads MPI, or a module that uses it, when it runs.
 * late mpi LIBRARY default|handle global|local: MPI_Init and MPI_Finalize by dlsym, of
 *     the process or of LIBRARY itself;
 * late module LIBRARY FUNCTION: calls FUNCTION of LIBRARY, which stays local. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int use_mpi(void *library, const char *of)
{
    void *from = strcmp(of, "handle") == 0 ? library : RTLD_DEFAULT;
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(from, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(from, "MPI_Finalize");
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
    int global = argc > 4 && strcmp(argv[4], "global") == 0;
    void *library = dlopen(argv[2], RTLD_LAZY | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return strcmp(argv[1], "mpi") == 0 ? use_mpi(library, argv[3]) : use_module(library, argv[3]);
}
