/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding tracers, and what is preloaded. */
#include "config.h"

#include "trace/record/tracers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/record/elf.h"

/* built: what configure has found, NULL for nothing. */
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

/* --- where they are --- */

static bool join(char *path, size_t size, const char *folder, const char *name)
{
    return snprintf(path, size, "%s/%s", folder, name) < (int)size && access(path, R_OK) == 0;
}

/* The folder of this executable into FOLDER. */
static bool own_folder(char *folder, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n <= 0)
        return false;
    folder[n] = '\0';
    *strrchr(folder, '/') = '\0';
    return true;
}

/* Where libraries are if the installation was moved as a whole: PATH is to OWN what
 * MPGKIT_LIBRARIES is to MPGKIT_PROGRAMS. */
static bool moved_folder(char *path, size_t size, const char *own)
{
    const char *programs = MPGKIT_PROGRAMS, *libraries = MPGKIT_LIBRARIES;
    size_t common = 0;
    for (size_t i = 0; programs[i] && programs[i] == libraries[i]; i++)
        if (programs[i] == '/')
            common = i;
    const size_t own_length = strlen(own), rest = strlen(programs + common);
    if (rest > own_length || strcmp(own + own_length - rest, programs + common) != 0)
        return false;
    return snprintf(path, size, "%.*s%s", (int)(own_length - rest), own, libraries + common) <
           (int)size;
}

int mpg_tracer_library(const char *name, char *path, size_t size, struct mpg_error *err)
{
    static const char *const built[] = {"pmpi/.libs", "../pmpi/.libs"}; /* libtool's way, too */
    char folder[PATH_MAX], beside[PATH_MAX];
    const char *given = getenv("MPGKIT_LIBDIR");
    if (given)
        return join(path, size, given, name)
                   ? 0
                   : mpg_error_set(err, "no %s in MPGKIT_LIBDIR=%s", name, given);
    if (own_folder(folder, sizeof folder)) {
        for (size_t i = 0; i < sizeof built / sizeof *built; i++)
            if (snprintf(beside, sizeof beside, "%s/%s", folder, built[i]) < (int)sizeof beside &&
                join(path, size, beside, name))
                return 0;
        if (moved_folder(beside, sizeof beside, folder) && join(path, size, beside, name))
            return 0;
    }
    if (join(path, size, MPGKIT_LIBRARIES, name))
        return 0;
    return mpg_error_set(err, "%s is not installed in %s (MPGKIT_LIBDIR can name its folder)",
                         name, MPGKIT_LIBRARIES);
}

/* --- one for a program --- */

/* ".so.40" of libmpi.so.40: what an ABI is called; empty if it has none. */
static const char *abi(const char *library)
{
    const char *so = strstr(library, ".so.");
    return so ? so : "";
}

/* The MPI library that the tracer PATH was linked to, into NAME. */
static bool own_library(const char *path, char *name, size_t size)
{
    struct mpg_elf elf;
    const char *needed = NULL;
    if (mpg_elf_open(&elf, path, NULL) < 0)
        return false;
    for (size_t i = 0; (needed = mpg_elf_needed(&elf, i)) != NULL; i++)
        if (strncmp(needed, "libmpi", 6) == 0)
            break;
    if (needed)
        snprintf(name, size, "%s", needed);
    mpg_elf_close(&elf);
    return needed != NULL;
}

int mpg_tracer_find(enum mpg_mpi mpi, const char *mpi_library, char *path, size_t size,
                    struct mpg_error *err)
{
    char name[64], own[256];
    snprintf(name, sizeof name, "libmpgtrace-%s.so", mpg_mpi_word(mpi));
    if (mpg_tracer_library(name, path, size, err) < 0) {
        if (families[mpi].built)
            return -1;
        mpg_error_set(err, "mpgkit was built without %s (%s)", mpg_mpi_name(mpi),
                      mpi_library[0] ? mpi_library : "what the launcher is of");
        return 1;
    }
    if (!mpi_library[0] || !own_library(path, own, sizeof own) ||
        strcmp(abi(own), abi(mpi_library)) == 0)
        return 0;
    mpg_error_set(err, "the tracer was built for %s of %s, not %s", own, mpg_mpi_name(mpi),
                  mpi_library);
    return 1;
}

void mpg_tracers_print(void)
{
    char path[PATH_MAX], name[64];
    const char *between = "records programs of ";
    for (int i = MPG_MPI_NONE + 1; i < MPG_MPI_FAMILIES; i++) {
        snprintf(name, sizeof name, "libmpgtrace-%s.so", families[i].word);
        if (mpg_tracer_library(name, path, sizeof path, NULL) < 0)
            continue;
        printf("%s%s (%s)", between, families[i].built ? families[i].built : families[i].name,
               name);
        between = ", ";
    }
    printf("%s\n", between[0] == ',' ? "" : "records nothing: no tracer is installed");
}

/* --- LD_PRELOAD --- */

static bool is_tracer(const char *path, size_t length)
{
    static const char name[] = "libmpgtrace-";
    for (size_t i = length; i > 0; i--)
        if (path[i - 1] == '/') {
            path += i;
            length -= i;
            break;
        }
    return length >= sizeof name - 1 && strncmp(path, name, sizeof name - 1) == 0;
}

static void append(char *list, const char *path, size_t length)
{
    if (*list)
        strcat(list, ":");
    strncat(list, path, length);
}

int mpg_preload(const char *const *libraries, struct mpg_error *err)
{
    const char *old = getenv("LD_PRELOAD");
    size_t size = (old ? strlen(old) : 0) + 1;
    for (size_t i = 0; libraries[i]; i++)
        size += strlen(libraries[i]) + 1;
    char *list = malloc(size);
    if (!list)
        return mpg_error_set(err, "out of memory");
    list[0] = '\0';
    for (size_t i = 0; libraries[i]; i++)
        append(list, libraries[i], strlen(libraries[i]));
    /* Colons and blanks part them (ld.so(8)). */
    for (const char *p = old ? old : ""; *(p += strspn(p, ": ")); p += strcspn(p, ": ")) {
        const size_t length = strcspn(p, ": ");
        if (!is_tracer(p, length))
            append(list, p, length);
    }
    const int status = *list ? setenv("LD_PRELOAD", list, 1) : unsetenv("LD_PRELOAD");
    free(list);
    return status < 0 ? mpg_error_errno(err, errno, "LD_PRELOAD") : 0;
}
