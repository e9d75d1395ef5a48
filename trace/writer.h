/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the native trace of one rank: chunks of zstd-compressed records.
 *
 * The writer allocates everything at creation, so that writing an event does no
 * system call except when the buffer is full. Not thread-safe: one caller at a
 * time. The format is in mpgtrace(5). */
#ifndef MPG_TRACE_WRITER_H
#define MPG_TRACE_WRITER_H

#include <stddef.h>

#include "common/error.h"
#include "trace/event.h"

struct mpg_trace_writer;

/* A writer of rank RANK of RANKS into the open file FD (not closed by the
 * writer), gathering BUFFER_BYTES (4 KiB to 1 GiB) of compressed chunks before
 * they go out together. LEVEL: zstd's compression level. */
struct mpg_trace_writer *mpg_trace_writer_new(int fd, int32_t rank, int32_t ranks,
                                              size_t buffer_bytes, int level,
                                              struct mpg_error *err);

/* Defines communicator COMM (an id of the caller's, unique on this rank; 0 is
 * MPI_COMM_WORLD by convention) before its first use. WORLD_RANKS: its size
 * world ranks in communicator order; REMOTE: the remote group's, REMOTE_SIZE 0
 * for an intra-communicator. INSTANCE tells communicators with the same groups
 * apart, and is the same number on every member. LABEL: the number to show to
 * people, or -1. */
int mpg_trace_write_comm(struct mpg_trace_writer *w, int32_t comm, int32_t instance, int32_t label,
                         int32_t size, const int32_t *world_ranks, int32_t remote_size,
                         const int32_t *remote, struct mpg_error *err);

/* Appends one event. Its enter time is not before the last event's leave time. */
int mpg_trace_write_event(struct mpg_trace_writer *w, const struct mpg_event *event,
                          struct mpg_error *err);

/* Appends a fact about the rank as "KEY VALUE" (no newline in either), readable
 * without decompressing anything. Keys that mean something: "host NAME",
 * "clock TIME OFFSET" (ns; add OFFSET to this rank's time TIME for rank 0's),
 * "clocks shared", "program ...", "untraced NAME COUNT", "incomplete REASON".
 * Facts go out with the next flush. */
int mpg_trace_write_fact(struct mpg_trace_writer *w, const char *key, const char *value,
                         struct mpg_error *err);

/* Writes what is buffered, ending the current chunk. */
int mpg_trace_writer_flush(struct mpg_trace_writer *w, struct mpg_error *err);

/* Events written, encoded bytes before compression, bytes given to the file. */
struct mpg_trace_writer_size {
    uint64_t events, encoded_bytes, written_bytes;
};
struct mpg_trace_writer_size mpg_trace_writer_size(const struct mpg_trace_writer *w);

/* Frees the writer; what was not flushed is lost. NULL is allowed. */
void mpg_trace_writer_free(struct mpg_trace_writer *w);

#endif
