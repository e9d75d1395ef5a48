/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the import in a child process, because libotf2 aborts on some damage. The child writes the trace to files, and the
 * result to a pipe. */
#include "trace/otf2/otf2.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/kind.h"
#include "trace/otf2/import.h"

/* The child's result in the pipe; the report, of report_bytes bytes, follows. */
struct result {
    int status;
    size_t report_bytes;
    struct mpg_error error;
};

static void write_all(int fd, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno != EINTR)
            return;
        done += n > 0 ? (size_t)n : 0;
    }
}

/* Reads SIZE bytes from FD into DATA. Returns false on an error or if FD ends before. */
static bool read_all(int fd, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = read(fd, (char *)data + done, size - done);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void run_child(int pipe, const char *anchor, const char *target, int fd, const struct mpg_import_config *config)
{
    char *report = NULL;
    struct result result = {.status = -1};
    FILE *lines = open_memstream(&report, &result.report_bytes);
    if (!freopen("/dev/null", "w", stderr)) /* hides the messages of failing assertions in libotf2 */
        (void)close(STDERR_FILENO);
    if (lines)
        result.status = mpg_otf2_import_here(anchor, target, fd, config, lines, &result.error);
    else
        mpg_error_set(&result.error, "out of memory");
    if (lines)
        (void)fclose(lines);
    write_all(pipe, &result, sizeof result);
    write_all(pipe, report, result.report_bytes);
    _exit(0);
}

/* Reads the child's result from PIPE and prints the report. Returns the import's status, with ERR. */
static int take_result(int pipe, const struct mpg_import_config *config, struct mpg_error *err)
{
    enum { MAX_REPORT_BYTES = 1 << 20 };
    struct result result;
    if (!read_all(pipe, &result, sizeof result))
        return mpg_error_set(err, "damaged: libotf2 gave up");
    char *report = result.report_bytes < MAX_REPORT_BYTES ? malloc(result.report_bytes + 1) : NULL;
    if (report && read_all(pipe, report, result.report_bytes) && config->report)
        (void)fwrite(report, 1, result.report_bytes, config->report);
    free(report);
    if (result.status < 0)
        *err = result.error;
    return result.status;
}

static int import_anchor(const char *anchor, const char *target, int fd, const struct mpg_import_config *config,
                         struct mpg_error *err)
{
    int ends[2], state;
    if (pipe(ends) < 0)
        return mpg_error_errno(err, errno, "no pipe");
    const pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        run_child(ends[1], anchor, target, fd, config);
    }
    (void)close(ends[1]);
    int status = child < 0 ? mpg_error_errno(err, errno, "no further process") : take_result(ends[0], config, err);
    (void)close(ends[0]);
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    return status;
}

int mpg_otf2_import(const char *path, const char *target, int fd, const struct mpg_import_config *config, struct mpg_error *err)
{
    char anchor[4096];
    if (mpg_kind_find_anchor(path, anchor, sizeof anchor, err) < 0)
        return -1;
    return import_anchor(anchor, target, fd, config, err) < 0 ? mpg_error_prefix(err, "%s", path) : 0;
}
