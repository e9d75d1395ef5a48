/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank's use of CPUs and waiting for CPUs between MPI_Init and MPI_Finalize, from the system's counters: facts of the rank,
 * mpgtrace(5). Counters missing in the system yield no fact. */
#ifndef MPG_TRACER_USAGE_H
#define MPG_TRACER_USAGE_H

#include "trace/store/writer.h"

/* Reads the system's counters; the rank's facts are the growth of the counters from now on. */
void usage_start(void);
/* Writes the facts of the process between usage_start() and now; nothing if usage_start() was not called. */
int usage_write(struct mpg_trace_writer *w, struct mpg_error *err);

#endif
