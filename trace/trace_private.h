/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What trace/open.c, trace/cursor.c and trace/comms.c share. Private to trace/. */
#ifndef MPG_TRACE_PRIVATE_H
#define MPG_TRACE_PRIVATE_H

#include "common/map.h"
#include "trace/chunk.h"
#include "trace/reader.h"

struct trace_file {
    int fd;
    char *path;
    int64_t usable_bytes; /* up to the end of the last whole chunk */
};

struct clock_point {
    int64_t time_ns, offset_ns;
};

struct trace_rank {
    bool present, unresolved;
    size_t file;
    int64_t first_offset;
    uint64_t chunks, events;
    int32_t host;
    bool shares_clock;
    size_t clock_points, facts_bytes;
    struct clock_point *clock;
    char *facts; /* "key\0value\0" pairs */
};

struct mpg_trace {
    char *path;
    size_t file_count;
    struct trace_file *files;
    int32_t ranks;
    struct trace_rank *rank;
    size_t host_count;
    char **hosts;
    char *cut;
    int32_t comm_count, comm_capacity;
    struct mpg_comm *comms;
    struct mpg_map comm_index; /* (hash of the groups, instance) -> number + 1 */
    struct mpg_map labels;     /* those taken */
    int32_t next_label;        /* above all of them */
};

/* Reads exactly SIZE bytes at OFFSET; -1 with ERR naming FILE otherwise. */
int mpg_trace_pread(const struct trace_file *file, void *data, size_t size, int64_t offset,
                    struct mpg_error *err);

/* The trace-wide number of the communicator with these groups and INSTANCE,
 * registered if new (WORLD_RANKS is copied). -1: out of memory. */
int32_t mpg_trace_intern_comm(struct mpg_trace *trace, int32_t instance, int32_t label,
                              int32_t size, int32_t remote_size, const int32_t *world_ranks);

#endif
