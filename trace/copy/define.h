/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What events refer to, told to a stream that is written. Private to trace/copy/. */
#ifndef MPG_COPY_DEFINE_H
#define MPG_COPY_DEFINE_H

#include "common/map.h"
#include "trace/reader.h"
#include "trace/store/writer.h"

/* A thread of the rank that is written. The stream's numbers are those of the whole trace. */
struct mpg_copy_stream {
    uint32_t thread;
    int fd;
    struct mpg_trace_writer *writer;
    struct mpg_map defined; /* (number, kind) -> 1 */
};

/* Each does nothing if the stream knows what it is about. USED: communicators that are in any
 * stream. Errors: the writer's, out of memory. */
int mpg_copy_need_comm(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t comm,
                       struct mpg_map *used, struct mpg_error *err);
/* RANK's, if it has any there. */
int mpg_copy_need_topology(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t rank,
                           int32_t comm, struct mpg_map *used, struct mpg_error *err);
/* All that EVENT of RANK names. */
int mpg_copy_need(struct mpg_copy_stream *s, struct mpg_trace *trace, int32_t rank,
                  const struct mpg_event *event, struct mpg_map *used, struct mpg_error *err);

#endif
