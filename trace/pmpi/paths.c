/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the path of an open file by the kernel's name of the file (proc(5)), and lists folders by getdents64(2). */
#define _GNU_SOURCE
#include "trace/pmpi/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Writes the kernel's name of FD to REAL of SIZE bytes. Returns false without /proc, or if the file was removed. */
static bool name_of(int fd, char *real, size_t size)
{
    char link[64];
    struct stat named, opened;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, real, size);
    if (n <= 0 || (size_t)n >= size)
        return false;
    real[n] = '\0';
    return stat(real, &named) == 0 && fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

bool paths_real(const char *path, char *real, size_t size)
{
    char slow[PATH_MAX];
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool found = name_of(fd, real, size);
    close(fd);
    if (found)
        return true;
    if (!realpath(path, slow))
        return false;
    if (strlen(slow) >= size) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(real, slow);
    return true;
}

struct entry { /* layout written by the kernel */
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

bool paths_list(const char *folder, void (*visit)(const char *name, void *data), void *data)
{
    _Alignas(struct entry) char entries[8192];
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long n = fd < 0 ? -1 : 0;
    while (fd >= 0 && (n = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const void *)(entries + at);
            if (strcmp(e->name, ".") != 0 && strcmp(e->name, "..") != 0)
                visit(e->name, data);
            at += e->bytes;
        }
    const int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return n == 0;
}
