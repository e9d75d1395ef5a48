/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schedule of a rank: operations, and which must end or start before others start. Private to trace/goal/. */
#ifndef MPG_GOAL_GRAPH_H
#define MPG_GOAL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum goal_kind { GOAL_SEND = 1, GOAL_RECV = 2, GOAL_CALC = 3 };

struct goal_node {
    uint8_t kind;
    uint8_t cpu;
    uint64_t size;        /* bytes, or ns */
    int32_t peer, tag;    /* of a receive: -1 for any */
    uint32_t first, last; /* its edges: goal_graph.after */
    uint32_t waits;       /* operations before it that are not placed yet */
    uint32_t open;        /* of those that must have ended: placed sends and receives that were not waited for */
    uint32_t name;        /* the number of the label in messages, or of the node */
    int64_t posted_calcs; /* of a placed send or receive: the work placed before it */
    int64_t request;      /* of a placed send or receive, until it is waited for; 0 */
    uint32_t place;       /* of such: its place in the list of open ones */
};

struct goal_edge {
    uint32_t before, after;
    bool is_start; /* AFTER may start when BEFORE has started */
};

struct goal_graph {
    struct goal_node *nodes;
    size_t n, capacity;
    struct goal_edge *edges; /* sorted by BEFORE for goal_order() */
    size_t edge_number, edge_capacity;
};

/* Add an operation or an edge. Return 0, or -1 with ERR: out of memory, a node that is none. */
int mpg_goal_add_node(struct goal_graph *g, const struct goal_node *node, struct mpg_error *err);
int mpg_goal_add_edge(struct goal_graph *g, uint32_t before, uint32_t after, bool is_start, struct mpg_error *err);
void mpg_goal_reset(struct goal_graph *g); /* without nodes, keeps storage */
void mpg_goal_clear(struct goal_graph *g);

/* What the order of a schedule consists of. */
struct goal_program {
    void *context;
    /* Node I of the graph: work, or posting a send or receive, which sets its request. */
    int (*place)(void *context, struct goal_node *node, struct mpg_error *err);
    /* Waits for N requests on CPU. */
    int (*wait)(void *context, unsigned cpu, const int64_t *requests, uint32_t n, struct mpg_error *err);
    /* The name of a node in messages, to TEXT. */
    void (*name)(void *context, const struct goal_node *node, char *text, size_t size);
};

/* Puts the operations of each cpu of G in one order of work, nonblocking sends and receives, and waits, so that each operation
 * waits for what it requires and no more, and calls P for each. Errors: edges between cpus, a circle, operations that have no
 * such order. */
int mpg_goal_order(struct goal_graph *g, const struct goal_program *p, struct mpg_error *err);

#endif
