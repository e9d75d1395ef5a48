/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions named by events, written to a stream before the first use. Private to trace/copy/. */
#ifndef MPG_COPY_DEFINE_H
#define MPG_COPY_DEFINE_H

#include "common/map.h"
#include "trace/reader.h"
#include "trace/store/writer.h"

/* A thread of the rank being written. Numbers in the stream are trace-wide numbers. */
struct mpg_copy_stream {
    uint32_t thread;
    int fd;
    struct mpg_trace_writer *writer;
    struct mpg_map defined; /* definitions present in the stream: (number, kind) -> 1 */
};

/* Each function writes a definition unless the stream has it. USED: communicators defined in any stream. Returns 0,
 * or -1 with ERR: a write error, out of memory. */
int mpg_copy_need_comm(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t comm,
                       struct mpg_map *used, struct mpg_error *err);
/* Writes RANK's neighbours in COMM, if there are any. */
int mpg_copy_need_topology(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t rank,
                           int32_t comm, struct mpg_map *used, struct mpg_error *err);
/* Writes all definitions needed by EVENT of RANK. */
int mpg_copy_need(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t rank,
                  const struct mpg_event *event, struct mpg_map *used, struct mpg_error *err);

#endif
