/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations of a GOAL schedule as nodes of a graph, and dependences as edges. */
#include "trace/goal/graph.h"

#include <stdlib.h>

enum { MOST = 1 << 30 };

int mpg_goal_add_node(struct goal_graph *g, const struct goal_node *node, struct mpg_error *err)
{
    if (g->n == g->capacity) {
        const size_t capacity = g->capacity ? 2 * g->capacity : 64;
        void *grown = g->n < MOST ? realloc(g->nodes, capacity * sizeof *g->nodes) : NULL;
        if (!grown)
            return mpg_error_set(err, "out of memory");
        g->nodes = grown;
        g->capacity = capacity;
    }
    g->nodes[g->n++] = *node;
    return 0;
}

int mpg_goal_add_edge(struct goal_graph *g, uint32_t before, uint32_t after, bool is_start, struct mpg_error *err)
{
    if (before >= g->n || after >= g->n)
        return mpg_error_set(err, "operation %u of %zu", before >= g->n ? before : after, g->n);
    if (g->edge_number == g->edge_capacity) {
        const size_t capacity = g->edge_capacity ? 2 * g->edge_capacity : 64;
        void *grown = g->edge_number < MOST ? realloc(g->edges, capacity * sizeof *g->edges) : NULL;
        if (!grown)
            return mpg_error_set(err, "out of memory");
        g->edges = grown;
        g->edge_capacity = capacity;
    }
    g->edges[g->edge_number++] = (struct goal_edge){before, after, is_start};
    return 0;
}

void mpg_goal_reset(struct goal_graph *g)
{
    g->n = g->edge_number = 0;
}

void mpg_goal_clear(struct goal_graph *g)
{
    free(g->nodes);
    free(g->edges);
}
