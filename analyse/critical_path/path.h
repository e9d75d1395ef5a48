/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of a traced run, and the causes of waits (docs/MODEL.md, section 9).
 *
 * The path is followed back from the last MPI_Finalize. Followed back, the path stays in a thread until the end of a call that
 * waited, and continues at the begin of the awaited operation: a send, the post of a receive, the last member's call of a
 * collective. The time from this begin to the end of the waiting call counts as the message's transfer. Two passes over the graph
 * find the waits and write them to a temporary file. Then the events of the ranks on the path are read, rank by rank, and divide
 * the path into computation, MPI and other kinds. Memory: 48 bytes for each change of thread on the path, besides the sums. */
#ifndef MPG_PATH_H
#define MPG_PATH_H

#include <stdio.h>

#include "analyse/recording.h"
#include "analyse/traced.h"
#include "common/map.h"
#include "trace/reader.h"

/* A stretch of the path in one thread, in aligned times: from BEGIN_NS, the end of a call that waited, to END_NS. FROM_NS: begin
 * of the awaited operation, in another thread. The first stretch has FROM_NS = BEGIN_NS. */
struct path_stretch {
    int32_t rank;
    uint32_t thread;
    double from_ns, begin_ns, end_ns;
    bool reached; /* used in the pass over events: the call that waited has been found among the thread's events */
};

enum path_kind {
    PATH_COMPUTATION, /* outside MPI calls */
    PATH_MPI,         /* in MPI calls, without waiting */
    PATH_MESSAGES,    /* from the begin of the awaited operation to the end of the waiting call */
    PATH_OFF_CPU,     /* off the CPU, in calls and between calls */
    PATH_RECORDING,   /* the tracer wrote its buffer */
    PATH_START,       /* from the first rank's end of MPI_Init to the end of MPI_Init of the rank in which the path begins */
    PATH_KINDS
};
/* Return the name, "computation", and the key, "computation". */
const char *mpg_path_kind_name(enum path_kind kind);
const char *mpg_path_kind_key(enum path_kind kind);

/* A part of the path: a sum over pieces of the path with common kind, call, callsite and region; or a single piece, a path
 * segment. */
struct path_part {
    enum path_kind kind;
    bool before;        /* true: time before CALL at SITE; false: time in this call */
    enum mpg_call call; /* MPG_CALL_COUNT: no call */
    int32_t site;       /* number of the callsite; MPG_NO_SITE: none */
    int32_t region;     /* innermost open region, a string number of the trace; -1: none */
    int32_t rank;       /* rank of a path segment */
    uint64_t number;    /* number of intervals, calls or messages summed */
    double time_ns, begin_ns; /* begin_ns, of a path segment: since the begin of the run */
    double off_ns;      /* of a path segment: the part of time_ns off the CPU */
};

/* A cause of waits: since the last synchronization of RANK and the waiting rank, RANK spent more time than the waiting rank in
 * KIND (computation or time off the CPU before CALL at SITE, MPI, time off the CPU in MPI, or waits) and was therefore late. */
enum delay_kind {
    DELAY_COMPUTATION,
    DELAY_OFF_CPU,
    DELAY_MPI,
    DELAY_OFF_CPU_IN_MPI,
    DELAY_WAITING,
    DELAY_UNKNOWN,
    DELAY_KINDS
};
const char *mpg_delay_kind_key(enum delay_kind kind);

struct delay_cause {
    int32_t rank;
    enum delay_kind kind;
    enum mpg_call call;
    int32_t site;
    double wait_ns;   /* sum of the waits for RANK with this cause */
    uint64_t waits;
    int32_t waiter;   /* the rank that waited longest due to this cause */
    double longest_ns; /* the longest wait */
};

struct critical_path {
    struct mpg_trace *trace;
    const struct mpg_clock_map *clocks;
    double run_ns, start_ns; /* duration of the run; begin of the run in aligned time */
    int32_t first_rank, last_rank;
    uint64_t changes;        /* number of changes of the path to another rank or thread */
    double kind_ns[PATH_KINDS], *rank_ns; /* time on the path by kind, and by rank */
    /* numbers of elements of PART, PATH_SEGMENT and CAUSE; the longest segments, at most max_path_segments, are kept, longest
     * first */
    size_t n, path_segments, causes, max_path_segments;
    uint32_t capacity;
    struct path_part *part, *path_segment;
    struct delay_cause *cause; /* longest wait first */
    double wait_ns;            /* sum of the waits of all ranks */
    struct mpg_map index;      /* (kind, call, callsite, region) -> index in PART */
    enum mpg_clock_source source;
    struct mpg_graph_counts counts;
    struct mpg_recording recording; /* quality of the trace */
};

/* Finds the critical path of TRACE with the PATH_SEGMENTS longest path segments. The caller clears PATH, also on failure. Returns
 * 0, or -1 with ERR: as mpg_waits_find(); no room for the temporary file; no rank ran. */
int mpg_critical_path_find(struct critical_path *path, struct mpg_trace *trace, const struct mpg_traced_options *options,
                           size_t path_segments, struct mpg_error *err);
void mpg_critical_path_clear(struct critical_path *path);

/* Divides the N stretches, sorted by rank, thread and time, into computation, MPI and other kinds by the ranks' events, and adds
 * the times to PATH's parts. Returns 0, or -1 with ERR: an error of the trace; no memory. */
int mpg_path_attribute(struct critical_path *path, struct path_stretch *stretch, size_t n, struct mpg_error *err);

/* ---- causes of waits; given calls in the order of steps ---- */

struct delays;

/* Returns an empty analysis of causes, which the caller frees; NULL with ERR: no memory. */
struct delays *mpg_delays_new(struct mpg_error *err);
void mpg_delays_restart(struct delays *delays);
int mpg_delays_enter(struct delays *delays, const struct mpg_step *step, struct mpg_error *err);
/* Takes EVENT, a call that waited for WAIT_NS (0 or more), and finds the causes of the wait. Returns 0, or -1 with ERR: no
 * memory. */
int mpg_delays_leave(struct delays *delays, const struct mpg_wait_event *event, double wait_ns, struct mpg_error *err);
/* Moves the causes, longest wait first, to *CAUSE, an array that the caller frees, and returns the number of causes. */
size_t mpg_delays_take(struct delays *delays, struct delay_cause **cause);
void mpg_delays_free(struct delays *delays); /* NULL is allowed */

#endif
