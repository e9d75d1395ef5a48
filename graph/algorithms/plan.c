/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases of algorithms. */
#include "graph/algorithms/plan.h"

#include <math.h>

#include "graph/algorithms/rounds.h"

static struct mpg_phase *add_phase(struct mpg_plan *plan, enum mpg_phase_kind kind,
                                   uint32_t rounds)
{
    struct mpg_phase *phase = &plan->phase[plan->phases++];
    const struct mpg_phase *last = plan->phases > 1 ? phase - 1 : NULL;
    *phase = (struct mpg_phase){.kind = kind,
                                .rounds = rounds,
                                .first_round = last ? last->first_round + last->rounds : 0};
    return phase;
}

static void add_rounds(struct mpg_plan *plan, enum mpg_phase_kind kind, enum mpg_pattern pattern)
{
    if (pattern == MPG_PATTERN_GATHER_DOUBLING && (plan->size.p & (plan->size.p - 1)) != 0)
        pattern = MPG_PATTERN_BRUCK; /* doubling is for powers of two */
    struct mpg_phase *phase = add_phase(plan, kind, 0);
    phase->pattern = pattern;
    phase->rounds = graph_rounds_of_pattern(plan, pattern);
}

/* Whether the vector does not fit into SEGMENT_BYTES, and goes in segments. */
static bool add_segments(struct mpg_plan *plan, double segment_bytes)
{
    if (segment_bytes <= 0 || plan->vector_bytes <= segment_bytes)
        return false;
    plan->segment_bytes = fmax(segment_bytes, plan->vector_bytes / MPG_SEGMENTS_MAX);
    plan->segments = (uint32_t)ceil(plan->vector_bytes / plan->segment_bytes);
    return true;
}

static void add_tree(struct mpg_plan *plan, enum mpg_phase_kind kind, enum mpg_tree_kind tree,
                     int radix, bool subtrees)
{
    struct mpg_phase *phase = add_phase(plan, kind, 0);
    phase->tree = (struct mpg_tree){.kind = tree, .p = plan->size.p, .radix = radix};
    phase->subtrees = subtrees;
    phase->rounds = kind == MPG_PHASE_UP ? 1 : (uint32_t)mpg_tree_children(&phase->tree, 0);
}

/* The vector scattered in equal parts, and these gathered by all. */
static void add_scattered(struct mpg_plan *plan, enum mpg_phase_kind kind, enum mpg_pattern gather)
{
    int first = plan->phases;
    add_tree(plan, kind, MPG_TREE_KNOMIAL, 2, true);
    add_rounds(plan, MPG_PHASE_ROUNDS, gather);
    for (int i = first; i < plan->phases; i++)
        plan->phase[i].equal = true;
}

/* One rooted operation as CHOICE has it; others than the plan's go from, or to, member 0. */
static void add_rooted(struct mpg_plan *plan, enum mpg_phase_kind kind,
                       const struct mpg_choice *choice, bool subtrees)
{
    bool down = kind == MPG_PHASE_DOWN;
    switch (choice->algorithm) {
    case MPG_ALGORITHM_CHAIN:
        if (add_segments(plan, choice->segment_bytes))
            add_rounds(plan, MPG_PHASE_ROUNDS,
                       down ? MPG_PATTERN_PIPELINE_DOWN : MPG_PATTERN_PIPELINE_UP);
        else
            add_tree(plan, kind, MPG_TREE_CHAIN, 2, subtrees);
        break;
    case MPG_ALGORITHM_BINARY:
        add_tree(plan, kind, MPG_TREE_BINARY, 2, subtrees);
        break;
    case MPG_ALGORITHM_BINOMIAL:
        add_tree(plan, kind, MPG_TREE_KNOMIAL, 2, subtrees);
        break;
    case MPG_ALGORITHM_KNOMIAL:
        add_tree(plan, kind, MPG_TREE_KNOMIAL, choice->radix, subtrees);
        break;
    case MPG_ALGORITHM_NEAR:
        add_tree(plan, kind, MPG_TREE_NEAR, 2, subtrees);
        break;
    case MPG_ALGORITHM_SCATTER_ALLGATHER:
        add_scattered(plan, kind, MPG_PATTERN_GATHER_UNEVEN);
        break;
    case MPG_ALGORITHM_SCATTER_RING:
        add_scattered(plan, kind, MPG_PATTERN_RING);
        break;
    case MPG_ALGORITHM_RABENSEIFNER:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_HALVING_UP);
        break;
    default:
        add_tree(plan, kind, MPG_TREE_LINEAR, 2, subtrees);
        break;
    }
}

/* What OPERATION goes by as a part of a nonblocking one. */
static struct mpg_choice part_of_nonblocking(enum mpg_collective operation)
{
    return (struct mpg_choice){.algorithm = operation == MPG_COLLECTIVE_REDUCE  ? MPG_ALGORITHM_BINOMIAL
                                            : operation == MPG_COLLECTIVE_BCAST ? MPG_ALGORITHM_NEAR
                                                                                : MPG_ALGORITHM_LINEAR,
                               .radix = 2};
}

/* OPERATION, rooted at member 0, as a part of another. */
static void add_part(struct mpg_plan *plan, const struct mpg_table *table,
                     enum mpg_collective operation, double bytes)
{
    struct mpg_choice choice = plan->size.nonblocking ? part_of_nonblocking(operation)
                                                      : mpg_table_find(table, operation, plan->size.p, bytes);
    bool up = operation == MPG_COLLECTIVE_REDUCE || operation == MPG_COLLECTIVE_GATHERV;
    bool blocks = operation == MPG_COLLECTIVE_GATHERV || operation == MPG_COLLECTIVE_SCATTERV;
    choice.segment_bytes = 0; /* a plan has one size of segments */
    add_rooted(plan, up ? MPG_PHASE_UP : MPG_PHASE_DOWN, &choice, blocks);
    plan->phase[plan->phases - 1].reduces = operation == MPG_COLLECTIVE_REDUCE;
}

static void plan_allgather(struct mpg_plan *plan, const struct mpg_table *table,
                           const struct mpg_choice *choice)
{
    switch (choice->algorithm) {
    case MPG_ALGORITHM_LINEAR:
        add_rounds(plan, MPG_PHASE_POSTED, MPG_PATTERN_SPREAD);
        break;
    case MPG_ALGORITHM_DOUBLING:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_GATHER_DOUBLING);
        break;
    case MPG_ALGORITHM_RING:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_RING);
        break;
    case MPG_ALGORITHM_NEIGHBOR:
        add_rounds(plan, MPG_PHASE_ROUNDS,
                   plan->size.p % 2 ? MPG_PATTERN_RING : MPG_PATTERN_NEIGHBOR);
        break;
    case MPG_ALGORITHM_TWO:
        add_part(plan, table, MPG_COLLECTIVE_GATHERV, plan->block_bytes);
        add_part(plan, table, MPG_COLLECTIVE_BCAST, plan->vector_bytes);
        break;
    default:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_BRUCK);
        break;
    }
}

static void plan_reduce_scatter(struct mpg_plan *plan, const struct mpg_table *table,
                                const struct mpg_choice *choice)
{
    switch (choice->algorithm) {
    case MPG_ALGORITHM_DOUBLING:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_SCATTER_DOUBLING);
        break;
    case MPG_ALGORITHM_BUTTERFLY:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_BUTTERFLY);
        break;
    case MPG_ALGORITHM_RING:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_REDUCING_RING);
        break;
    case MPG_ALGORITHM_PAIRWISE:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_BLOCKWISE);
        break;
    case MPG_ALGORITHM_TWO:
        add_part(plan, table, MPG_COLLECTIVE_REDUCE, plan->vector_bytes);
        add_part(plan, table, MPG_COLLECTIVE_SCATTERV, plan->block_bytes);
        break;
    default:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_HALVING);
        break;
    }
}

static void plan_allreduce(struct mpg_plan *plan, const struct mpg_table *table,
                           const struct mpg_choice *choice)
{
    switch (choice->algorithm) {
    case MPG_ALGORITHM_RABENSEIFNER:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_RABENSEIFNER);
        break;
    case MPG_ALGORITHM_RING:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_PIECES);
        break;
    case MPG_ALGORITHM_TWO:
        add_part(plan, table, MPG_COLLECTIVE_REDUCE, plan->vector_bytes);
        add_part(plan, table, MPG_COLLECTIVE_BCAST, plan->vector_bytes);
        break;
    default:
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_DOUBLING);
        break;
    }
}

static void plan_alltoall(struct mpg_plan *plan, const struct mpg_choice *choice)
{
    if (choice->algorithm == MPG_ALGORITHM_BRUCK)
        add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_TRANSPOSE);
    else
        add_rounds(plan,
                   choice->algorithm == MPG_ALGORITHM_LINEAR ? MPG_PHASE_POSTED : MPG_PHASE_ROUNDS,
                   MPG_PATTERN_PAIRWISE);
}

static void plan_barrier(struct mpg_plan *plan, const struct mpg_choice *choice)
{
    if (choice->algorithm == MPG_ALGORITHM_DISSEMINATION ||
        choice->algorithm == MPG_ALGORITHM_DOUBLING)
        add_rounds(plan, MPG_PHASE_ROUNDS,
                   choice->algorithm == MPG_ALGORITHM_DOUBLING ? MPG_PATTERN_BARRIER_DOUBLING
                                                               : MPG_PATTERN_DISSEMINATION);
    else {
        add_rooted(plan, MPG_PHASE_UP, choice, false);
        add_rooted(plan, MPG_PHASE_DOWN, choice, false);
    }
}

/* What there is of vector and blocks, as the operation has it; and what tables go by. */
static double find_bytes(struct mpg_plan *plan)
{
    const struct mpg_collective_size *size = &plan->size;
    double all = size->before ? size->before[size->p] : size->bytes * size->p;
    switch (size->operation) {
    case MPG_COLLECTIVE_BARRIER:
        return 0;
    case MPG_COLLECTIVE_BCAST:
    case MPG_COLLECTIVE_REDUCE:
    case MPG_COLLECTIVE_ALLREDUCE:
    case MPG_COLLECTIVE_SCAN:
    case MPG_COLLECTIVE_EXSCAN:
    case MPG_COLLECTIVE_REDUCE_SCATTER:
    case MPG_COLLECTIVE_REDUCE_SCATTER_BLOCK:
        plan->vector_bytes = size->bytes;
        plan->block_bytes = size->bytes / size->p;
        return size->operation == MPG_COLLECTIVE_REDUCE_SCATTER_BLOCK ? plan->block_bytes
                                                                      : size->bytes;
    default:
        plan->vector_bytes = all;
        plan->block_bytes = all / size->p;
        return size->operation == MPG_COLLECTIVE_ALLTOALLV && size->before
                   ? plan->block_bytes / (size->p - 1) /* of what each sends to all others */
                   : plan->block_bytes;
    }
}

/* TABLE: of blocking ones; NULL: PLAN is a nonblocking one's. */
static void make(struct mpg_plan *plan, const struct mpg_table *table, const struct mpg_choice *choice)
{
    switch (plan->size.operation) {
    case MPG_COLLECTIVE_BARRIER:
        plan_barrier(plan, choice);
        break;
    case MPG_COLLECTIVE_BCAST:
        add_rooted(plan, MPG_PHASE_DOWN, choice, false);
        break;
    case MPG_COLLECTIVE_SCATTER:
    case MPG_COLLECTIVE_SCATTERV:
        add_rooted(plan, MPG_PHASE_DOWN, choice, true);
        break;
    case MPG_COLLECTIVE_REDUCE:
        add_rooted(plan, MPG_PHASE_UP, choice, false);
        plan->phase[0].reduces = true;
        break;
    case MPG_COLLECTIVE_GATHER:
    case MPG_COLLECTIVE_GATHERV:
        add_rooted(plan, MPG_PHASE_UP, choice, true);
        break;
    case MPG_COLLECTIVE_ALLREDUCE:
        plan_allreduce(plan, table, choice);
        break;
    case MPG_COLLECTIVE_ALLGATHER:
    case MPG_COLLECTIVE_ALLGATHERV:
        plan_allgather(plan, table, choice);
        break;
    case MPG_COLLECTIVE_ALLTOALL:
    case MPG_COLLECTIVE_ALLTOALLV:
        plan_alltoall(plan, choice);
        break;
    case MPG_COLLECTIVE_REDUCE_SCATTER:
    case MPG_COLLECTIVE_REDUCE_SCATTER_BLOCK:
        plan_reduce_scatter(plan, table, choice);
        break;
    case MPG_COLLECTIVE_SCAN:
    case MPG_COLLECTIVE_EXSCAN:
        if (choice->algorithm == MPG_ALGORITHM_DOUBLING)
            add_rounds(plan, MPG_PHASE_ROUNDS, MPG_PATTERN_PREFIX);
        else
            add_tree(plan, MPG_PHASE_DOWN, MPG_TREE_CHAIN, 2, false);
        plan->phase[0].reduces = true;
        break;
    case MPG_COLLECTIVES:
        break;
    }
}

struct mpg_plan mpg_plan_make(const struct mpg_table *table,
                              const struct mpg_collective_size *size)
{
    struct mpg_plan plan = {.size = *size, .segments = 1};
    if (size->p == 1)
        return plan;
    const struct mpg_choice choice = mpg_table_find(table, size->operation, size->p, find_bytes(&plan));
    make(&plan, table, &choice);
    return plan;
}

struct mpg_plan mpg_plan_by(const struct mpg_choice *choice, const struct mpg_collective_size *size)
{
    struct mpg_plan plan = {.size = *size, .segments = 1};
    plan.size.nonblocking = true;
    (void)find_bytes(&plan);
    if (size->p > 1)
        make(&plan, NULL, choice);
    return plan;
}

double mpg_plan_bytes(const struct mpg_collective_size *size)
{
    struct mpg_plan plan = {.size = *size};
    return find_bytes(&plan);
}

bool mpg_plan_is_tree(const struct mpg_plan *plan)
{
    return plan->phases == 1 &&
           (plan->phase[0].kind == MPG_PHASE_DOWN || plan->phase[0].kind == MPG_PHASE_UP);
}

struct mpg_message mpg_tree_message(const struct mpg_plan *plan, const struct mpg_phase *phase,
                                    int32_t v)
{
    const struct mpg_tree *tree = &phase->tree;
    int32_t parent = mpg_tree_parent(tree, v);
    int32_t below = mpg_tree_size(tree, v);
    double bytes = !phase->subtrees ? plan->vector_bytes
                   : phase->equal   ? below * plan->block_bytes
                                    : graph_blocks(plan, v, below);
    if (phase->kind == MPG_PHASE_UP)
        return (struct mpg_message){v, parent, bytes, phase->first_round, phase->reduces};
    return (struct mpg_message){parent, v, bytes, phase->first_round + (uint32_t)mpg_tree_place(tree, v),
                                phase->reduces};
}
