/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute-interval classes: intervals between the same two calls at the same two callsites, in windows of time. A first pass
 * gathers their histograms, from which follows what the source machine's interruptions took from each interval
 * (docs/NOISE.md, Removal of the source's noise). */
#ifndef MPG_CLASSES_H
#define MPG_CLASSES_H

#include "common/bytes.h"
#include "common/error.h"
#include "graph/graph.h"
#include "simulate/models/perturbation.h"

struct mpg_classes;

/* Whether intervals are judged by their CPU time (record --cpu-time) instead of their length. */
enum mpg_cpu_use { MPG_CPU_NONE, MPG_CPU_ALL };

/* For the source that P has, which outlives it. Each pair of callsites takes up to 16 histograms (twice as many where CPU time
 * was recorded), whatever the number of ranks. NULL with ERR: out of memory. */
struct mpg_classes *mpg_classes_new(const struct mpg_perturbation *p, struct mpg_error *err);
/* Judges intervals by CPU time wherever all of them have it, whatever it lacks: time that intervals spent waiting is no work.
 * Before mpg_classes_finish(). */
void mpg_classes_prefer_cpu(struct mpg_classes *classes);
/* Takes a step of the first pass. Error: out of memory. */
int mpg_classes_add(struct mpg_classes *classes, const struct mpg_step *step, struct mpg_error *err);
/* Appends what CLASSES have gathered of TRACE, not finished, to BYTES; reads it again into new ones: 0, or -1 if LEFT does not
 * hold it or memory is short; then mpg_classes_forget() makes them new. KEY gets what it depends on beside the trace and
 * the graph. */
void mpg_classes_put(struct mpg_bytes *bytes, const struct mpg_classes *classes, const struct mpg_trace *trace);
int mpg_classes_get(struct mpg_bytes_left *left, struct mpg_classes *classes, struct mpg_trace *trace);
void mpg_classes_forget(struct mpg_classes *classes);
void mpg_classes_key(struct mpg_bytes *key);
/* Ends the gathering. Error: out of memory. */
int mpg_classes_finish(struct mpg_classes *classes, struct mpg_error *err);
/* After mpg_classes_finish(). */
enum mpg_cpu_use mpg_classes_cpu(const struct mpg_classes *classes);
/* Says of X, the interval that the ENTER step STEP is about, what interruptions took from it. Thread-safe. */
void mpg_classes_find(const struct mpg_classes *classes, const struct mpg_step *step, struct mpg_interval *x);
void mpg_classes_free(struct mpg_classes *classes); /* NULL is allowed */

#endif
