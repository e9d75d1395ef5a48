/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks a folder twice: first checks that every file of the trace may be removed, then removes. Uses file descriptors, so that
 * a symbolic link made meanwhile is not followed. */
#include "trace/record/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/output.h"
#include "trace/store/names.h"

enum pass { CHECK, REMOVE };

static int walk(int folder, const char *path, enum pass pass, struct mpg_error *err);

static int visit_spawned(int parent, const char *path, const char *name, enum pass pass,
                         struct mpg_error *err)
{
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return mpg_error_errno(err, errno, "%s/%s", path, name);
    if (walk(folder, path, pass, err) < 0)
        return -1;
    /* A folder that also holds files of other kinds stays. */
    if (pass == REMOVE && unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY &&
        errno != EEXIST && errno != ENOENT)
        return mpg_error_errno(err, errno, "%s/%s", path, name);
    return 0;
}

static int visit_file(int folder, const char *path, const char *name, enum pass pass,
                      struct mpg_error *err)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : mpg_error_errno(err, errno, "%s/%s", path, name);
    if (!S_ISREG(st.st_mode))
        return mpg_error_set(err, "%s/%s: is no file of a trace; remove it yourself", path, name);
    if (st.st_uid != geteuid())
        return mpg_error_set(err, "%s/%s: belongs to another user", path, name);
    /* Another rank of the job may have removed the file. */
    if (pass == REMOVE && unlinkat(folder, name, 0) < 0 && errno != ENOENT)
        return mpg_error_errno(err, errno, "%s/%s", path, name);
    return 0;
}

/* Checks (PASS CHECK) or removes the trace in FOLDER, a descriptor of PATH; closes FOLDER. Returns 0, or -1 with ERR. */
static int walk(int folder, const char *path, enum pass pass, struct mpg_error *err)
{
    DIR *directory = fdopendir(folder);
    int status = 0;
    if (!directory) {
        status = mpg_error_errno(err, errno, "%s", path);
        close(folder);
        return status;
    }
    /* The file in which mpgsim keeps times of an earlier pass: useless for another trace, and removed whoever the owner is. */
    if (pass == REMOVE)
        (void)unlinkat(folder, MPG_NAME_OF_FLOORS, 0);
    for (struct dirent *entry; status == 0 && (entry = readdir(directory)) != NULL;) {
        if (mpg_name_is_of_rank(entry->d_name))
            status = visit_file(folder, path, entry->d_name, pass, err);
        else if (mpg_name_is_spawned(entry->d_name))
            status = visit_spawned(folder, path, entry->d_name, pass, err);
    }
    closedir(directory);
    return status;
}

bool mpg_folder_has_trace(const char *folder)
{
    DIR *directory = opendir(folder);
    bool found = false;
    if (!directory)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;)
        found = mpg_name_is_of_rank(entry->d_name) || mpg_name_is_spawned(entry->d_name);
    closedir(directory);
    return found;
}

int mpg_folder_clear(const char *folder, struct mpg_error *err)
{
    for (enum pass pass = CHECK; pass <= REMOVE; pass++) {
        const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return errno == ENOENT ? 0 : mpg_error_errno(err, errno, "%s", folder);
        if (walk(fd, folder, pass, err) < 0)
            return -1;
    }
    return 0;
}
