/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library to preload, with which the tracer removes no parts of a run (mpgtrace record --last): for comparisons. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int unlink(const char *path)
{
    return strstr(path, ".part-") ? 0 : (int)syscall(SYS_unlinkat, -100 /* AT_FDCWD */, path, 0);
}
