/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph's steps until their stream is that far in simulated time. Private to simulate/events/.
 *
 * The graph hands out steps in an order of its own: they stay in its batches, and their values in slots that no other
 * value has meanwhile (graph.h, options.keeps_slots). A value that belongs to no stream (a synchronous message's match, a
 * collective's) is a node, which is evaluated once all that it needs is known. */
#ifndef MPG_EVENTS_PROGRAM_H
#define MPG_EVENTS_PROGRAM_H

#include "common/pool.h"
#include "graph/graph.h"

enum { NO_SLOT = UINT32_MAX };

struct node {
    const struct mpg_step *step;
    struct mpg_batch *batch; /* of the step, kept */
    uint32_t missing;        /* values that it needs and that are not known */
};

/* Somebody who waits for a value: a node, a meeting, or else a stream. */
struct watcher {
    struct watcher *next;
    struct node *node;
    struct meeting *meeting;
    uint32_t stream;
};

struct value {
    bool known;
    struct watcher *watcher;
};

/* A barrier, from the steps of its members on. */
struct meeting {
    struct meeting *next;    /* of those that are open */
    struct mpg_origin origin;
    struct mpg_batch *batch; /* of its members' steps, kept until all of them have come */
    struct value value;      /* known once all have come */
    uint32_t slots;          /* that stand for it */
    uint32_t missing;        /* members that have not come */
    bool sorted;             /* members by rank */
    uint32_t n, capacity;
    struct meeting_member {
        int32_t rank;
        uint32_t slot;       /* when it came */
        double end_ns;       /* when it leaves */
    } *member;               /* in their order */
};

/* Steps of one stream that lie after each other. */
struct span {
    struct span *next;
    struct mpg_batch *batch; /* kept */
    const struct mpg_step *step;
    uint32_t n;
};

struct program {
    struct mpg_graph *graph;
    bool ended;           /* nothing more will come */
    bool meets;           /* barriers are meetings */
    struct queue {
        struct span *first, *last;
    } *queue;             /* steps to be taken by each stream; NULL: none */
    uint32_t streams, stream_capacity;
    struct slot {
        struct value own;
        struct meeting *meeting; /* or its value; NULL: none */
    } *slot;
    uint32_t slots, slot_capacity;
    struct mpg_pool spans, nodes, watchers;
    struct meeting *open; /* to which members come in the steps that are being taken */
};

/* What the program tells its world. */
struct program_calls {
    void *world;
    int (*appended)(void *world, uint32_t stream, struct mpg_error *err); /* STREAM has steps again */
    int (*wake)(void *world, uint32_t stream, struct mpg_error *err);     /* what STREAM watched is known */
    int (*evaluate)(void *world, struct node *node, struct mpg_error *err); /* all of NODE, now the world's, is known */
    int (*meet)(void *world, struct meeting *meeting, struct mpg_error *err); /* all have come */
};

/* GRAPH keeps slots; it outlives P. Error: out of memory. */
int mpg_events_program_init(struct program *p, struct mpg_graph *graph, uint32_t streams, bool meets, struct mpg_error *err);
void mpg_events_program_clear(struct program *p);
/* The next steps of the graph: 1, 0 at its end, -1. */
int mpg_events_program_pull(struct program *p, const struct program_calls *calls, struct mpg_error *err);
/* The value of SLOT. */
static inline struct value *program_value(const struct program *p, uint32_t slot)
{
    struct slot *s = &p->slot[slot];
    return s->meeting ? &s->meeting->value : &s->own;
}
/* VALUE is known from now on: who waits for it hears. */
int mpg_events_program_know(struct program *p, struct value *value, const struct program_calls *calls, struct mpg_error *err);
/* The ends of M's members are known. */
int mpg_events_program_met(struct program *p, struct meeting *m, const struct program_calls *calls, struct mpg_error *err);
/* STREAM hears when SLOT, which is not known, is. */
int mpg_events_program_watch(struct program *p, uint32_t slot, uint32_t stream, struct mpg_error *err);
/* The first step of STREAM, which has some. */
static inline const struct mpg_step *program_first(const struct program *p, uint32_t stream)
{
    return p->queue[stream].first->step;
}
/* It is done with. */
void mpg_events_program_drop(struct program *p, uint32_t stream);
void mpg_events_program_drop_node(struct program *p, struct node *node);
/* When RANK leaves M, which all have come to. */
double mpg_events_meeting_end(const struct meeting *m, int32_t rank);

#endif
