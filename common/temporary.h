/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates temporary files and folders, and removes them if SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE or SIGXCPU ends the program.
 * Signals set to be ignored by the parent process stay ignored. For single-threaded programs. */
#ifndef MPG_TEMPORARY_H
#define MPG_TEMPORARY_H

#include <stdbool.h>

#include "common/error.h"

/* Creates a file named PATH, ".part." and six characters. Writes the name into TEMPORARY of SIZE bytes. Returns a descriptor open
 * for writing, or -1 with errno set. */
int mpg_temporary_file(const char *path, char *temporary, unsigned long size);

/* Creates an empty folder named PATH, ".part." and six characters, accessible to the owner only. Writes the name into TEMPORARY
 * of SIZE bytes. Returns 0, or -1 with errno set. */
int mpg_temporary_folder(const char *path, char *temporary, unsigned long size);

/* Stops tracking TEMPORARY after the caller has renamed or removed TEMPORARY: a signal no longer removes the file. */
void mpg_temporary_forget(const char *temporary);

/* Removes the folder PATH, the files in PATH, and folders in PATH with files only. Does nothing if PATH is a symbolic link. */
void mpg_temporary_remove_folder(const char *path);

/* Replaces the first TEMPORARY in ERR's text (ERR may be NULL) by PATH, the final name: the temporary file is gone when the error
 * is read. Always returns -1. */
int mpg_temporary_rename_in_error(struct mpg_error *err, const char *temporary, const char *path);

#endif
