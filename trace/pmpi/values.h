/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured over compute intervals, from the end of a recorded call to the begin
 * of the next: CPU time of the thread, and counters (counters.h). */
#ifndef MPG_TRACER_VALUES_H
#define MPG_TRACER_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/store/writer.h"

/* How many an event has: 0 where none was asked for. Set once, by values_open(). */
extern uint32_t values_number;

/* Prepares what MPGTRACE_CPU_TIME and MPGTRACE_PAPI ask for. COMPLAINT: one line about
 * what the machine cannot do, or "". */
void values_open(char *complaint, size_t size);
/* The fact that names them. */
int values_write_names(struct mpg_trace_writer *w, struct mpg_error *err);

/* For the thread that is inside of a call; only where values_number > 0. */
void values_enter(void);               /* its compute interval ends */
const int64_t *values_interval(void);  /* what was measured over it: values_number of them */
void values_leave(void);               /* the next one begins */
/* The least CPU time, in ns, of some intervals with nothing in them; 0 if it is not measured. */
int64_t values_cpu_ns(void);

#endif
