/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the program's MPI is the one that this tracer was built for. What mpgtrace record
 * starts may be a shell or a tool that starts the program: only in the program itself, before
 * any of it has run, can be seen what it is linked to. If that is the other MPI, or of no
 * kind known, the program is started anew with the other tracer, or with none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/pmpi/family.h"

#ifdef MPICH
#define OURS "mpich"
#define MARK mpgtrace_mpich
#define OTHER "openmpi"
#define OTHER_NAME "Open MPI"
#define OTHER_SYMBOL ompi_mpi_comm_world
#pragma weak MPIR_Dup_fn
#define OWN_SYMBOL MPIR_Dup_fn
#else
#define OURS "openmpi"
#define MARK mpgtrace_openmpi
#define OTHER "mpich"
#define OTHER_NAME "MPICH"
#define OTHER_SYMBOL MPIR_Dup_fn
#define OWN_SYMBOL ompi_mpi_comm_world
#endif
#define FILE_OF(family) "libmpgtrace-" family ".so"
/* There if the program is linked to the other MPI. dlsym(3) would allocate where it finds
 * nothing. */
extern char OTHER_SYMBOL __attribute__((weak));
/* Set in a program that was started anew: it is not once more. */
#define ANEW "MPGTRACE_ANEW"

/* Programs that load MPI late see by it for which one they are traced (common/module.c). */
__attribute__((used, visibility("default"))) const char MARK = 1;
/* Static programs are told by it (trace/record/target.c). */
__attribute__((used)) const char tracer_sign[] = MPG_TRACER_SIGN;

/* The tracer for the other MPI beside this one, into PATH; false if there is none. */
static bool find_other(char *path, size_t size)
{
    Dl_info self;
    if (!dladdr(tracer_sign, &self) || !self.dli_fname)
        return false;
    const char *end = strrchr(self.dli_fname, '/');
    return end &&
           snprintf(path, size, "%.*s/" FILE_OF(OTHER), (int)(end - self.dli_fname),
                    self.dli_fname) < (int)size &&
           access(path, R_OK) == 0;
}

/* Puts OTHER (NULL: nothing) into the place of this tracer in LD_PRELOAD. False if that does
 * not hold it: the program is linked with it. */
static bool replace_in_preload(const char *other)
{
    const char *old = getenv("LD_PRELOAD");
    const char *name = old ? strstr(old, FILE_OF(OURS)) : NULL;
    if (!name)
        return false;
    const char *first = name, *rest = name + strlen(FILE_OF(OURS));
    while (first > old && first[-1] != ':' && first[-1] != ' ')
        first--;
    const size_t size = strlen(old) + (other ? strlen(other) : 0) + 1;
    char *list = malloc(size);
    if (!list)
        return false;
    snprintf(list, size, "%.*s%s%s", (int)(first - old), old, other ? other : "", rest);
    const bool done = setenv("LD_PRELOAD", list, 1) == 0;
    free(list);
    return done;
}

/* The program's file, by the name that it was started with where that is it: the kernel
 * names the process after it. False if it was the dynamic linker that was started. */
static bool own_file(char *path, size_t size)
{
    struct stat own, started;
    const char *name = (const char *)getauxval(AT_EXECFN);
    const ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0 || stat("/proc/self/exe", &own) < 0)
        return false;
    path[n] = '\0';
    const char *base = strrchr(path, '/');
    if (base && strncmp(base, "/ld-", 4) == 0)
        return false;
    if (name && stat(name, &started) == 0 && started.st_dev == own.st_dev &&
        started.st_ino == own.st_ino && strlen(name) < size)
        strcpy(path, name);
    return true;
}

/* That ARGV[0] runs untraced, once for all ranks. */
static void tell_untraced(char **argv, bool is_other)
{
    Dl_info mpi;
    const char *rank = getenv("PMI_RANK");
    rank = rank ? rank : getenv("OMPI_COMM_WORLD_RANK");
    if (rank && strcmp(rank, "0") != 0)
        return;
    if (is_other)
        fprintf(stderr, "mpgtrace: %s runs untraced: mpgkit was built without " OTHER_NAME "\n", argv[0]);
    else
        fprintf(stderr, "mpgtrace: %s runs untraced: %s is neither Open MPI's nor of MPICH's kind\n", argv[0],
                dladdr((void *)&PMPI_Init, &mpi) ? mpi.dli_fname : "its MPI");
}

/* Of glibc's, constructors have main's arguments. */
__attribute__((constructor)) static void check_family(int argc, char **argv, char **envp)
{
    char other[4096], self[4096];
    (void)argc;
    (void)envp;
    if (getenv(ANEW)) {
        unsetenv(ANEW); /* those that it starts are others */
        return;
    }
    const bool is_other = &OTHER_SYMBOL, is_unknown = &PMPI_Init && !&OWN_SYMBOL;
    if ((!is_other && !is_unknown) || !own_file(self, sizeof self))
        return;
    const bool served = is_other && find_other(other, sizeof other);
    if (!replace_in_preload(served ? other : NULL) || setenv(ANEW, "1", 1) < 0)
        return;
    if (!served)
        tell_untraced(argv, is_other);
    extern char **environ;
    execve(self, argv, environ);
}
