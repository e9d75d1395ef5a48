/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader's files share: an open trace. Private to trace/. */
#ifndef MPG_TRACE_PRIVATE_H
#define MPG_TRACE_PRIVATE_H

#include <zstd.h>

#include "common/map.h"
#include "trace/store/chunk.h"
#include "trace/reader.h"
#include "trace/store/window.h"

struct trace_file {
    int fd;
    char *path;
    int64_t usable_bytes; /* up to the end of the last whole chunk */
    int64_t size_bytes;
    int32_t last_rank; /* of its last chunk, which may have been cut off; -1: not known */
    uint32_t last_thread;
};

struct clock_point {
    int64_t time_ns, offset_ns;
};

/* One thread of a rank. */
struct trace_stream {
    bool present; /* has a chunk or a window */
    uint32_t run;
    size_t file;
    int64_t first_offset;
    uint64_t chunks, events; /* chunks: without the window */
    bool has_window, uses_window; /* uses: what is in the window is in no chunk */
    size_t window_file;
    int64_t window_offset;
    uint32_t window_bytes, window_columns;
    struct mpg_progress progress;
    bool finalizes; /* ended inside MPI_Finalize, where launchers kill: nothing is missing */
};

struct trace_rank {
    bool present, unresolved, cancels, finalizes; /* one of its streams does */
    bool runs; /* still, when the trace was opened */
    uint32_t threads;
    struct trace_stream *stream;
    int32_t host;
    bool shares_clock;
    size_t clock_points, facts_bytes;
    struct clock_point *clock;
    char *facts; /* "key\0value\0" pairs */
};

/* The neighbours of a rank in a communicator. */
struct trace_topology {
    int32_t rank, comm;
    uint32_t source_number, destination_number;
    int32_t *sources, *destinations; /* one allocation */
};

/* A growing array of definitions, found by their contents' hash. */
struct trace_table {
    void *items;
    int32_t count, capacity;
    struct mpg_map index; /* (hash, collisions) -> number + 1 */
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
    ZSTD_DCtx *zstd;
    uint8_t *stored; /* a chunk's payload; one chunk is read at a time */
    size_t stored_capacity;
    int32_t comm_count, comm_capacity;
    struct mpg_comm *comms;
    struct mpg_map comm_index; /* (hash of the groups, instance) -> number + 1 */
    struct mpg_map labels;     /* those taken */
    int32_t next_label;        /* above all of them */
    struct trace_table objects, strings, modules, sites;
    struct trace_table topologies; /* found by (rank, communicator) */
};

/* The call that the process died in, as the stream's window says, or MPG_CALL_COUNT. */
enum mpg_call mpg_trace_inside(const struct trace_stream *stream);

/* What the window at OFFSET of FILE says of itself, all of it at one time. */
int mpg_trace_progress(const struct trace_file *file, int64_t offset,
                       struct mpg_progress *progress, struct mpg_error *err);

/* Reads exactly SIZE bytes at OFFSET; -1 with ERR naming FILE otherwise. */
int mpg_trace_pread(const struct trace_file *file, void *data, size_t size, int64_t offset,
                    struct mpg_error *err);

/* The trace-wide number of the communicator with this PARENT, these groups and
 * INSTANCE, registered if new (WORLD_RANKS is copied). -1: out of memory. */
int32_t mpg_trace_intern_comm(struct mpg_trace *trace, int32_t parent, int32_t instance,
                              int32_t label, int32_t size, int32_t remote_size,
                              const int32_t *world_ranks);

/* Likewise of other definitions, whose comm, module are trace-wide numbers; what
 * they point to is copied. -1: out of memory. */
int32_t mpg_trace_intern_object(struct mpg_trace *trace, const struct mpg_object *object);
int32_t mpg_trace_intern_string(struct mpg_trace *trace, const char *text, size_t size);
int32_t mpg_trace_intern_module(struct mpg_trace *trace, const uint8_t *build_id, uint32_t size,
                                const char *path, size_t path_size);
int32_t mpg_trace_intern_site(struct mpg_trace *trace, const struct mpg_frame *frames,
                              uint32_t frame_number);
/* Takes RANKS, the sources followed by the destinations, also on failure. */
int mpg_trace_add_topology(struct mpg_trace *trace, int32_t rank, int32_t comm,
                           uint32_t source_number, uint32_t destination_number, int32_t *ranks);
/* NULL: none. */
const struct trace_topology *mpg_trace_topology(const struct mpg_trace *trace, int32_t rank,
                                                int32_t comm);
/* The I-th that has been met, or NULL beyond the last. */
const struct trace_topology *mpg_trace_topology_at(const struct mpg_trace *trace, int32_t i);
void mpg_trace_free_definitions(struct mpg_trace *trace);

#endif
