/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass over a rank's events before they are re-enacted: whether they can be, and what they need. */
#ifndef MPG_REPLAY_SURVEY_H
#define MPG_REPLAY_SURVEY_H

#include "replay/changes.h"
#include "replay/stage.h"

/* Of RANK's calls as CHANGES has them (NULL: as they were) into NEEDS, which the caller clears in any case; memory is that of
 * NEEDS. *TRACED_NS: from MPI_Init's leave to MPI_Finalize's enter. Errors: damage; the rank made no MPI_Init, did not end by
 * MPI_Finalize. */
int mpg_survey(struct mpg_trace *trace, int32_t rank, struct mpg_changes *changes, struct mpg_needs *needs,
               int64_t *traced_ns,
               struct mpg_error *err);
void mpg_needs_clear(struct mpg_needs *needs);

#endif
