/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading traces: a directory of rank files, a concatenation of them, the text
 * form, or any of the last two on standard input.
 *
 * Opening walks the chunk headers once; events are then read through one
 * cursor a rank, each holding one chunk. Memory does not depend on the trace's
 * length. A struct mpg_trace and its cursors belong to one thread. */
#ifndef MPG_TRACE_READER_H
#define MPG_TRACE_READER_H

#include <stddef.h>
#include <stdio.h>

#include "common/bytes.h"
#include "common/error.h"
#include "trace/event.h"

struct mpg_trace;
struct mpg_cursor;

/* Opens PATH ("-" is standard input, spooled to an unlinked temporary file in
 * $TMPDIR, as is text). ERR names the file and what is wrong with it. */
struct mpg_trace *mpg_trace_open(const char *path, struct mpg_error *err);
void mpg_trace_close(struct mpg_trace *trace); /* NULL is allowed */

const char *mpg_trace_path(const struct mpg_trace *trace);
/* Puts TRACE's path in front of ERR's text, unless that begins with it, or with the path of one of its
 * files; always returns -1. */
int mpg_trace_blame(const struct mpg_trace *trace, struct mpg_error *err);
/* The same where ERR is about a call ("rank R, call N ..."), for callers whose errors may be about something else. */
int mpg_trace_blame_call(const struct mpg_trace *trace, struct mpg_error *err);
int32_t mpg_trace_ranks(const struct mpg_trace *trace);
/* Events of RANK (or of all ranks, -1); those of them that are in no chunk but in the
 * windows that processes left behind; bytes of the chunks. */
uint64_t mpg_trace_events(const struct mpg_trace *trace, int32_t rank);
uint64_t mpg_trace_window_events(const struct mpg_trace *trace);
uint64_t mpg_trace_bytes(const struct mpg_trace *trace);
/* A checksum over all of TRACE's chunks, by their own, whatever files they are in and however these are
 * called: traces that differ have others. False: there is none, as a process goes on, or what is in
 * windows counts, which have no checksums. */
bool mpg_trace_sum(const struct mpg_trace *trace, uint64_t *sum);
/* NULL, or one line that says where a file ends within a chunk. */
const char *mpg_trace_cut(const struct mpg_trace *trace);
/* Streams (threads that made calls) of RANK, 1 or more: MPG_THREAD_MULTIPLE programs. */
uint32_t mpg_trace_threads(const struct mpg_trace *trace, int32_t rank);
/* The number of the I-th of them, from 0; they ascend, and one may be missing. */
uint32_t mpg_trace_thread(const struct mpg_trace *trace, int32_t rank, uint32_t i);
/* Whether THREAD of RANK left its window behind, which the process does that dies
 * without MPI_Finalize; CALL is the one it was inside of since ENTER_NS, or
 * MPG_CALL_COUNT if it was in none. A process killed inside MPI_Finalize, as launchers
 * do when another one exits with an error, counts as ended there: a cursor gives its
 * MPI_Finalize, `killed`. */
bool mpg_trace_died(const struct mpg_trace *trace, int32_t rank, uint32_t thread,
                    enum mpg_call *call, int64_t *enter_ns);

/* Whether RANK's process, without an MPI_Finalize yet, ran when the trace was opened: it has
 * not died. Processes of other hosts are not seen. */
bool mpg_trace_runs(const struct mpg_trace *trace, int32_t rank);
/* Whether RANK, if it has no MPI_Finalize, does not tell why, and its file is not cut off, so
 * that the window with its last calls has been lost: removed, not copied, or never there in a
 * file system that cannot map files. */
bool mpg_trace_lost_window(const struct mpg_trace *trace, int32_t rank);

/* Fact I of RANK: its key and value, or false beyond the last. */
bool mpg_trace_fact(const struct mpg_trace *trace, int32_t rank, size_t i, const char **key,
                    const char **value);
/* The value of RANK's first fact KEY, or NULL. */
const char *mpg_trace_find_fact(const struct mpg_trace *trace, int32_t rank, const char *key);
/* Which of the values of RANK's events is NAME, as the fact "values" says; -1: none. */
int32_t mpg_trace_find_value(const struct mpg_trace *trace, int32_t rank, const char *name);
/* A signature that the trace holds: that of the machine on which it was recorded. Damage that
 * its first fact shows is told here, all other by reading it. */
struct mpg_stored_signature {
    int32_t rank;     /* whose facts have it */
    const char *name; /* of the file that it was; the trace's */
    uint32_t crc32;   /* of its bytes */
    size_t bytes;
    bool damaged;     /* the fact that names it is not there, or not one: no name, no bytes */
};
bool mpg_trace_find_signature(const struct mpg_trace *trace, struct mpg_stored_signature *found);
/* Its bytes and a NUL, which the caller frees. Errors: damage, out of memory. */
char *mpg_trace_read_signature(const struct mpg_trace *trace,
                               const struct mpg_stored_signature *signature,
                               struct mpg_error *err);
/* Host of RANK as a small number (equal numbers, same host); 0 if not said. */
int32_t mpg_trace_host(const struct mpg_trace *trace, int32_t rank);

enum mpg_clocks {
    MPG_CLOCKS_UNKNOWN,  /* nothing is known across ranks */
    MPG_CLOCKS_SHARED,   /* all ranks read one clock */
    MPG_CLOCKS_MEASURED  /* every rank but 0 has measured offsets */
};
enum mpg_clocks mpg_trace_clocks(const struct mpg_trace *trace);
/* Measured offset I of RANK: at its TIME add OFFSET for rank 0's time, both ns;
 * in ascending order of time; false beyond the last. */
bool mpg_trace_clock(const struct mpg_trace *trace, int32_t rank, size_t i, int64_t *time_ns,
                     int64_t *offset_ns);

/* A communicator, defined before its first use in any cursor. */
struct mpg_comm {
    int32_t label;       /* the number shown to people */
    int32_t parent;      /* what it was made from (trace-wide), or MPG_NO_COMM */
    int32_t instance;    /* tells those with the same groups and parent apart */
    int32_t size;        /* of the first (or only) group */
    int32_t remote_size; /* 0: intra-communicator */
    int32_t *world_ranks; /* size of the first group, then the remote group's; MPG_FOREIGN:
                             a process of another world */
};
const struct mpg_comm *mpg_trace_comm(const struct mpg_trace *trace, int32_t comm);
/* How many communicators have been met so far; they are 0 .. count-1. */
int32_t mpg_trace_comm_count(const struct mpg_trace *trace);

/* The neighbours of a rank in a communicator, in the order of neighbourhood collectives: ranks of it, or
 * MPG_PROC_NULL. */
struct mpg_neighbors {
    uint32_t source_number, destination_number;
    const int32_t *sources, *destinations;
};
/* Those of RANK in COMM, as far as they have been met; false: none. */
bool mpg_trace_find_neighbors(const struct mpg_trace *trace, int32_t rank, int32_t comm,
                              struct mpg_neighbors *found);

/* Window or file OBJECT: its kind, communicator and which of its kind there. */
struct mpg_object {
    enum mpg_object_kind kind;
    int32_t comm, number;
};
const struct mpg_object *mpg_trace_object(const struct mpg_trace *trace, int32_t object);
/* Name STRING; of -1, which calls have that failed, "(unnamed)". */
const char *mpg_trace_string(const struct mpg_trace *trace, int32_t string);

/* Callsite SITE: equal stacks of all ranks, threads and runs are one, whatever
 * addresses they were loaded at. Frames innermost first. */
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

/* Puts the callsites that have been met so far to BYTES; has TRACE know those that LEFT has. The number
 * now of what was callsite I of *N is then in what is returned, to be freed; NULL: they are not there, or
 * no memory. */
void mpg_trace_put_sites(const struct mpg_trace *trace, struct mpg_bytes *bytes);
int32_t *mpg_trace_get_sites(struct mpg_trace *trace, struct mpg_bytes_left *left, size_t *n);

/* A cursor at the first event of RANK. The events of several threads come merged, by
 * enter time; `thread` tells them apart. */
struct mpg_cursor *mpg_cursor_open(struct mpg_trace *trace, int32_t rank, struct mpg_error *err);
/* Reads the next event: 1, 0 at the end, -1 on damage (ERR names file, rank and
 * call number). EVENT's lists stay valid until the next call. comm and newcomm
 * are trace-wide numbers for mpg_trace_comm(). Receives posted with a wildcard
 * show the partner their status reported, MPG_UNKNOWN if they never completed;
 * started persistent ones show it in `resolutions`. */
int mpg_cursor_next(struct mpg_cursor *cursor, struct mpg_event *event, struct mpg_error *err);
/* The same without a copy: *EVENT is the cursor's, valid until the next call, as its lists are. */
int mpg_cursor_read(struct mpg_cursor *cursor, const struct mpg_event **event, struct mpg_error *err);
void mpg_cursor_close(struct mpg_cursor *cursor); /* NULL is allowed */

#endif
