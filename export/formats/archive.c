/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/formats/archive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/temporary.h"

static const char ending[] = ".otf2";
/* Parts of an archive behind its name; the anchor file, which makes it one, comes last. */
static const char *const parts[] = {"", ".def", ".otf2"};
enum { PARTS = sizeof parts / sizeof *parts };

/* Part I of the archive, where it is written (TEMPORARY) or where it belongs. Returns false: the name is too long. */
static bool name_part(const struct mpg_archive_output *o, int i, bool temporary, char *path, size_t size)
{
    const int n = temporary ? snprintf(path, size, "%s/%s%s", o->temporary, o->name, parts[i])
                            : snprintf(path, size, "%.*s%s", o->stem, o->path, parts[i]);
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
    const size_t end = sizeof ending - 1;
    if (length < end || strcmp(o->path + length - end, ending) != 0)
        return 0;
    o->stem = (int)(length - end);
    const char *slash = strrchr(o->path, '/'), *name = slash ? slash + 1 : o->path;
    const int n = (int)(o->path + o->stem - name);
    if (n <= 0 || n >= (int)sizeof o->name)
        return mpg_error_set(err, "%s: %s", o->path, n <= 0 ? "an archive needs a name before .otf2" : "name too long");
    snprintf(o->name, sizeof o->name, "%.*s", n, name);
    return 0;
}

int mpg_archive_output_open(struct mpg_archive_output *o, const char *path, struct mpg_error *err)
{
    char part[4352];
    *o = (struct mpg_archive_output){.stem = 0};
    if (split(o, path, err) < 0)
        return -1;
    for (int i = 0; i < PARTS && o->stem > 0; i++)
        if (!name_part(o, i, false, part, sizeof part) || refuse_existing(part, err) < 0)
            return -1;
    if (o->stem == 0 && rmdir(o->path) < 0 && errno != ENOENT) /* an empty folder becomes the archive's */
        return errno == ENOTEMPTY || errno == ENOTDIR || errno == EEXIST
                   ? refuse_existing(o->path, err) : mpg_error_errno(err, errno, "%s", o->path);
    if (mpg_temporary_folder(o->path, o->temporary, sizeof o->temporary) < 0)
        return mpg_error_errno(err, errno, "%s", o->path);
    const mode_t mask = umask(0);
    umask(mask);
    (void)chmod(o->temporary, 0777 & ~mask); /* mkdtemp() makes folders private */
    return 0;
}

/* Moves the parts to their places beside each other. After a failure none stays there. */
static int move_parts(const struct mpg_archive_output *o, struct mpg_error *err)
{
    char from[4352], to[4352];
    for (int i = 0; i < PARTS; i++) {
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

void mpg_archive_output_discard(struct mpg_archive_output *o)
{
    mpg_temporary_remove_folder(o->temporary);
    mpg_temporary_forget(o->temporary);
}
