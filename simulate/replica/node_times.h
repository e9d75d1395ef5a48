/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The times of one replica's nodes, for each stream (thread of a rank) in the order of the stream's calls, kept in an unlinked
 * file. Memory grows with the number of streams, not with the number of calls.
 *
 * Times are nanoseconds since MPI_Init was left, rounded to the nearest integer. Times along a stream never decrease: no
 * interval and no call becomes negative; a run time is right to half a nanosecond. */
#ifndef MPG_NODE_TIMES_H
#define MPG_NODE_TIMES_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/observer.h"

struct mpg_node_times;

/* A begin or end of a region within the interval before a node. PASSED_NS: the part of the traced interval before the mark,
 * without the tracer's flushes. PLACE: position of the mark in the new interval, from 0 to 1; ONWARD: the position from which
 * the interval continues. */
struct mpg_node_mark {
    int64_t passed_ns;
    double place, onward;
};

/* A call of a stream. Each thread ends with a node of MPI_Finalize, called by only one thread of the rank. */
struct mpg_node {
    uint64_t number;   /* number of the call on its rank */
    int64_t length_ns; /* traced length of the interval before the call, without flushes; >= 0 */
    int64_t flushed_ns; /* flushes in the interval, if the new trace keeps them; else 0 */
    int64_t cpu_ns;    /* CPU time in the interval; -1: not recorded */
    double ratio;      /* time on the target for each traced ns of work in the interval */
    int64_t enter_ns, leave_ns; /* times of the call in the replica */
    bool left;         /* false: the leave is unknown, and leave_ns is enter_ns */
    uint32_t mark_number;
    /* region marks in the interval, if hypotheses change the interval; valid until the next node of the stream is read */
    const struct mpg_node_mark *marks;
    uint32_t override_number;
    /* the differences between the call and the traced call; valid until the next node of the stream is read */
    const struct mpg_match_override *overrides;
};

/* A stream. */
struct mpg_node_stream {
    int32_t rank;
    uint32_t thread;
    bool begun;          /* false: the stream has no nodes, and all fields below are unknown */
    int64_t begin_ns;    /* begin of the first interval in the replica */
    int64_t traced_ns;   /* traced begin of the first interval, on the clock of the rank */
    int64_t since_ns;    /* traced begin of the first interval, in ns since MPI_Init was left */
};

struct mpg_node_rules {
    double ratio;       /* factor for the ratios of all steps */
    bool delays;        /* values are delays against the trace; else times since MPI_Init was left */
    bool keeps_flushes; /* intervals include the time of flushes */
};

/* Returns empty node times for a trace of RANKS ranks, with a file in FOLDER; the caller frees the node times. NULL with ERR:
 * the file cannot be made; no memory. */
struct mpg_node_times *mpg_node_times_new(const char *folder, int32_t ranks, const struct mpg_node_rules *rules,
                                struct mpg_error *err);
/* Notes OVERRIDE of the call that S leaves, before mpg_node_times_take() is called for S. Return value as of
 * mpg_node_times_take(). */
int mpg_node_times_note(void *nodes, const struct mpg_step *s, const struct mpg_match_override *override,
                   struct mpg_error *err);
/* Adds the node of step S, after which the stream has the value VALUE_NS. Returns 0, or -1 with ERR: the file cannot be
 * written; a time is beyond the range of traces; out of memory. */
int mpg_node_times_take(void *nodes, const struct mpg_step *s, double value_ns, struct mpg_error *err);
/* Forgets all steps. Returns 0, or -1 with ERR: the file cannot be written. */
int mpg_node_times_restart(void *nodes, struct mpg_error *err);
/* Returns whether any receive takes a different message than in the trace. */
bool mpg_node_times_takes(const struct mpg_node_times *nodes);
/* Ends writing, after the last step, and begins reading. Returns 0, or -1 with ERR: the file cannot be written. */
int mpg_node_times_finish(struct mpg_node_times *nodes, struct mpg_error *err);

/* Sets *FOUND to stream I, from 0, of RANK. *STREAM is the stream's number for mpg_node_times_next(). Returns false beyond the
 * last stream. */
bool mpg_node_times_stream(struct mpg_node_times *nodes, int32_t rank, uint32_t i,
                      struct mpg_node_stream *found, uint32_t *stream);
/* Reads the next node. Returns 1; 0 beyond the last node; -1 with ERR: the file cannot be read. */
int mpg_node_times_next(struct mpg_node_times *nodes, uint32_t stream, struct mpg_node *node,
                   struct mpg_error *err);
void mpg_node_times_free(struct mpg_node_times *nodes); /* NULL is allowed */

#endif
