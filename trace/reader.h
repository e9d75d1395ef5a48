/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading traces: a folder of rank files, a concatenation of rank files, an import format; concatenations and import formats also
 * on standard input.
 *
 * Opening a trace walks the chunk headers once. Events are then read through one cursor for each rank; a cursor holds
 * one chunk. Memory use does not depend on the length of the trace. A struct mpg_trace and its cursors belong to one
 * thread. */
#ifndef MPG_TRACE_READER_H
#define MPG_TRACE_READER_H

#include <stddef.h>
#include <stdio.h>

#include "common/bytes.h"
#include "common/error.h"
#include "trace/event.h"

struct mpg_trace;
struct mpg_cursor;

/* Opens PATH ("-": standard input). If recording was paused, the trace is the excerpt of the recorded part (trace/excerpt/).
 * Standard input, translated traces and excerpts are spooled to an unlinked temporary file in $TMPDIR. Returns NULL with ERR,
 * which names the file. The caller closes the trace. */
struct mpg_trace *mpg_trace_open(const char *path, struct mpg_error *err);
/* Opens the files of TRACE once more, for another thread: an imported or spooled trace is shared, not imported again. No
 * cursor of TRACE may be used during the call. Returns NULL with ERR. The caller closes both traces, in any order. */
struct mpg_trace *mpg_trace_open_again(const struct mpg_trace *trace, struct mpg_error *err);
/* Opens FD, a file with a copy of a part of TRACE in the native form, under TRACE's path; parts that are missing in TRACE are
 * missing in the copy, too. FD is closed with the trace, or at once on failure. Returns NULL with ERR. */
struct mpg_trace *mpg_trace_open_copy(const struct mpg_trace *trace, int fd, struct mpg_error *err);
void mpg_trace_close(struct mpg_trace *trace); /* NULL is allowed */

const char *mpg_trace_path(const struct mpg_trace *trace);
/* Makes PATH the path of TRACE in outputs and errors; TRACE is a copy, possibly changed, of the trace PATH. Returns 0, or -1 with
 * ERR: out of memory. */
int mpg_trace_name(struct mpg_trace *trace, const char *path, struct mpg_error *err);
/* Puts TRACE's path in front of ERR's text, unless the text begins with TRACE's path or with the path of a file of the trace.
 * Returns -1. */
int mpg_error_add_trace_path(const struct mpg_trace *trace, struct mpg_error *err);
/* As mpg_error_add_trace_path(), but only if ERR is about a call ("rank R, call N ..."); for callers whose errors can concern
 * other objects. */
int mpg_trace_prefix_call(const struct mpg_trace *trace, struct mpg_error *err);
int32_t mpg_trace_ranks(const struct mpg_trace *trace);
/* Return the number of events of RANK (-1: of all ranks); the number of these events found only in segments left behind by
 * processes; and the number of bytes of all chunks. */
uint64_t mpg_trace_events(const struct mpg_trace *trace, int32_t rank);
uint64_t mpg_trace_segment_events(const struct mpg_trace *trace);
uint64_t mpg_trace_bytes(const struct mpg_trace *trace);
/* Sets *SUM to a checksum over the checksums of all chunks, independent of file names and of the distribution of chunks over
 * files. Returns false without a checksum: a process is still running, or segments, which have no checksums, hold events. */
bool mpg_trace_sum(const struct mpg_trace *trace, uint64_t *sum);
/* Returns a line of text about the first missing part: a file that ends within a chunk, a segment without the chunk before it, a
 * thread. NULL: nothing is missing. */
const char *mpg_trace_cut(const struct mpg_trace *trace);
/* Returns the number of streams (threads that made calls) of RANK, 1 or more. */
uint32_t mpg_trace_threads(const struct mpg_trace *trace, int32_t rank);
/* Returns the thread number of stream I, from 0. Numbers ascend and can have gaps. */
uint32_t mpg_trace_thread(const struct mpg_trace *trace, int32_t rank, uint32_t i);
/* Returns whether THREAD of RANK left its segment behind, because the process died without MPI_Finalize. *CALL: the thread's call
 * since *ENTER_NS, or MPG_CALL_COUNT. A process killed inside MPI_Finalize (launchers do this after an error of another process)
 * counts as ended in MPI_Finalize: a cursor returns MPI_Finalize with `killed`. */
bool mpg_trace_died(const struct mpg_trace *trace, int32_t rank, uint32_t thread,
                    enum mpg_call *call, int64_t *enter_ns);

/* Returns whether RANK's process, without MPI_Finalize so far, was running when the trace was opened. Processes of
 * other hosts are not seen. */
bool mpg_trace_runs(const struct mpg_trace *trace, int32_t rank);
/* For a RANK without MPI_Finalize: returns whether the segment with the last calls is lost: removed, not copied, or never
 * created, on a file system that cannot map files. The trace has neither a segment nor a fact that explains the early end, and
 * the file is not truncated. */
bool mpg_trace_lost_segment(const struct mpg_trace *trace, int32_t rank);

/* Returns fact I of RANK in *KEY and *VALUE; false beyond the last. */
bool mpg_trace_fact(const struct mpg_trace *trace, int32_t rank, size_t i, const char **key,
                    const char **value);
/* Returns the value of RANK's first fact KEY, or NULL. */
const char *mpg_trace_find_fact(const struct mpg_trace *trace, int32_t rank, const char *key);
/* Largest shares of the run time that the tracer may take in good and in fair recordings. mpgsim deducts the tracer's time, but
 * 0.4 of it remains as an error: 4 and 10 % of the run (docs/MEASURING.md, Tracing). */
#define MPG_TRACE_GOOD_OVERHEAD 0.1
#define MPG_TRACE_FAIR_OVERHEAD 0.25
/* Largest share of a run off the CPU, outside of MPI, of a good recording (half of the 5 % error aimed at in predictions), and
 * of a fair one. */
#define MPG_TRACE_GOOD_OFF 0.025
#define MPG_TRACE_FAIR_OFF 0.1
/* Smallest share of a run off the CPU, inside MPI, that deserves to be said. */
#define MPG_TRACE_CALLS_OFF 0.1
/* Returns -1 with ERR if TRACE, of another tool, has no times (fact "untimed"): the error states that WHAT of the traced run is
 * unknown. */
int mpg_trace_need_times(const struct mpg_trace *trace, const char *what, struct mpg_error *err);
/* Returns the index of value NAME in RANK's events, by the fact "values"; -1: none. */
int32_t mpg_trace_find_value(const struct mpg_trace *trace, int32_t rank, const char *name);
/* A signature stored in the trace: of the machine on which the trace was recorded. `damaged` reports damage of the first
 * fact; reading the signature finds all other damage. */
struct mpg_stored_signature {
    int32_t rank;     /* rank whose facts hold the signature */
    const char *name; /* file name of the signature; owned by the trace */
    uint32_t crc32;   /* CRC of the file's bytes */
    size_t bytes;
    bool damaged;     /* the fact with the file name is missing or invalid: NAME is "" */
};
bool mpg_trace_find_signature(const struct mpg_trace *trace, struct mpg_stored_signature *found);
/* Returns the bytes and a NUL, which the caller frees. Returns NULL with ERR: damage, out of memory. */
char *mpg_trace_read_signature(const struct mpg_trace *trace,
                               const struct mpg_stored_signature *signature,
                               struct mpg_error *err);
/* Returns a small number for RANK's host, from 0: equal numbers, same host. Ranks without the fact "host" have 0, too. */
int32_t mpg_trace_host(const struct mpg_trace *trace, int32_t rank);

enum mpg_clocks {
    MPG_CLOCKS_UNKNOWN,  /* no common time axis */
    MPG_CLOCKS_SHARED,   /* all ranks read one clock */
    MPG_CLOCKS_MEASURED  /* every rank but 0 has measured offsets */
};
enum mpg_clocks mpg_trace_clocks(const struct mpg_trace *trace);
/* Returns measured offset I of RANK in ascending order of time: rank 0's time = *TIME_NS + *OFFSET_NS. Returns false
 * beyond the last. */
bool mpg_trace_clock(const struct mpg_trace *trace, int32_t rank, size_t i, int64_t *time_ns,
                     int64_t *offset_ns);

/* A communicator, defined before its first use in any cursor. */
struct mpg_comm {
    int32_t label;       /* number shown to people */
    int32_t parent;      /* trace-wide number of the parent communicator, or MPG_NO_COMM */
    int32_t instance;    /* number that distinguishes communicators with equal groups and parent */
    int32_t size;        /* size of the first (or only) group */
    int32_t remote_size; /* 0: intra-communicator */
    int32_t *world_ranks; /* ranks of the first group, then of the remote group; MPG_FOREIGN: a process of another job */
};
const struct mpg_comm *mpg_trace_comm(const struct mpg_trace *trace, int32_t comm);
/* Defines C, a communicator of the same files as another reader has read it, unless defined before. C's parent is a number of
 * TRACE; C's label is used if free. Returns C's number; -1: out of memory. */
int32_t mpg_trace_define_comm(struct mpg_trace *trace, const struct mpg_comm *c);
/* Returns the number of communicators defined so far: 0 .. count-1. */
int32_t mpg_trace_comm_count(const struct mpg_trace *trace);

/* The neighbours of a rank in a communicator, in the order of neighbourhood collectives: ranks of the communicator,
 * or MPG_PROC_NULL. */
struct mpg_neighbors {
    uint32_t source_number, destination_number;
    const int32_t *sources, *destinations;
};
/* Fills FOUND with the neighbours of RANK in COMM, if defined so far. Returns false: none. */
bool mpg_trace_find_neighbors(const struct mpg_trace *trace, int32_t rank, int32_t comm,
                              struct mpg_neighbors *found);

/* An MPI window or file: kind, communicator, and number among the objects of this kind on the communicator. */
struct mpg_object {
    enum mpg_object_kind kind;
    int32_t comm, number;
};
const struct mpg_object *mpg_trace_object(const struct mpg_trace *trace, int32_t object);
/* Returns name STRING; "(unnamed)" for -1, the name in failed calls. */
const char *mpg_trace_string(const struct mpg_trace *trace, int32_t string);

/* A callsite: equal stacks of all ranks, threads and runs are one callsite, independent of load addresses. Innermost
 * frame first. */
struct mpg_module {
    uint32_t build_id_size;
    uint8_t build_id[64];
    char *path;
};
struct mpg_site {
    uint32_t frame_number;
    struct mpg_frame *frames; /* module: for mpg_trace_module() */
};
const struct mpg_site *mpg_trace_site(const struct mpg_trace *trace, int32_t site);
int32_t mpg_trace_site_count(const struct mpg_trace *trace);
const struct mpg_module *mpg_trace_module(const struct mpg_trace *trace, int32_t module);
int32_t mpg_trace_module_count(const struct mpg_trace *trace);

/* mpg_trace_put_sites() appends the callsites defined so far to BYTES. mpg_trace_get_sites() defines the callsites of LEFT in
 * TRACE and returns an array, *N long, of their trace-wide numbers, indexed by former number, which the caller frees; NULL:
 * damaged, or out of memory. */
void mpg_trace_put_sites(const struct mpg_trace *trace, struct mpg_bytes *bytes);
int32_t *mpg_trace_get_sites(struct mpg_trace *trace, struct mpg_bytes_left *left, size_t *n);

/* Opens a cursor at the first event of RANK. Events of several threads are merged by enter time. Returns NULL with
 * ERR. The caller closes the cursor. */
struct mpg_cursor *mpg_cursor_open(struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* Reads the next event into EVENT. Returns 1; 0 at the end; -1 on damage (ERR names file, rank and call number). EVENT's lists
 * are valid until the next call. comm and newcomm are trace-wide numbers for mpg_trace_comm(). Wildcard receives have source and
 * tag of the status, MPG_UNKNOWN if never completed; started persistent receives have both in `resolutions`. */
int mpg_cursor_next(struct mpg_cursor *cursor, struct mpg_event *event, struct mpg_error *err);
/* Like mpg_cursor_next(), without a copy: *EVENT is owned by the cursor and valid until the next call. */
int mpg_cursor_read(struct mpg_cursor *cursor, const struct mpg_event **event, struct mpg_error *err);
void mpg_cursor_close(struct mpg_cursor *cursor); /* NULL is allowed */

#endif
