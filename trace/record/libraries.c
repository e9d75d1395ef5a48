/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the libraries of a program by asking the dynamic linker, because only the dynamic linker knows search paths, cache and
 * $ORIGIN. */
#define _GNU_SOURCE
#include "trace/record/libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_LIBRARIES = 10000 };

/* Parses "path (address)", the line of a library listed with a path. Returns false for all other lines, for example the vDSO's
 * "name (address)". */
static bool parse_path(const char *line, struct mpg_library *library)
{
    struct mpg_elf elf;
    const char *end = strstr(line, " (0x"), *slash = end ? memrchr(line, '/', (size_t)(end - line)) : NULL;
    if (!slash || end - line >= (ptrdiff_t)sizeof library->path || end - slash > (ptrdiff_t)sizeof library->name)
        return false;
    memcpy(library->path, line, (size_t)(end - line));
    memcpy(library->name, slash + 1, (size_t)(end - slash) - 1);
    if (mpg_elf_open(&elf, library->path, NULL) < 0)
        return true;
    const char *own = mpg_elf_soname(&elf);
    if (own && strlen(own) < sizeof library->name)
        strcpy(library->name, own);
    mpg_elf_close(&elf);
    return true;
}

/* Parses "name => path (address)", "name => not found" or "path (address)". Returns false for all other lines. */
static bool parse(const char *line, struct mpg_library *library)
{
    *library = (struct mpg_library){.name = ""};
    line += strspn(line, " \t");
    if (!strstr(line, " => "))
        return parse_path(line, library);
    const size_t name = strcspn(line, " \t\n");
    if (name == 0 || name >= sizeof library->name)
        return false;
    memcpy(library->name, line, name);
    const char *path = strstr(line + name, "=> ");
    if (!path || strncmp(path, "=> not found", 12) == 0)
        return path != NULL;
    path += 3;
    const char *end = strstr(path, " (");
    const size_t length = end ? (size_t)(end - path) : strcspn(path, "\n");
    if (length < sizeof library->path)
        memcpy(library->path, path, length);
    return true;
}

static struct mpg_library *read_all(FILE *list, size_t *number)
{
    struct mpg_library *all = NULL, one;
    char *line = NULL;
    size_t room = 0, size = 0;
    while (*number < MAX_LIBRARIES && getline(&line, &size, list) > 0) {
        if (!parse(line, &one))
            continue;
        if (*number == room) {
            room = 2 * room + 32;
            struct mpg_library *more = realloc(all, room * sizeof *all);
            if (!more)
                break;
            all = more;
        }
        all[(*number)++] = one;
    }
    free(line);
    return all;
}

/* Starts ARGV, which ends with NULL, with its standard output readable from *FROM. Returns the child's process id, or -1. */
static pid_t start(const char *const *argv, FILE **from)
{
    int ends[2];
    if (pipe(ends) < 0)
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_RDWR);
        close(ends[0]);
        if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0 &&
            dup2(ends[1], STDOUT_FILENO) >= 0)
            execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(ends[1]);
    *from = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!*from)
        close(ends[0]);
    return child;
}

static void end(pid_t child, FILE *from)
{
    if (from)
        fclose(from);
    /* If the caller ignores SIGCHLD, waitpid() fails with ECHILD and the loop ends. */
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

struct mpg_library *mpg_libraries(const char *program, const char *interpreter, size_t *number)
{
    const char *const argv[] = {interpreter, "--list", program, NULL};
    FILE *from = NULL;
    *number = 0;
    const pid_t child = start(argv, &from);
    struct mpg_library *all = from ? read_all(from, number) : NULL;
    end(child, from);
    return all;
}

bool mpg_python_module(const char *python, char *path)
{
    const char *const argv[] = {python, "-c", "import importlib.util as u; "
                                "print(u.find_spec('mpi4py.MPI').origin)", NULL};
    FILE *from = NULL;
    const pid_t child = start(argv, &from);
    const bool found = from && fgets(path, PATH_MAX, from) && path[0] == '/';
    end(child, from);
    if (found)
        path[strcspn(path, "\n")] = '\0';
    return found;
}
