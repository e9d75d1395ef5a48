/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds mpgkit libraries relative to the folder of this program. */
#include "common/installed.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool join(char *path, size_t size, const char *folder, const char *name)
{
    return snprintf(path, size, "%s/%s", folder, name) < (int)size && access(path, R_OK) == 0;
}

/* Writes the folder of this executable into FOLDER. */
static bool own_folder(char *folder, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n <= 0)
        return false;
    folder[n] = '\0';
    *strrchr(folder, '/') = '\0';
    return true;
}

/* Finds the library NAME, not installed yet, in the build tree. OWN: folder of this program, or the subfolder .libs, where
 * libtool puts the program; BUILT: folder of the library from there. Writes the path, of at most SIZE bytes, into PATH. */
static bool built_library(const char *own, const char *built, const char *name, char *path, size_t size)
{
    static const char *const up[] = {"", "../"};
    char folder[PATH_MAX];
    for (size_t i = 0; i < sizeof up / sizeof *up; i++)
        if (snprintf(folder, sizeof folder, "%s/%s%s/.libs", own, up[i], built) < (int)sizeof folder &&
            join(path, size, folder, name))
            return true;
    return false;
}

/* Writes the folder of the libraries into PATH, if the whole installation was moved: MPGKIT_LIBRARIES still lies relative
 * to MPGKIT_PROGRAMS as configured. OWN: this program's folder. Returns false if OWN is not such a folder. */
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

int mpg_installed_library(const char *name, const char *built, char *path, size_t size,
                          struct mpg_error *err)
{
    char own[PATH_MAX], moved[PATH_MAX];
    const char *given = getenv("MPGKIT_LIBDIR");
    if (given)
        return join(path, size, given, name)
                   ? 0
                   : mpg_error_set(err, "no %s in MPGKIT_LIBDIR=%s", name, given);
    if (own_folder(own, sizeof own) &&
        (built_library(own, built, name, path, size) ||
         (moved_folder(moved, sizeof moved, own) && join(path, size, moved, name))))
        return 0;
    if (join(path, size, MPGKIT_LIBRARIES, name))
        return 0;
    return mpg_error_set(err, "%s is not installed in %s (MPGKIT_LIBDIR can name its folder)",
                         name, MPGKIT_LIBRARIES);
}
