/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the reader's files share: an open trace. Private to trace/. */
#ifndef MPG_TRACE_PRIVATE_H
#define MPG_TRACE_PRIVATE_H

#include <zstd.h>

#include "common/map.h"
#include "trace/store/chunk.h"
#include "trace/reader.h"
#include "trace/store/window.h"

#define MPG_NO_FILE SIZE_MAX

struct trace_file {
    int fd; /* -1: closed, to be opened again */
    bool kept; /* open: there is no other way to it */
    size_t older, newer; /* those that were used before and after it, among the open ones */
    dev_t device;
    ino_t inode;
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
    uint32_t thread, run;
    size_t file;
    int64_t first_offset;
    uint64_t chunks, events; /* chunks: without the window */
    uint64_t stored_bytes;
    bool has_window, uses_window; /* uses: what is in the window is in no chunk */
    bool uses_sums; /* only the calls summed up are not: its last chunk was just appended */
    size_t window_file;
    int64_t window_offset;
    uint32_t window_bytes, window_columns;
    struct mpg_window_state progress;
    bool finalizes; /* ended inside MPI_Finalize, where launchers kill: nothing is missing */
};

struct trace_rank {
    bool unresolved, cancels, finalizes; /* one of its streams does */
    bool runs; /* still, when the trace was opened */
    uint32_t threads; /* that have a chunk or a window */
    struct trace_stream *stream; /* of each, in ascending order of their numbers */
    uint64_t events, stored_bytes; /* of all of them */
    int32_t host;
    bool shares_clock;
    size_t clock_points, clock_capacity;
    struct clock_point *clock;
    size_t facts_bytes, facts_capacity, fact_number, fact_capacity;
    char *facts; /* "key\0value\0" pairs */
    size_t *fact; /* where each begins */
};

/* The groups of communicators, each once however many communicators have them. */
struct trace_members {
    uint64_t hash; /* the same from either side */
    int32_t size, remote_size;
    size_t encoded_bytes;
    uint8_t *encoded; /* as trace/store/define.c writes them */
    int32_t *world_ranks;
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
    size_t file_count, file_capacity;
    struct trace_file *files;
    size_t open_files, open_limit, oldest, newest; /* of those that may be closed */
    int64_t total_bytes; /* of all files */
    uint64_t sum;        /* of all chunks' headers, in any order */
    int32_t ranks;
    struct trace_rank *rank;
    struct trace_table hosts; /* names */
    char *cut;
    ZSTD_DCtx *zstd;
    uint8_t *stored; /* a chunk's payload; one chunk is read at a time */
    size_t stored_capacity;
    size_t hold_bytes; /* of a stream's chunk: of larger ones, parts are held */
    uint8_t *unpacked; /* a column of such a one */
    size_t unpacked_capacity;
    int32_t comm_count, comm_capacity;
    struct mpg_comm *comms;
    struct mpg_map comm_index; /* (hash of the groups, instance) -> number + 1 */
    struct mpg_map labels;     /* those taken */
    int32_t next_label;        /* above all of them */
    struct trace_table objects, strings, modules, sites;
    struct trace_table topologies; /* found by (rank, communicator) */
    struct trace_table members;    /* found by how they are encoded */
    uint64_t named; /* ranks that communicators and topologies have named so far */
};

/* The call that the process died in, as the stream's window says, or MPG_CALL_COUNT. */
enum mpg_call mpg_trace_inside(const struct trace_stream *stream);

/* Opens the regular file PATH as the trace's next. */
int mpg_trace_add_file(struct mpg_trace *trace, const char *path, struct mpg_error *err);
/* FD, which errors call PATH, becomes the trace's next file, and is closed with it. */
int mpg_trace_add_open(struct mpg_trace *trace, int fd, const char *path, struct mpg_error *err);
/* FD takes the place of FILE. */
void mpg_trace_replace_file(struct mpg_trace *trace, size_t file, int fd);
void mpg_trace_close_files(struct mpg_trace *trace);
/* A descriptor of FILE, good until another file is asked for; -1 on failure, *GONE if it
 * is no longer there. */
int mpg_trace_fd(struct mpg_trace *trace, size_t file, bool *gone, struct mpg_error *err);
/* Reads exactly SIZE bytes at OFFSET of FILE; -1 with ERR naming it otherwise. */
int mpg_trace_pread(struct mpg_trace *trace, size_t file, void *data, size_t size, int64_t offset,
                    struct mpg_error *err);

/* Walks the chunk headers of all files, from where an earlier walk came to, and notes what
 * they say. */
int mpg_trace_walk(struct mpg_trace *trace, struct mpg_error *err);
/* All chunks being known, decides which windows hold what is in none, and says what is
 * missing or cut off. */
int mpg_trace_settle(struct mpg_trace *trace, struct mpg_error *err);
/* Says how much of its chunk each stream holds: so much that all of them take ALL_BYTES at most,
 * but for records of events, and a few KiB. Before cursors are opened. */
void mpg_trace_hold(struct mpg_trace *trace, size_t all_bytes);
/* The stream of THREAD, or NULL. */
struct trace_stream *mpg_trace_stream(const struct trace_rank *rank, uint32_t thread);
/* Understands the lines "key value\n" in TEXT (which ends in a NUL) and keeps them. */
int mpg_trace_note_facts(struct mpg_trace *trace, struct trace_rank *rank, char *text, size_t size,
                         struct mpg_error *err);

/* Error: ranks say that they are of different runs. */
int mpg_trace_check_run(const struct mpg_trace *trace, struct mpg_error *err);
/* Notes the threads of RANK that a text says were killed in MPI_Finalize. */
void mpg_trace_note_killed(struct mpg_trace *trace, int32_t rank);

/* What the window at OFFSET of FILE says of itself, all of it at one time. */
int mpg_trace_progress(struct mpg_trace *trace, size_t file, int64_t offset,
                       struct mpg_window_state *progress, struct mpg_error *err);

/* Notes that N more ranks are to be named; false: the file is too small to mean that many,
 * which take a few bytes at least on each of those ranks. */
bool mpg_trace_may_name(struct mpg_trace *trace, uint64_t n);

/* The trace-wide number of the communicator with this PARENT, groups and INSTANCE,
 * registered if new. -1: out of memory. */
int32_t mpg_trace_intern_comm(struct mpg_trace *trace, int32_t parent, int32_t instance,
                              int32_t label, const struct trace_members *members);
/* The number in trace->members of groups that are ENCODED so; -1: they are new. */
int32_t mpg_trace_find_members(struct mpg_trace *trace, int32_t size, int32_t remote_size,
                               const uint8_t *encoded, size_t bytes);
/* Adds what was not found; takes WORLD_RANKS (both groups), also on failure. -1: out of
 * memory. */
int32_t mpg_trace_add_members(struct mpg_trace *trace, int32_t size, int32_t remote_size,
                              const uint8_t *encoded, size_t bytes, int32_t *world_ranks);

void mpg_trace_free_members(struct mpg_trace *trace);

/* Appends a copy of ITEM of SIZE bytes and says in SLOT, which is of the table's index,
 * where it is. Its number, or -1: out of memory. */
int32_t mpg_trace_table_add(struct trace_table *table, const void *item, size_t size,
                            uint64_t *slot);

/* Likewise of other definitions, whose comm, module are trace-wide numbers; what
 * they point to is copied. -1: out of memory. */
int32_t mpg_trace_intern_object(struct mpg_trace *trace, const struct mpg_object *object);
int32_t mpg_trace_intern_string(struct mpg_trace *trace, const char *text, size_t size);
int32_t mpg_trace_intern_host(struct mpg_trace *trace, const char *name);
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
