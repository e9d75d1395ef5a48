/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and folders that are written aside, and removed again if a signal ends the program
 * first: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, unless whoever started the
 * program has them ignored. For programs of one thread. */
#ifndef MPG_ASIDE_H
#define MPG_ASIDE_H

#include <stdbool.h>

/* Makes a file beside PATH, "PATH.part." and six characters, which goes to ASIDE of SIZE
 * bytes: a descriptor open for writing, or -1 with errno. */
int mpg_aside_file(const char *path, char *aside, unsigned long size);

/* Likewise an empty folder, for its owner alone: 0 or -1 with errno. */
int mpg_aside_folder(const char *path, char *aside, unsigned long size);

/* ASIDE is no longer to be removed: it has its name, or is gone. */
void mpg_aside_done(const char *aside);

/* Removes the folder PATH, which is no link, with the regular files in it. */
void mpg_aside_remove_folder(const char *path);

#endif
