/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values measured over compute intervals, from the end of a recorded call to the begin of the next: CPU time of the
 * thread, and counters (counters.h). */
#ifndef MPG_TRACER_VALUES_H
#define MPG_TRACER_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/store/writer.h"

/* Number of values of an event; 0 if none were requested. Set once, by values_open(). */
extern uint32_t values_number;

/* Prepares the values requested by MPGTRACE_CPU_TIME and MPGTRACE_PAPI. COMPLAINT: a line about values that the machine cannot
 * measure, or "". */
void values_open(char *complaint, size_t size);
/* Writes the fact with the names of the values. */
int values_write_names(struct mpg_trace_writer *w, struct mpg_error *err);

/* For the thread inside a call, and only if values_number > 0. */
void values_enter(void);               /* the compute interval before the call ends */
const int64_t *values_interval(void);  /* returns the values_number values of the interval */
void values_leave(void);               /* the next compute interval begins */
/* Returns the minimum CPU time in ns of several empty intervals; 0 if CPU time is not measured. */
int64_t values_cpu_ns(void);

#endif
