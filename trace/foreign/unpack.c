/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "trace/foreign/unpack.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>
#include <zlib.h>

#include "common/input.h"

static ssize_t read_some(void *cookie, char *bytes, size_t size)
{
    int error;
    const unsigned max = size > INT32_MAX ? INT32_MAX : (unsigned)size;
    const int n = gzread(cookie, bytes, max);
    if (n > 0 || (n == 0 && (gzerror(cookie, &error), error == Z_OK || error == Z_STREAM_END)))
        return n;
    errno = EIO;
    return -1;
}

static int close_both(void *cookie)
{
    return gzclose(cookie) == Z_OK ? 0 : EOF;
}

FILE *mpg_unpack_open(const char *path)
{
    FILE *file = mpg_input_open(path);
    unsigned char first[2];
    if (!file || pread(fileno(file), first, sizeof first, 0) != sizeof first || first[0] != 0x1f || first[1] != 0x8b)
        return file;
    const int fd = dup(fileno(file));
    (void)fclose(file);
    gzFile packed = fd < 0 ? NULL : gzdopen(fd, "rb");
    if (!packed) {
        if (fd >= 0)
            (void)close(fd);
        errno = fd < 0 ? errno : ENOMEM;
        return NULL;
    }
    FILE *unpacked = fopencookie(packed, "r", (cookie_io_functions_t){.read = read_some, .close = close_both});
    if (!unpacked)
        (void)gzclose(packed);
    return unpacked;
}

enum mpg_file_kind mpg_unpack_kind(const char *path)
{
    const enum mpg_file_kind kind = mpg_kind_of(path);
    unsigned char bytes[MPG_FILE_BYTES];
    FILE *file = kind == MPG_FILE_GZIP ? mpg_unpack_open(path) : NULL;
    const size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        (void)fclose(file);
    return n > 0 && mpg_kind_of_bytes(bytes, n) == MPG_FILE_PARAVER ? MPG_FILE_PARAVER : kind;
}
