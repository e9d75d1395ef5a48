/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that are ready for the evaluator, in batches; edges of the call being left; allocation of slots. Only this file and
 * graph.h define the numbering of slots, on which evaluators rely: the subfolders of graph/ make steps only by the functions
 * below. */
#ifndef MPG_GRAPH_STEPS_H
#define MPG_GRAPH_STEPS_H

#include <stddef.h>
#include <string.h>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/call_ref.h"

/* Memory for items of one type, in blocks that do not move. Zero-initialised: empty. */
struct step_memory {
    struct block *first, *at;
    size_t used; /* bytes used in AT */
};

/* An object that steps of a batch point to, freed with the batch. */
struct batch_attachment {
    struct batch_attachment *next;
    void (*free)(struct batch_attachment *batch_attachment);
};

/* Memory of steps and of all arrays to which steps point. A graph lists the batches in the order of filling, and refills the
 * oldest batch when no mpg_batch_keep() holds it. */
struct mpg_batch {
    struct mpg_batch *next;
    _Atomic uint32_t kept; /* number of mpg_batch_keep() calls not yet given back */
    uint32_t n;            /* steps handed out */
    uint32_t freed;        /* number of slots freed during this batch: reusable when this batch and all earlier batches are
                            * given back */
    struct step_memory steps, edges, lists;
    struct step_memory arrivals; /* arrivals of candidates, each listed once */
    size_t listed_bytes;         /* bytes used in `lists` */
    size_t edge_number;          /* edges of calls that were left before the current call */
    uint64_t fill;               /* number of the filling, counted over all batches of the graph; distinct for each filling */
    struct batch_attachment *attachments;
};

/* Zero-initialised: empty. The steps of the current sequence and the edges of the current call can move when the arrays grow. */
struct steps {
    /* first of the list of kept batches, which ends with BATCH; the batch being filled; list of empty batches */
    struct mpg_batch *oldest, *batch, *spare;
    struct mpg_step *steps; /* steps of the current sequence, not yet handed out */
    uint32_t count, capacity;
    enum mpg_steps_wanted wanted; /* the graph's option. With MPG_STEPS_LEAVES, steps of all kinds but LEAVE are written to
                                   * `discarded` */
    struct mpg_step discarded;
    struct mpg_edge *edges; /* edges of the call being left */
    uint32_t edge_count, edge_capacity;
    struct mpg_edge *lost;  /* edges of the call being left that hypotheses drop */
    uint32_t lost_count, lost_capacity;
    struct mpg_candidate *candidates; /* candidates of the call being left */
    uint32_t candidate_count, candidate_capacity;
    uint64_t fills;             /* batches filled so far */
    struct mpg_posted *posted; /* posted receives of the call being left */
    uint32_t posted_count, posted_capacity;
    bool keeps_slots;          /* batches keep their slots (option keeps_slots of the graph) */
    uint32_t *unused_slots, unused_count, unused_capacity, slots;
    /* linked list of the slots that are freed but kept by batches, in the order of freeing: the next slot, by slot */
    uint32_t *next_freed, next_freed_capacity;
    uint32_t first_freed, last_freed, freed_count;
};

/* Starts a sequence of steps, to be handed out together in one batch. Returns 0, or -1: out of memory. */
int mpg_graph_steps_begin(struct steps *steps, struct mpg_error *err);
/* Makes room for one more step. Returns 0, or -1: out of memory. */
int mpg_graph_steps_grow(struct steps *steps);
/* Allocates BYTES that live as long as the current steps. Returns NULL with ERR: out of memory. */
void *mpg_graph_steps_list(struct steps *steps, size_t bytes, struct mpg_error *err);
/* Allocates an edge that lives until the current batch is emptied. Returns NULL: out of memory. */
struct mpg_edge *mpg_graph_steps_arrival(struct steps *steps);
/* Returns whether the lists, or the edges, of the current batch have reached the maximum number of bytes. */
bool mpg_graph_lists_are_full(const struct steps *steps);
/* Adds BATCH_ATTACHMENT to the current batch, which frees it when the batch is emptied. */
static inline void graph_steps_attach(struct steps *s, struct batch_attachment *batch_attachment)
{
    batch_attachment->next = s->batch->attachments;
    s->batch->attachments = batch_attachment;
}

/* Zeroes STEP. An initialiser could leave bytes of the union unset, and memset() of this size compiles to a loop. */
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

/* Appends a zeroed step of KIND for CALL. Returns NULL: out of memory. */
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

/* As graph_emit(), for the call at CALL_REF; sets neither stream nor window. */
struct mpg_step *mpg_graph_emit_at(struct steps *steps, enum mpg_step_kind kind, const struct call_ref *call_ref);
/* Returns the step made last. */
static inline struct mpg_step *graph_last_step(struct steps *s)
{
    return s->wanted == MPG_STEPS_LEAVES ? &s->discarded : &s->steps[s->count - 1];
}

/* Makes a step that stores the value of CALL's stream in a new slot, *SLOT. Returns 0, or -1: out of memory. */
int mpg_graph_store(struct steps *steps, const struct call *call, uint32_t *slot, struct mpg_error *err);
/* For a divided graph (graph/parts/part.h): mpg_graph_export() makes a step that copies SLOT's value to VALUE,
 * mpg_graph_import() a step that copies VALUE to a new slot, *SLOT. CALL_REF: the call to which the value belongs. Both return 0,
 * or -1: out of memory. */
int mpg_graph_export(struct steps *steps, uint32_t slot, const struct call_ref *call_ref, void *value, struct mpg_error *err);
int mpg_graph_import(struct steps *steps, void *value, const struct call_ref *call_ref, uint32_t *slot, struct mpg_error *err);
/* Begins an empty list of edges for the next call. */
static inline void graph_begin_edges(struct steps *s)
{
    s->edges = s->edges ? s->edges + s->edge_count : NULL; /* adding an offset to a null pointer is undefined */
    s->edge_capacity -= s->edge_count;
    s->batch->edge_number += s->edge_count;
    s->edge_count = 0;
}

/* Makes room for one more edge. Returns 0, or -1: out of memory. */
int mpg_graph_edges_grow(struct steps *steps);
/* mpg_graph_add_sent() gives STEP, a LEAVE, a list of N sent messages, for the caller to fill before the next
 * allocation; mpg_graph_keep_sent() copies SENT. NULL or -1: out of memory. */
struct mpg_sent *mpg_graph_add_sent(struct steps *steps, struct mpg_step *step, uint32_t n, struct mpg_error *err);
int mpg_graph_keep_sent(struct steps *steps, struct mpg_step *step, const struct mpg_sent *sent, uint32_t n,
                        struct mpg_error *err);
/* mpg_graph_add_transfer() gives STEP, a LEAVE, a zeroed transfer; mpg_graph_add_change() gives STEP, an ENTER, a zeroed change.
 * Return NULL with ERR: out of memory. */
struct mpg_transfer *mpg_graph_add_transfer(struct steps *steps, struct mpg_step *step, struct mpg_error *err);
struct mpg_change *mpg_graph_add_change(struct steps *steps, struct mpg_step *step, struct mpg_error *err);

/* Appends a zeroed edge of KIND to the call being left. Returns NULL: out of memory. */
static inline struct mpg_edge *graph_add_edge(struct steps *s, enum mpg_edge_kind kind)
{
    if (s->edge_count == s->edge_capacity && mpg_graph_edges_grow(s) < 0)
        return NULL;
    struct mpg_edge *edge = &s->edges[s->edge_count++];
    *edge = (struct mpg_edge){.kind = kind};
    return edge;
}

/* Appends a zeroed edge of KIND that hypotheses drop. Returns NULL: out of memory. */
struct mpg_edge *mpg_graph_lose_edge(struct steps *steps, enum mpg_edge_kind kind);
/* mpg_graph_lose_wait() notes that hypotheses drop a wait of the call for an unknown event. mpg_graph_list_lost() appends the
 * dropped edges to the call's edge list, when all dropped edges are known. Both return 0, or -1: out of memory. */
int mpg_graph_lose_wait(struct steps *steps, struct mpg_error *err);
int mpg_graph_list_lost(struct steps *steps);
/* Appends a zeroed candidate of the call being left. Returns NULL: out of memory. */
struct mpg_candidate *mpg_graph_add_candidate(struct steps *steps);
/* Appends a zeroed posted receive. Returns NULL: out of memory. */
struct mpg_posted *mpg_graph_add_posted(struct steps *steps);

/* Allocates a slot with the next new number. Returns 0, or -1: out of memory. */
int mpg_graph_further_slot(struct steps *steps, uint32_t *slot, struct mpg_error *err);

/* Allocates any unused slot. Returns 0, or -1: out of memory. */
static inline int graph_new_slot(struct steps *s, uint32_t *slot, struct mpg_error *err)
{
    if (s->unused_count == 0)
        return mpg_graph_further_slot(s, slot, err);
    *slot = s->unused_slots[--s->unused_count];
    return 0;
}

/* Frees SLOT, which no step after the current sequence reads. Never fails, because mpg_graph_further_slot() reserved the
 * memory. */
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

/* Replaces *SLOT, whose value is no longer needed, by a slot for a new value: with the same number, unless batches keep slots. */
static inline int graph_renew_slot(struct steps *s, uint32_t *slot, struct mpg_error *err)
{
    graph_free_slot(s, *slot);
    return graph_new_slot(s, slot, err);
}

void mpg_graph_steps_clear(struct steps *steps);

#endif
