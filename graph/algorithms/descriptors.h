/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What descriptors of collective operations and of their algorithms are made of. Private to graph/algorithms/. */
#ifndef MPG_GRAPH_DESCRIPTORS_H
#define MPG_GRAPH_DESCRIPTORS_H

#include "graph/algorithms/phases.h"

/* Nothing here guesses what a new operation or phase is like. */
#pragma GCC diagnostic error "-Wswitch-enum"

/* --- operations --- */

struct operation {
    const char *name;
    enum {
        BYTES_NONE,
        BYTES_VECTOR,         /* those of the vector; */
        BYTES_VECTOR_BLOCK,   /* the same, but tables go by a member's part of it */
        BYTES_BLOCK,          /* those of a member's block, in the mean */
        BYTES_BLOCK_TO_OTHERS /* the same, where blocks differ all that a member sends to others */
    } bytes;
    bool up, down; /* along a tree: first up to member 0 of it, then down from there */
    bool subtrees; /* messages of a tree hold the blocks of a subtree, not everything */
    bool reduces;  /* who receives in a tree reduces */
    /* Of algorithm `two`: one rooted operation and then another, from or to member 0. */
    enum mpg_collective part[2];
    const char *nonblocking_part; /* by which algorithm such a part of a nonblocking operation goes */
};

const struct operation *mpg_graph_operation(enum mpg_collective operation);

/* --- messages of rounds --- */

struct fold_rule;

/* Member V's part in ROUND, 0 .. rounds - 1, of PHASE. */
struct turn {
    const struct mpg_plan *plan;
    const struct mpg_phase *phase;
    uint32_t round;
    int32_t v;
};

/* What members send round by round; graph/algorithms/rounds.c has them. */
struct mpg_pattern {
    /* Writes what a member sends; false: nothing. M has `from` and `round`, no bytes, and `reduces` of the phase. */
    bool (*message)(const struct turn *turn, struct mpg_message *m);
    uint32_t (*rounds)(const struct turn *turn); /* of plan and phase alone */
    /* In ROUND only members LOW .. HIGH - 1 send; NULL: any can. */
    void (*senders)(const struct mpg_plan *plan, uint32_t round, int32_t *low, int32_t *high);
    bool (*fits)(int32_t p); /* whether it is for P members, NULL: for any; else they go by OTHERWISE */
    const struct mpg_pattern *otherwise;
    const struct fold_rule *fold; /* of those with a power of two of members */
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

/* What goes through the making of a plan. */
struct planning {
    struct mpg_plan *plan;
    enum mpg_collective operation;  /* the plan's, or one of its parts */
    const struct mpg_collective_table *table;  /* of its parts; NULL: of a nonblocking operation */
    const struct mpg_choice *choice;
    const struct service *service;  /* by which CHOICE serves OPERATION */
};

/* How an algorithm serves some operations. */
struct service {
    uint32_t operations; /* a set: 1 << enum mpg_collective */
    enum { BOTH, BLOCKING, NONBLOCKING } twins;
    void (*plan)(const struct planning *planning); /* adds phases */
    const struct mpg_tree_shape *tree;
    const struct mpg_pattern *pattern;
};

enum { SERVICES_MAX = 6 };
struct mpg_algorithm {
    const char *name;
    unsigned options;                     /* a set of enum mpg_algorithm_option */
    struct service service[SERVICES_MAX]; /* the first without operations ends them */
};

/* By which of its services A serves OPERATION; NULL: it does not. */
const struct service *mpg_graph_service(const struct mpg_algorithm *a, enum mpg_collective operation, bool nonblocking);

/* Adds phases of OPERATION to PLAN as CHOICE has it, whose algorithm serves it; TABLE: as in struct planning. */
void mpg_graph_plan_operation(struct mpg_plan *plan, enum mpg_collective operation, const struct mpg_collective_table *table,
                              const struct mpg_choice *choice);

/* Bytes of the N <= p blocks of v, v + 1, ..., counted on from 0 after the last. */
double mpg_graph_blocks(const struct mpg_plan *plan, int64_t v, int32_t n);

#endif
