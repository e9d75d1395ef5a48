/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of a trace, before the program runs. No process of the job has written to the folder yet: the tracer first writes
 * when all processes are in MPI_Init. */
#ifndef MPG_RECORD_FOLDER_H
#define MPG_RECORD_FOLDER_H

#include <stdbool.h>

#include "common/error.h"

/* Returns whether FOLDER holds (part of) a trace or profile. */
bool mpg_folder_has_trace(const char *folder);

/* Removes the trace in FOLDER: files of ranks, also in the folders of spawned jobs. All other files stay. Returns an error,
 * before removing any file, if a file of a rank is not a regular file or belongs to another user. */
int mpg_folder_clear(const char *folder, struct mpg_error *err);

#endif
