/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks up functions of MPI in a library that it loads: lookups LIBRARY [FILE]. Rank 0 sends to rank 1, then all
 * ranks meet in a barrier. With -DLINKED the program is linked to MPI and calls MPI_Init and MPI_Finalize directly,
 * otherwise it looks up both. Rank 0 writes the list of mapped files to FILE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_UP(name) ((__typeof__(&name))look_up(library, #name))
#ifdef LINKED
#define NAMED(name) name
#else
#define NAMED(name) LOOK_UP(name)
#endif
#ifdef OPEN_MPI /* handles are addresses of objects in the library */
#define WORLD ((MPI_Comm)look_up(library, "ompi_mpi_comm_world"))
#define INT ((MPI_Datatype)look_up(library, "ompi_mpi_int"))
#else
#define WORLD MPI_COMM_WORLD
#define INT MPI_INT
#endif

static void fail(const char *text)
{
    fprintf(stderr, "lookups: %s\n", text);
    exit(1);
}

/* In every case, dlerror(3) must report on this look-up only. */
static void *look_up(void *library, const char *name)
{
    dlsym(library, "MPI_Of_no_library");
    void *found = dlsym(library, name);
    const char *error = dlerror();
    if (!found || error)
        fail(error ? error : name);
    if (dlsym(library, "MPI_Of_no_library") || !(error = dlerror()) || !strstr(error, "MPI_Of_no_library") || dlerror())
        fail("a function that does not exist is found");
    return found;
}

static void list_mapped(const char *file)
{
    FILE *from = fopen("/proc/self/maps", "r"), *to = fopen(file, "w");
    char line[4096];
    while (from && to && fgets(line, sizeof line, from))
        if (strstr(line, ".so"))
            fputs(strchr(line, '/'), to);
    if (!from || !to || fclose(to) != 0)
        fail(file);
    fclose(from);
}

int main(int argc, char **argv)
{
    int rank, data = 7;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        fail(argc > 1 ? dlerror() : "no library");
    NAMED(MPI_Init)(&argc, &argv);
    LOOK_UP(MPI_Comm_rank)(WORLD, &rank);
    if (rank == 0)
        LOOK_UP(MPI_Send)(&data, 1, INT, 1, 5, WORLD);
    else if (rank == 1)
        LOOK_UP(MPI_Recv)(&data, 1, INT, 0, 5, WORLD, MPI_STATUS_IGNORE);
    LOOK_UP(MPI_Barrier)(WORLD);
    LOOK_UP(PMPI_Barrier)(WORLD); /* programs look up this name in order to bypass all tools */
    if (rank == 0 && argc > 2)
        list_mapped(argv[2]);
    return NAMED(MPI_Finalize)();
}
