/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the files of an OTF2 archive, or of a TI trace, go. Private to export/formats/. */
#ifndef MPG_EXPORT_ARCHIVE_H
#define MPG_EXPORT_ARCHIVE_H

#include <stddef.h>

#include "common/error.h"

/* NAME.otf2, NAME.def and NAME/ (OTF2), or NAME.ti and NAME/ (TI), written under a temporary name: beside each other for an
 * output NAME.otf2 or NAME.ti, else as traces.otf2 and so on in a new folder. */
struct mpg_archive_output {
    char path[4000];      /* the output without slashes at its end */
    char temporary[4096]; /* a folder beside it */
    char name[256];       /* of the archive */
    const char *ending;   /* ".otf2" or ".ti" */
    int stem;             /* length of the path without the ending; 0: the output is a folder */
};

/* Prepares OUTPUT for PATH. Returns 0, or -1 with ERR: something of this name exists, it cannot be written there. */
int mpg_archive_output_open(struct mpg_archive_output *output, const char *path, const char *ending, struct mpg_error *err);
/* Writes the path that the folder NAME/ will have, from the root on, to PATH. Returns 0, or -1 with ERR. */
int mpg_archive_output_folder(const struct mpg_archive_output *output, char *path, size_t size, struct mpg_error *err);
/* Moves the archive to its place, or removes it on failure. Returns 0, or -1 with ERR. */
int mpg_archive_output_commit(struct mpg_archive_output *output, struct mpg_error *err);
void mpg_archive_output_discard(struct mpg_archive_output *output);

#endif
