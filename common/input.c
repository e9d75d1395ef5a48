/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "common/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Returns true if the pipe FD has a writer. read(2) distinguishes end of file (no writer) from EAGAIN (an idle writer), but
 * consumes a byte; poll(2) does not distinguish the two cases. tee(2) copies the byte instead. */
static bool has_writer(int fd)
{
    enum { STEP_MS = 10 };
    const struct timespec step = {0, STEP_MS * 1000000L};
    int copy[2];
    ssize_t n = 0;
    if (pipe2(copy, O_CLOEXEC) < 0)
        return false;
    for (int waited_ms = 0; (n = tee(fd, copy[1], 1, SPLICE_F_NONBLOCK)) == 0 && waited_ms < MPG_INPUT_TIMEOUT_MS;
         waited_ms += STEP_MS)
        (void)nanosleep(&step, NULL);
    close(copy[0]);
    close(copy[1]);
    return n != 0; /* -1: EAGAIN, the writer is idle */
}

FILE *mpg_input_open(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    FILE *stream = NULL;
    if (fd < 0)
        return NULL;
    const bool is_known = fstat(fd, &st) == 0, is_pipe = is_known && S_ISFIFO(st.st_mode);
    if (is_pipe && !has_writer(fd))
        errno = ENODATA;
    else if (is_known && (!is_pipe || fcntl(fd, F_SETFL, O_RDONLY) == 0))
        stream = fdopen(fd, "r");
    if (!stream) {
        const int failed = errno;
        close(fd);
        errno = failed;
    }
    return stream;
}

char *mpg_input_read(FILE *file, const char *path, unsigned max_mib, size_t *size, struct mpg_error *err)
{
    const size_t max = (size_t)max_mib << 20;
    char *text = NULL;
    size_t capacity = 0;
    int error = file ? 0 : errno;
    for (*size = 0; !error && !feof(file) && *size <= max;) {
        if (*size + 1 >= capacity) {
            char *grown = realloc(text, capacity = 2 * capacity + 65536);
            if (!grown) {
                error = ENOMEM;
                break;
            }
            text = grown;
        }
        *size += fread(text + *size, 1, capacity - *size - 1, file);
        error = ferror(file) ? errno : 0;
    }
    if (file && file != stdin)
        (void)fclose(file);
    if (!error && *size <= max) {
        text[*size] = '\0';
        return text;
    }
    free(text);
    if (error == ENOMEM)
        mpg_error_set(err, "out of memory");
    else if (error)
        mpg_error_errno(err, error, "%s", path);
    else
        mpg_error_set(err, "%s: is larger than %u MiB", path, max_mib);
    return NULL;
}
