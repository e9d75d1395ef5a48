/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the system says that a rank used of its CPUs, and waited for them, between MPI_Init and
 * MPI_Finalize: facts of the rank, mpgtrace(5). What a system does not tell is no fact. */
#ifndef MPG_TRACER_USAGE_H
#define MPG_TRACER_USAGE_H

#include "trace/store/writer.h"

/* Reads the system's counters; what they grow by from now on is the rank's. */
void usage_start(void);
/* Writes the facts, with the process's rank between usage_start() and now. Nothing before that. */
int usage_write(struct mpg_trace_writer *w, struct mpg_error *err);

#endif
