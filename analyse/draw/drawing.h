/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The message-passing graph of a trace, or of a part of one, to be drawn (docs/MODEL.md, sections 1 and 4;
 * Sottile, Chandu, Bader 2006, figures 2 to 5). An evaluator of a graph's steps.
 *
 * Drawn are the nodes S and E of calls, and the nodes of collectives. The node A of a message is not: what leads
 * through it is drawn from S_s to the E that it reaches, and, of a synchronous message, from P to the E of the
 * send; from S_s back to that send's E nothing is drawn, as their local edge leads there. */
#ifndef MPG_DRAWING_H
#define MPG_DRAWING_H

#include "common/error.h"
#include "common/units.h"
#include "graph/graph.h"

enum mpg_drawn_node { MPG_DRAWN_ENTER, MPG_DRAWN_LEAVE, MPG_DRAWN_MEETING };

/* A node: of a meeting, its call identifies it. */
struct mpg_drawn_at {
    enum mpg_drawn_node kind;
    int32_t rank;
    uint64_t number; /* of the call among its rank's */
    uint32_t index;  /* of a meeting, among what the call starts */
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
    MPG_DRAWN_OUTSIDE,  /* S -> E of MPI_Init and MPI_Finalize, between which the run is */
    MPG_DRAWN_MESSAGE,  /* S_s -> E: lambda + tau(d) */
    MPG_DRAWN_ENVELOPE, /* S_s -> E of a probe: lambda */
    MPG_DRAWN_ACK,      /* P -> E_s: tau(d) + lambda2 */
    MPG_DRAWN_COME,     /* S_j -> a meeting, S_root -> the root's: ROUNDS lambda + tau(d), or nothing */
    MPG_DRAWN_MET       /* a meeting -> E: nothing, or ROUNDS lambda + tau(d) */
};

struct mpg_drawn_edge {
    enum mpg_drawn_edge_kind kind;
    struct mpg_drawn_at from, to;
    double bytes;
    uint32_t rounds;    /* COME, MET: 0: no delta */
    double took_ns;     /* COMPUTE, CALL; MESSAGE, ENVELOPE, ACK: from node to node, if clocks are comparable, else NAN */
};

struct mpg_drawn_meeting {
    struct mpg_drawn_at at;
    enum mpg_call call;
};

/* What is to be drawn. */
struct mpg_drawing_options {
    bool lenient;               /* what cannot be placed is counted */
    bool part;                  /* of each rank calls FIRST to LAST only */
    uint64_t first, last;
    struct mpg_rank_set ranks;  /* and these ranks */
    int64_t eager_limit_bytes;  /* larger standard sends are synchronous; -1: all are */
    size_t most_nodes;          /* an error beyond; 0: any number */
};

/* What was found, each list by its number. */
struct mpg_drawing {
    uint32_t calls, edges, meetings;
    struct mpg_drawn_call *call;       /* a rank's in ascending order */
    struct mpg_drawn_edge *edge;       /* as they were met */
    struct mpg_drawn_meeting *meeting; /* those that a call that is drawn takes part in */
    uint64_t cut;                      /* edges of messages that have one end only among what is drawn */
};

/* Fills DRAWING from TRACE; to be cleared even on failure. Errors: too many nodes, no such calls or ranks, those of
 * graphs. */
int mpg_drawing_make(struct mpg_trace *trace, const struct mpg_drawing_options *options,
                     struct mpg_drawing *drawing, struct mpg_error *err);
void mpg_drawing_clear(struct mpg_drawing *drawing);

/* DRAWING in the DOT language, a cluster a rank; WEIGHTS: with bytes and times of messages, too. */
void mpg_drawing_write(const struct mpg_drawing *drawing, const struct mpg_trace *trace, bool weights,
                       FILE *out);

#endif
