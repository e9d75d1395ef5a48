/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the files of a trace by name. */
#include "trace/foreign/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Splits NAME at the last number in it: *BEFORE bytes come before, the number has *DIGITS digits; 0: there is no number. */
static void split(const char *name, size_t *before, size_t *digits)
{
    size_t end = strlen(name);
    while (end > 0 && !isdigit((unsigned char)name[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && isdigit((unsigned char)name[begin - 1]))
        begin--;
    *before = end > 0 ? begin : strlen(name);
    *digits = end > 0 ? end - begin : 0;
}

/* Returns whether names A and B differ in their last number at most. */
static bool are_alike(const char *a, const char *b)
{
    size_t a_before, a_digits, b_before, b_digits;
    split(a, &a_before, &a_digits);
    split(b, &b_before, &b_digits);
    return a_before == b_before && (a_digits == 0) == (b_digits == 0) && strncmp(a, b, a_before) == 0 &&
           strcmp(a + a_before + a_digits, b + b_before + b_digits) == 0;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Compares paths A and B by the last number in the file name; numbers can have any number of digits. */
static int compare(const void *a, const void *b)
{
    const char *x = base_of(*(char *const *)a), *y = base_of(*(char *const *)b);
    size_t before, x_digits, y_digits;
    split(x, &before, &x_digits);
    x += before;
    split(y, &before, &y_digits);
    y += before;
    for (; x_digits > 1 && *x == '0'; x_digits--)
        x++;
    for (; y_digits > 1 && *y == '0'; y_digits--)
        y++;
    return x_digits != y_digits ? (x_digits > y_digits) - (x_digits < y_digits) : strncmp(x, y, x_digits);
}

static int add(struct mpg_foreign_files *files, const char *folder, size_t length, const char *name, struct mpg_error *err)
{
    char **grown = realloc(files->path, (files->n + 1) * sizeof *grown);
    if (grown)
        files->path = grown;
    char *path = malloc(length + strlen(name) + 2);
    if (!grown || !path) {
        free(path);
        return mpg_error_set(err, "out of memory");
    }
    sprintf(path, "%.*s%s%s", (int)length, folder, length > 0 && folder[length - 1] != '/' ? "/" : "", name);
    files->path[files->n++] = path;
    return 0;
}

/* Adds the files of KIND in the folder whose path is the first LENGTH bytes of FOLDER: files with names that differ from
 * LIKE in the last number at most; all files if LIKE is NULL. Returns 0, or -1 with ERR. */
static int add_folder(struct mpg_foreign_files *files, const char *folder, size_t length, const char *like,
                      enum mpg_file_kind kind, struct mpg_error *err)
{
    char *name = length > 0 ? strndup(folder, length) : strdup(".");
    DIR *entries = name ? opendir(name) : NULL;
    int status = entries ? 0 : mpg_error_errno(err, errno, "%s", name ? name : folder);
    for (struct dirent *e; status == 0 && (e = readdir(entries));) {
        if (e->d_name[0] == '.' || (like && !are_alike(e->d_name, like)))
            continue;
        status = add(files, folder, length, e->d_name, err);
        if (status == 0 && mpg_kind_of(files->path[files->n - 1]) != kind)
            free(files->path[--files->n]);
    }
    if (entries)
        (void)closedir(entries);
    free(name);
    return status;
}

static int check(const struct mpg_foreign_files *files, const char *path, struct mpg_error *err)
{
    if (files->n == 0)
        return mpg_error_set(err, "%s: no such trace in this folder", path);
    for (size_t i = 1; i < files->n; i++) {
        const char *first = base_of(files->path[0]), *name = base_of(files->path[i]);
        if (!are_alike(first, name))
            return mpg_error_set(err, "%s: files of several traces (%.80s, %.80s): name a file of one trace", path, first, name);
        if (compare(&files->path[i - 1], &files->path[i]) == 0)
            return mpg_error_set(err, "%s: two files of one rank (%.80s, %.80s)", path, base_of(files->path[i - 1]), name);
    }
    return 0;
}

int mpg_foreign_files_find(struct mpg_foreign_files *files, const char *path, enum mpg_file_kind kind, struct mpg_error *err)
{
    struct stat st;
    *files = (struct mpg_foreign_files){.n = 0};
    if (stat(path, &st) < 0)
        return mpg_error_errno(err, errno, "%s", path);
    const char *base = base_of(path);
    const bool folder = S_ISDIR(st.st_mode);
    size_t before, digits;
    split(base, &before, &digits);
    int status = folder        ? add_folder(files, path, strlen(path), NULL, kind, err)
                 : digits == 0 ? add(files, path, (size_t)(base - path), base, err)
                               : add_folder(files, path, (size_t)(base - path), base, kind, err);
    if (status == 0 && !folder && files->n == 0)
        status = add(files, path, (size_t)(base - path), base, err);
    if (status == 0 && files->n > 1)
        qsort(files->path, files->n, sizeof *files->path, compare);
    if (status == 0)
        status = check(files, path, err);
    if (status < 0)
        mpg_foreign_files_clear(files);
    return status;
}

void mpg_foreign_files_clear(struct mpg_foreign_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->path[i]);
    free(files->path);
    *files = (struct mpg_foreign_files){.n = 0};
}
