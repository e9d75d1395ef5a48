/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute intervals that are alike: those of one rank between the same two callsites. A first
 * pass gathers them, so that what the traced machine's noise took from each of them can be taken
 * out where it was (docs/MODEL.md, 3, and Decisions, Alikes). */
#ifndef MPG_LIKES_H
#define MPG_LIKES_H

#include "common/bytes.h"
#include "common/error.h"
#include "graph/graph.h"
#include "simulate/models/perturbation.h"

struct mpg_likes;

/* Of how many of the source's cores that ranks are on intervals are told by their CPU time. */
enum mpg_cpu_use { MPG_CPU_NONE, MPG_CPU_SOME, MPG_CPU_ALL };

/* Of the source that P has, which outlives it. A group takes up to 2 KiB (twice that where CPU
 * time was recorded), and there is one for each pair of callsites of a rank. */
struct mpg_likes *mpg_likes_new(const struct mpg_perturbation *p, struct mpg_error *err);
/* CPU times, where all of a core's intervals have them, tell intervals whatever they lack: what is
 * waited for in intervals is no work. Before mpg_likes_finish(). */
void mpg_likes_prefer_cpu(struct mpg_likes *likes);
/* Takes a step of the first pass. */
int mpg_likes_add(struct mpg_likes *likes, const struct mpg_step *step, struct mpg_error *err);
/* Puts what LIKES have gathered of TRACE, not finished, to BYTES; gets it again, into new ones: 0, or -1
 * where it is not there, or no memory for it; then they are to be new once more. What it depends on, beside
 * the trace and its graph, goes to KEY. */
void mpg_likes_put(struct mpg_bytes *bytes, const struct mpg_likes *likes,
                   const struct mpg_trace *trace);
int mpg_likes_get(struct mpg_bytes_left *left, struct mpg_likes *likes, struct mpg_trace *trace);
void mpg_likes_forget(struct mpg_likes *likes);
void mpg_likes_key(struct mpg_bytes *key, const struct mpg_likes *likes, int32_t ranks);
/* Ends the gathering. */
int mpg_likes_finish(struct mpg_likes *likes, struct mpg_error *err);
/* After mpg_likes_finish(). */
enum mpg_cpu_use mpg_likes_cpu(const struct mpg_likes *likes);
/* Says of X, the interval that the ENTER step STEP is about, what noise took from it. */
void mpg_likes_find(const struct mpg_likes *likes, const struct mpg_step *step,
                    struct mpg_interval *x);
void mpg_likes_free(struct mpg_likes *likes); /* NULL is allowed */

#endif
