/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors of collective operations and of their algorithms. Private to graph/algorithms/. */
#ifndef MPG_GRAPH_DESCRIPTORS_H
#define MPG_GRAPH_DESCRIPTORS_H

#include "graph/algorithms/phases.h"

/* A new operation or phase needs a case in every switch over these enums. */
#pragma GCC diagnostic error "-Wswitch-enum"

/* --- operations --- */

struct operation {
    const char *name;
    enum {
        BYTES_NONE,
        BYTES_VECTOR,         /* bytes of the vector */
        BYTES_VECTOR_BLOCK,   /* bytes of the vector, but tables are indexed by a member's part */
        BYTES_BLOCK,          /* mean bytes of a member's block */
        BYTES_BLOCK_TO_OTHERS /* as BYTES_BLOCK; if blocks differ, a block holds all bytes sent by a member to the rest */
    } bytes;
    bool up, down; /* tree operations: a phase up to member 0, then a phase down from member 0 */
    bool subtrees; /* messages of a tree hold the blocks of a subtree instead of the vector */
    bool reduces;  /* the receiver of a tree message reduces the message with the receiver's data */
    /* Algorithm `two`: two rooted operations in sequence, the first to member 0, the second from member 0. */
    enum mpg_collective part[2];
    /* name of the algorithm used for the operation as one of the two parts of a nonblocking collective */
    const char *nonblocking_part;
};

const struct operation *mpg_graph_operation(enum mpg_collective operation);

/* --- messages of rounds --- */

struct fold_rule;

/* Selects a message of a plan: the message sent by member V in ROUND, 0 .. rounds - 1, of PHASE. */
struct turn {
    const struct mpg_plan *plan;
    const struct mpg_phase *phase;
    uint32_t round;
    int32_t v;
};

/* A communication pattern, by functions that give the messages of a phase round by round; graph/algorithms/rounds.c defines
 * the patterns. */
struct mpg_pattern {
    /* Fills M, in which the caller has set `from`, `round` and `reduces` (as in the phase). Returns false if the member sends
     * nothing. */
    bool (*message)(const struct turn *turn, struct mpg_message *m);
    uint32_t (*rounds)(const struct turn *turn); /* returns the number of rounds; depends on plan and phase only */
    /* Only members LOW .. HIGH - 1 send in ROUND; NULL: all members can send. */
    void (*senders)(const struct mpg_plan *plan, uint32_t round, int32_t *low, int32_t *high);
    bool (*fits)(int32_t p); /* returns whether the pattern works for P members; if not, `otherwise` is used. NULL: works for
                              * any P */
    const struct mpg_pattern *otherwise;
    /* of patterns whose exchanges need a power of two of members: the messages of the excess members; NULL: patterns without
     * this need */
    const struct fold_rule *fold;
};

extern const struct mpg_pattern mpg_graph_recursive_doubling_barrier, mpg_graph_dissemination;
extern const struct mpg_pattern mpg_graph_recursive_doubling_allreduce, mpg_graph_rabenseifner_allreduce,
    mpg_graph_ring_allreduce;
extern const struct mpg_pattern mpg_graph_rabenseifner_reduce, mpg_graph_pipeline_up, mpg_graph_pipeline_down;
extern const struct mpg_pattern mpg_graph_bruck_allgather, mpg_graph_recursive_doubling_allgather, mpg_graph_allgather_of_any,
    mpg_graph_ring_allgather, mpg_graph_neighbor_exchange, mpg_graph_pairwise_allgather;
extern const struct mpg_pattern mpg_graph_pairwise_alltoall, mpg_graph_bruck_alltoall;
extern const struct mpg_pattern mpg_graph_recursive_halving, mpg_graph_recursive_doubling_reduce_scatter, mpg_graph_butterfly,
    mpg_graph_ring_reduce_scatter, mpg_graph_pairwise_reduce_scatter;
extern const struct mpg_pattern mpg_graph_recursive_doubling_scan;

/* --- algorithms --- */

struct mpg_collective_table;

/* Arguments of the functions that add phases to a plan. */
struct planning {
    struct mpg_plan *plan;
    enum mpg_collective operation;  /* the plan's operation, or a part of this operation (algorithm `two`) */
    /* chooses the algorithms of the two parts (algorithm `two`); NULL: OPERATION is nonblocking, or a part */
    const struct mpg_collective_table *table;
    const struct mpg_choice *choice;
    const struct service *service;  /* the entry of CHOICE's algorithm for OPERATION */
};

/* How an algorithm performs some operations. */
struct service {
    uint32_t operations; /* a set of 1 << enum mpg_collective */
    enum { BOTH, BLOCKING, NONBLOCKING } kinds;
    void (*plan)(const struct planning *planning); /* adds the phases to the plan */
    const struct mpg_tree_shape *tree;
    const struct mpg_pattern *pattern;
};

enum { SERVICES_MAX = 6 };
struct mpg_algorithm {
    const char *name;
    unsigned options;                     /* options that the algorithm accepts: a set of enum mpg_algorithm_option */
    struct service service[SERVICES_MAX]; /* ends at the first entry without operations */
};

/* Returns the entry of A that performs OPERATION; NULL: none. */
const struct service *mpg_graph_service(const struct mpg_algorithm *a, enum mpg_collective operation, bool nonblocking);

/* Adds to PLAN the phases by which the algorithm CHOICE performs OPERATION. TABLE: see struct planning. */
void mpg_graph_plan_operation(struct mpg_plan *plan, enum mpg_collective operation, const struct mpg_collective_table *table,
                              const struct mpg_choice *choice);

/* Returns the total bytes of the N blocks v, v + 1, ... (modulo p); N <= p. */
double mpg_graph_blocks(const struct mpg_plan *plan, int64_t v, int32_t n);

#endif
