/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph's steps, laid aside until their stream is that far in simulated time.
 *
 * The graph hands out steps in an order of its own, and slots that it uses again. So each value gets a cell,
 * which holds it from the step that writes it to the last that reads it; steps name cells from here on. What is no
 * stream's own (a synchronous message's match, what collectives come to) is a node, which is evaluated once all that
 * it needs is known. */
#ifndef MPG_EVENTS_PROGRAM_H
#define MPG_EVENTS_PROGRAM_H

#include "graph/graph.h"
#include "simulate/events/packed.h"
#include "simulate/events/pool.h"

enum { NO_CELL = UINT32_MAX };

struct node;

/* Somebody who waits for a cell: a node, or, with NULL, a stream. */
struct watcher {
    struct watcher *next;
    struct node *node;
    uint32_t stream;
};

struct cell {
    bool known;
    uint32_t uses;           /* steps that name it, and the slot that it stands for */
    struct watcher *watcher;
    struct meeting *meeting; /* its value is that of each member's own */
};

struct node {
    struct mpg_step step;
    uint32_t missing; /* cells */
    double met_ns, lambda_ns, tau_ns; /* of a synchronous message */
};

/* A barrier. */
struct meeting {
    struct meeting *next; /* of those to be sealed */
    struct mpg_origin origin;
    uint32_t cell;        /* known once all have come */
    uint32_t missing;
    bool sealed;
    bool sorted;          /* members by rank */
    int32_t n, capacity;
    struct meeting_member {
        int32_t rank;
        uint32_t cell;    /* when it came */
        double end_ns;
    } *member;            /* in their order */
};

struct block;

/* Steps to be taken by a stream, with cells for slots. */
struct queue {
    struct block *first, *last; /* NULL: there are none */
    char *at;                   /* the first step, packed */
};

struct program {
    struct mpg_graph *graph;
    bool ended;           /* nothing more will come */
    bool meets;           /* barriers are meetings */
    struct queue *queue;  /* of each stream */
    uint32_t streams, stream_capacity;
    struct cell *cell;
    uint32_t cells, cell_capacity, *free_cell, free_cells, free_capacity;
    uint32_t *cell_of, slots, slot_capacity; /* + 1; of a slot */
    bool keeps_whole;     /* steps with all that they say */
    struct unpacked unpacked;
    struct pool blocks, nodes, watchers;
    struct meeting *open;
};

/* What the program tells its world. */
struct program_calls {
    void *world;
    int (*appended)(void *world, uint32_t stream, struct mpg_error *err); /* STREAM's queue is not empty any more */
    int (*evaluate)(void *world, struct node *node, struct mpg_error *err); /* all of NODE, now the world's, is known */
    int (*meet)(void *world, struct meeting *meeting, struct mpg_error *err); /* all have come */
};

/* KEEPS_WHOLE: somebody else looks at steps, too. */
int program_init(struct program *p, struct mpg_graph *graph, uint32_t streams, bool meets, bool keeps_whole,
                 struct mpg_error *err);
void program_clear(struct program *p);
/* The next steps of the graph: 1, 0 at its end, -1. */
int program_pull(struct program *p, const struct program_calls *calls, struct mpg_error *err);
/* CELL's value is known from now on: who waits for it hears. WAKE: of a stream. */
int program_know(struct program *p, uint32_t cell, const struct program_calls *calls,
                 int (*wake)(void *world, uint32_t stream, struct mpg_error *err), struct mpg_error *err);
/* The ends of M's members are known. */
int program_met(struct program *p, struct meeting *meeting, const struct program_calls *calls,
                int (*wake)(void *world, uint32_t stream, struct mpg_error *err), struct mpg_error *err);
/* STREAM hears when CELL, which is not known, is. */
int program_watch(struct program *p, uint32_t cell, uint32_t stream, struct mpg_error *err);
/* The first step of STREAM, which has some, to be written, too: until the next is asked for. NULL: out of memory. */
struct mpg_step *program_first(struct program *p, uint32_t stream, struct mpg_error *err);
/* QUEUE's first step is done with. */
void program_drop(struct program *p, struct queue *queue);
void program_drop_node(struct program *p, struct node *node);
/* When RANK leaves M, which all have come to. */
double meeting_end(const struct meeting *m, int32_t rank);

#endif
