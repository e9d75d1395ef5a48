/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that involve no other process and start no operation (kind OTHER: MPI_Wtime, MPI_Comm_rank, MPI_Type_size ...).
 * Programs poll some of them. A trace holds the first calls from each site (one, or MPGTRACE_LOCAL), and sums with number
 * and time of the rest. */
#ifndef MPG_TRACER_LOCAL_H
#define MPG_TRACER_LOCAL_H

#include "trace/pmpi/tracer.h"

/* Reads MPGTRACE_LOCAL in the environment of RANK. */
void local_start(int rank);

/* Adds the call S, of kind OTHER, made from SITE, to a sum of the thread's stream. Returns false if the call is to be
 * recorded. Locked callers only. */
bool local_add(const struct tracer_scope *s, int32_t site);

#endif
