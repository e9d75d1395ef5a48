/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replacements for functions of the C library on paths and folders, without allocation. */
#ifndef MPG_TRACER_PATHS_H
#define MPG_TRACER_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the absolute path of PATH to REAL of SIZE bytes, like realpath(3). Returns false, with errno, if PATH does not
 * exist or REAL is too small. */
bool paths_real(const char *path, char *real, size_t size);

/* Calls VISIT with each name in FOLDER except . and ..; like readdir(3), may miss files made meanwhile. Returns false, with
 * errno, if FOLDER cannot be read. */
bool paths_list(const char *folder, void (*visit)(const char *name, void *data), void *data);

#endif
