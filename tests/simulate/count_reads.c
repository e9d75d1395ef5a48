/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload: counts the bytes that a program reads from files. READ_COUNT=FILE: at the end of the process, the
 * sum of what pread() returned is written to FILE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

static _Atomic unsigned long long bytes;

typedef ssize_t read_at(int fd, void *data, size_t size, off64_t offset);

static ssize_t count(const char *name, int fd, void *data, size_t size, off64_t offset)
{
    union {
        void *symbol;
        read_at *function;
    } real = {dlsym(RTLD_NEXT, name)};
    const ssize_t n = real.function(fd, data, size, offset);
    bytes += n > 0 ? (unsigned long long)n : 0;
    return n;
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
    return count("pread", fd, data, size, offset);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t offset)
{
    return count("pread64", fd, data, size, offset);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("READ_COUNT");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%llu\n", (unsigned long long)bytes);
        fclose(f);
    }
}
