/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The times of one replica's nodes: those of each stream (thread of a rank) in the order of its
 * calls, in an unlinked file. Memory grows with the streams, not with their calls.
 *
 * Times are whole nanoseconds from MPI_Init's leave on, each the nearest one; as times along a
 * stream never fall, no interval or call becomes negative, and a run is as long as it was to half a
 * nanosecond. */
#ifndef MPG_NODES_H
#define MPG_NODES_H

#include "common/error.h"
#include "graph/graph.h"
#include "simulate/choice/observer.h"

struct mpg_node_times;

/* A region's mark: so much of the interval's traced time, without flushes, is before it; where it is in the new one, from
 * 0 to 1, and where that goes on. */
struct mpg_node_mark {
    int64_t passed_ns;
    double place, onward;
};

/* A call of a stream; of a thread that is not the one that ends its rank, the last is MPI_Finalize's,
 * in which it ends as well. */
struct mpg_node {
    uint64_t number;   /* among the rank's calls */
    int64_t length_ns; /* traced, of the interval before it, without flushes; 0 or more */
    int64_t flushed_ns; /* that these took in it, if they are kept; else 0 */
    int64_t cpu_ns;    /* and the CPU time in that; -1: not recorded */
    double ratio;      /* how long its work takes on the target for each traced ns */
    int64_t enter_ns, leave_ns; /* new */
    bool left;         /* else leave_ns is enter_ns: when it leaves is not known */
    uint32_t mark_number;
    const struct mpg_node_mark *marks; /* of regions in that interval, where hypotheses change it; as overrides */
    uint32_t override_number;
    const struct mpg_match_override *overrides; /* what is done in it otherwise than in the trace; valid until the
                                     stream's next node is read */
};

/* A stream, and where reading it has come to. */
struct mpg_node_stream {
    int32_t rank;
    uint32_t thread;
    bool begun;          /* else it has no nodes, and nothing below is known */
    int64_t begin_ns;    /* new: when its first interval begins, */
    int64_t traced_ns;   /* on the rank's own clock, */
    int64_t since_ns;    /* and since the traced run began */
};

struct mpg_node_rules {
    double ratio;       /* what steps say is to be multiplied by */
    bool delays;        /* values are delays of the traced times; else times from MPI_Init's leave on */
    bool keeps_flushes; /* what the tracer took to write is part of the intervals */
};

/* Into a file in FOLDER, for a trace of RANKS ranks. Errors: it cannot be made, out of memory. */
struct mpg_node_times *mpg_node_times_new(const char *folder, int32_t ranks, const struct mpg_node_rules *rules,
                                struct mpg_error *err);
/* Takes OVERRIDE, of the call that S, the next step of its stream, leaves. Errors: as mpg_node_times_take(). */
int mpg_node_times_note(void *nodes, const struct mpg_step *s, const struct mpg_match_override *override,
                   struct mpg_error *err);
/* Takes step S, after which the value of its stream is VALUE_NS. Errors: the file cannot be written,
 * times beyond what traces hold, out of memory. */
int mpg_node_times_take(void *nodes, const struct mpg_step *s, double value_ns, struct mpg_error *err);
/* Forgets all that was taken. Error: the file cannot be written. */
int mpg_node_times_restart(void *nodes, struct mpg_error *err);
/* Whether any override was that a receive takes another message. */
bool mpg_node_times_takes(const struct mpg_node_times *nodes);
/* All steps have been taken. */
int mpg_node_times_finish(struct mpg_node_times *nodes, struct mpg_error *err);

/* Once finished: the I-th stream of RANK, from 0, to be read from its beginning; false beyond the
 * last. STREAM is its number for mpg_node_times_next(). */
bool mpg_node_times_stream(struct mpg_node_times *nodes, int32_t rank, uint32_t i,
                      struct mpg_node_stream *found, uint32_t *stream);
/* The next node: 1, 0 beyond the last, -1 if the file cannot be read. */
int mpg_node_times_next(struct mpg_node_times *nodes, uint32_t stream, struct mpg_node *node,
                   struct mpg_error *err);
void mpg_node_times_free(struct mpg_node_times *nodes); /* NULL is allowed */

#endif
