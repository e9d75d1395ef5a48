/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates temporary files and folders, and removes them if SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE or SIGXCPU ends the
 * program. Signals that the parent process has set to be ignored stay ignored. For single-threaded programs. */
#ifndef MPG_ASIDE_H
#define MPG_ASIDE_H

#include <stdbool.h>

/* Creates a file named PATH, ".part." and six characters. Writes the name into ASIDE of SIZE bytes. Returns a descriptor open
 * for writing, or -1 with errno set. */
int mpg_aside_file(const char *path, char *aside, unsigned long size);

/* Creates an empty folder named PATH, ".part." and six characters, accessible to its owner only. Writes the name into ASIDE
 * of SIZE bytes. Returns 0, or -1 with errno set. */
int mpg_aside_folder(const char *path, char *aside, unsigned long size);

/* Stops tracking ASIDE after the caller has renamed or removed ASIDE: a signal no longer removes the file. */
void mpg_aside_done(const char *aside);

/* Removes the folder PATH and the regular files in PATH. Does nothing if PATH is a symbolic link. */
void mpg_aside_remove_folder(const char *path);

#endif
