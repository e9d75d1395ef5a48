/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the native trace of a stream, that is a thread of a rank.
 *
 * Records go into a segment, a small memory-mapped file, so that no record is lost when the process is killed. A full segment
 * is compressed into a chunk, appended to the trace file, and started again. All memory is allocated at creation; writing an
 * event makes no system call unless the segment is full. Not thread-safe: one caller at a time. mpgtrace(5) has the format. */
#ifndef MPG_TRACE_WRITER_H
#define MPG_TRACE_WRITER_H

#include <endian.h>
#include <stddef.h>

#include "common/error.h"
#include "trace/event.h"

struct mpg_trace_writer;

struct mpg_trace_writer_options {
    const char *name;          /* file name for errors; copied; NULL: "the trace" */
    int32_t rank, ranks;
    uint32_t thread;           /* stream of the rank, 0 .. 65535 */
    uint32_t value_number;     /* number of values of every event, 0 .. 64 */
    size_t segment_bytes;       /* bytes of records before compression, 4 KiB to 64 MiB */
    int level;                 /* compression level of zstd */
    void *packer;              /* a ZSTD_CCtx shared by the writers in a thread; NULL: the writer's own */
    /* file to create (or replace), preallocated, and removed by mpg_trace_writer_close(); NULL: memory only */
    const char *segment_path;
    /* clock of the events; not NULL: time spent on writing chunks is recorded as MPG_CALL_Flush events */
    int64_t (*now_ns)(void);
    /* not NULL: called with the time NOW_NS at the begin and at the end of writing a chunk; returns for how many ns the thread
     * was off the CPU since the previous call of off_ns() or the last event's leave */
    int64_t (*off_ns)(void *argument, int64_t now_ns);
    void *off_argument;
    /* not NULL: called before each chunk, since the traced program can have closed the descriptor; returns the descriptor of
     * the trace file, or -1 with ERR */
    int (*file)(void *argument, struct mpg_error *err);
    void *file_argument;       /* first argument of file() */
};

/* Makes a writer that appends to the open file FD, which stays open; FD -1 without options->file: chunks are discarded, for a
 * measurement of the tracer's overhead. A file size limit (RLIMIT_FSIZE) causes an error, never a signal. Returns NULL with
 * ERR. The caller frees the writer. */
struct mpg_trace_writer *mpg_trace_writer_new(int fd, const struct mpg_trace_writer_options *options,
                                              struct mpg_error *err);

/* The caller gives each definition below an id, unique in the stream, before the first use in an event or another definition.
 * Functions that return int return 0, or -1 with ERR. */

/* Communicator `comm` (0 is MPI_COMM_WORLD by convention). world_ranks: `size` world ranks in communicator order, or
 * MPG_FOREIGN; NULL: 0, 1, ... remote: the remote group; remote_size 0: intra-communicator. parent: the communicator from
 * which COMM was made, or MPG_NO_COMM. instance distinguishes communicators with equal groups and parent, and is equal on all
 * members. label: number shown to people, or -1. */
struct mpg_comm_definition {
    int32_t comm, parent, instance, label, size, remote_size;
    const int32_t *world_ranks, *remote;
};
int mpg_trace_write_comm(struct mpg_trace_writer *w, const struct mpg_comm_definition *comm,
                         struct mpg_error *err);

/* The writer's neighbours in COMM: ranks of COMM from which the rank receives and to which the rank sends, in the order of
 * neighbourhood collectives (MPI-3.1 section 7.6), or MPI_PROC_NULL as MPG_PROC_NULL. */
int mpg_trace_write_topology(struct mpg_trace_writer *w, int32_t comm, uint32_t source_number,
                             const int32_t *sources, uint32_t destination_number,
                             const int32_t *destinations, struct mpg_error *err);

/* Window or file OBJECT, the NUMBER-th (0, 1, ...) of KIND on COMM. */
int mpg_trace_write_object(struct mpg_trace_writer *w, int32_t object, enum mpg_object_kind kind,
                           int32_t comm, int32_t number, struct mpg_error *err);

/* TEXT: name of a region, at most 4096 bytes without NUL and line end. */
int mpg_trace_write_string(struct mpg_trace_writer *w, int32_t string, const char *text,
                           struct mpg_error *err);

/* A module, that is an executable or shared library: BUILD_ID of SIZE bytes (at most 64; 0: none) and PATH (at most
 * 4096 bytes). */
int mpg_trace_write_module(struct mpg_trace_writer *w, int32_t module, const uint8_t *build_id,
                           uint32_t size, const char *path, struct mpg_error *err);

/* A callsite: 1 to 64 return addresses, innermost first, as offsets in modules' ELF address space (load bias removed). module
 * -1: unknown module. */
int mpg_trace_write_site(struct mpg_trace_writer *w, int32_t site, uint32_t frame_number,
                         const struct mpg_frame *frames, struct mpg_error *err);

/* Appends an event, whose enter must not precede the previous event's leave. */
int mpg_trace_write_event(struct mpg_trace_writer *w, const struct mpg_event *event,
                          struct mpg_error *err);

struct mpg_shape;
/* Appends the event of a successful call if the event has SHAPE (trace/shape.h), which the stream predicts for it, and no list
 * but an empty one and no off-CPU time. Returns false, without an effect, if it differs: then mpg_trace_write_event() appends
 * it. Both write the same bytes. */
bool mpg_trace_write_predicted(struct mpg_trace_writer *w, const struct mpg_shape *shape, int64_t enter_ns, int64_t leave_ns);

/* Adds a call of kind OTHER from SITE to the aggregate of CALL and SITE (struct mpg_sum); the call took TIME_NS and returned
 * at LEAVE_NS. Returns false: no aggregate yet, call mpg_trace_begin_sum() first. Costs some stores into the segment. Unless
 * COUNTER is NULL, *COUNTER becomes the address of the aggregate's number of calls, for mpg_trace_count_call() until
 * mpg_trace_sums_epoch changes; NULL: none. */
bool mpg_trace_add_sum(struct mpg_trace_writer *w, enum mpg_call call, int32_t site,
                       int64_t time_ns, int64_t leave_ns, uint64_t **counter);
/* Counts, in the aggregate of COUNTER, a call that was not timed. In the sum, the call takes as long as the next timed call,
 * or as the mean if no timed call follows. */
static inline void mpg_trace_count_call(uint64_t *counter)
{
    __atomic_store_n(counter, htole64(le64toh(*counter) + 1), __ATOMIC_RELEASE);
}
/* Changes when counters of any writer become invalid. */
extern uint64_t mpg_trace_sums_epoch;
/* Makes an aggregate for CALL from SITE, which must be defined. */
int mpg_trace_begin_sum(struct mpg_trace_writer *w, enum mpg_call call, int32_t site,
                        struct mpg_error *err);
/* Adds OFF_NS during which the thread was off the CPU since the stream's last event, in or before aggregated calls. The time
 * counts as off the CPU before the next events, which include aggregates and flushes. */
void mpg_trace_carry_off_cpu(struct mpg_trace_writer *w, int64_t off_ns);
/* Turns all aggregates into events. To be called before a region mark, since no aggregate may have calls from both sides of
 * the mark. */
int mpg_trace_end_sums(struct mpg_trace_writer *w, struct mpg_error *err);

/* Appends a fact about the rank, "KEY VALUE" (without newlines), readable without decompression. Known keys: "host
 * NAME", "clock TIME OFFSET" (ns; rank 0's time = TIME + OFFSET), "clocks shared", "program ...", "untraced NAME
 * COUNT", "values NAME..." (of every event), "incomplete REASON". Facts are written with the next flush. */
int mpg_trace_write_fact(struct mpg_trace_writer *w, const char *key, const char *value,
                         struct mpg_error *err);

/* These return -1 with ERR if the writing functions would refuse the event (LAST_NS: leave of the previous event, unless
 * IS_FIRST), fact, name or module. */
int mpg_trace_check_event(const struct mpg_event *event, bool is_first, int64_t last_ns,
                          struct mpg_error *err);
int mpg_trace_check_fact(const char *key, const char *value, struct mpg_error *err);
int mpg_trace_check_string(const char *text, struct mpg_error *err);
int mpg_trace_check_module(uint32_t build_id_bytes, const char *path, struct mpg_error *err);

/* Writes all buffered data, ending the current chunk. */
int mpg_trace_writer_flush(struct mpg_trace_writer *w, struct mpg_error *err);

/* Parts of a stream, each in a file of its own, so that the oldest can be removed. After a flush, and after the caller has made
 * options->file() return an empty file, mpg_trace_writer_begin_part() begins part NUMBER. The part's first events are a snapshot:
 * they tell a reader what it needs of earlier parts, and are skipped if those are there. The snapshot ends with
 * mpg_trace_writer_end_snapshot(). The caller gives all definitions anew in the snapshot, and again after the snapshot. Events of
 * a snapshot have no duration, at mpg_trace_writer_last_ns(). */
void mpg_trace_writer_begin_part(struct mpg_trace_writer *w, uint32_t number);
/* Returns 0, or -1 with ERR, as mpg_trace_writer_flush(). */
int mpg_trace_writer_end_snapshot(struct mpg_trace_writer *w, struct mpg_error *err);
/* Stops writing, because a part's file cannot be made: readers then know that the process was not killed. */
void mpg_trace_writer_stop(struct mpg_trace_writer *w);
/* Returns the leave of the last event; without an event OTHERWISE_NS. */
int64_t mpg_trace_writer_last_ns(const struct mpg_trace_writer *w, int64_t otherwise_ns);

/* Returns whether the segment is nearly full: a flush now spares a later event the wait. */
bool mpg_trace_writer_is_full(const struct mpg_trace_writer *w);

/* Work of the caller between two events, from ENTER_NS to LEAVE_NS, with the thread's time off the CPU since the last event
 * and during the work. */
struct mpg_work {
    int64_t enter_ns, leave_ns, off_before_ns, off_in_ns;
};
/* Appends WORK as a flush event (MPG_CALL_Flush); no effect before the first event, or if flushes are not timed. The
 * next event must not enter before *LAST_NS. */
int mpg_trace_writer_worked(struct mpg_trace_writer *w, const struct mpg_work *work, int64_t *last_ns, struct mpg_error *err);

/* Notes that the stream is inside CALL since ENTER_NS, in case the process dies in CALL; the next event ends the note. Costs
 * two stores. */
void mpg_trace_writer_inside(struct mpg_trace_writer *w, enum mpg_call call, int64_t enter_ns);

/* Returns whether buffered data survives the process (in a segment file). */
bool mpg_trace_writer_survives(const struct mpg_trace_writer *w);

/* Called because the content of PATH is lost: if PATH is W's segment, W writes the fact that the trace is incomplete, with
 * REASON, removes the segment file, and stops. Returns false if PATH is another file. May be called in the handler of a signal
 * caused by a store into the segment. */
bool mpg_trace_writer_lose(struct mpg_trace_writer *w, const char *path, const char *reason);

/* Number of events and of aggregated calls, encoded bytes before compression, and bytes written to the file. */
struct mpg_trace_writer_size {
    uint64_t events, summed, encoded_bytes, written_bytes;
};
struct mpg_trace_writer_size mpg_trace_writer_size(const struct mpg_trace_writer *w);

/* Flushes, and removes the segment: the stream is complete. On failure the segment stays, with the unwritten data. A file of
 * another run at the segment's path also stays: an error if the trace file is still in the folder, otherwise the other run has
 * taken both names. */
int mpg_trace_writer_close(struct mpg_trace_writer *w, struct mpg_error *err);

/* Frees the writer, closed or not; the segment of an unclosed writer stays. NULL is allowed. */
void mpg_trace_writer_free(struct mpg_trace_writer *w);

#endif
