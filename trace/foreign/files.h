/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a trace with a file for each rank, in the order of the number in the file name. For readers of other
 * tools' traces. */
#ifndef MPG_FOREIGN_FILES_H
#define MPG_FOREIGN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/kind.h"

struct mpg_foreign_files {
    char **path; /* paths by rank */
    size_t n;
};

/* Fills FILES from PATH: a folder, whose files of KIND are taken; or a file of KIND, with the files beside it whose names
 * differ in the last number only. Returns 0, or -1 with ERR: no such file, files of two traces, two files with equal
 * numbers. */
int mpg_foreign_files_find(struct mpg_foreign_files *files, const char *path, enum mpg_file_kind kind, struct mpg_error *err);
void mpg_foreign_files_clear(struct mpg_foreign_files *files);

#endif
