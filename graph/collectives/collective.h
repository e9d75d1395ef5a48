/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One collective and its members. Private to graph/collectives/. */
#ifndef MPG_GRAPH_COLLECTIVE_H
#define MPG_GRAPH_COLLECTIVE_H

#include "graph/collectives/entering.h"
#include "graph/collectives/costs.h"
#include "graph/collectives/expansion.h"

/* Members are kept in blocks, made when the first of one arrives: a communicator's size
 * alone takes no memory. */
enum { BLOCK_BITS = 5, BLOCK = 1 << BLOCK_BITS };

struct member {
    bool arrived, absent;  /* absent: MPI_PROC_NULL as root */
    int32_t latest;        /* SCAN: of the members up to this one, who came last */
    struct waiter *waiter; /* in it, or in completing its request */
    struct call_ref call_ref;
    uint32_t slot, index; /* index: among what its call starts */
    double enter_ns, came_ns; /* SCAN: the former becomes that of LATEST */
    int64_t duration_ns,
        off_ns; /* off_ns: blocking: off its CPU in the call; SCAN: becomes the longest of members up to this one */
    int64_t bytes, target_bytes; /* as traced, as hypotheses say */
    int64_t traced_bytes; /* BYTES, with options.of_target, too */
};

struct collective {
    struct batch_attachment over; /* an expanded one, which steps are still about */
    enum mpg_call called, call; /* call: of one that does not block its blocking twin */
    bool blocking;
    int64_t off_ns; /* blocking: the longest time that a member was off its CPU in its call */
    int resizer; /* the hypothesis that is about the first part that came; -1: none */
    bool dropped;          /* by hypotheses: nobody waits for anybody, and no step is about it; */
    uint64_t droppers;     /* by these, each some member's part */
    bool holds;            /* SHAPE_TO_ROOT: members wait for the root */
    enum collective_shape shape;
    enum order order;
    int32_t where;         /* communicator or window */
    int32_t comm, p, root; /* root: index of the member, -1 if there is none yet */
    int32_t expected, arrived, prefix, left; /* expected: members of this world */
    bool closed, foreign_root; /* closed: the meeting slot has its value */
    uint32_t meeting_slot; /* G; SHAPE_TO_ROOT: the root's end or start, where that is waited for, */
    double held_ns;        /* and when that was */
    int32_t latest; /* of a closed meeting: the member that came last */
    uint64_t sequence;
    double total_bytes, total_target_bytes; /* of those that have arrived */
    struct expansion *expansion; /* NULL: it is a node */
    double first_ns, last_ns;    /* expanded: when the first member came; the last of those that have */
    struct member *blocks[];
};

/* Member I, or NULL if none of its block has arrived. */
static inline struct member *graph_find_member(const struct collective *c, int32_t i)
{
    struct member *block = c->blocks[i >> BLOCK_BITS];
    return block ? &block[i & (BLOCK - 1)] : NULL;
}

static inline bool graph_has_arrived(const struct collective *c, int32_t i)
{
    const struct member *m = graph_find_member(c, i);
    return m && m->arrived;
}

static inline const struct mpg_comm *graph_comm_of(const struct collectives *collectives,
                                                   const struct collective *c)
{
    return mpg_trace_comm(collectives->trace, c->comm);
}

/* What member M moves of C: b of all rounds; and as hypotheses say. */
static inline double graph_member_moves(const struct collective *c, const struct member *m)
{
    return mpg_graph_bytes_of(c->call, c->p, (double)m->bytes, c->total_bytes);
}

static inline double graph_member_would_move(const struct collective *c, const struct member *m)
{
    return mpg_graph_bytes_of(c->call, c->p, (double)m->target_bytes, c->total_target_bytes);
}

static inline struct mpg_origin graph_member_origin(const struct member *m)
{
    return (struct mpg_origin){
        .rank = m->call_ref.rank, .index = m->index, .call = m->call_ref.number};
}

static inline bool graph_all_arrived(const struct collective *c)
{
    return c->arrived == c->expected;
}

/* Whether member I waits for the root of a Reduce or Gather(v). */
static inline bool graph_is_held(const struct collective *c, int32_t i)
{
    return c->holds && i != c->root && !c->foreign_root && !graph_find_member(c, i)->absent;
}

/* The root, in CALL, is at the node AT_NS that the others wait for. */
int mpg_graph_release_members(struct collectives *collectives, struct collective *c, const struct call *call, double at_ns,
                              struct mpg_error *err);
void mpg_graph_free_collective(struct collective *c);

#endif
