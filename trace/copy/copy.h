/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes events of a trace as another trace, with the definitions of the original trace: one file for each rank and thread, or a
 * single file.
 *
 * One rank after another: mpg_copy_begin(), facts and events of the rank, mpg_copy_end(). Memory and open files are
 * bounded by one rank. */
#ifndef MPG_COPY_H
#define MPG_COPY_H

#include <stddef.h>

#include "common/error.h"
#include "trace/reader.h"
#include "trace/sink.h"

struct mpg_copy;

/* Starts a copy from TRACE into the empty folder FOLDER; both must outlive the copy. Returns NULL with ERR: out of
 * memory. The caller frees the copy. */
struct mpg_copy *mpg_copy_new(struct mpg_trace *trace, const char *folder, struct mpg_error *err);
/* Starts a copy appending all ranks to the empty file FD, named NAME in errors. */
struct mpg_copy *mpg_copy_new_file(struct mpg_trace *trace, int fd, const char *name, struct mpg_error *err);
int mpg_copy_begin(struct mpg_copy *copy, int32_t rank, struct mpg_error *err);
/* Makes the stream of THREAD, which may have no events. */
int mpg_copy_thread(struct mpg_copy *copy, uint32_t thread, struct mpg_error *err);
int mpg_copy_fact(struct mpg_copy *copy, const char *key, const char *value, struct mpg_error *err);
/* Stores a signature in the trace (trace/store/signature.h). Returns 0, or -1 with ERR. */
int mpg_copy_signature(struct mpg_copy *copy, const char *name, const void *text, size_t bytes,
                       struct mpg_error *err);
/* Writes EVENT as returned by a cursor of the rank; times, values and aggregates can be changed. Events of each thread come in
 * ascending order of time. A `killed` event is written as the fact "died". Returns 0, or -1 with ERR. */
int mpg_copy_event(struct mpg_copy *copy, const struct mpg_event *event, struct mpg_error *err);
/* Completes the rank. LAST: the last rank; definitions unnamed by events are then written, too. Returns 0, or -1 with ERR. */
int mpg_copy_end(struct mpg_copy *copy, bool last, struct mpg_error *err);
/* Returns the functions above as a sink, valid until COPY is freed. */
struct mpg_sink mpg_copy_sink(struct mpg_copy *copy);
void mpg_copy_free(struct mpg_copy *copy); /* NULL is allowed */

#endif
