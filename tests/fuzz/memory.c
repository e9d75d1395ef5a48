/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files in memory, one of each kind in a process. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char *fuzz_file(const void *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

static ssize_t swallow(void *cookie, const char *bytes, size_t size)
{
    (void)cookie;
    (void)bytes;
    return (ssize_t)size;
}

FILE *fuzz_nowhere(void)
{
    static FILE *stream;
    if (!stream)
        stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = swallow});
    if (!stream)
        abort();
    return stream;
}

void fuzz_check_error(const struct mpg_error *err)
{
    if (err->text[0])
        return;
    fputs("an error without a word\n", stderr);
    abort();
}
