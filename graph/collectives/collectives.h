/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Meetings: who takes part in which collective, who waits for whom in it, and the steps
 * and edges that says (Sottile 2006, section 3.2; MPI-3.1 sections 5.12 and 11.5 for
 * nonblocking ones and fences).
 *
 * Of others it needs calls, members, slots and steps; who waits is a waiter. It knows
 * nothing of messages, of requests or of ranks that are advanced. */
#ifndef MPG_GRAPH_COLLECTIVES_H
#define MPG_GRAPH_COLLECTIVES_H

#include "common/map.h"
#include "graph/algorithms/algorithm.h"
#include "graph/progress_evidence.h"
#include "graph/members.h"
#include "graph/steps.h"
#include "graph/work/apply_hypotheses.h"

struct collective;

/* The part of one member in a collective; zero-initialised is in none. */
struct part {
    struct collective *collective;
    int32_t me; /* index of the member */
};

/* Collectives that are open, all others zero-initialised. */
struct collectives {
    bool lenient;
    bool sync_reduce; /* members of a Reduce or Gather(v) wait for its root */
    const struct mpg_trace *trace;
    struct mpg_graph_counts *counts;
    struct members *members;
    struct steps *steps;
    const struct mpg_collective_table *expand; /* NULL: collectives are nodes */
    bool expand_some;               /* graph.h has it, */
    const struct mpg_unexpanded *unexpanded; /* and this */
    const struct mpg_weak_progress *shown; /* with hypotheses: how nonblocking ones go; NULL: as the blocking ones */
    int64_t eager_limit_bytes;      /* of the messages of those that are expanded */
    int64_t weak_bytes, tree_bytes; /* likewise, options.carried */
    struct tree_progress_evidence observed;  /* of these, where that is looked at; else NULLs */
    struct applied_hypotheses applied_hypotheses;
    bool of_target;                 /* of what hypotheses resize: graph.h has it */
    int32_t expanded_members;       /* of the largest of those that have been expanded */
    struct mpg_map sequences; /* (where, rank, order) -> collectives that the rank was in, or
                                 was promised */
    struct mpg_map open;      /* (order, where, which) -> struct collective * */
};

/* CALL takes part in its communicator's (or window's) next collective; MOVED: what
 * its rank has moved in the epoch, if it is a fence, which is dropped where that is. PART's collective is NULL if it goes
 * on alone. */
int mpg_graph_arrive(struct collectives *collectives, const struct call *call, struct load moved, struct part *part,
                     struct mpg_error *err);
/* A persistent collective of a rank, from the call that makes it on (MPI-4.0 section 6.13:
 * they are made in one order on a communicator, and started in any). */
struct persistent_collective {
    enum mpg_call call;
    int32_t comm, root;
    uint32_t which;   /* the how-manieth that its communicator was promised */
    uint32_t started; /* how often */
    int64_t bytes;
};
/* CALL makes one; COMM is MPG_NO_COMM where that is not known, so that starts go alone. */
int mpg_graph_init_persistent_collective(struct collectives *collectives, const struct call *call,
                                         struct persistent_collective *persistent_collective, struct mpg_error *err);
/* CALL starts it, as the INDEX-th of what it starts. As mpg_graph_arrive(). */
int mpg_graph_start_persistent_collective(struct collectives *collectives, const struct call *call,
                                          struct persistent_collective *persistent_collective, uint32_t index,
                                          struct part *part, struct mpg_error *err);
/* WAITER waits until PART may leave, if it may not yet. */
void mpg_graph_await_part(const struct part *part, struct waiter *waiter);
/* The collective's call, the blocking one. */
enum mpg_call mpg_graph_part_call(const struct part *part);
/* A nonblocking collective of PART, as its algorithm needs it. */
struct nonblocking_part {
    enum mpg_call call;  /* the blocking one */
    enum mpg_collective operation;
    int32_t p, root, me; /* root: 0 where it has none */
    int64_t bytes;       /* of the member, as traced */
    const int32_t *world_ranks;
};
/* False: it is none, is dropped, has no algorithms, or members that are not of this world, or there is nobody else. */
bool mpg_graph_part_is_nonblocking(const struct collectives *collectives, const struct part *part,
                                   struct nonblocking_part *nonblocking_part);
/* When member INDEX came, aligned, and in which of its rank's calls; false: it has not come so far. */
bool mpg_graph_part_member(const struct part *part, int32_t index, double *enter_ns, uint64_t *number);
/* Whether hypotheses drop it. */
bool mpg_graph_part_is_dropped(const struct part *part);
/* The edges of PART into the leave, at LEAVE_NS, aligned, of the call that is being left; PART is over, unless others wait
 * until it has left. */
int mpg_graph_part_edges(struct collectives *collectives, const struct part *part, double leave_ns, struct mpg_error *err);
/* Whether they do, before its edges are asked for. */
bool mpg_graph_part_is_awaited(const struct part *part);
/* CALL, whose PART such a one is, has been left: so may the others. PART is over. */
int mpg_graph_part_left(struct collectives *collectives, const struct part *part, const struct call *call, struct mpg_error *err);

/* Whether WAITER waits for the others of PART. */
bool mpg_graph_part_holds(const struct part *part, const struct waiter *waiter);
/* World rank of a member that has not come, or NO_RANK. */
int32_t mpg_graph_part_lacks(const struct collectives *collectives, const struct part *part);
/* Says that CALL waits for others of PART; WHY goes to the text's end. Returns -1. */
int mpg_graph_explain_part(const struct collectives *collectives, const struct part *part, const struct call *call,
                           const char *why,
                           struct mpg_error *err);
/* WAITER gives up waiting for the others of PART: 1 if it did, else 0. */
uint32_t mpg_graph_give_up_part(const struct part *part, const struct waiter *waiter);

/* At the end: an error if some came to what others did not. */
int mpg_graph_check_collectives(const struct collectives *collectives, struct mpg_error *err);
void mpg_graph_collectives_clear(struct collectives *collectives);

#endif
