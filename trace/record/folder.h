/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder that a trace is to go into, before the program runs: no process of the job has
 * written there yet, as all have to be in MPI_Init for that. */
#ifndef MPG_RECORD_FOLDER_H
#define MPG_RECORD_FOLDER_H

#include <stdbool.h>

#include "common/error.h"

/* Whether FOLDER holds (some of) a trace, or a trace's profile. */
bool mpg_folder_has_trace(const char *folder);

/* Removes the trace that FOLDER holds: files of ranks, in the folders of spawned worlds too.
 * What else is there stays. Fails before anything is removed if one of them is no regular
 * file or belongs to another user. */
int mpg_folder_clear(const char *folder, struct mpg_error *err);

#endif
