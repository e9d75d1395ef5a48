/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The message-passing graph of a trace, or of a part, as a drawing (docs/MODEL.md, sections 1 and 4; Sottile, Chandu, Bader
 * 2006, figures 2 to 5). An evaluator of a graph's steps. The drawing has the nodes S (begin) and E (end) of calls, and the
 * nodes of collectives. Nodes A (arrivals of messages) are omitted: a path through A is drawn from S_s to the E reached; for
 * a synchronous message also from P to the E of the send. From S_s back to the E of the send only the local edge is drawn. */
#ifndef MPG_DRAWING_H
#define MPG_DRAWING_H

#include "common/error.h"
#include "common/units.h"
#include "graph/graph.h"

enum mpg_drawn_node { MPG_DRAWN_ENTER, MPG_DRAWN_LEAVE, MPG_DRAWN_MEETING };

/* Identifies a node of the drawing. A meeting is the node of a collective; the RANK, NUMBER and INDEX of the call that starts
 * the meeting identify it. */
struct mpg_drawn_at {
    enum mpg_drawn_node kind;
    int32_t rank;
    uint64_t number; /* number of the call on its rank */
    uint32_t index;  /* of a meeting: index among the meetings that the call starts */
};

struct mpg_drawn_call {
    int32_t rank;
    uint64_t number;
    uint32_t thread;
    enum mpg_call call;
};

enum mpg_drawn_edge_kind {
    MPG_DRAWN_COMPUTE,  /* E -> S */
    MPG_DRAWN_CALL,     /* S -> E */
    MPG_DRAWN_OUTSIDE,  /* S -> E of MPI_Init and MPI_Finalize, which delimit the run; not part of the run time */
    MPG_DRAWN_MESSAGE,  /* S_s -> E: lambda + tau(d) */
    MPG_DRAWN_ENVELOPE, /* S_s -> E of a probe: lambda */
    MPG_DRAWN_ACK,      /* P (post of the receive) -> E_s: tau(d) + lambda2 */
    MPG_DRAWN_TO_MEETING,     /* S_j -> a meeting, S_root -> the root's meeting: delay ROUNDS lambda + tau(d), or none */
    MPG_DRAWN_FROM_MEETING       /* a meeting -> E: no delay, or ROUNDS lambda + tau(d) */
};

struct mpg_drawn_edge {
    enum mpg_drawn_edge_kind kind;
    struct mpg_drawn_at from, to;
    double bytes;
    uint32_t rounds; /* ROUNDS of TO_MEETING and FROM_MEETING; 0: nothing */
    /* traced time from node to node, ns; MESSAGE, ENVELOPE, ACK: NAN if the ranks' clocks are not comparable; OUTSIDE,
     * TO_MEETING, FROM_MEETING: 0 */
    double took_ns;
};

struct mpg_drawn_meeting {
    struct mpg_drawn_at at;
    enum mpg_call call;
};

/* The part to draw. */
struct mpg_drawing_options {
    bool lenient;               /* calls without a partner are counted, not an error */
    bool part;                  /* only calls FIRST to LAST of each rank */
    uint64_t first, last;
    struct mpg_rank_set ranks;  /* only these ranks */
    int64_t eager_limit_bytes;  /* eager limit: larger standard sends are synchronous; -1: all sends are synchronous */
    size_t max_nodes;           /* maximum number of nodes, else an error; 0: no limit */
};

/* The drawing: numbers of elements, then the arrays. */
struct mpg_drawing {
    uint32_t calls, edges, meetings;
    struct mpg_drawn_call *call;       /* calls of a rank in ascending order */
    struct mpg_drawn_edge *edge;       /* edges, in the order of drawing */
    struct mpg_drawn_meeting *meeting; /* meetings of drawn calls */
    uint64_t cut;                      /* number of message edges with one end outside the drawing */
};

/* Fills DRAWING from TRACE. The caller clears DRAWING, also on failure. Returns 0, or -1 with ERR: too many nodes; calls or
 * ranks that do not exist; an error of the graph. */
int mpg_drawing_make(struct mpg_trace *trace, const struct mpg_drawing_options *options,
                     struct mpg_drawing *drawing, struct mpg_error *err);
void mpg_drawing_clear(struct mpg_drawing *drawing);

/* Writes DRAWING in the DOT language, a cluster for each rank; WEIGHTS: with bytes and times of messages. */
void mpg_drawing_write(const struct mpg_drawing *drawing, const struct mpg_trace *trace, bool weights,
                       FILE *out);

#endif
