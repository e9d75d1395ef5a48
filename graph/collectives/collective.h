/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collective in progress and its members. Private to graph/collectives/. */
#ifndef MPG_GRAPH_COLLECTIVE_H
#define MPG_GRAPH_COLLECTIVE_H

#include "graph/collectives/entering.h"
#include "graph/collectives/costs.h"
#include "graph/collectives/expansion.h"

/* Members are stored in blocks, made when the first member of a block enters: memory follows members, not the size of
 * the communicator. */
enum { BLOCK_BITS = 5, BLOCK = 1 << BLOCK_BITS };

struct member {
    bool arrived, absent;  /* absent: the member passes MPI_PROC_NULL as root */
    int32_t latest;        /* SHAPE_SCAN: index of the last to enter among members 0 .. this member */
    /* of the member's waiting call: the collective itself, or the call that completes the request */
    struct waiter *waiter;
    struct call_ref call_ref;
    uint32_t slot, index; /* index: index of this part among the collectives that the member's call starts */
    double enter_ns;       /* aligned enter of the member; SHAPE_SCAN: later set to the enter of member LATEST */
    double came_ns;        /* aligned enter of the member, never changed */
    int64_t duration_ns,
        off_ns; /* off_ns: of a blocking call, time off the CPU in the call; SHAPE_SCAN: maximum over members 0 .. this member */
    int64_t bytes, target_bytes; /* bytes on the traced machine; bytes as changed by hypotheses */
    int64_t traced_bytes; /* bytes in the trace, even with options.of_target */
};

struct collective {
    struct batch_attachment over; /* for an expanded collective that has ended: freed with the batch whose steps refer to
                                     the collective */
    enum mpg_call called, call; /* call: the blocking variant of `called` */
    bool blocking;
    int64_t off_ns; /* blocking: longest time off the CPU of a member's thread in the call */
    int resizer; /* hypothesis that resizes the part of the first member to enter; -1: none */
    bool dropped;          /* hypotheses drop the collective: no waits, no steps */
    uint64_t droppers;     /* hypotheses that drop members' parts, as bits */
    bool holds;            /* SHAPE_TO_ROOT: members wait for the root, too (option sync_reduce) */
    enum collective_shape shape;
    enum order order;
    int32_t where;         /* communicator or window that orders the collectives */
    int32_t comm, p, root; /* root: member index, -1: not known yet, or none */
    /* expected: number of members in this job; arrived, left: number of members that have entered, and left; prefix:
     * SHAPE_SCAN: members 0 .. prefix - 1 have entered */
    int32_t expected, arrived, prefix, left;
    int32_t own;  /* number of members in this part of a divided graph (graph/parts/parts.h); of all ranks: expected */
    bool spans;   /* some members are in other parts */
    bool is_counted; /* in the graph's statistics */
    struct meeting *meeting; /* SHAPE_MEETING that spans parts (meeting.c); else NULL */
    bool closed, foreign_root; /* closed: all members have entered, and meeting_slot has a value */
    /* slot of the meeting node G; SHAPE_TO_ROOT, if members wait for the root: slot of the root's leave or (nonblocking)
     * enter */
    uint32_t meeting_slot;
    double held_ns;        /* SHAPE_TO_ROOT: aligned time of the root's node, whose value meeting_slot holds */
    int32_t latest; /* if closed: index of the last member to enter */
    uint64_t sequence; /* number of the collective, from 0, in `order` on `where` (entering.h) */
    double total_bytes, total_target_bytes; /* sums over the members that have entered */
    struct expansion *expansion; /* NULL: the collective is a single node */
    double first_ns, last_ns;    /* of an expanded collective: enter of the first member; latest enter until now, aligned */
    struct member *blocks[];
};

/* Returns member I, or NULL if no member in the block of I has entered. */
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

/* Return the bytes that member M transfers in all rounds of C, as traced; and as changed by hypotheses. */
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

/* Returns whether member I waits for the root of a Reduce or Gather(v). */
static inline bool graph_is_held(const struct collective *c, int32_t i)
{
    return c->holds && i != c->root && !c->foreign_root && !graph_find_member(c, i)->absent;
}

/* The contributions already merged. */
struct merged {
    uint32_t slot;
    int32_t latest;     /* index of the last member to enter; ties: the first */
    double latest_ns;
    /* Minimum duration of the members' calls; 0 with nonblocking members, which have no slack in the slack model `wait`. */
    int64_t min_ns;
};

/* A meeting whose members are in several parts: the merge of the contributions goes from part to part. */
struct meeting {
    struct entering entering; /* of an own member: names the collective in records */
    int32_t entered;          /* number of own members that have entered */
    struct mpg_origin first;  /* the call of the first member, known once all members have entered */
    bool has_turn;            /* this part goes on with the merge */
    int32_t next;             /* has_turn: index of the next member to merge */
    struct merged merged;     /* has_turn: of the members before */
};

/* Emits the step in which M's slot, which holds its enter time, gets M's contribution to C. Returns 0, or -1: out of memory. */
int mpg_graph_contribute(struct collectives *collectives, const struct collective *c, struct member *m, struct mpg_error *err);
/* Merges the contribution of M, member I, into MERGED; the first member, if IS_FIRST. Frees the member's slot. */
int mpg_graph_merge(struct collectives *collectives, const struct member *m, int32_t i, bool is_first, struct merged *merged,
                    struct mpg_error *err);
/* Ends the meeting C: the merge of all members is MERGED. Wakes the members. */
void mpg_graph_close_meeting(struct collective *c, const struct merged *merged);
/* Returns member I of C, allocated if necessary; NULL: out of memory. */
struct member *mpg_graph_make_member(struct collective *c, int32_t i);
/* An own member has entered C, a meeting that spans parts; ENTERING: its arguments. Returns 0, or -1 with ERR. */
int mpg_graph_enter_meeting(struct collectives *collectives, struct collective *c, const struct entering *entering,
                            struct mpg_error *err);
/* Returns the collective of the call ENTERING, made when the first member enters, after a check that the calls match; NULL with
 * ERR. */
struct collective *mpg_graph_join(struct collectives *collectives, const struct entering *entering, struct mpg_error *err);
/* Returns whether the value of member I, which has entered, is needed for the leave of other members. */
bool mpg_graph_has_value(const struct collective *c, int32_t i);
/* Tells the other parts that ME has entered C by CALL; ENTERING: its arguments. Returns 0, or -1 with ERR. */
int mpg_graph_export_member(struct collectives *collectives, const struct collective *c, const struct call *call,
                            const struct entering *entering, int32_t me, struct mpg_error *err);
/* Member ME of another part has entered with the arguments ENTERING; THERE: the member as known in its part, SLOT: its value, if
 * this part needs one. Returns 0, or -1 with ERR. */
int mpg_graph_take_over_member(struct collectives *collectives, const struct entering *entering, int32_t me,
                               const struct member *there, uint32_t slot, struct mpg_error *err);
/* If all members of this part have left C, and all members have entered: frees C and the slots shared by the members. */
void mpg_graph_end_collective(struct collectives *collectives, struct collective *c);
/* Releases the members that wait for the root, which has reached the awaited node: the leave or the enter of CALL, at
 * AT_NS (aligned). Returns 0, or -1: out of memory. */
int mpg_graph_release_members(struct collectives *collectives, struct collective *c, const struct call *call, double at_ns,
                              struct mpg_error *err);
/* Wakes the call that waits for member I, if the member has entered. */
void mpg_graph_wake_member(struct collective *c, int32_t i);
void mpg_graph_free_collective(struct collective *c);

#endif
