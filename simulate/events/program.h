/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of the graph, each waiting until its stream reaches the step in simulated time. Private to simulate/events/.
 *
 * The graph delivers steps in graph order. Steps stay in the graph's batches, and their values in slots not reused meanwhile
 * (graph.h, options.keeps_slots). A value of no stream (the match of a synchronous message, a meeting, a member of an expanded
 * collective) is a node, evaluated once all inputs are known. */
#ifndef MPG_EVENTS_PROGRAM_H
#define MPG_EVENTS_PROGRAM_H

#include "common/pool.h"
#include "graph/graph.h"
#include "simulate/passes/step_ring.h"

/* A batch of the graph with HOLDERS in this program, kept until the last holder has given the batch back. The program counts the
 * holders, because a count shared by threads costs more. */
struct kept_batch {
    struct kept_batch *before, *next; /* in the list of all kept batches */
    struct mpg_batch *batch;
    uint32_t holders;
};

struct node {
    const struct mpg_step *step;
    struct kept_batch *batch; /* batch of the step */
    uint32_t missing;        /* inputs not known yet */
    int32_t member;          /* EXPAND: the member, relative to the root, whose enter is the input */
    bool awaits_progress;    /* SYNCHRONOUS: the receiver asks for the bytes in the call that progresses the receive */
};

/* A watcher of a value: a waiting node, meeting, or (if both are NULL) stream. */
struct watcher {
    struct watcher *next;
    struct node *node;
    struct meeting *meeting;
    uint32_t stream;
};

struct value {
    struct watcher *watcher; /* the first waiting watcher; VALUE_KNOWN: the value is known */
};
extern struct watcher mpg_value_known;
#define VALUE_KNOWN (&mpg_value_known)

static inline bool value_is_known(const struct value *value)
{
    return value->watcher == VALUE_KNOWN;
}

/* A barrier, created at the first step of a member. */
struct meeting {
    struct meeting *next;    /* next in the list of open meetings */
    struct mpg_origin origin;
    struct kept_batch *batch; /* batch of the members' steps, until all members have arrived */
    struct value value;      /* known once all members have arrived */
    uint32_t slots;          /* number of slots referring to the meeting */
    uint32_t missing;        /* members not arrived yet */
    bool sorted;             /* members are sorted by rank */
    uint32_t n, capacity;
    struct meeting_member {
        int32_t rank;
        uint32_t slot;       /* slot of the arrival time */
        double end_ns;       /* time at which the member leaves, ns */
    } *member;               /* members, in step order */
};

/* Consecutive steps of one stream. */
struct span {
    struct span *next;
    struct kept_batch *batch; /* the batch of the steps */
    const struct mpg_step *step;
    uint32_t n;
};

/* The source of steps: GRAPH, or, if NULL, a thread reading the graph. */
struct program_source {
    struct mpg_graph *graph;
    struct mpg_step_reader reader;
};

struct program {
    struct program_source *source;
    bool ended;           /* the graph has no further steps */
    bool meets;           /* barriers are evaluated as meetings */
    struct queue {
        struct span *first, *last;
    } *queue;             /* pending steps of each stream; NULL: none */
    uint32_t streams, stream_capacity;
    struct slot {
        struct value own;
        /* the slot of a member of an expanded collective: the member's leave; OWN is its enter. The slot of a synchronous
         * message: when the sender is done; OWN is the arrival */
        struct value left;
        struct meeting *meeting; /* the slot has the value of this barrier; NULL: the value is in OWN */
    } *slot;
    uint32_t slots, slot_capacity;
    struct mpg_pool spans, nodes, watchers, batches;
    struct kept_batch *kept;    /* first of the list of all kept batches */
    struct kept_batch *current; /* the batch read last, which the program holds itself; NULL: none */
    struct meeting *open; /* first of the list of meetings in which members are still missing */
};

/* Notifications from the program to the replica. */
struct program_calls {
    void *replica;
    int (*appended)(void *replica, uint32_t stream, struct mpg_error *err); /* STREAM has pending steps again */
    int (*wake)(void *replica, uint32_t stream, struct mpg_error *err);     /* the value awaited by STREAM is known */
    /* NODE's inputs are known; the replica takes ownership of NODE */
    int (*evaluate)(void *replica, struct node *node, struct mpg_error *err);
    int (*meet)(void *replica, struct meeting *meeting, struct mpg_error *err); /* all members have arrived */
    /* returns the slot from which the receiver progresses the message of S, a SYNCHRONOUS step, or slot b of S if the receiver
     * may progress the message earlier */
    uint32_t (*progress_slot)(const void *replica, const struct mpg_step *s);
};

/* Initialises P with the steps of SOURCE, whose graph is opened with keeps_slots, for at least STREAMS streams. SOURCE and the
 * graph outlive P. Error: out of memory. */
int mpg_events_program_init(struct program *p, struct program_source *source, uint32_t streams, bool meets,
                            struct mpg_error *err);
void mpg_events_program_clear(struct program *p);
/* Reads the next steps of the graph. Returns 1; 0: at the end; -1 with ERR. */
int mpg_events_program_pull(struct program *p, const struct program_calls *calls, struct mpg_error *err);
/* Adds a holder to BATCH; takes a holder away. */
static inline struct kept_batch *program_keep(struct kept_batch *batch)
{
    batch->holders++;
    return batch;
}
void mpg_events_program_give_back(struct program *p, struct kept_batch *batch);
/* Returns the value in SLOT. */
static inline struct value *program_value(const struct program *p, uint32_t slot)
{
    struct slot *s = &p->slot[slot];
    return s->meeting ? &s->meeting->value : &s->own;
}
/* Marks VALUE as known, and notifies the watchers of VALUE. */
int mpg_events_program_set_known(struct program *p, struct value *value, const struct program_calls *calls,
                                 struct mpg_error *err);
/* Completes M, when the leave times of M's members are known. */
int mpg_events_program_met(struct program *p, struct meeting *m, const struct program_calls *calls, struct mpg_error *err);
/* Makes the program notify STREAM once VALUE, which is not known yet, is known. */
int mpg_events_program_watch(struct program *p, struct value *value, uint32_t stream, struct mpg_error *err);
/* Returns the first pending step of STREAM, which has a pending step. */
static inline const struct mpg_step *program_first(const struct program *p, uint32_t stream)
{
    return p->queue[stream].first->step;
}
/* Removes the first pending step of STREAM, or NODE. */
void mpg_events_program_drop(struct program *p, uint32_t stream);
/* NODE, whose inputs were known, needs the value of SLOT, too: NODE is evaluated again when this value is known. */
int mpg_events_program_await(struct program *p, struct node *node, uint32_t slot, const struct program_calls *calls,
                             struct mpg_error *err);
void mpg_events_program_drop_node(struct program *p, struct node *node);
/* Returns the time at which RANK leaves M, in which all members have arrived, ns. */
double mpg_events_meeting_end(const struct meeting *m, int32_t rank);

#endif
