/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute-interval classes: intervals between the same two calls at the same two callsites, in windows of time. The pre-pass
 * gathers their histograms; the interruptions of the source machine in each interval follow from the histograms
 * (docs/NOISE.md, Removal of the source's noise). */
#ifndef MPG_CLASSES_H
#define MPG_CLASSES_H

#include "common/bytes.h"
#include "common/error.h"
#include "graph/graph.h"
#include "simulate/models/perturbation.h"
#include "simulate/noise/removals.h"

struct mpg_classes;

/* How intervals are measured: by length, or by CPU time (record --cpu-time). */
enum mpg_cpu_use { MPG_CPU_NONE, MPG_CPU_ALL };

/* Creates empty classes for removing the noise of P's source. P and REMOVALS, which keeps the removals, outlive the classes.
 * Each pair of callsites has up to 16 histograms (32 with recorded CPU time), for any number of ranks. NULL with ERR: out of
 * memory. */
struct mpg_classes *mpg_classes_new(const struct mpg_perturbation *p, struct mpg_removals *removals, struct mpg_error *err);
/* Measures intervals by CPU time if all intervals have a CPU time: waiting within an interval then does not count as work. To
 * be called before mpg_classes_finish(). */
void mpg_classes_prefer_cpu(struct mpg_classes *classes);
/* Adds the interval of STEP, a step of the pre-pass, to the interval's class. Error: out of memory. */
int mpg_classes_add(struct mpg_classes *classes, const struct mpg_step *step, struct mpg_error *err);
/* For the cache. mpg_classes_put() appends the unfinished data of CLASSES to BYTES, and to KEY all options on which the data
 * depend besides the trace and the graph. mpg_classes_get() reads the data from LEFT into new CLASSES and returns 0, or -1 if
 * LEFT is damaged or memory runs out; then mpg_classes_forget() must empty CLASSES. */
void mpg_classes_put(struct mpg_bytes *bytes, const struct mpg_classes *classes, const struct mpg_trace *trace);
int mpg_classes_get(struct mpg_bytes_left *left, struct mpg_classes *classes, struct mpg_trace *trace);
void mpg_classes_forget(struct mpg_classes *classes);
void mpg_classes_key(struct mpg_bytes *key);
/* Computes the interruptions of all classes; to be called after the last step of the pre-pass. Error: out of memory. */
int mpg_classes_finish(struct mpg_classes *classes, struct mpg_error *err);
/* Returns how intervals were measured; valid after mpg_classes_finish(). */
enum mpg_cpu_use mpg_classes_cpu(const struct mpg_classes *classes);
/* Stores in X, the interval of the ENTER step STEP, the time lost to interruptions in the interval. Thread-safe. */
void mpg_classes_find(const struct mpg_classes *classes, const struct mpg_step *step, struct mpg_interval *x);
void mpg_classes_free(struct mpg_classes *classes); /* NULL is allowed */

#endif
