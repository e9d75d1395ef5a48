/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visits of the region to which the user has limited recording (mpgtrace record --region): recording is paused outside. Visits
 * are counted from 1, by the marks of all threads of a rank. */
#ifndef MPG_VISITS_H
#define MPG_VISITS_H

#include "trace/pmpi/tracer.h"

/* Reads MPGTRACE_REGION, a region's name, and MPGTRACE_ITERATIONS, "A-B": visits A to B are recorded as one part, default: each
 * visit as a part. Rank 0 reports wrong values, which have no effect. To be called before regions_start(). */
void visits_start(int rank);
/* Returns whether recording is limited to a region, and whether the rank is inside a recorded visit. Callers hold the lock. */
bool visits_limit(void);
bool visits_inside(void);
/* To be called before the begin of region NAME is recorded: goes on recording if a recorded visit begins. Sets the enter time of
 * S, the call that begins the region, if S began while recording was paused. Takes the lock. */
void visits_begin(struct tracer_scope *s, const char *name);
/* To be called after the end of region NAME is recorded, with S, the call that ends the region: pauses recording if a recorded
 * visit ends. Takes the lock. */
void visits_end(const struct tracer_scope *s, const char *name);
/* At the end of the run: reports, in a line, that the run has no such visit. */
void visits_report(void);

#endif
