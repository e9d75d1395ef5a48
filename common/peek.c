/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

size_t mpg_peek(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < size - 1) {
        const ssize_t n = read(fd, text + done, size - 1 - done);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    text[done] = '\0';
    if (fd >= 0)
        close(fd);
    return done;
}
