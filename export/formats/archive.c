/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/formats/archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/temporary.h"

/* Returns the suffix of part I (from 0), which follows the archive's name; NULL: I is beyond the last part. The anchor
 * file (.otf2, .ti) is moved last: an archive with an anchor file is complete. */
static const char *part_of(const struct mpg_archive_output *o, int i)
{
    const bool has_definitions = strcmp(o->ending, ".otf2") == 0;
    return i == 0 ? "" : i == 1 && has_definitions ? ".def" : i == 1 + has_definitions ? o->ending : NULL;
}

/* Writes the path of the archive's part I to PATH: in the temporary folder if TEMPORARY, else at the final place. Returns
 * false if the path is longer than SIZE - 1 bytes. */
static bool name_part(const struct mpg_archive_output *o, int i, bool temporary, char *path, size_t size)
{
    const int n = temporary ? snprintf(path, size, "%s/%s%s", o->temporary, o->name, part_of(o, i))
                            : snprintf(path, size, "%.*s%s", o->stem, o->path, part_of(o, i));
    return n >= 0 && (size_t)n < size;
}

static int refuse_existing(const char *path, struct mpg_error *err)
{
    struct stat st;
    if (lstat(path, &st) < 0 && errno == ENOENT)
        return 0;
    return mpg_error_set(err, "%s: exists already: name another archive", path);
}

static int split(struct mpg_archive_output *o, const char *given, struct mpg_error *err)
{
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/')
        length--;
    if (length == 0 || length >= sizeof o->path)
        return mpg_error_set(err, "%s: %s", length ? given : "the output", length ? "name too long" : "no name given");
    memcpy(o->path, given, length);
    o->path[length] = '\0';
    strcpy(o->name, "traces");
    const size_t end = strlen(o->ending);
    if (length < end || strcmp(o->path + length - end, o->ending) != 0)
        return 0;
    o->stem = (int)(length - end);
    const char *slash = strrchr(o->path, '/'), *name = slash ? slash + 1 : o->path;
    const int n = (int)(o->path + o->stem - name);
    if (n <= 0 || n >= (int)sizeof o->name)
        return mpg_error_set(err, "%s: %s", o->path, n <= 0 ? "a name is missing before the ending" : "name too long");
    snprintf(o->name, sizeof o->name, "%.*s", n, name);
    return 0;
}

int mpg_archive_output_open(struct mpg_archive_output *o, const char *path, const char *ending, struct mpg_error *err)
{
    char part[4352];
    *o = (struct mpg_archive_output){.ending = ending};
    if (split(o, path, err) < 0)
        return -1;
    for (int i = 0; part_of(o, i) && o->stem > 0; i++)
        if (!name_part(o, i, false, part, sizeof part) || refuse_existing(part, err) < 0)
            return -1;
    if (o->stem == 0 && rmdir(o->path) < 0 && errno != ENOENT) /* an empty folder of this name is replaced by the archive */
        return errno == ENOTEMPTY || errno == ENOTDIR || errno == EEXIST
                   ? refuse_existing(o->path, err) : mpg_error_errno(err, errno, "%s", o->path);
    if (mpg_temporary_folder(o->path, o->temporary, sizeof o->temporary) < 0)
        return mpg_error_errno(err, errno, "%s", o->path);
    const mode_t mask = umask(0);
    umask(mask);
    (void)chmod(o->temporary, 0777 & ~mask); /* mkdtemp() makes folders private */
    return 0;
}

int mpg_archive_output_folder(const struct mpg_archive_output *o, char *path, size_t size, struct mpg_error *err)
{
    char parent[4096], *resolved;
    const char *slash = strrchr(o->path, '/');
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - o->path) + 1 : 1, slash ? o->path : ".");
    if (!(resolved = realpath(parent, NULL)))
        return mpg_error_errno(err, errno, "%s", parent);
    const char *last = slash ? slash + 1 : o->path, *root = strcmp(resolved, "/") == 0 ? "" : resolved;
    const int n = o->stem > 0 ? snprintf(path, size, "%s/%s", root, o->name)
                              : snprintf(path, size, "%s/%s/%s", root, last, o->name);
    free(resolved);
    return n >= 0 && (size_t)n < size ? 0 : mpg_error_set(err, "%s: name too long", o->path);
}

/* Moves the archive's parts from the temporary folder to the final places. If a move fails, moves the earlier parts back.
 * Returns 0, or -1 with ERR. */
static int move_parts(const struct mpg_archive_output *o, struct mpg_error *err)
{
    char from[4352], to[4352];
    for (int i = 0; part_of(o, i); i++) {
        if (!name_part(o, i, true, from, sizeof from) || !name_part(o, i, false, to, sizeof to))
            return mpg_error_set(err, "%s: name too long", o->path);
        if (refuse_existing(to, err) == 0 && rename(from, to) == 0)
            continue;
        if (!*err->text)
            mpg_error_errno(err, errno, "%s", to);
        while (i-- > 0)
            if (name_part(o, i, true, from, sizeof from) && name_part(o, i, false, to, sizeof to))
                (void)rename(to, from);
        return -1;
    }
    return 0;
}

int mpg_archive_output_commit(struct mpg_archive_output *o, struct mpg_error *err)
{
    int status;
    *err->text = '\0';
    if (o->stem > 0)
        status = move_parts(o, err);
    else
        status = rename(o->temporary, o->path) < 0 ? mpg_error_errno(err, errno, "%s", o->path) : 0;
    if (status < 0 || o->stem > 0)
        mpg_temporary_remove_folder(o->temporary);
    mpg_temporary_forget(o->temporary);
    return status;
}

int mpg_archive_output_discard(struct mpg_archive_output *o, struct mpg_error *err)
{
    char stem[sizeof o->path], part[sizeof o->temporary + sizeof o->name + 1];
    snprintf(part, sizeof part, "%s/%s", o->temporary, o->name);
    snprintf(stem, sizeof stem, "%.*s", o->stem, o->path);
    if (o->stem > 0)
        (void)mpg_temporary_rename_in_error(err, part, stem);
    (void)mpg_temporary_rename_in_error(err, o->temporary, o->path);
    mpg_temporary_remove_folder(o->temporary);
    mpg_temporary_forget(o->temporary);
    return -1;
}
