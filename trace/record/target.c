/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a program, through the interpreters of scripts, and the program's MPI family by the symbols of the program's
 * libraries. */
#define _GNU_SOURCE
#include "trace/record/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "trace/pmpi/family.h"
#include "trace/record/libraries.h"

enum { MAX_INTERPRETERS = 5 };

static int can_run(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EACCES;
    return access(path, X_OK) < 0 ? errno : 0;
}

/* Searches NAME like execvp(): a name with a slash is a path; all other names are searched in $PATH. */
static int find_path(char *path, const char *name, struct mpg_error *err)
{
    int failed = ENOENT;
    if (strchr(name, '/') || !*name) {
        if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX)
            return mpg_error_errno(err, ENAMETOOLONG, "%s", name);
        failed = can_run(path);
        return failed ? mpg_error_errno(err, failed, "%s", name) : 0;
    }
    const char *folders = getenv("PATH");
    for (const char *p = folders ? folders : "/bin:/usr/bin"; p;) {
        const size_t length = strcspn(p, ":");
        const int n = length ? snprintf(path, PATH_MAX, "%.*s/%s", (int)length, p, name)
                             : snprintf(path, PATH_MAX, "%s", name);
        const int why = n < PATH_MAX ? can_run(path) : ENAMETOOLONG;
        if (!why)
            return 0;
        failed = why == EACCES ? EACCES : failed;
        p = p[length] ? p + length + 1 : NULL;
    }
    return mpg_error_errno(err, failed, "%s", name);
}

/* Copies to NAME the program run by "env ARGUMENTS"; an empty name if none. */
static void program_of_env(const char *arguments, char *name)
{
    name[0] = '\0';
    for (const char *p = arguments + strspn(arguments, " \t"); *p; p += strspn(p, " \t")) {
        const size_t length = strcspn(p, " \t");
        if (*p != '-' && !memchr(p, '=', length)) {
            memcpy(name, p, length);
            name[length] = '\0';
            return;
        }
        p += length;
    }
}

/* SCRIPT is a script: replaces the path of TARGET by the interpreter's path. Returns false if the interpreter is not found. */
static bool find_interpreter(struct mpg_record_target *target, const struct mpg_elf *script)
{
    char program[PATH_MAX], argument[PATH_MAX], name[PATH_MAX];
    if (!mpg_script_words(script, program, argument))
        return false;
    const char *base = strrchr(program, '/');
    if (strcmp(base ? base + 1 : program, "env") == 0) {
        program_of_env(argument, name);
        if (name[0])
            strcpy(program, name);
    }
    return find_path(target->path, program, NULL) == 0;
}

/* Returns whether starting PATH raises the process's rights: the dynamic linker then ignores LD_PRELOAD (ld.so(8), secure-
 * execution mode). */
static bool gains_rights(const char *path)
{
    struct stat st;
    struct statvfs system;
    char capabilities[64];
    if (stat(path, &st) < 0 || (statvfs(path, &system) == 0 && (system.f_flag & ST_NOSUID)))
        return false;
    if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
        return true;
    if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid())
        return true;
    return getuid() != 0 &&
           getxattr(path, "security.capability", capabilities, sizeof capabilities) > 0;
}

static bool names(const void *elf, const char *symbol)
{
    return mpg_elf_names(elf, symbol);
}

enum mpg_mpi mpg_library_mpi(const char *path)
{
    struct mpg_elf elf;
    if (mpg_elf_open(&elf, path, NULL) < 0)
        return MPG_MPI_NONE;
    const enum mpg_mpi family = mpg_mpi_of_library(path, names, &elf);
    mpg_elf_close(&elf);
    return family;
}

static bool has_mpi(const char *path)
{
    struct mpg_elf elf;
    if (mpg_elf_open(&elf, path, NULL) < 0)
        return false;
    const bool has = mpg_elf_names(&elf, "PMPI_Init");
    mpg_elf_close(&elf);
    return has;
}

/* Returns whether NAME begins with FIRST and contains REST after FIRST. */
static bool is_library(const char *name, const char *first, const char *rest)
{
    const size_t length = strlen(first);
    return strncmp(name, first, length) == 0 && strstr(name + length, rest) != NULL;
}

static bool is_sanitizer(const char *name)
{
    return is_library(name, "libasan", ".so") || is_library(name, "libtsan", ".so") ||
           is_library(name, "liblsan", ".so") || is_library(name, "libhwasan", ".so") ||
           is_library(name, "libclang_rt.asan", ".so") ||
           is_library(name, "libclang_rt.tsan", ".so") ||
           is_library(name, "libclang_rt.hwasan", ".so");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Notes in TARGET the MPI and the sanitizer among the libraries of the program PATH. */
static void look_at_libraries(struct mpg_record_target *target, const char *path,
                              const char *interpreter)
{
    size_t n;
    struct mpg_library *all = mpg_libraries(path, interpreter, &n);
    for (size_t i = 0; i < n; i++) {
        const char *name = base_name(all[i].name);
        if (target->mpi == MPG_MPI_NONE && is_library(name, "libmpi", ".so") && all[i].path[0] &&
            (target->mpi = mpg_library_mpi(all[i].path)) != MPG_MPI_NONE)
            snprintf(target->mpi_library, sizeof target->mpi_library, "%s", name);
        if (!target->unknown_mpi[0] && is_library(name, "libmpi", ".so") && all[i].path[0] && has_mpi(all[i].path))
            snprintf(target->unknown_mpi, sizeof target->unknown_mpi, "%s", name);
        target->odd_fortran = target->odd_fortran || is_library(name, "libmpi_mpifh", ".so");
        if (!target->sanitizer[0] && is_sanitizer(name))
            strcpy(target->sanitizer, all[i].path[0] ? all[i].path : all[i].name);
    }
    if (target->mpi != MPG_MPI_NONE)
        target->unknown_mpi[0] = '\0';
    free(all);
}

/* Notes the MPI and the sanitizer among TARGET's libraries; for Python without MPI, among the libraries of the module mpi4py. */
static void look_at_program(struct mpg_record_target *target, const char *interpreter)
{
    char module[PATH_MAX];
    look_at_libraries(target, target->path, interpreter);
    if (target->mpi == MPG_MPI_NONE && strncmp(base_name(target->path), "python", 6) == 0 &&
        mpg_python_module(target->path, module)) {
        look_at_libraries(target, module, interpreter);
        target->loads_late = target->mpi != MPG_MPI_NONE;
    }
}

int mpg_target_find(struct mpg_record_target *target, const char *name, struct mpg_error *err)
{
    struct mpg_elf elf;
    *target = (struct mpg_record_target){.kind = MPG_ELF_OTHER};
    if (find_path(target->path, name, err) < 0)
        return -1;
    /* For a file that can be executed but not read, the kind stays MPG_ELF_OTHER. */
    bool opened = mpg_elf_open(&elf, target->path, NULL) == 0;
    for (int i = 0; opened && elf.kind == MPG_ELF_SCRIPT && i < MAX_INTERPRETERS; i++) {
        const bool found = find_interpreter(target, &elf);
        mpg_elf_close(&elf);
        opened = found && mpg_elf_open(&elf, target->path, NULL) == 0;
    }
    if (opened) {
        target->kind = elf.kind;
        target->gains_rights = gains_rights(target->path);
        if (elf.kind == MPG_ELF_DYNAMIC)
            look_at_program(target, elf.interpreter);
        if (elf.kind == MPG_ELF_STATIC)
            target->has_tracer = mpg_elf_holds(&elf, MPG_TRACER_SIGN);
        mpg_elf_close(&elf);
    }
    return 0;
}
