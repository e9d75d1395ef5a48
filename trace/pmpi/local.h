/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that involve no other process and start nothing (kind OTHER: MPI_Wtime, MPI_Comm_rank,
 * MPI_Type_size ...). Programs poll some of them; a trace holds the first from each place, or as
 * many as MPGTRACE_LOCAL says, and the number and times of the others in sums. */
#ifndef MPG_TRACER_LOCAL_H
#define MPG_TRACER_LOCAL_H

#include "trace/pmpi/tracer.h"

/* Reads the environment of RANK. */
void local_start(int rank);

/* Adds the call S, of kind OTHER, that was made from SITE to a sum of the thread's stream; false if
 * it is to be recorded. Locked callers only. */
bool local_add(const struct tracer_scope *s, int32_t site);

#endif
