/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files are to be read, and what is said of them: arguments, --label, manifests. */
#ifndef MPG_SCALE_LABELS_H
#define MPG_SCALE_LABELS_H

#include "common/error.h"
#include "common/option.h"
#include "scale/scale.h"

/* A folder of several runs has a manifest of this name. */
#define MPG_SCALE_MANIFEST "manifest.tsv"

struct scale_file {
    char *path;
    char *folder; /* that lists it, as it was given; NULL: none was */
    size_t label_number;
    struct scale_label *labels;
};

struct scale_files {
    size_t n, capacity;
    struct scale_file *file;
};

/* Adds PATH; if it is a folder with a manifest, what that lists. Errors: a manifest that cannot be read; its line. */
int mpg_scale_files_add(struct scale_files *files, const char *path, struct mpg_error *err);
/* Adds what the manifest PATH lists: a line a run, its path (relative to the manifest's folder) and, a tab before each,
 * KEY=VALUE; empty lines and those that begin with # say nothing. */
int mpg_scale_files_add_manifest(struct scale_files *files, const char *path, struct mpg_error *err);
/* KEY=VALUE,FILE[,FILE]...: of files that have been added, by the path that was given: a folder with a
 * manifest stands for what that lists. Errors: no such file; another
 * form; a "scaling" that is neither fixed nor scaled; a key that the file has with another value. */
int mpg_scale_files_label(struct scale_files *files, const char *label, struct mpg_error *err);
/* KEY=VALUE. Error: another form. */
int mpg_scale_label_parse(const char *text, size_t length, struct scale_label *label, struct mpg_error *err);
void mpg_scale_label_clear(struct scale_label *label);
void mpg_scale_files_clear(struct scale_files *files);

#endif
