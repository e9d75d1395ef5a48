/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes single lines to standard error without stdio's buffers. */
#include "trace/pmpi/report.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "common/printable.h"

static struct {
    bool known;
    dev_t device;
    ino_t inode;
} first; /* device and inode of the process's standard error at its start */

void report_start(void)
{
    struct stat st;
    first.known = fstat(STDERR_FILENO, &st) == 0;
    if (first.known) {
        first.device = st.st_dev;
        first.inode = st.st_ino;
    }
}

static bool is_ours(void)
{
    struct stat st;
    return first.known && fstat(STDERR_FILENO, &st) == 0 && st.st_dev == first.device &&
           st.st_ino == first.inode;
}

static void write_line(const char *line, size_t size)
{
    sigset_t pipe, old, pending;
    sigpending(&pending);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &old);
    const ssize_t done = write(STDERR_FILENO, line, size);
    if (done < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
        (void)sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void report(const char *format, ...)
{
    char text[MPG_ERROR_SIZE + 128], line[4 * sizeof text] = "mpgtrace: ";
    const size_t start = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (n < 0 || !is_ours())
        return;
    mpg_printable(line + start, sizeof line - start - 1, text); /* folder names may contain any bytes */
    const size_t size = strlen(line);
    line[size] = '\n';
    write_line(line, size + 1);
}
