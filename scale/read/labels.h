/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of input files and their labels, from arguments, --label and manifests. */
#ifndef MPG_SCALE_LABELS_H
#define MPG_SCALE_LABELS_H

#include "common/error.h"
#include "common/option.h"
#include "scale/scale.h"

/* Name of the manifest in a folder of several runs. */
#define MPG_SCALE_MANIFEST "manifest.tsv"

struct scale_file {
    char *path;
    char *folder; /* the folder whose manifest lists the file, as named by the user; NULL: the user named the file */
    size_t label_number;
    struct scale_label *labels;
};

struct scale_files {
    size_t n, capacity;
    struct scale_file *file;
};

/* Adds file PATH or, if PATH is a folder with a manifest, the files in the manifest. Errors: manifest not readable,
 * invalid line. */
int mpg_scale_files_add(struct scale_files *files, const char *path, struct mpg_error *err);
/* Adds the files in the manifest PATH. Each line has a path (relative to the manifest's folder) and labels KEY=VALUE,
 * separated by tabs. Empty lines and lines that begin with # are ignored. */
int mpg_scale_files_add_manifest(struct scale_files *files, const char *path, struct mpg_error *err);
/* LABEL is KEY=VALUE,FILE[,FILE]...: gives the label to these files, named as in mpg_scale_files_add(); a folder with a
 * manifest stands for all files in it. Errors: no such file; wrong format; "scaling" neither fixed nor scaled; a file has a
 * different value for the key. */
int mpg_scale_files_label(struct scale_files *files, const char *label, struct mpg_error *err);
/* Splits the LENGTH bytes of TEXT, KEY=VALUE, into LABEL, which the caller clears. Error: wrong format. */
int mpg_scale_label_parse(const char *text, size_t length, struct scale_label *label, struct mpg_error *err);
void mpg_scale_label_clear(struct scale_label *label);
void mpg_scale_files_clear(struct scale_files *files);

#endif
