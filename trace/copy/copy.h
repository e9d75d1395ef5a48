/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing events of a trace as another one: a file a rank and thread, in which what the events
 * refer to is defined as in the trace that they are from.
 *
 * One rank after the other: mpg_copy_begin(), its facts and events, mpg_copy_end(). Memory and
 * open files are those of one rank. */
#ifndef MPG_COPY_H
#define MPG_COPY_H

#include <stddef.h>

#include "common/error.h"
#include "trace/reader.h"

struct mpg_copy;

/* From TRACE, into the folder FOLDER, which is empty; both outlive it. Errors: out of memory. */
struct mpg_copy *mpg_copy_new(struct mpg_trace *trace, const char *folder, struct mpg_error *err);
int mpg_copy_begin(struct mpg_copy *copy, int32_t rank, struct mpg_error *err);
int mpg_copy_fact(struct mpg_copy *copy, const char *key, const char *value, struct mpg_error *err);
/* A signature for the trace to hold (trace/store/signature.h). */
int mpg_copy_signature(struct mpg_copy *copy, const char *name, const void *text, size_t bytes,
                       struct mpg_error *err);
/* EVENT, as a cursor of the rank gave it, but for times, values and sums. Each thread's come in
 * ascending order of time; one that `killed` says of is written as the fact "died". */
int mpg_copy_event(struct mpg_copy *copy, const struct mpg_event *event, struct mpg_error *err);
/* The rank is whole. LAST: so are all; what no event mentions is then written, too. */
int mpg_copy_end(struct mpg_copy *copy, bool last, struct mpg_error *err);
void mpg_copy_free(struct mpg_copy *copy); /* NULL is allowed */

#endif
