/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans: the messages of a collective by the collective's algorithm. Also the message sizes by which tables choose an
 * algorithm. */
#include "graph/algorithms/plan.h"

#include "graph/algorithms/descriptors.h"

/* Sets the bytes of PLAN's vector and of a block. Returns the size by which tables choose the operation's algorithm, bytes. */
static double find_bytes(struct mpg_plan *plan)
{
    const struct mpg_collective_size *size = &plan->size;
    const double all = size->before ? size->before[size->p] : size->bytes * size->p;
    switch (mpg_graph_operation(size->operation)->bytes) {
    case BYTES_NONE:
        return 0;
    case BYTES_VECTOR:
    case BYTES_VECTOR_BLOCK:
        plan->vector_bytes = size->bytes;
        plan->block_bytes = size->bytes / size->p;
        return mpg_graph_operation(size->operation)->bytes == BYTES_VECTOR ? size->bytes : plan->block_bytes;
    case BYTES_BLOCK:
    case BYTES_BLOCK_TO_OTHERS:
        plan->vector_bytes = all;
        plan->block_bytes = all / size->p;
        return mpg_graph_operation(size->operation)->bytes == BYTES_BLOCK_TO_OTHERS && size->before
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
    mpg_graph_plan_operation(&plan, size->operation, table, &choice);
    return plan;
}

struct mpg_plan mpg_plan_by(const struct mpg_choice *choice, const struct mpg_collective_size *size)
{
    struct mpg_plan plan = {.size = *size, .segments = 1};
    plan.size.nonblocking = true;
    (void)find_bytes(&plan);
    if (size->p > 1)
        mpg_graph_plan_operation(&plan, size->operation, NULL, choice);
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
                                          : mpg_graph_blocks(plan, v, below);
    if (phase->kind == MPG_PHASE_UP)
        return (struct mpg_message){v, parent, bytes, phase->first_round, phase->reduces};
    return (struct mpg_message){parent, v, bytes, phase->first_round + (uint32_t)mpg_tree_child_index(tree, v),
                                phase->reduces};
}
