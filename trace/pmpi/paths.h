/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the C library's functions for paths and folders do, without their allocating. */
#ifndef MPG_TRACER_PATHS_H
#define MPG_TRACER_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* What realpath(3) makes of PATH, into REAL of SIZE bytes; false, with errno, if PATH is not
 * there, or without room. */
bool paths_real(const char *path, char *real, size_t size);

/* Calls VISIT with each name in FOLDER but . and ..; as readdir(3), it may or may not meet what
 * is made meanwhile. False, with errno, if FOLDER cannot be read. */
bool paths_list(const char *folder, void (*visit)(const char *name, void *data), void *data);

#endif
