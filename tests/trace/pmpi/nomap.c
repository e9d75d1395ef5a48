/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library to preload: rejects shared mappings of trace files, like the file systems of some clusters
 * (tests/trace/pmpi/test-survive.sh). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    char path[64], target[4096];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = (flags & MAP_SHARED) && fd >= 0 ? readlink(path, target, sizeof target - 1) : 0;
    target[n > 0 ? n : 0] = '\0';
    if (strstr(target, ".mpgt")) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}
