/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps that are ready to be handed out, in batches, the edges of the call that is being left,
 * and the slots that values wait in. What numbers an evaluator needs is said here and
 * nowhere else: every other part of graph/ asks for them by a step. */
#ifndef MPG_GRAPH_STEPS_H
#define MPG_GRAPH_STEPS_H

#include <stddef.h>
#include <string.h>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/call_ref.h"

/* Memory of one kind of items, in blocks that stay where they are. Zero-initialised is empty. */
struct step_memory {
    struct block *first, *at;
    size_t used; /* bytes of AT */
};

/* Something that steps of a batch point to, and that goes with the batch. */
struct batch_attachment {
    struct batch_attachment *next;
    void (*free)(struct batch_attachment *batch_attachment);
};

/* Where steps lie, with all that they point to. Graphs have theirs in a ring: in the order in which they are filled, of which
 * those that nobody keeps any more are filled again. */
struct mpg_batch {
    struct mpg_batch *next;
    _Atomic uint32_t kept; /* so many times */
    uint32_t n;            /* steps that were handed out */
    uint32_t freed;        /* slots whose last readers are here, that are not to be written before it is given back */
    struct step_memory steps, edges, lists;
    struct batch_attachment *attachments;
};

/* Zero-initialised is empty. Of a batch's steps and edges the last ones are open: as they grow they may move. */
struct steps {
    struct mpg_batch *oldest, *batch, *spare; /* those that are kept, up to the one that is filled; those that are empty */
    struct mpg_step *steps; /* to be handed out */
    uint32_t count, capacity;
    enum mpg_steps_wanted wanted; /* the graph's option: of LEAVEs alone, others are made in ASIDE, which nobody sees */
    struct mpg_step discarded;
    struct mpg_edge *edges; /* of the call that is being left */
    uint32_t edge_count, edge_capacity;
    struct mpg_edge *lost;  /* those that this call would have but for hypotheses */
    uint32_t lost_count, lost_capacity;
    struct mpg_candidate *candidates; /* of that call */
    uint32_t candidate_count, candidate_capacity;
    struct mpg_posted *posted; /* at the time of that call */
    uint32_t posted_count, posted_capacity;
    bool keeps_slots;          /* the graph's option */
    uint32_t *unused_slots, unused_count, unused_capacity, slots;
    uint32_t *next_freed, next_freed_capacity; /* of a slot that was freed, and is kept, the one that was freed next */
    uint32_t first_freed, last_freed, freed_count;
};

/* Begins to make steps that are handed out together, none so far, and all of them in one batch. Error: out of memory. */
int mpg_graph_steps_begin(struct steps *steps, struct mpg_error *err);
/* Room for more steps: 0, or -1 when out of memory. */
int mpg_graph_steps_grow(struct steps *steps);
/* BYTES that stay as long as the steps that are being made; NULL with ERR when out of memory. */
void *mpg_graph_steps_list(struct steps *steps, size_t bytes, struct mpg_error *err);
/* LEFTOVER stays as long as these. */
static inline void graph_steps_attach(struct steps *s, struct batch_attachment *batch_attachment)
{
    batch_attachment->next = s->batch->attachments;
    s->batch->attachments = batch_attachment;
}

/* All of STEP is 0: an initialiser would leave parts of the union, and one of so many bytes be a loop. */
static inline void graph_clear_step(struct mpg_step *step)
{
    typedef uint64_t part __attribute__((vector_size(16), aligned(4), may_alias));
    enum { PARTS = sizeof *step / sizeof(part) };
    part *at = (part *)step;
#pragma GCC unroll 16
    for (int i = 0; i < PARTS; i++)
        at[i] = (part){0};
    memset(at + PARTS, 0, sizeof *step % sizeof(part));
}

/* A new last step, of CALL, or of the call at PLACE, all else 0; NULL when out of memory. */
static inline struct mpg_step *graph_emit(struct steps *s, enum mpg_step_kind kind,
                                          const struct call *call)
{
    if (s->wanted == MPG_STEPS_LEAVES && kind != MPG_STEP_LEAVE)
        return &s->discarded;
    if (s->count == s->capacity && mpg_graph_steps_grow(s) < 0)
        return NULL;
    struct mpg_step *step = &s->steps[s->count++];
    graph_clear_step(step);
    step->kind = kind;
    step->rank = call->rank;
    step->stream = call->stream;
    step->thread = call->event->thread;
    step->call = mpg_call_plain(call->event->call);
    step->number = call->number;
    step->window = call->event->object;
    return step;
}

struct mpg_step *mpg_graph_emit_at(struct steps *steps, enum mpg_step_kind kind, const struct call_ref *call_ref);
/* The step that was made last. */
static inline struct mpg_step *graph_last_step(struct steps *s)
{
    return s->wanted == MPG_STEPS_LEAVES ? &s->discarded : &s->steps[s->count - 1];
}

/* The value of CALL's stream goes into a new slot. */
int mpg_graph_store(struct steps *steps, const struct call *call, uint32_t *slot, struct mpg_error *err);
/* From here on edges are those of another call, which has none so far. */
static inline void graph_begin_edges(struct steps *s)
{
    s->edges = s->edges ? s->edges + s->edge_count : NULL; /* adding to no array is undefined */
    s->edge_capacity -= s->edge_count;
    s->edge_count = 0;
}

/* Room for more edges: as mpg_graph_steps_grow(). */
int mpg_graph_edges_grow(struct steps *steps);
/* Has STEP, a LEAVE, list N messages, which are returned, to be filled before the next are asked for; or a copy of SENT. NULL
 * or error: out of memory. */
struct mpg_sent *mpg_graph_add_sent(struct steps *steps, struct mpg_step *step, uint32_t n, struct mpg_error *err);
int mpg_graph_keep_sent(struct steps *steps, struct mpg_step *step, const struct mpg_sent *sent, uint32_t n,
                        struct mpg_error *err);
/* That of STEP, a LEAVE, or what changes an ENTER, all else 0. NULL with ERR when out of memory. */
struct mpg_transfer *mpg_graph_add_transfer(struct steps *steps, struct mpg_step *step, struct mpg_error *err);
struct mpg_change *mpg_graph_add_change(struct steps *steps, struct mpg_step *step, struct mpg_error *err);

/* A new edge into the call that is being left, all else 0; NULL when out of memory. */
static inline struct mpg_edge *graph_add_edge(struct steps *s, enum mpg_edge_kind kind)
{
    if (s->edge_count == s->edge_capacity && mpg_graph_edges_grow(s) < 0)
        return NULL;
    struct mpg_edge *edge = &s->edges[s->edge_count++];
    *edge = (struct mpg_edge){.kind = kind};
    return edge;
}

/* The same for one that is lost; and the lost ones, once all are known, go behind the others: 0, or -1 when out of memory. */
struct mpg_edge *mpg_graph_lose_edge(struct steps *steps, enum mpg_edge_kind kind);
/* The call may have waited for something that is lost, and that is all that is known. Error: out of memory. */
int mpg_graph_lose_wait(struct steps *steps, struct mpg_error *err);
int mpg_graph_list_lost(struct steps *steps);
/* A new candidate of that call, all else 0; NULL when out of memory. */
struct mpg_candidate *mpg_graph_add_candidate(struct steps *steps);
/* A new posted receive, all else 0; NULL when out of memory. */
struct mpg_posted *mpg_graph_add_posted(struct steps *steps);

/* A slot that nobody has had yet. Error: out of memory. */
int mpg_graph_further_slot(struct steps *steps, uint32_t *slot, struct mpg_error *err);

static inline int graph_new_slot(struct steps *s, uint32_t *slot, struct mpg_error *err)
{
    if (s->unused_count == 0)
        return mpg_graph_further_slot(s, slot, err);
    *slot = s->unused_slots[--s->unused_count];
    return 0;
}

/* No step that is made after those that are being made reads SLOT. There is room for all of them. */
static inline void graph_free_slot(struct steps *s, uint32_t slot)
{
    if (!s->keeps_slots) {
        s->unused_slots[s->unused_count++] = slot;
        return;
    }
    if (s->freed_count++ == 0)
        s->first_freed = slot;
    else
        s->next_freed[s->last_freed] = slot;
    s->last_freed = slot;
    s->batch->freed++;
}

/* Another value goes where *SLOT was, which nobody reads after that: into the same, if slots are not kept. */
static inline int graph_renew_slot(struct steps *s, uint32_t *slot, struct mpg_error *err)
{
    graph_free_slot(s, *slot);
    return graph_new_slot(s, slot, err);
}

void mpg_graph_steps_clear(struct steps *steps);

#endif
