/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks whether this tracer was built for the program's MPI. mpgtrace record may start a shell or a tool that starts the program
 * later: the program's MPI is visible only inside the program, before main(). A program with another or an unknown MPI is
 * restarted with the matching tracer, or without a tracer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/launcher.h"
#include "trace/pmpi/family.h"

#define FILE_OF(family) "libmpgtrace-" family ".so"
/* Weak symbols: not NULL if the program is linked to an MPI of this family (mpg_mpi_symbol()). Not looked up by dlsym(3), which
 * allocates if nothing is found. */
extern const char symbol_of_openmpi __asm__("ompi_mpi_comm_world") __attribute__((weak));
extern const char symbol_of_mpich __asm__("MPIR_Dup_fn") __attribute__((weak));
/* Set in a restarted program, which is not restarted again. */
#define RESTARTED "MPGTRACE_ANEW"

/* Tells a program that loads MPI later (common/module.c) the MPI for which the program is traced. */
__attribute__((used, visibility("default"))) const char MPG_TRACER_MARK = 1;
/* The text of this variable tells mpgtrace record that a static program contains the tracer (trace/record/target.c). */
__attribute__((used)) const char tracer_sign[] = MPG_TRACER_SIGN;

static bool aside;

__attribute__((used, visibility("default"))) void mpgtrace_stand_aside(void)
{
    aside = true;
}

bool tracer_stands_aside(void)
{
    return aside;
}

static bool is_linked(const void *none, const char *symbol)
{
    (void)none;
    return strcmp(symbol, mpg_mpi_symbol(MPG_MPI_OPENMPI)) == 0 ? &symbol_of_openmpi != NULL
           : strcmp(symbol, mpg_mpi_symbol(MPG_MPI_MPICH)) == 0 && &symbol_of_mpich;
}

/* Writes the file name of the tracer for MPI, beside this tracer, to PATH of SIZE bytes. FILE is the program's MPI library.
 * Returns false if no such tracer exists. */
static bool find_other(enum mpg_mpi mpi, const char *file, char *path, size_t size)
{
    Dl_info self;
    const char *soname = mpg_mpi_soname(mpi), *base = strrchr(file, '/');
    if (mpi == MPG_MPI_NONE || !dladdr(tracer_sign, &self) || !self.dli_fname)
        return false;
    if (mpi == MPG_MPI_ABI && strncmp(base ? base + 1 : file, soname, strlen(soname)) != 0)
        return false; /* program and tracer have different versions of the standard ABI */
    const char *end = strrchr(self.dli_fname, '/');
    return end &&
           snprintf(path, size, "%.*s/" FILE_OF("%s"), (int)(end - self.dli_fname),
                    self.dli_fname, mpg_mpi_word(mpi)) < (int)size &&
           access(path, R_OK) == 0;
}

/* Replaces this tracer in LD_PRELOAD by OTHER (NULL: by nothing). Returns false if LD_PRELOAD does not name this tracer: the
 * program is then linked with the tracer. */
static bool replace_in_preload(const char *other)
{
    const char *old = getenv("LD_PRELOAD");
    const char *name = old ? strstr(old, FILE_OF(MPG_TRACER_WORD)) : NULL;
    if (!name)
        return false;
    const char *first = name, *rest = name + strlen(FILE_OF(MPG_TRACER_WORD));
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

/* Writes the program's file name to PATH of SIZE bytes: the name by which the program was started, if this name leads to the
 * program's file, because the kernel names the process after this name. Returns false if the dynamic linker was started
 * instead. */
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

/* Reports, once for all ranks, that ARGV[0], which uses the library FILE of MPI, runs untraced. */
static void report_untraced(char **argv, enum mpg_mpi mpi, const char *file)
{
    if (!mpg_launcher_is_first())
        return;
    if (mpi == MPG_MPI_NONE)
        fprintf(stderr, "mpgtrace: %s runs untraced: %s is of no kind that mpgtrace knows\n", argv[0], file);
    else if (mpg_mpi_built(mpi))
        fprintf(stderr, "mpgtrace: %s runs untraced: the tracer was built for %s of %s, not %s\n", argv[0], mpg_mpi_soname(mpi),
                mpg_mpi_name(mpi), file);
    else
        fprintf(stderr, "mpgtrace: %s runs untraced: mpgkit was built without %s\n", argv[0], mpg_mpi_name(mpi));
}

/* Returns the MPI of a program that is not linked to MPI but may load an MPI: the launcher's MPI. If mpgtrace record started the
 * launcher, the launcher's variables were not visible to record. MPICH's PMI variables are also set by Slurm, for any MPI;
 * MPI_LOCALNRANKS comes only from Hydra. */
static enum mpg_mpi mpi_of_launcher(void)
{
    return getenv("MPGTRACE_MPI") || !getenv("MPI_LOCALNRANKS") ? MPG_TRACER_MPI : MPG_MPI_MPICH;
}

/* glibc passes main's arguments to constructors. */
__attribute__((constructor)) static void check_family(int argc, char **argv, char **envp)
{
    char other[4096], self[4096];
    (void)argc;
    (void)envp;
    if (getauxval(AT_SECURE)) { /* the variables of the tracer name files that the tracer reads and writes */
        aside = true;
        if (mpg_launcher_is_first())
            fprintf(stderr, "mpgtrace: %s runs untraced: it is setuid, setgid or has capabilities\n", argv[0]);
        return;
    }
    if (getenv(RESTARTED)) {
        unsetenv(RESTARTED); /* to check MPI programs started by this program, too */
        return;
    }
    Dl_info library;
    const char *file = &PMPI_Init && dladdr((const void *)&PMPI_Init, &library) && library.dli_fname ? library.dli_fname : NULL;
    enum mpg_mpi mpi = mpg_mpi_of_library(file, is_linked, NULL);
    const bool linked = mpi != MPG_MPI_NONE || file;
    if (!linked)
        mpi = MPG_TRACER_MPI == MPG_MPI_OPENMPI ? mpi_of_launcher() : MPG_TRACER_MPI;
    if (mpi == MPG_TRACER_MPI || !own_file(self, sizeof self))
        return;
    file = file ? file : "its MPI";
    const bool served = find_other(mpi, file, other, sizeof other);
    if (!linked && !served)
        return;
    if (!replace_in_preload(served ? other : NULL) || setenv(RESTARTED, "1", 1) < 0)
        return;
    if (!served)
        report_untraced(argv, mpi, file);
    extern char **environ;
    execve(self, argv, environ);
}
