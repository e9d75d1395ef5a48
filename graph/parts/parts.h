/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several graphs of one trace, sharing the ranks. Each graph, a part, reads the events of the part's ranks only, and makes only
 * the steps of these ranks. A thread makes and evaluates one part. Parts exchange messages and arrivals in collectives, with the
 * values: an EXPORT step (graph/graph.h) writes the values of a slot, an IMPORT step reads the values into a slot.
 *
 * Processes can have some of the parts each. A courier in each process then carries records between processes
 * (mpg_rank_parts_carry()).
 *
 * A part gives up if an operation needs the whole trace, and then all parts give up: mpg_graph_next() fails, and
 * mpg_rank_parts_reason() says why. The caller then evaluates the whole graph. */
#ifndef MPG_GRAPH_PARTS_H
#define MPG_GRAPH_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trace/reader.h"

enum { MPG_PARTS_MAX = 64 };

struct mpg_rank_parts;
struct mpg_rank_part;

/* Why parts give up. */
enum mpg_parts_reason {
    MPG_PARTS_GO_ON,
    MPG_PARTS_FOREIGN,     /* a collective of an intercommunicator, or with processes of another job */
    MPG_PARTS_ROOT,        /* members of a Reduce or Gather waiting for the root */
    MPG_PARTS_NO_MATCH,    /* mismatched calls of one collective */
    MPG_PARTS_EXPANDED,    /* collectives are expanded into messages */
    MPG_PARTS_UNRECEIVED,  /* messages without receive */
    MPG_PARTS_ONE_SIDED,   /* one-sided communication */
    MPG_PARTS_PARTITIONED, /* partitioned messages */
    MPG_PARTS_STALLED,     /* no rank can go on by itself */
    MPG_PARTS_MEMORY,      /* out of memory */
    MPG_PARTS_TRACE,       /* the trace cannot be opened again */
    MPG_PARTS_THREAD,      /* the system refuses a thread */
    MPG_PARTS_ERROR,       /* an error, which occurs in a pass over all ranks, too */
    MPG_PARTS_REASONS
};

/* The parts of this process: FIRST .. FIRST + N - 1 of ALL parts. Each process has N parts, process I has parts I N to I N + N -
 * 1. */
struct mpg_parts_here {
    unsigned first, n, all;
};

/* Messages between the processes. For one thread in each process. Sums are collective. */
struct mpg_parts_post {
    /* Sends BYTES bytes at DATA to process TO, and frees DATA (by free()) when sent. Does not wait. */
    void (*send)(int to, void *data, size_t bytes);
    /* Returns the size of the next message to this process, which has arrived, in bytes; 0: there is none now. */
    size_t (*arrived)(void);
    /* Receives the message of BYTES bytes, the size returned by arrived(). */
    void (*receive)(void *data, size_t bytes);
    /* Begins to sum N numbers over all processes. sum_ended() returns whether the sum is complete, and then writes the sum to
     * SUM. OWN and SUM stay valid until then. */
    void (*begin_sum)(const int64_t *own, int64_t *sum, int n);
    bool (*sum_ended)(void);
    /* Waits until all messages of this process are sent. */
    void (*flush)(void);
};

/* Divides the ranks of TRACE into HERE.all blocks of consecutive ranks with similar numbers of events: 2 .. MPG_PARTS_MAX, and at
 * most the number of ranks. VALUE_BYTES: size of an exchanged value, a multiple of 8. The caller frees the parts, after the
 * graphs. Returns NULL with ERR: out of memory. */
struct mpg_rank_parts *mpg_rank_parts_new(const struct mpg_trace *trace, struct mpg_parts_here here, size_t value_bytes,
                                          struct mpg_error *err);
/* Returns part I, of this process, for options.part of a graph. */
struct mpg_rank_part *mpg_rank_parts_part(struct mpg_rank_parts *parts, unsigned i);
/* Sets the ranks of PART: *FIRST .. *END - 1. */
void mpg_rank_part_ranks(const struct mpg_rank_part *part, int32_t *first, int32_t *end);
/* Returns the number of events of PART's ranks. */
double mpg_rank_part_events(const struct mpg_rank_part *part);
/* Makes all parts give up, for REASON, if no part has given up before. Any thread may call this. */
void mpg_rank_part_give_up(struct mpg_rank_part *part, enum mpg_parts_reason reason);
/* Returns why the parts gave up, as the end of a sentence; NULL: the parts did not give up. Call when no thread uses the
 * parts. */
const char *mpg_rank_parts_reason(const struct mpg_rank_parts *parts);
/* Carries records between the parts of this process and the parts of other processes, until all parts are over or have given up.
 * For one thread, while other threads evaluate the parts. Collective. */
void mpg_rank_parts_carry(struct mpg_rank_parts *parts, const struct mpg_parts_post *post);
void mpg_rank_parts_free(struct mpg_rank_parts *parts); /* NULL is allowed */

#endif
