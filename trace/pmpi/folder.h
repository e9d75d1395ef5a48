/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder that a world's trace goes into. */
#ifndef MPG_TRACER_FOLDER_H
#define MPG_TRACER_FOLDER_H

#include <stddef.h>

#include "common/error.h"

/* Makes FOLDER if it is not there (not those above it) and puts its absolute path into
 * PATH of SIZE bytes. */
int folder_make(const char *folder, char *path, size_t size, struct mpg_error *err);

/* Makes FOLDER, and in it the first spawned-K that is not there yet: K, or -1. */
int folder_make_spawned(const char *folder, struct mpg_error *err);

/* Removes what an earlier run has left in FOLDER: files of ranks, and in the folders of
 * the worlds it spawned. What is not a trace stays. */
void folder_clear(const char *folder);

#endif
