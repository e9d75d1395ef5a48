/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "history/rerun.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_FOLDER = 126, NO_PROGRAM = 127 };

/* Writes the path or name of mpgsim, as defined at mpg_history_rerun(), to PATH of SIZE bytes. */
static void find_mpgsim(char *path, size_t size)
{
    const char *given = getenv("MPGSIM");
    char self[4000];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    snprintf(path, size, "%s", given && *given ? given : "mpgsim");
    if ((given && *given) || length <= 0)
        return;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return;
    *slash = '\0';
    static const char *const beside[] = {"mpgsim", "../simulate/mpgsim"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char found[4096];
        snprintf(found, sizeof found, "%s/%s", self, beside[i]);
        if (access(found, X_OK) == 0) {
            snprintf(path, size, "%s", found);
            return;
        }
    }
}

/* Returns whether RUN states no prediction mode. A run without mode is of a version with default --perturb; later versions
 * store the default mode. */
static bool lacks_question(const struct mpg_history_run *run)
{
    static const char *const questions[] = {"--predict", "--perturb", "--target", "--ideal"};
    for (size_t i = 0; i + 1 < run->arguments; i++)
        for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
            if (strncmp(run->argument[i], questions[k], strlen(questions[k])) == 0)
                return false;
    return true;
}

/* In the child process: becomes MPGSIM with RUN's arguments; standard output goes to OUT. */
static void become_mpgsim(const struct mpg_history_run *run, const char *mpgsim, int out)
{
    char **argv = calloc(run->arguments + 5, sizeof *argv);
    char name[] = "mpgsim", fresh[] = "--cache=fresh", perturb[] = "--perturb", end[] = "--";
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    if (!argv || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(NO_PROGRAM);
    if (chdir(run->directory) < 0)
        _exit(NO_FOLDER);
    unsetenv("MPGKIT_HISTORY");
    argv[n++] = name;
    argv[n++] = fresh; /* does not write a cache beside the trace */
    if (lacks_question(run))
        argv[n++] = perturb;
    for (size_t i = 0; i + 1 < run->arguments; i++)
        argv[n++] = run->argument[i];
    argv[n++] = end; /* the trace's name may begin with - */
    argv[n++] = run->argument[run->arguments - 1];
    execvp(mpgsim, argv);
    _exit(NO_PROGRAM);
}

static int read_all(int fd, char **answer, size_t *bytes, struct mpg_error *err)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0 || !(*answer = malloc((size_t)size + 1)))
        return mpg_error_set(err, "out of memory");
    for (*bytes = 0; *bytes < (size_t)size;) {
        const ssize_t got = pread(fd, *answer + *bytes, (size_t)size - *bytes, (off_t)*bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return mpg_error_errno(err, errno, "cannot read mpgsim's answer");
        if (got == 0)
            return mpg_error_set(err, "cannot read mpgsim's answer: truncated");
        *bytes += (size_t)got;
    }
    (*answer)[*bytes] = '\0';
    return 0;
}

/* A history may come from someone else: passes on only arguments that mpgsim itself would store. */
static int check_arguments(const struct mpg_history_run *run, struct mpg_error *err)
{
    for (size_t i = 0; i + 1 < run->arguments; i++)
        if (strncmp(run->argument[i], "--", 2) != 0 || !mpg_history_stores_option(run->argument[i] + 2))
            return mpg_error_set(err, "run %" PRId64 " is not rerun: argument %zu, '%.200s', is not an option that mpgsim stores",
                                 run->id, i + 1, run->argument[i]);
    return 0;
}

static bool reads_standard_input(const struct mpg_history_run *run)
{
    for (size_t i = 0; i < run->inputs; i++)
        if (strcmp(run->input[i].path, "-") == 0)
            return true;
    return false;
}

int mpg_history_rerun(const struct mpg_history_run *run, char **answer, size_t *bytes, struct mpg_error *err)
{
    char mpgsim[4096];
    int status, out;
    *answer = NULL;
    if (reads_standard_input(run))
        return mpg_error_set(err, "run %" PRId64 " cannot be repeated: standard input was an input", run->id);
    if (check_arguments(run, err) < 0)
        return -1;
    find_mpgsim(mpgsim, sizeof mpgsim);
    FILE *temporary = tmpfile();
    if (!temporary)
        return mpg_error_errno(err, errno, "a temporary file");
    out = fileno(temporary);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        become_mpgsim(run, mpgsim, out);
    pid_t waited = -1; /* initialised, since waitpid(-1), after a failed fork(), would wait for any child */
    while (child > 0 && (waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    if (child < 0 || waited < 0)
        status = mpg_error_errno(err, errno, "cannot run %s", mpgsim);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        status = read_all(out, answer, bytes, err);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FOLDER)
        status = mpg_error_set(err, "%s: the run's folder is gone", run->directory);
    else if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM)
        status = mpg_error_set(err, "cannot run %s", mpgsim);
    else
        status = mpg_error_set(err, "run %" PRId64 " failed: see mpgsim's message above", run->id);
    fclose(temporary);
    if (status < 0) {
        free(*answer);
        *answer = NULL;
    }
    return status;
}
