/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders of traces: made, and cleared of an earlier run's. */
#include "trace/pmpi/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/pmpi/paths.h"

enum { MAX_SPAWNED = 1000000 };

static int make(const char *path, struct mpg_error *err)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return mpg_error_errno(err, errno, "%s", path);
    return 0;
}

int folder_make(const char *folder, char *path, size_t size, struct mpg_error *err)
{
    if (make(folder, err) < 0)
        return -1;
    return paths_real(folder, path, size) ? 0 : mpg_error_errno(err, errno, "%s", folder);
}

int folder_make_spawned(const char *folder, struct mpg_error *err)
{
    char path[PATH_MAX];
    if (make(folder, err) < 0)
        return -1;
    for (int k = 0; k < MAX_SPAWNED; k++) {
        if (snprintf(path, sizeof path, "%s/spawned-%d", folder, k) >= (int)sizeof path)
            return mpg_error_set(err, "%s: name too long", folder);
        if (mkdir(path, 0777) == 0)
            return k;
        if (errno != EEXIST)
            return mpg_error_errno(err, errno, "%s", path);
    }
    return mpg_error_set(err, "%s: no free name for a spawned world", folder);
}

/* Whether NAME is PREFIX, a number, and something that ends in SUFFIX. */
static bool is_numbered(const char *name, const char *prefix, const char *suffix)
{
    size_t length = strlen(prefix), end = strlen(suffix), size = strlen(name);
    return strncmp(name, prefix, length) == 0 && name[length] >= '0' && name[length] <= '9' &&
           size > length + end && strcmp(name + size - end, suffix) == 0;
}

/* A file of a rank, or one that was still aside when its process was killed. */
static bool is_of_rank(const char *name)
{
    return is_numbered(name, "rank-", ".mpgt") || is_numbered(name, "rank-", ".mpgt.new") ||
           is_numbered(name, "rank-", ".mpgt.part");
}

static void clear_one(const char *name, void *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", (const char *)folder, name) >= (int)sizeof path)
        return;
    if (is_of_rank(name)) {
        (void)unlink(path);
    } else if (is_numbered(name, "spawned-", "")) {
        folder_clear(path);
        (void)rmdir(path);
    }
}

void folder_clear(const char *folder)
{
    (void)paths_list(folder, clear_one, (void *)folder);
}
