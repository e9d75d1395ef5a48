/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "scale/read/labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/input.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

void mpg_scale_label_clear(struct scale_label *label)
{
    free(label->key);
    free(label->value);
    *label = (struct scale_label){NULL, NULL};
}

int mpg_scale_label_parse(const char *text, size_t length, struct scale_label *label, struct mpg_error *err)
{
    const char *equals = memchr(text, '=', length);
    *label = (struct scale_label){NULL, NULL};
    if (!equals || equals == text)
        return mpg_error_set(err, "'%.*s' is not KEY=VALUE", (int)length, text);
    label->key = strndup(text, (size_t)(equals - text));
    label->value = strndup(equals + 1, length - (size_t)(equals + 1 - text));
    int status = label->key && label->value ? 0 : out_of_memory(err);
    if (status == 0 && strcmp(label->key, "scaling") == 0 && strcmp(label->value, "fixed") != 0 &&
        strcmp(label->value, "scaled") != 0)
        status = mpg_error_set(err, "scaling is 'fixed' or 'scaled', not '%s'", label->value);
    if (status < 0)
        mpg_scale_label_clear(label);
    return status;
}

static struct scale_file *add_file(struct scale_files *files, const char *path, struct mpg_error *err)
{
    if (files->n == files->capacity) {
        const size_t more = files->capacity ? 2 * files->capacity : 16;
        struct scale_file *grown = realloc(files->file, more * sizeof *grown);
        if (!grown) {
            out_of_memory(err);
            return NULL;
        }
        files->file = grown;
        files->capacity = more;
    }
    struct scale_file *file = &files->file[files->n];
    *file = (struct scale_file){.path = strdup(path)};
    if (!file->path) {
        out_of_memory(err);
        return NULL;
    }
    files->n++;
    return file;
}

/* Gives LABEL to FILE, or frees LABEL if FILE has an equal label already, or on failure. Error: FILE has a different value for
 * the key. */
static int add_label(struct scale_file *file, struct scale_label *label, struct mpg_error *err)
{
    int status = 0;
    for (size_t i = 0; i < file->label_number; i++)
        if (strcmp(file->labels[i].key, label->key) == 0) {
            if (strcmp(file->labels[i].value, label->value) != 0)
                status = mpg_error_set(err, "%s: '%s' is %s and %s", file->path, label->key, file->labels[i].value,
                                       label->value);
            mpg_scale_label_clear(label);
            return status;
        }
    struct scale_label *grown = realloc(file->labels, (file->label_number + 1) * sizeof *grown);
    if (!grown) {
        mpg_scale_label_clear(label);
        return out_of_memory(err);
    }
    file->labels = grown;
    file->labels[file->label_number++] = *label;
    return 0;
}

/* Adds the file in TEXT, a line of a manifest in FOLDER ("" or ending in a slash), with its labels. */
static int add_line(struct scale_files *files, const char *folder, char *text, struct mpg_error *err)
{
    char *rest = text, *path = strsep(&rest, "\t"), *whole = NULL;
    if (*path == '\0')
        return mpg_error_set(err, "no path before the first tab");
    if (asprintf(&whole, "%s%s", *path == '/' ? "" : folder, path) < 0)
        return out_of_memory(err);
    struct scale_file *file = add_file(files, whole, err);
    free(whole);
    int status = file ? 0 : -1;
    for (char *word; status == 0 && (word = strsep(&rest, "\t"));) {
        struct scale_label label;
        if (*word == '\0')
            continue;
        status = mpg_scale_label_parse(word, strlen(word), &label, err);
        if (status == 0)
            status = add_label(file, &label, err);
    }
    return status;
}

int mpg_scale_files_add_manifest(struct scale_files *files, const char *path, struct mpg_error *err)
{
    FILE *in = mpg_input_open(path);
    char *line = NULL, *folder = strdup(path);
    size_t capacity = 0, number = 0;
    int status = 0;
    if (!in)
        status = mpg_error_errno(err, errno, "%s", path);
    else if (!folder)
        status = out_of_memory(err);
    if (folder) {
        char *slash = strrchr(folder, '/');
        slash ? (slash[1] = '\0') : (*folder = '\0');
    }
    for (ssize_t n; status == 0 && (n = getline(&line, &capacity, in)) >= 0;) {
        number++;
        if (strlen(line) != (size_t)n) {
            status = mpg_error_set(err, "%s: line %zu: not text", path, number);
            break;
        }
        line[strcspn(line, "\r\n")] = '\0';
        if (*line != '\0' && *line != '#' && add_line(files, folder, line, err) < 0)
            status = mpg_error_prefix(err, "%s: line %zu", path, number);
    }
    if (status == 0 && ferror(in))
        status = mpg_error_errno(err, errno, "%s", path);
    if (in)
        (void)fclose(in);
    free(line);
    free(folder);
    return status;
}

/* Notes that the files from index FIRST on come from the manifest in the folder PATH. */
static int name_folder(struct scale_files *files, size_t first, const char *path, struct mpg_error *err)
{
    for (size_t i = first; i < files->n; i++)
        if (!(files->file[i].folder = strdup(path)))
            return out_of_memory(err);
    return 0;
}

int mpg_scale_files_add(struct scale_files *files, const char *path, struct mpg_error *err)
{
    struct stat info;
    char *manifest = NULL;
    if (asprintf(&manifest, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", MPG_SCALE_MANIFEST) < 0)
        return out_of_memory(err);
    int status;
    const size_t before = files->n;
    if (stat(manifest, &info) == 0 && S_ISREG(info.st_mode))
        status = mpg_scale_files_add_manifest(files, manifest, err) < 0 ? -1 : name_folder(files, before, path, err);
    else
        status = add_file(files, path, err) ? 0 : -1;
    free(manifest);
    return status;
}

/* Returns whether PATH, which may be NULL, and the N bytes of NAME are equal, except for slashes at the end. */
static bool is_path(const char *path, const char *name, size_t n)
{
    size_t length = path ? strlen(path) : 0;
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (n > 1 && name[n - 1] == '/')
        n--;
    return path && length == n && memcmp(path, name, n) == 0;
}

/* Gives copies of LABEL to all files whose path or folder is the N bytes of PATH. Error: no file has this path or folder. */
static int label_path(struct scale_files *files, const struct scale_label *label, const char *path, size_t n,
                      struct mpg_error *err)
{
    bool any = false;
    for (size_t i = 0; i < files->n; i++) {
        struct scale_file *file = &files->file[i];
        if (!is_path(file->path, path, n) && !is_path(file->folder, path, n))
            continue;
        struct scale_label copy = {strdup(label->key), strdup(label->value)};
        if (!copy.key || !copy.value) {
            mpg_scale_label_clear(&copy);
            return out_of_memory(err);
        }
        if (add_label(file, &copy, err) < 0)
            return -1;
        any = true;
    }
    return any ? 0 : mpg_error_set(err, "'%.*s' is none of the files that were given", (int)n, path);
}

int mpg_scale_files_label(struct scale_files *files, const char *text, struct mpg_error *err)
{
    struct scale_label label = {NULL, NULL};
    size_t n = strcspn(text, ",");
    int status = mpg_scale_label_parse(text, n, &label, err);
    if (status == 0 && text[n] == '\0')
        status = mpg_error_set(err, "'%s' names no file: KEY=VALUE,FILE...", text);
    while (status == 0 && text[n] == ',') {
        text += n + 1;
        n = strcspn(text, ",");
        status = label_path(files, &label, text, n, err);
    }
    mpg_scale_label_clear(&label);
    return status;
}

void mpg_scale_files_clear(struct scale_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        struct scale_file *file = &files->file[i];
        for (size_t k = 0; k < file->label_number; k++)
            mpg_scale_label_clear(&file->labels[k]);
        free(file->labels);
        free(file->folder);
        free(file->path);
    }
    free(files->file);
    *files = (struct scale_files){.n = 0};
}
