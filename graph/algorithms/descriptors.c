/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of collective operations and of their algorithms, used by the parser of mpgcollectives(5), by plans, and by
 * tests that compare manual and reference implementation. docs/COLLECTIVES.md describes the messages of each algorithm;
 * CONTRIBUTING.md says how to add an algorithm. */
#include "graph/algorithms/descriptors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "graph/algorithms/table.h"

static const struct operation operations[MPG_COLLECTIVES] = {
    [MPG_COLLECTIVE_BARRIER] = {"barrier", BYTES_NONE, .up = true, .down = true},
    [MPG_COLLECTIVE_BCAST] = {"bcast", BYTES_VECTOR, .down = true, .nonblocking_part = "binomial_near"},
    [MPG_COLLECTIVE_SCATTER] = {"scatter", BYTES_BLOCK, .down = true, .subtrees = true},
    [MPG_COLLECTIVE_SCATTERV] = {"scatterv", BYTES_BLOCK, .down = true, .subtrees = true, .nonblocking_part = "linear"},
    [MPG_COLLECTIVE_GATHER] = {"gather", BYTES_BLOCK, .up = true, .subtrees = true},
    [MPG_COLLECTIVE_GATHERV] = {"gatherv", BYTES_BLOCK, .up = true, .subtrees = true, .nonblocking_part = "linear"},
    [MPG_COLLECTIVE_REDUCE] = {"reduce", BYTES_VECTOR, .up = true, .reduces = true, .nonblocking_part = "binomial"},
    [MPG_COLLECTIVE_ALLREDUCE] = {"allreduce", BYTES_VECTOR, .part = {MPG_COLLECTIVE_REDUCE, MPG_COLLECTIVE_BCAST}},
    [MPG_COLLECTIVE_ALLGATHER] = {"allgather", BYTES_BLOCK, .part = {MPG_COLLECTIVE_GATHERV, MPG_COLLECTIVE_BCAST}},
    [MPG_COLLECTIVE_ALLGATHERV] = {"allgatherv", BYTES_BLOCK, .part = {MPG_COLLECTIVE_GATHERV, MPG_COLLECTIVE_BCAST}},
    [MPG_COLLECTIVE_ALLTOALL] = {"alltoall", BYTES_BLOCK},
    [MPG_COLLECTIVE_ALLTOALLV] = {"alltoallv", BYTES_BLOCK_TO_OTHERS},
    [MPG_COLLECTIVE_REDUCE_SCATTER] = {"reduce_scatter", BYTES_VECTOR,
                                       .part = {MPG_COLLECTIVE_REDUCE, MPG_COLLECTIVE_SCATTERV}},
    [MPG_COLLECTIVE_REDUCE_SCATTER_BLOCK] = {"reduce_scatter_block", BYTES_VECTOR_BLOCK,
                                             .part = {MPG_COLLECTIVE_REDUCE, MPG_COLLECTIVE_SCATTERV}},
    [MPG_COLLECTIVE_SCAN] = {"scan", BYTES_VECTOR, .down = true, .reduces = true},
    [MPG_COLLECTIVE_EXSCAN] = {"exscan", BYTES_VECTOR, .down = true, .reduces = true}};

/* --- plans --- */

static struct mpg_phase *add_phase(const struct planning *planning, enum mpg_phase_kind kind)
{
    struct mpg_plan *plan = planning->plan;
    struct mpg_phase *phase = &plan->phase[plan->phases++];
    const struct mpg_phase *last = plan->phases > 1 ? phase - 1 : NULL;
    *phase = (struct mpg_phase){.kind = kind,
                                .reduces = operations[planning->operation].reduces,
                                .first_round = last ? last->first_round + last->rounds : 0};
    return phase;
}

static void add_rounds(const struct planning *planning, enum mpg_phase_kind kind)
{
    const struct mpg_pattern *pattern = planning->service->pattern;
    struct mpg_phase *phase = add_phase(planning, kind);
    phase->pattern = !pattern->fits || pattern->fits(planning->plan->size.p) ? pattern : pattern->otherwise;
    phase->rounds = phase->pattern->rounds(&(struct turn){.plan = planning->plan, .phase = phase});
}

static void add_tree(const struct planning *planning, enum mpg_phase_kind kind, bool subtrees)
{
    struct mpg_phase *phase = add_phase(planning, kind);
    phase->tree = (struct mpg_tree){planning->service->tree, planning->plan->size.p, planning->choice->radix};
    phase->subtrees = subtrees;
    phase->rounds = kind == MPG_PHASE_UP ? 1 : (uint32_t)mpg_tree_children(&phase->tree, 0);
}

/* Adds a phase up the tree (reductions, gathers), down the tree (broadcasts, scatters), or both, as the operation needs. */
static void plan_tree(const struct planning *planning)
{
    const struct operation *operation = &operations[planning->operation];
    if (operation->up)
        add_tree(planning, MPG_PHASE_UP, operation->subtrees);
    if (operation->down)
        add_tree(planning, MPG_PHASE_DOWN, operation->subtrees);
}

/* Plans a pipeline: segments along the pattern's chain; for vectors up to the segment size (one segment) a tree. */
static void plan_pipeline(const struct planning *planning)
{
    struct mpg_plan *plan = planning->plan;
    const double segment_bytes = planning->choice->segment_bytes;
    if (segment_bytes <= 0 || plan->vector_bytes <= segment_bytes) {
        plan_tree(planning);
        return;
    }
    plan->segment_bytes = fmax(segment_bytes, plan->vector_bytes / MPG_SEGMENTS_MAX);
    plan->segments = (uint32_t)ceil(plan->vector_bytes / plan->segment_bytes);
    add_rounds(planning, MPG_PHASE_ROUNDS);
}

/* Plans van de Geijn's broadcast: a scatter of the vector's parts along the tree, then an allgather by the pattern. */
static void plan_scattered(const struct planning *planning)
{
    const int first = planning->plan->phases;
    add_tree(planning, MPG_PHASE_DOWN, true);
    add_rounds(planning, MPG_PHASE_ROUNDS);
    for (int i = first; i < planning->plan->phases; i++)
        planning->plan->phase[i].equal = true;
}

/* Plans the messages of the algorithm's pattern as rounds: a member starts a round after completing the messages of the
 * previous round. */
static void plan_rounds(const struct planning *planning)
{
    add_rounds(planning, MPG_PHASE_ROUNDS);
}

/* Plans the messages of the algorithm's pattern as posted all at once, as in Open MPI's and MPICH's linear algorithms. */
static void plan_linear(const struct planning *planning)
{
    add_rounds(planning, MPG_PHASE_POSTED);
}

void mpg_graph_plan_operation(struct mpg_plan *plan, enum mpg_collective operation, const struct mpg_collective_table *table,
                              const struct mpg_choice *choice)
{
    const struct planning planning = {plan, operation, table, choice,
                                      mpg_graph_service(choice->algorithm, operation, plan->size.nonblocking)};
    assert(planning.service);
    planning.service->plan(&planning);
}

/* Plans an operation that consists of two rooted operations, for example an allreduce as a reduce and a bcast. */
static void plan_two_operations(const struct planning *planning)
{
    struct mpg_plan *plan = planning->plan;
    for (int i = 0; i < 2; i++) {
        const enum mpg_collective part = operations[planning->operation].part[i];
        const struct operation *operation = &operations[part];
        struct mpg_choice choice = {.radix = 2};
        if (plan->size.nonblocking)
            choice.algorithm = mpg_algorithm_find(operation->nonblocking_part);
        else
            choice = mpg_collective_table_find(planning->table, part, plan->size.p,
                                    operation->bytes == BYTES_VECTOR ? plan->vector_bytes : plan->block_bytes);
        /* No segments: the plan has one segment size for both operations, but the operations' table rows can differ in segment
         * size. */
        choice.segment_bytes = 0;
        mpg_graph_plan_operation(plan, part, NULL, &choice);
    }
}

/* --- algorithms --- */

#define O(name) (1u << MPG_COLLECTIVE_##name)
enum {
    BLOCKS = O(SCATTER) | O(SCATTERV) | O(GATHER) | O(GATHERV),
    ROOTED = O(BCAST) | O(REDUCE) | BLOCKS,
    ALLGATHERS = O(ALLGATHER) | O(ALLGATHERV),
    ALLTOALLS = O(ALLTOALL) | O(ALLTOALLV),
    REDUCE_SCATTERS = O(REDUCE_SCATTER) | O(REDUCE_SCATTER_BLOCK),
    SCANS = O(SCAN) | O(EXSCAN)
};

/* In this order mpgsim tries algorithms to explain observed nonblocking collectives (docs/PROGRESS.md). */
static const struct mpg_algorithm algorithms[] = {
    {"linear",
     0,
     {{ROOTED | O(BARRIER), BOTH, plan_tree, .tree = &mpg_tree_linear},
      {ALLTOALLS, BOTH, plan_linear, .pattern = &mpg_graph_pairwise_alltoall},
      {ALLGATHERS, NONBLOCKING, plan_linear, .pattern = &mpg_graph_pairwise_allgather},
      {SCANS, BOTH, plan_tree, .tree = &mpg_tree_chain}}},
    {"chain",
     MPG_OPTION_SEGMENT,
     {{O(BCAST), BOTH, plan_pipeline, &mpg_tree_chain, &mpg_graph_pipeline_down},
      {O(REDUCE), BOTH, plan_pipeline, &mpg_tree_chain, &mpg_graph_pipeline_up}}},
    {"binary", 0, {{O(BCAST) | O(REDUCE), BOTH, plan_tree, .tree = &mpg_tree_binary}}},
    {"binomial", 0, {{ROOTED | O(BARRIER), BOTH, plan_tree, .tree = &mpg_tree_knomial}}},
    {"knomial", MPG_OPTION_RADIX, {{ROOTED, BOTH, plan_tree, .tree = &mpg_tree_knomial}}},
    {"dissemination", 0, {{O(BARRIER), BOTH, plan_rounds, .pattern = &mpg_graph_dissemination}}},
    {"recursive_doubling",
     0,
     {{O(BARRIER), BOTH, plan_rounds, .pattern = &mpg_graph_recursive_doubling_barrier},
      {O(ALLREDUCE), BOTH, plan_rounds, .pattern = &mpg_graph_recursive_doubling_allreduce},
      {ALLGATHERS, BOTH, plan_rounds, .pattern = &mpg_graph_recursive_doubling_allgather},
      {REDUCE_SCATTERS, BOTH, plan_rounds, .pattern = &mpg_graph_recursive_doubling_reduce_scatter},
      {SCANS, BOTH, plan_rounds, .pattern = &mpg_graph_recursive_doubling_scan}}},
    {"recursive_halving", 0, {{REDUCE_SCATTERS, BOTH, plan_rounds, .pattern = &mpg_graph_recursive_halving}}},
    {"rabenseifner",
     0,
     {{O(ALLREDUCE), BOTH, plan_rounds, .pattern = &mpg_graph_rabenseifner_allreduce},
      {O(REDUCE), BOTH, plan_rounds, .pattern = &mpg_graph_rabenseifner_reduce}}},
    {"butterfly", 0, {{REDUCE_SCATTERS, BOTH, plan_rounds, .pattern = &mpg_graph_butterfly}}},
    {"ring",
     0,
     {{O(ALLREDUCE), BOTH, plan_rounds, .pattern = &mpg_graph_ring_allreduce},
      {ALLGATHERS, BOTH, plan_rounds, .pattern = &mpg_graph_ring_allgather},
      {REDUCE_SCATTERS, BOTH, plan_rounds, .pattern = &mpg_graph_ring_reduce_scatter}}},
    {"neighbor", 0, {{ALLGATHERS, BOTH, plan_rounds, .pattern = &mpg_graph_neighbor_exchange}}},
    {"bruck",
     0,
     {{ALLGATHERS, BOTH, plan_rounds, .pattern = &mpg_graph_bruck_allgather},
      {O(ALLTOALL), BOTH, plan_rounds, .pattern = &mpg_graph_bruck_alltoall}}},
    {"pairwise",
     0,
     {{ALLTOALLS, BOTH, plan_rounds, .pattern = &mpg_graph_pairwise_alltoall},
      {REDUCE_SCATTERS, BOTH, plan_rounds, .pattern = &mpg_graph_pairwise_reduce_scatter}}},
    {"scatter_allgather", 0, {{O(BCAST), BOTH, plan_scattered, &mpg_tree_knomial, &mpg_graph_allgather_of_any}}},
    {"scatter_ring", 0, {{O(BCAST), BOTH, plan_scattered, &mpg_tree_knomial, &mpg_graph_ring_allgather}}},
    {"two", 0, {{O(ALLREDUCE) | REDUCE_SCATTERS, BOTH, .plan = plan_two_operations},
                {ALLGATHERS, BLOCKING, .plan = plan_two_operations}}},
    {"binomial_near", 0, {{O(BCAST), NONBLOCKING, plan_tree, .tree = &mpg_tree_libnbc_binomial}}},
};
#undef O

/* --- look-up --- */

const struct operation *mpg_graph_operation(enum mpg_collective operation)
{
    return &operations[operation];
}

const char *mpg_collective_name(enum mpg_collective operation)
{
    return operation < MPG_COLLECTIVES ? operations[operation].name : "";
}

enum mpg_collective mpg_collective_find(const char *name)
{
    enum mpg_collective i = 0;
    while (i < MPG_COLLECTIVES && strcmp(operations[i].name, name) != 0)
        i++;
    return i;
}

size_t mpg_algorithm_number(void)
{
    return sizeof algorithms / sizeof *algorithms;
}

const struct mpg_algorithm *mpg_algorithm_at(size_t i)
{
    return &algorithms[i];
}

const struct mpg_algorithm *mpg_algorithm_find(const char *name)
{
    for (size_t i = 0; i < mpg_algorithm_number(); i++)
        if (strcmp(algorithms[i].name, name) == 0)
            return &algorithms[i];
    return NULL;
}

const char *mpg_algorithm_name(const struct mpg_algorithm *a)
{
    return a->name;
}

bool mpg_algorithm_has(const struct mpg_algorithm *a, enum mpg_algorithm_option option)
{
    return a->options & option;
}

const struct service *mpg_graph_service(const struct mpg_algorithm *a, enum mpg_collective operation, bool nonblocking)
{
    for (const struct service *s = a->service; s < a->service + SERVICES_MAX && s->operations != 0; s++)
        if ((s->operations >> operation & 1) && (s->kinds == BOTH || (s->kinds == NONBLOCKING) == nonblocking))
            return s;
    return NULL;
}

bool mpg_algorithm_serves(const struct mpg_algorithm *a, enum mpg_collective operation, bool nonblocking)
{
    return mpg_graph_service(a, operation, nonblocking) != NULL;
}

/* --- checksums --- */

uint64_t mpg_sum_words(uint64_t sum, const uint64_t *word, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum = (sum ^ word[i]) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}

uint64_t mpg_sum_choice(uint64_t sum, const struct mpg_choice *choice)
{
    uint64_t segment;
    memcpy(&segment, &choice->segment_bytes, sizeof segment);
    const uint64_t words[] = {(uint64_t)(choice->algorithm - algorithms), (uint64_t)choice->radix, segment, choice->waits};
    return mpg_sum_words(sum, words, sizeof words / sizeof *words);
}
