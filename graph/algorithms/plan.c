/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases of algorithms. */
#include "graph/algorithms/descriptors.h"

#include <assert.h>
#include <math.h>

static struct mpg_phase *add_phase(const struct planning *planning, enum mpg_phase_kind kind)
{
    struct mpg_plan *plan = planning->plan;
    struct mpg_phase *phase = &plan->phase[plan->phases++];
    const struct mpg_phase *last = plan->phases > 1 ? phase - 1 : NULL;
    *phase = (struct mpg_phase){.kind = kind,
                                .reduces = graph_operation(planning->operation)->reduces,
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

void graph_plan_tree(const struct planning *planning)
{
    const struct operation *operation = graph_operation(planning->operation);
    if (operation->up)
        add_tree(planning, MPG_PHASE_UP, operation->subtrees);
    if (operation->down)
        add_tree(planning, MPG_PHASE_DOWN, operation->subtrees);
}

void graph_plan_pipeline(const struct planning *planning)
{
    struct mpg_plan *plan = planning->plan;
    const double segment_bytes = planning->choice->segment_bytes;
    if (segment_bytes <= 0 || plan->vector_bytes <= segment_bytes) {
        graph_plan_tree(planning);
        return;
    }
    plan->segment_bytes = fmax(segment_bytes, plan->vector_bytes / MPG_SEGMENTS_MAX);
    plan->segments = (uint32_t)ceil(plan->vector_bytes / plan->segment_bytes);
    add_rounds(planning, MPG_PHASE_ROUNDS);
}

void graph_plan_scattered(const struct planning *planning)
{
    const int first = planning->plan->phases;
    add_tree(planning, MPG_PHASE_DOWN, true);
    add_rounds(planning, MPG_PHASE_ROUNDS);
    for (int i = first; i < planning->plan->phases; i++)
        planning->plan->phase[i].equal = true;
}

void graph_plan_rounds(const struct planning *planning)
{
    add_rounds(planning, MPG_PHASE_ROUNDS);
}

void graph_plan_posted(const struct planning *planning)
{
    add_rounds(planning, MPG_PHASE_POSTED);
}

/* OPERATION as CHOICE has it; a table has checked that its algorithm serves OPERATION. */
static void add_operation(struct mpg_plan *plan, enum mpg_collective operation, const struct mpg_collective_table *table,
                          const struct mpg_choice *choice)
{
    const struct planning planning = {
        plan, operation, table, choice, graph_service(choice->algorithm, operation, plan->size.nonblocking)};
    assert(planning.service);
    planning.service->plan(&planning);
}

void graph_plan_parts(const struct planning *planning)
{
    struct mpg_plan *plan = planning->plan;
    for (int i = 0; i < 2; i++) {
        const enum mpg_collective part = graph_operation(planning->operation)->part[i];
        const struct operation *operation = graph_operation(part);
        struct mpg_choice choice = {.radix = 2};
        if (plan->size.nonblocking)
            choice.algorithm = mpg_algorithm_find(operation->nonblocking_part);
        else
            choice = mpg_collective_table_find(planning->table, part, plan->size.p,
                                    operation->bytes == BYTES_VECTOR ? plan->vector_bytes : plan->block_bytes);
        choice.segment_bytes = 0; /* a plan has one size of segments */
        add_operation(plan, part, NULL, &choice);
    }
}

/* Sets bytes of vector and block, as the operation has them; returns those that tables go by. */
static double find_bytes(struct mpg_plan *plan)
{
    const struct mpg_collective_size *size = &plan->size;
    const double all = size->before ? size->before[size->p] : size->bytes * size->p;
    switch (graph_operation(size->operation)->bytes) {
    case BYTES_NONE:
        return 0;
    case BYTES_VECTOR:
    case BYTES_VECTOR_BLOCK:
        plan->vector_bytes = size->bytes;
        plan->block_bytes = size->bytes / size->p;
        return graph_operation(size->operation)->bytes == BYTES_VECTOR ? size->bytes : plan->block_bytes;
    case BYTES_BLOCK:
    case BYTES_BLOCK_TO_OTHERS:
        plan->vector_bytes = all;
        plan->block_bytes = all / size->p;
        return graph_operation(size->operation)->bytes == BYTES_BLOCK_TO_OTHERS && size->before
                   ? plan->block_bytes / (size->p - 1)
                   : plan->block_bytes;
    }
    return 0;
}

struct mpg_plan mpg_plan_make(const struct mpg_collective_table *table,
                              const struct mpg_collective_size *size)
{
    struct mpg_plan plan = {.size = *size, .segments = 1};
    if (size->p == 1)
        return plan;
    const struct mpg_choice choice = mpg_collective_table_find(table, size->operation, size->p, find_bytes(&plan));
    add_operation(&plan, size->operation, table, &choice);
    return plan;
}

struct mpg_plan mpg_plan_by(const struct mpg_choice *choice, const struct mpg_collective_size *size)
{
    struct mpg_plan plan = {.size = *size, .segments = 1};
    plan.size.nonblocking = true;
    (void)find_bytes(&plan);
    if (size->p > 1)
        add_operation(&plan, size->operation, NULL, choice);
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
    const int32_t parent = mpg_tree_parent(tree, v), below = phase->subtrees ? mpg_tree_size(tree, v) : 0;
    const double bytes = !phase->subtrees ? plan->vector_bytes
                         : phase->equal   ? below * plan->block_bytes
                                          : graph_blocks(plan, v, below);
    if (phase->kind == MPG_PHASE_UP)
        return (struct mpg_message){v, parent, bytes, phase->first_round, phase->reduces};
    return (struct mpg_message){parent, v, bytes, phase->first_round + (uint32_t)mpg_tree_place(tree, v),
                                phase->reduces};
}
