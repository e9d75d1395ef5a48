/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of an OTF2 archive or a TI trace: written to a temporary folder, then moved. Private to export/formats/. */
#ifndef MPG_EXPORT_ARCHIVE_H
#define MPG_EXPORT_ARCHIVE_H

#include <stddef.h>

#include "common/error.h"

/* NAME.otf2, NAME.def and NAME/ (OTF2), or NAME.ti and NAME/ (TI), written under a temporary name: beside each other for an
 * output NAME.otf2 or NAME.ti, else as traces.otf2 and so on in a new folder. */
struct mpg_archive_output {
    char path[4000];      /* the output without slashes at its end */
    char temporary[4096]; /* temporary folder beside PATH */
    char name[256];       /* NAME of the archive */
    const char *ending;   /* ".otf2" or ".ti" */
    int stem;             /* length of the path without the ending; 0: the output is a folder */
};

/* Prepares OUTPUT for PATH. Returns 0, or -1 with ERR: a file or folder of this name exists; the
 * folder cannot be written. */
int mpg_archive_output_open(struct mpg_archive_output *output, const char *path, const char *ending, struct mpg_error *err);
/* Writes the final absolute path of the folder NAME/ to PATH. Returns 0, or -1 with ERR. */
int mpg_archive_output_folder(const struct mpg_archive_output *output, char *path, size_t size, struct mpg_error *err);
/* Moves the archive to its place, or removes it on failure. Returns 0, or -1 with ERR. */
int mpg_archive_output_commit(struct mpg_archive_output *output, struct mpg_error *err);
/* Removes the archive after an error, and names its final place in ERR instead of the temporary folder. Always returns -1. */
int mpg_archive_output_discard(struct mpg_archive_output *output, struct mpg_error *err);

#endif
