/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the files of an OTF2 archive go. Private to export/formats/. */
#ifndef MPG_EXPORT_ARCHIVE_H
#define MPG_EXPORT_ARCHIVE_H

#include "common/error.h"

/* NAME.otf2, NAME.def and NAME/, written under a temporary name: beside each other for an output NAME.otf2, else as traces.otf2
 * and so on in a new folder. */
struct mpg_archive_output {
    char path[4000];      /* the output without slashes at its end */
    char temporary[4096]; /* a folder beside it */
    char name[256];       /* of the archive */
    int stem;             /* length of the path without ".otf2"; 0: the output is a folder */
};

/* Prepares OUTPUT for PATH. Returns 0, or -1 with ERR: something of this name exists, it cannot be written there. */
int mpg_archive_output_open(struct mpg_archive_output *output, const char *path, struct mpg_error *err);
/* Moves the archive to its place, or removes it on failure. Returns 0, or -1 with ERR. */
int mpg_archive_output_commit(struct mpg_archive_output *output, struct mpg_error *err);
void mpg_archive_output_discard(struct mpg_archive_output *output);

#endif
