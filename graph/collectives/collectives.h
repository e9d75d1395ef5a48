/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives: which calls belong together, which member waits for which, and the resulting steps and edges (Sottile
 * 2006, section 3.2; MPI-3.1 sections 5.12 and 11.5 for nonblocking collectives and fences).
 *
 * This room knows nothing of messages, requests or the scheduler. */
#ifndef MPG_GRAPH_COLLECTIVES_H
#define MPG_GRAPH_COLLECTIVES_H

#include "common/map.h"
#include "graph/algorithms/algorithm.h"
#include "graph/progress_evidence.h"
#include "graph/members.h"
#include "graph/parts/part.h"
#include "graph/steps.h"
#include "graph/work/apply_hypotheses.h"

struct collective;

/* The part of a member in a collective. Zero-initialised: no part. */
struct part {
    struct collective *collective;
    int32_t me; /* member index */
};

/* All open collectives. */
struct collectives {
    bool lenient;
    bool sync_reduce; /* members of a Reduce or Gather(v) wait for the root */
    const struct mpg_trace *trace;
    struct mpg_graph_counts *counts;
    struct members *members;
    struct steps *steps;
    const struct mpg_collective_table *expand; /* NULL: collectives are single nodes */
    bool expand_some;               /* see struct mpg_graph_options */
    const struct mpg_unexpanded *unexpanded; /* see struct mpg_graph_options */
    /* with hypotheses: progress of nonblocking collectives as observed in the trace; NULL: as blocking collectives */
    const struct mpg_weak_progress *observed_progress;
    int64_t eager_limit_bytes;      /* eager limit for messages of expanded collectives */
    /* limits of weak progress for messages of expanded collectives, as in struct expansion_input; from options.weak */
    int64_t weak_bytes, tree_bytes;
    /* observed progress of messages in trees, if the graph observes progress; else NULLs */
    struct tree_progress_evidence observed;
    struct applied_hypotheses applied_hypotheses;
    struct mpg_rank_part *ranks;         /* the ranks of this graph; NULL: all ranks */
    bool of_target;                 /* see struct mpg_graph_options */
    int32_t expanded_members;       /* number of members of the largest expanded collective */
    /* (communicator or window, rank, order) -> number of collectives entered or initialised by the rank */
    struct mpg_map sequences;
    /* (order, communicator or window, number) -> struct collective *, until all members have left the collective */
    struct mpg_map open;
};

/* Enters CALL into the next collective of the communicator or window, and fills PART. RMA_LOAD: for a fence, bytes
 * transferred by the rank in the epoch. PART->collective is NULL if CALL waits for no member: the communicator is
 * unknown, or (lenient) CALL does not match the other members' calls. Returns 0, or -1 with ERR. */
int mpg_graph_arrive(struct collectives *collectives, const struct call *call, struct load rma_load, struct part *part,
                     struct mpg_error *err);
/* Import RECORD: mpg_graph_import_member() of kind PART_ARRIVAL, mpg_graph_import_meeting() of kind PART_ENTERED or PART_MERGED.
 * Return 0, or -1 with ERR. */
int mpg_graph_import_member(struct collectives *collectives, const struct part_record *record, struct mpg_error *err);
int mpg_graph_import_meeting(struct collectives *collectives, const struct part_record *record, struct mpg_error *err);
/* A persistent collective of a rank, from initialisation on. All members initialise the persistent collectives of a
 * communicator in the same order, but may start in any order (MPI-4.0 section 6.13). */
struct persistent_collective {
    enum mpg_call call;
    int32_t comm, root;
    uint32_t which;   /* number, from 0, among the persistent collectives of the communicator */
    uint32_t started; /* number of starts */
    int64_t bytes;
};
/* Fills PERSISTENT_COLLECTIVE from CALL, which initialises a persistent collective. If the communicator is unknown,
 * PERSISTENT_COLLECTIVE's comm is MPG_NO_COMM, and starts wait for no member. Returns 0, or -1: out of memory. */
int mpg_graph_init_persistent_collective(struct collectives *collectives, const struct call *call,
                                         struct persistent_collective *persistent_collective, struct mpg_error *err);
/* Enters CALL, which starts PERSISTENT_COLLECTIVE as the INDEX-th part that CALL starts. Otherwise like mpg_graph_arrive(). */
int mpg_graph_start_persistent_collective(struct collectives *collectives, const struct call *call,
                                          struct persistent_collective *persistent_collective, uint32_t index,
                                          struct part *part, struct mpg_error *err);
/* Makes WAITER wait until the member of PART may leave. */
void mpg_graph_await_part(const struct part *part, struct waiter *waiter);
/* Returns the collective's call, as the blocking variant. */
enum mpg_call mpg_graph_part_call(const struct part *part);
/* The arguments that determine the algorithm of a nonblocking collective, and the member of a part. */
struct nonblocking_part {
    enum mpg_call call;  /* the blocking variant */
    enum mpg_collective operation;
    int32_t p, root, me; /* member indices; root: 0 without root */
    int64_t bytes;       /* the member's bytes, as traced */
    const int32_t *world_ranks;
};
/* Fills *NONBLOCKING_PART if PART belongs to a nonblocking collective with algorithms. Returns false if the collective is
 * blocking, dropped, without algorithm, with members of another job, or has a single member. */
bool mpg_graph_part_is_nonblocking(const struct collectives *collectives, const struct part *part,
                                   struct nonblocking_part *nonblocking_part);
/* Sets *ENTER_NS and *NUMBER to the aligned enter and the call number of member INDEX. Returns false if the member has not
 * entered. */
bool mpg_graph_part_member(const struct part *part, int32_t index, double *enter_ns, uint64_t *number);
/* Returns whether hypotheses drop the collective of PART. */
bool mpg_graph_part_is_dropped(const struct part *part);
/* Adds the edges of PART into the leave, at LEAVE_NS (aligned), of the call that completes PART. Ends PART, unless
 * mpg_graph_part_is_awaited(). Returns 0, or -1: out of memory. */
int mpg_graph_part_edges(struct collectives *collectives, const struct part *part, double leave_ns, struct mpg_error *err);
/* Returns whether other members wait until PART has left. Call before mpg_graph_part_edges(). */
bool mpg_graph_part_is_awaited(const struct part *part);
/* To be called when CALL has been left, if PART is awaited: releases the waiting members, and ends PART. Returns 0, or
 * -1: out of memory. */
int mpg_graph_part_left(struct collectives *collectives, const struct part *part, const struct call *call, struct mpg_error *err);

/* Returns whether WAITER waits for other members of PART's collective. */
bool mpg_graph_part_holds(const struct part *part, const struct waiter *waiter);
/* Returns the world rank of a member that has not entered, or NO_RANK if all have. */
int32_t mpg_graph_part_lacks(const struct collectives *collectives, const struct part *part);
/* Fills ERR with the message that CALL waits for other members of PART's collective; WHY ends the text. Returns -1. */
int mpg_graph_explain_part(const struct collectives *collectives, const struct part *part, const struct call *call,
                           const char *why,
                           struct mpg_error *err);
/* Removes WAITER from PART. Returns 1 if WAITER was waiting, else 0. */
uint32_t mpg_graph_abandon_part(const struct part *part, const struct waiter *waiter);

/* At the end of the trace: returns -1 with ERR if a collective lacks members. */
int mpg_graph_check_collectives(const struct collectives *collectives, struct mpg_error *err);
void mpg_graph_collectives_clear(struct collectives *collectives);

#endif
