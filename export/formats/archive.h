/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of an OTF2 archive or a TI trace: written to a temporary folder, then moved. Private to export/formats/. */
#ifndef MPG_EXPORT_ARCHIVE_H
#define MPG_EXPORT_ARCHIVE_H

#include <stddef.h>

#include "common/error.h"

/* Place of an archive. The parts are NAME.otf2, NAME.def and NAME/ (OTF2), or NAME.ti and NAME/ (TI). For an output
 * NAME.otf2 or NAME.ti the parts lie side by side; for any other output they lie in a new folder, the output, with NAME =
 * traces. */
struct mpg_archive_output {
    char path[4000];      /* the output's name without slashes at the end */
    char temporary[4096]; /* temporary folder beside PATH */
    char name[256];       /* NAME of the archive */
    const char *ending;   /* ".otf2" or ".ti" */
    int stem;             /* length of PATH without the ending; 0: PATH lacks the ending and is a folder */
};

/* Sets OUTPUT for the name PATH, and makes the temporary folder. ENDING: ".otf2" or ".ti". Returns 0, or -1 with ERR: a
 * file or folder of this name exists; the folder cannot be written. */
int mpg_archive_output_open(struct mpg_archive_output *output, const char *path, const char *ending, struct mpg_error *err);
/* Writes the final absolute path of the folder NAME/ to PATH, SIZE bytes. Returns 0, or -1 with ERR: the parent folder
 * does not exist, or the path is too long. */
int mpg_archive_output_folder(const struct mpg_archive_output *output, char *path, size_t size, struct mpg_error *err);
/* Moves the archive to the final place. Returns 0, or -1 with ERR after removing the archive. */
int mpg_archive_output_commit(struct mpg_archive_output *output, struct mpg_error *err);
/* Removes the archive after an error, and replaces the temporary folder's name in ERR by the final place. Always
 * returns -1. */
int mpg_archive_output_discard(struct mpg_archive_output *output, struct mpg_error *err);

#endif
