/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders of traces: a folder is written under a temporary name and renamed when complete. */
#define _GNU_SOURCE
#include "trace/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/temporary.h"

enum { EXCHANGE = 1 << 1 }; /* RENAME_EXCHANGE of renameat2(), which musl 1.2.3 lacks */

static bool is_trace_file(int folder, const char *name)
{
    const char *dot = strrchr(name, '.');
    struct stat st;
    return ((dot && strcmp(dot, ".mpgt") == 0) || strcmp(name, MPG_NAME_OF_FLOORS) == 0) &&
           fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* Checks that OUTPUT may be replaced: a missing or empty folder or, with FORCE, a trace of this user. A symbolic link may not be
 * replaced, as the target can belong to anybody. */
static int check_replaceable(const char *output, bool force, const char *advice,
                             struct mpg_error *err)
{
    struct stat st;
    bool holds_any = false;
    int status = 0, fd = open(output, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 && lstat(output, &st) == 0 && S_ISLNK(st.st_mode))
        return mpg_error_set(err, "%s: not replaced, as it is a symbolic link: name its target",
                             output);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir || fstat(fd, &st) < 0) {
        mpg_error_errno(err, errno, "%s", output);
        if (dir)
            closedir(dir);
        else if (fd >= 0)
            close(fd);
        return -1;
    }
    if (st.st_uid != geteuid())
        status = mpg_error_set(err, "%s: not replaced, as it is another user's", output);
    for (struct dirent *entry; status == 0 && (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        holds_any = true;
        if (!is_trace_file(fd, name))
            status = mpg_error_set(err, "%s: not replaced, as it holds more than a trace: %s",
                                   output, name);
    }
    if (status == 0 && holds_any && !force)
        status = mpg_error_set(err, "%s: holds a trace already: %s", output, advice);
    closedir(dir);
    return status;
}

/* Replaces folder OUTPUT by TEMPORARY on file systems that cannot exchange two names. The old folder is beside OUTPUT for a
 * moment, and stays beside OUTPUT if a signal arrives in this moment. Returns 0, or -1 with ERR. */
static int replace_in_steps(const char *temporary, const char *output, struct mpg_error *err)
{
    char old[4096];
    if (mpg_temporary_folder(output, old, sizeof old) < 0)
        return mpg_error_errno(err, errno, "%s", output);
    mpg_temporary_forget(old);
    if (rename(output, old) < 0) {
        mpg_error_errno(err, errno, "%s", output);
        (void)rmdir(old);
        return -1;
    }
    if (rename(temporary, output) < 0) {
        mpg_error_errno(err, errno, "%s", output);
        (void)rename(old, output);
        return -1;
    }
    mpg_temporary_remove_folder(old);
    return 0;
}

/* Renames the temporary folder to the output, and removes the previous output. Returns 0, or -1 with ERR. */
static int replace(const struct mpg_trace_output *o, struct mpg_error *err)
{
    if (rename(o->temporary, o->path) == 0)
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return mpg_error_errno(err, errno, "%s", o->path);
    if (check_replaceable(o->path, o->force, o->advice, err) < 0)
        return -1;
    if (syscall(SYS_renameat2, AT_FDCWD, o->temporary, AT_FDCWD, o->path, EXCHANGE) < 0)
        return replace_in_steps(o->temporary, o->path, err);
    mpg_temporary_remove_folder(o->temporary);
    return 0;
}

int mpg_trace_output_open(struct mpg_trace_output *o, const char *given, bool force,
                          const char *advice, struct mpg_error *err)
{
    size_t length = strlen(given);
    *o = (struct mpg_trace_output){.force = force, .advice = advice};
    while (length > 1 && given[length - 1] == '/') /* shell completion appends a slash to folder names */
        length--;
    if (length == 0)
        return mpg_error_set(err, "no name given");
    if (length >= sizeof o->path)
        return mpg_error_set(err, "%s: name too long", given);
    memcpy(o->path, given, length);
    o->path[length] = '\0';
    if (check_replaceable(o->path, force, advice, err) < 0)
        return -1;
    if (mpg_temporary_folder(o->path, o->temporary, sizeof o->temporary) < 0)
        return mpg_error_errno(err, errno, "%s", o->path);
    mode_t mask = umask(0);
    umask(mask);
    (void)chmod(o->temporary, 0777 & ~mask); /* mkdtemp() has made the folder private */
    return 0;
}

int mpg_trace_output_commit(struct mpg_trace_output *o, struct mpg_error *err)
{
    int status = replace(o, err);
    if (status < 0)
        mpg_temporary_remove_folder(o->temporary);
    mpg_temporary_forget(o->temporary);
    return status;
}

void mpg_trace_output_discard(struct mpg_trace_output *o)
{
    mpg_temporary_remove_folder(o->temporary);
    mpg_temporary_forget(o->temporary);
}

int mpg_trace_output_failed(const struct mpg_trace_output *o, struct mpg_error *err)
{
    return mpg_temporary_rename_in_error(err, o->temporary, o->path);
}
