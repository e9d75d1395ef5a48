/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open trace, for the files of the reader. Private to trace/. */
#ifndef MPG_TRACE_PRIVATE_H
#define MPG_TRACE_PRIVATE_H

#include <zstd.h>

#include "common/map.h"
#include "trace/store/chunk.h"
#include "trace/reader.h"
#include "trace/store/segment.h"

#define MPG_NO_FILE SIZE_MAX

struct trace_file {
    int fd; /* -1: closed, reopened on demand */
    bool kept; /* must stay open, because the file cannot be reopened */
    size_t older, newer; /* neighbours in the list of open files by last use, or MPG_NO_FILE */
    dev_t device;
    ino_t inode;
    char *path;
    int64_t usable_bytes; /* number of bytes up to the end of the last whole chunk */
    int64_t size_bytes;
    int32_t last_rank; /* rank of the last chunk, possibly truncated; -1: unknown */
    uint32_t last_thread;
};

struct clock_point {
    int64_t time_ns, offset_ns;
};

/* A part of a stream (MPG_CHUNK_SNAPSHOT), which begins with a snapshot of what was before. */
struct trace_part {
    size_t file;
    int64_t offset;              /* of the first chunk */
    uint64_t sequence, chunks;   /* number of the first chunk; number of chunks */
    uint64_t events, stored_bytes;
    uint64_t snapshot_events, snapshot_bytes; /* events and bytes of the snapshot, which are among those above */
    uint32_t number;             /* modulo 2^MPG_CHUNK_PART_BITS */
    bool skips;                  /* the chunks before the part are there, and the snapshot is not read */
};

/* One thread of a rank. */
struct trace_stream {
    uint32_t thread, run;
    size_t file;
    int64_t first_offset;
    uint64_t chunks, events; /* number of chunks (without the segment, with those of missing parts), and of events */
    uint64_t base_chunks;    /* number of chunks before the first part */
    uint32_t part_count;     /* number of parts, in the order of their chunks */
    struct trace_part *parts;
    uint64_t stored_bytes;
    bool has_segment, uses_segment; /* uses_segment: the segment's events are in no chunk */
    bool uses_sums; /* the segment's events were just appended to the file: only the segment's aggregates are in no chunk */
    size_t segment_file;
    int64_t segment_offset;
    uint32_t segment_bytes, segment_columns;
    struct mpg_segment_state progress;
    bool finalizes; /* the process ended inside MPI_Finalize, where launchers kill processes: nothing is missing */
};

struct trace_rank {
    /* true if any stream has MPG_CHUNK_UNRESOLVED; MPG_CHUNK_CANCELLED; `finalizes` */
    bool unresolved, cancels, finalizes;
    bool runs; /* the process was running when the trace was opened */
    uint32_t threads; /* number of threads with a chunk or a segment */
    struct trace_stream *stream; /* streams of each thread, in ascending order of thread numbers */
    uint64_t events, stored_bytes; /* numbers of events and of stored bytes in all streams */
    int32_t host;
    bool shares_clock;
    size_t clock_points, clock_capacity;
    struct clock_point *clock;
    size_t facts_bytes, facts_capacity, fact_number, fact_capacity;
    char *facts; /* "key\0value\0" pairs */
    size_t *fact; /* begin of each fact */
};

/* Groups of communicators, stored once for all communicators with equal groups. */
struct trace_members {
    uint64_t hash; /* hash of the two groups, independent of the groups' order */
    int32_t size, remote_size;
    size_t encoded_bytes;
    uint8_t *encoded; /* the groups as encoded by trace/store/define.c */
    int32_t *world_ranks;
};

/* The neighbours of a rank in a communicator. */
struct trace_topology {
    int32_t rank, comm;
    uint32_t source_number, destination_number;
    int32_t *sources, *destinations; /* one allocation */
};

/* A growing array of definitions, with a hash index. */
struct trace_table {
    void *items;
    int32_t count, capacity;
    struct mpg_map index; /* (hash, number of the collision) -> 1 + number */
};

struct mpg_trace {
    char *path;
    size_t file_count, file_capacity;
    struct trace_file *files;
    size_t open_files, open_limit, oldest, newest; /* number of open files; the limit; ends of the list of files that can be
                                                    * closed */
    int64_t total_bytes; /* bytes of all files */
    uint64_t sum;        /* sum of the checksums of all chunk headers, independent of the headers' order */
    int32_t ranks;
    struct trace_rank *rank;
    struct trace_table hosts; /* names of hosts */
    char *cut;
    ZSTD_DCtx *zstd;
    uint8_t *stored; /* a chunk's payload; one chunk is read at a time */
    size_t stored_capacity;
    size_t hold_bytes; /* number of bytes of a chunk held by a stream; larger chunks are held in parts */
    uint8_t *unpacked; /* a column of a chunk that is held in parts */
    size_t unpacked_capacity;
    int32_t comm_count, comm_capacity;
    struct mpg_comm *comms;
    struct mpg_map comm_index; /* (hash of the groups, instance) -> 1 + number */
    struct mpg_map labels;     /* labels in use */
    int32_t next_label;        /* larger than all labels in use */
    struct trace_table objects, strings, modules, sites;
    struct trace_table topologies; /* index by (rank, communicator) */
    struct trace_table members;    /* index by encoding */
    uint64_t named; /* number of ranks named by communicators and topologies so far */
};

/* Returns the call in which the process of STREAM died, according to the segment; MPG_CALL_COUNT: the segment names no call. */
enum mpg_call mpg_trace_inside(const struct trace_stream *stream);

/* Opens the regular file PATH as the trace's next file. Returns 0, or -1 with ERR. */
int mpg_trace_add_file(struct mpg_trace *trace, const char *path, struct mpg_error *err);
/* Adds FD, named PATH in errors, as the trace's next file. FD is closed with the trace, or at once on failure. Returns 0, or
 * -1 with ERR. */
int mpg_trace_add_open(struct mpg_trace *trace, int fd, const char *path, struct mpg_error *err);
/* Replaces the open descriptor of FILE by FD, which is closed with the trace. */
void mpg_trace_replace_file(struct mpg_trace *trace, size_t file, int fd);
void mpg_trace_close_files(struct mpg_trace *trace);
/* Returns a descriptor of FILE, valid until another file is requested; -1 with ERR. *GONE: the file's name does not exist any
 * more, or names another file. */
int mpg_trace_fd(struct mpg_trace *trace, size_t file, bool *gone, struct mpg_error *err);
/* Reads exactly SIZE bytes at OFFSET of FILE. Returns 0, or -1 with ERR naming the file. */
int mpg_trace_pread(struct mpg_trace *trace, size_t file, void *data, size_t size, int64_t offset,
                    struct mpg_error *err);

/* Walks the chunk headers of all files from the end of the previous walk on. Returns 0, or -1 with ERR. */
int mpg_trace_walk(struct mpg_trace *trace, struct mpg_error *err);
/* After the walk: finds the segments with events that are in no chunk, and notes missing or truncated parts. Returns 0, or -1
 * with ERR. */
int mpg_trace_settle(struct mpg_trace *trace, struct mpg_error *err);
/* Sets the number of bytes of a chunk held by each stream, so that all streams together hold at most ALL_BYTES, besides
 * records and a few KiB for each stream. Call before opening cursors. */
void mpg_trace_limit_memory(struct mpg_trace *trace, size_t all_bytes);
/* Adds a part to S, which begins with chunk C at OFFSET of FILE. Returns 0, or -1: out of memory. */
int mpg_trace_add_part(struct trace_stream *s, const struct mpg_chunk *c, size_t file, int64_t offset, struct mpg_error *err);
/* Counts chunk C of PART. */
void mpg_trace_count_in_part(struct trace_part *part, const struct mpg_chunk *c);
/* After the walk: drops the parts of streams before a missing part, and those that other threads of the rank lack. */
void mpg_trace_settle_parts(struct mpg_trace *trace);
/* Returns the stream of THREAD, or NULL. */
struct trace_stream *mpg_trace_stream(const struct trace_rank *rank, uint32_t thread);
/* Parses and keeps the lines "key value\n" of TEXT, which ends in a NUL. Returns 0, or -1 with ERR. */
int mpg_trace_note_facts(struct mpg_trace *trace, struct trace_rank *rank, char *text, size_t size,
                         struct mpg_error *err);

/* Returns -1 with ERR if ranks belong to different runs. */
int mpg_trace_check_run(const struct mpg_trace *trace, struct mpg_error *err);
/* Marks the threads of RANK that, according to the text form, were killed in MPI_Finalize. */
void mpg_trace_note_killed(struct mpg_trace *trace, int32_t rank);

/* Reads a consistent state of the segment at OFFSET of FILE into *PROGRESS. Returns 0, or -1 with ERR. */
int mpg_trace_segment_state(struct mpg_trace *trace, size_t file, int64_t offset,
                            struct mpg_segment_state *progress, struct mpg_error *err);

/* Counts N further ranks named by groups or topologies. Returns false if the files are too small for the number of ranks: the
 * list is then damaged, and memory must not be allocated for the list's length. */
bool mpg_trace_may_name(struct mpg_trace *trace, uint64_t n);

/* Returns the trace-wide number of the communicator with PARENT, groups and INSTANCE, registered on first use; -1:
 * out of memory. */
int32_t mpg_trace_intern_comm(struct mpg_trace *trace, int32_t parent, int32_t instance,
                              int32_t label, const struct trace_members *members);
/* Returns the number of the groups with the bytes ENCODED in trace->members; -1: new. */
int32_t mpg_trace_find_members(struct mpg_trace *trace, int32_t size, int32_t remote_size,
                               const uint8_t *encoded, size_t bytes);
/* Adds new groups; the trace owns WORLD_RANKS (both groups), also on failure. Returns the number, or -1: out of memory. */
int32_t mpg_trace_add_members(struct mpg_trace *trace, int32_t size, int32_t remote_size,
                              const uint8_t *encoded, size_t bytes, int32_t *world_ranks);

void mpg_trace_free_members(struct mpg_trace *trace);

/* Appends a copy of ITEM of SIZE bytes, and stores 1 + the item's number in SLOT, an entry of the table's index. Returns the
 * number, or -1: out of memory. */
int32_t mpg_trace_table_add(struct trace_table *table, const void *item, size_t size,
                            uint64_t *slot);

/* These return the trace-wide number of a definition, registered with a copy of the content on first use; -1: out of memory.
 * Communicators in OBJECT and modules in FRAMES are trace-wide numbers. */
int32_t mpg_trace_intern_object(struct mpg_trace *trace, const struct mpg_object *object);
int32_t mpg_trace_intern_string(struct mpg_trace *trace, const char *text, size_t size);
int32_t mpg_trace_intern_host(struct mpg_trace *trace, const char *name);
int32_t mpg_trace_intern_module(struct mpg_trace *trace, const uint8_t *build_id, uint32_t size,
                                const char *path, size_t path_size);
int32_t mpg_trace_intern_site(struct mpg_trace *trace, const struct mpg_frame *frames,
                              uint32_t frame_number);
/* Registers the neighbours of RANK in COMM on first use. RANKS: the sources, followed by the destinations; the trace owns
 * RANKS, also on failure. Returns 0; -1: out of memory. */
int mpg_trace_add_topology(struct mpg_trace *trace, int32_t rank, int32_t comm,
                           uint32_t source_number, uint32_t destination_number, int32_t *ranks);
/* Returns the neighbours of RANK in COMM; NULL: not defined. */
const struct trace_topology *mpg_trace_topology(const struct mpg_trace *trace, int32_t rank,
                                                int32_t comm);
/* Returns topology I, or NULL beyond the last. */
const struct trace_topology *mpg_trace_topology_at(const struct mpg_trace *trace, int32_t i);
void mpg_trace_free_definitions(struct mpg_trace *trace);

#endif
