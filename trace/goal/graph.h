/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schedule of a rank: operations, and edges from operations to later operations, which start after the end or the start of
 * the former. Private to trace/goal/. */
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
    uint64_t size;        /* bytes of a message, or ns of work */
    int32_t peer, tag;    /* -1: any source or tag of a receive */
    uint32_t first, last; /* edges to operations that require this operation: goal_graph.edges[first] to [last - 1] */
    uint32_t waits;       /* number of required operations not placed in the order yet */
    uint32_t open;        /* number of required sends and receives placed, but not waited for */
    uint32_t name;        /* number of the label, or of the node without labels; for error messages */
    int64_t posted_calcs; /* of a placed send or receive: number of work operations placed before */
    int64_t request;      /* of a placed send or receive: the request, until the wait; else 0 */
    uint32_t place;       /* while `request` is set: index in the list of messages without a wait */
};

struct goal_edge {
    uint32_t before, after;
    bool is_start; /* true: `after` may start when `before` has started; false: when `before` has ended */
};

struct goal_graph {
    struct goal_node *nodes;
    size_t n, capacity;
    struct goal_edge *edges; /* sorted by `before` in mpg_goal_order() */
    size_t edge_number, edge_capacity;
};

/* These add an operation or an edge. Return 0, or -1 with ERR: out of memory, BEFORE or AFTER is no node. */
int mpg_goal_add_node(struct goal_graph *g, const struct goal_node *node, struct mpg_error *err);
int mpg_goal_add_edge(struct goal_graph *g, uint32_t before, uint32_t after, bool is_start, struct mpg_error *err);
void mpg_goal_reset(struct goal_graph *g); /* removes all nodes, but keeps allocated memory */
void mpg_goal_clear(struct goal_graph *g);

/* Functions called by mpg_goal_order() in the order of the program. */
struct goal_program {
    void *context;
    /* Places NODE: performs work, or posts a send or receive and sets node->request. */
    int (*place)(void *context, struct goal_node *node, struct mpg_error *err);
    /* Waits for N requests on CPU. */
    int (*wait)(void *context, unsigned cpu, const int64_t *requests, uint32_t n, struct mpg_error *err);
    /* Writes the name of NODE, for error messages, to TEXT. */
    void (*name)(void *context, const struct goal_node *node, char *text, size_t size);
};

/* Puts the operations of each cpu of G in an order of work, nonblocking sends and receives, and waits, in which each operation
 * waits for exactly the required operations. Calls the functions of P in this order. Errors: edges between cpus, a cycle,
 * operations for which this kind of order does not exist. */
int mpg_goal_order(struct goal_graph *g, const struct goal_program *p, struct mpg_error *err);

#endif
