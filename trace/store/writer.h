/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the native trace of one stream, that is one thread of one rank.
 *
 * Records go into a window, a small file of its own that is mapped into memory, so
 * that a process that is killed at any moment loses none of them. A full window is
 * compressed into a chunk that is appended to the trace file, and then begins anew.
 * Everything is allocated at creation; writing an event does no system call except
 * when the window is full. Not thread-safe: one caller at a time. The format is in
 * mpgtrace(5). */
#ifndef MPG_TRACE_WRITER_H
#define MPG_TRACE_WRITER_H

#include <stddef.h>

#include "common/error.h"
#include "trace/event.h"

struct mpg_trace_writer;

struct mpg_trace_writer_options {
    const char *name;          /* of the file, for errors; copied; NULL: the trace */
    int32_t rank, ranks;
    uint32_t thread;           /* stream of the rank, 0 .. 65535 */
    uint32_t value_number;     /* values of every event, 0 .. 64 */
    size_t window_bytes;       /* of records before compression, 4 KiB to 64 MiB */
    int level;                 /* zstd's compression level */
    void *packer;              /* a ZSTD_CCtx that writers of one thread share; NULL: its own */
    const char *window_path;   /* made (replaced if there), preallocated, and removed by
                                  mpg_trace_writer_close(); NULL: memory, nothing survives */
    int64_t (*now_ns)(void);   /* the clock of the events; not NULL: time spent in writing
                                  chunks is recorded as MPG_CALL_Flush events */
    int64_t (*off_ns)(void *argument, int64_t now_ns); /* not NULL: asked at both ends of such a time,
                                  NOW_NS, how long the thread was off its CPU since it was asked last
                                  or the last event left */
    void *off_argument;
    int (*file)(void *argument, struct mpg_error *err); /* not NULL: asked before each chunk */
    void *file_argument;       /* for the file to append it to, or -1: as a guest in a program
                                  that may have closed it */
};

/* A writer into the open file FD (not closed by the writer), which it appends to. A
 * limit to the size of files (RLIMIT_FSIZE) is an error, never a signal. */
struct mpg_trace_writer *mpg_trace_writer_new(int fd, const struct mpg_trace_writer_options *options,
                                              struct mpg_error *err);

/* What is defined below gets an id of the caller's, unique in the stream, before its
 * first use in an event or another definition. */

/* Communicator COMM (0 is MPI_COMM_WORLD by convention). WORLD_RANKS: its size world
 * ranks in communicator order, or MPG_FOREIGN; REMOTE: the remote group's,
 * REMOTE_SIZE 0 for an intra-communicator. PARENT: the communicator it was made
 * from, or MPG_NO_COMM; INSTANCE tells communicators with the same groups and parent
 * apart, and is the same number on every member. LABEL: the number to show to
 * people, or -1. WORLD_RANKS NULL: 0, 1, ... */
struct mpg_comm_definition {
    int32_t comm, parent, instance, label, size, remote_size;
    const int32_t *world_ranks, *remote;
};
int mpg_trace_write_comm(struct mpg_trace_writer *w, const struct mpg_comm_definition *comm,
                         struct mpg_error *err);

/* This rank's neighbours in COMM: the ranks of COMM it receives from and sends to, in
 * the order of neighbourhood collectives (MPI-3.1 section 7.6), or MPG_PROC_NULL. */
int mpg_trace_write_topology(struct mpg_trace_writer *w, int32_t comm, uint32_t source_number,
                             const int32_t *sources, uint32_t destination_number,
                             const int32_t *destinations, struct mpg_error *err);

/* Window or file OBJECT, the NUMBER-th (0, 1, ...) of its kind made on COMM. */
int mpg_trace_write_object(struct mpg_trace_writer *w, int32_t object, enum mpg_object_kind kind,
                           int32_t comm, int32_t number, struct mpg_error *err);

/* TEXT (no NUL or line end in it, at most 4096 bytes): the name of a region. */
int mpg_trace_write_string(struct mpg_trace_writer *w, int32_t string, const char *text,
                           struct mpg_error *err);

/* A module, that is an executable or shared library: BUILD_ID of SIZE bytes (at most
 * 64, 0 if it has none) and PATH (at most 4096 bytes). */
int mpg_trace_write_module(struct mpg_trace_writer *w, int32_t module, const uint8_t *build_id,
                           uint32_t size, const char *path, struct mpg_error *err);

/* A callsite: return addresses, innermost first, 1 to 64 of them, as offsets in
 * modules' ELF address space (load bias removed). MODULE -1: in none that is known. */
int mpg_trace_write_site(struct mpg_trace_writer *w, int32_t site, uint32_t frame_number,
                         const struct mpg_frame *frames, struct mpg_error *err);

/* Appends one event. Its enter time is not before the last event's leave time. */
int mpg_trace_write_event(struct mpg_trace_writer *w, const struct mpg_event *event,
                          struct mpg_error *err);

/* Adds a call of kind OTHER from SITE to those that are to be one event (struct mpg_sum); it took
 * TIME_NS and returned at LEAVE_NS. False: there are none yet, mpg_trace_begin_sum() first. Costs
 * some stores into the window. */
bool mpg_trace_add_sum(struct mpg_trace_writer *w, enum mpg_call call, int32_t site,
                       int64_t time_ns, int64_t leave_ns);
/* Makes room for the calls of CALL from SITE, which has been defined. */
int mpg_trace_begin_sum(struct mpg_trace_writer *w, enum mpg_call call, int32_t site,
                        struct mpg_error *err);
/* Notes OFF_NS off the CPU since the stream's last event, in calls that were added to a sum and before
 * them: they are in the interval before the next event, which sums and flushes may divide. */
void mpg_trace_carry_off_cpu(struct mpg_trace_writer *w, int64_t off_ns);
/* Ends all sums, which become events: before a mark that shall divide them. */
int mpg_trace_end_sums(struct mpg_trace_writer *w, struct mpg_error *err);

/* Appends a fact about the rank as "KEY VALUE" (no newline in either), readable
 * without decompressing anything. Keys that mean something: "host NAME",
 * "clock TIME OFFSET" (ns; add OFFSET to this rank's time TIME for rank 0's),
 * "clocks shared", "program ...", "untraced NAME COUNT",
 * "values NAME..." (of every event), "incomplete REASON". Facts go out with the next
 * flush. */
int mpg_trace_write_fact(struct mpg_trace_writer *w, const char *key, const char *value,
                         struct mpg_error *err);

/* What these functions would refuse of an event (LAST_NS: when the one before it left,
 * unless it is the first), a fact, a name or a module. */
int mpg_trace_check_event(const struct mpg_event *event, bool is_first, int64_t last_ns,
                          struct mpg_error *err);
int mpg_trace_check_fact(const char *key, const char *value, struct mpg_error *err);
int mpg_trace_check_string(const char *text, struct mpg_error *err);
int mpg_trace_check_module(uint32_t build_id_bytes, const char *path, struct mpg_error *err);

/* Writes what is buffered, ending the current chunk. */
int mpg_trace_writer_flush(struct mpg_trace_writer *w, struct mpg_error *err);

/* Whether the window is nearly full: a flush now spares a later event the wait. */
bool mpg_trace_writer_is_full(const struct mpg_trace_writer *w);

/* What the caller did from ENTER_NS to LEAVE_NS, between two events, as work of its own, and how long the thread was off its CPU
 * before, since the last event, and in it. */
struct mpg_work {
    int64_t enter_ns, leave_ns, off_before_ns, off_in_ns;
};
/* Appends WORK as an event, as a flush is one (MPG_CALL_Flush); nothing before the first event, and where writing is not timed.
 * The next event does not enter before *LAST_NS. */
int mpg_trace_writer_worked(struct mpg_trace_writer *w, const struct mpg_work *work, int64_t *last_ns, struct mpg_error *err);

/* Notes that the stream is inside CALL since ENTER_NS, in case the process dies there;
 * the next event ends it. Costs two stores. */
void mpg_trace_writer_inside(struct mpg_trace_writer *w, enum mpg_call call, int64_t enter_ns);

/* Whether what it has gathered outlives the process: there is a window path, in a file
 * system that can map files. */
bool mpg_trace_writer_survives(const struct mpg_trace_writer *w);

/* What PATH, if it is W's window, held is lost: nothing more is written but the fact that the trace
 * is incomplete, which has REASON; what is left of the window's file goes. False: it is not W's.
 * May be called in a signal's handler that a store of W's into its window has caused. */
bool mpg_trace_writer_lose(struct mpg_trace_writer *w, const char *path, const char *reason);

/* Events written, encoded bytes before compression, bytes given to the file. */
struct mpg_trace_writer_size {
    uint64_t events, encoded_bytes, written_bytes;
};
struct mpg_trace_writer_size mpg_trace_writer_size(const struct mpg_trace_writer *w);

/* Flushes, and removes the window: the stream is whole. On failure the window stays, with what could not be written.
 * Another file in the window's place is left there: an error if the trace's own is still in its folder, else another run
 * has taken both names. */
int mpg_trace_writer_close(struct mpg_trace_writer *w, struct mpg_error *err);

/* Frees the writer, closed or not; the window of one that is not stays as it is.
 * NULL is allowed. */
void mpg_trace_writer_free(struct mpg_trace_writer *w);

#endif
