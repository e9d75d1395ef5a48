/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass over a rank's events before the replay: checks that the rank can be replayed, and finds the requirements of the
 * replay. */
#ifndef MPG_REPLAY_SURVEY_H
#define MPG_REPLAY_SURVEY_H

#include "replay/changes.h"
#include "replay/interface.h"

/* Fills NEEDS for RANK's calls, with the changes CHANGES (NULL: none). *TRACED_NS: time from the end of MPI_Init to the begin
 * of MPI_Finalize in the trace. The caller must call mpg_needs_clear(NEEDS), also after an error. Returns 0, or -1 with ERR:
 * damaged trace, no MPI_Init, no MPI_Finalize, or the program still runs. */
int mpg_survey(struct mpg_trace *trace, int32_t rank, struct mpg_changes *changes, struct mpg_needs *needs,
               int64_t *traced_ns,
               struct mpg_error *err);
void mpg_needs_clear(struct mpg_needs *needs);

#endif
