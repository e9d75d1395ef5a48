/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the tracer library for a program, and sets LD_PRELOAD. */
#include "trace/record/tracers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/installed.h"

int mpg_tracer_library(const char *name, char *path, size_t size, struct mpg_error *err)
{
    return mpg_installed_library(name, "pmpi", path, size, err);
}

/* --- the tracer for a program --- */

/* Returns the ABI version in the file name LIBRARY, for example ".so.40" of libmpi.so.40; "": none. */
static const char *abi(const char *library)
{
    const char *so = strstr(library, ".so.");
    return so ? so : "";
}

int mpg_tracer_find(enum mpg_mpi mpi, const char *mpi_library, char *path, size_t size,
                    struct mpg_error *err)
{
    char name[64];
    const char *own = mpg_mpi_soname(mpi);
    snprintf(name, sizeof name, "libmpgtrace-%s.so", mpg_mpi_word(mpi));
    if (mpg_tracer_library(name, path, size, err) < 0) {
        if (mpg_mpi_built(mpi))
            return -1;
        mpg_error_set(err, "mpgkit was built without %s (%s)", mpg_mpi_name(mpi),
                      mpi_library[0] ? mpi_library : "the launcher's MPI");
        return 1;
    }
    if (!mpi_library[0] || !own[0] ||
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
        snprintf(name, sizeof name, "libmpgtrace-%s.so", mpg_mpi_word(i));
        if (mpg_tracer_library(name, path, sizeof path, NULL) < 0)
            continue;
        printf("%s%s (%s)", between, mpg_mpi_built(i) ? mpg_mpi_built(i) : mpg_mpi_name(i),
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
    /* Separators are colons and blanks (ld.so(8)). */
    for (const char *p = old ? old : ""; *(p += strspn(p, ": ")); p += strcspn(p, ": ")) {
        const size_t length = strcspn(p, ": ");
        if (!is_tracer(p, length))
            append(list, p, length);
    }
    const int status = *list ? setenv("LD_PRELOAD", list, 1) : unsetenv("LD_PRELOAD");
    free(list);
    return status < 0 ? mpg_error_errno(err, errno, "LD_PRELOAD") : 0;
}
