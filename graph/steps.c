/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the graph's steps in batches, and gives out slots: numbers of the places in which an evaluator keeps values between
 * steps. */
#include "graph/steps.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/reserve.h"

const struct mpg_transfer mpg_no_transfer = {.owner = -1, .awaits_of = -1};
const struct mpg_change mpg_no_change = {.ratio = 1, .cpu_ratio = 1};
const struct mpg_alternatives mpg_no_alternatives = {.candidates = NULL};

struct block {
    struct block *next;
    size_t bytes;
    _Alignas(16) char data[];
};

/* Initial sizes of a batch in bytes. A batch is full after FULL steps, FULL_LISTS bytes of lists or FULL_EDGES edges. At 1024
 * steps, threads that consume the steps wait for each other about a thousand times in a million messages. FULL_LISTS and
 * FULL_EDGES matter for calls on thousands of requests, which have thousands of candidates and edges. */
enum {
    FULL = 1024,
    STEP_BYTES = (FULL + 256) * sizeof(struct mpg_step),
    EDGE_BYTES = 128 << 10,
    LIST_BYTES = 64 << 10,
    FULL_LISTS = 4 << 20,
    FULL_EDGES = (512 << 10) / sizeof(struct mpg_edge),
    ALIGNMENT = 16
};

/* --- batches --- */

/* Returns a pointer to at least BYTES free bytes after the used part of C. Allocates a block of at least USUAL bytes if
 * needed. NULL: out of memory. */
static char *room(struct step_memory *c, size_t bytes, size_t usual)
{
    struct block *at = c->at, **next = at ? &at->next : &c->first;
    if (at && at->bytes - c->used >= bytes)
        return at->data + c->used;
    if (!*next || (*next)->bytes < bytes) {
        const size_t size = bytes > usual ? bytes : usual;
        struct block *b = malloc(sizeof *b + size);
        if (!b)
            return NULL;
        *b = (struct block){*next, size};
        *next = b;
    }
    c->at = *next;
    c->used = 0;
    return c->at->data;
}

static void empty(struct step_memory *c)
{
    c->at = c->first;
    c->used = 0;
}

static void clear(struct step_memory *c)
{
    for (struct block *b = c->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

void mpg_batch_keep(struct mpg_batch *batch, uint32_t times)
{
    atomic_fetch_add_explicit(&batch->kept, times, memory_order_relaxed);
}

void mpg_batch_give_back(struct mpg_batch *batch)
{
    atomic_fetch_sub_explicit(&batch->kept, 1, memory_order_release);
}

static bool is_kept(struct mpg_batch *b)
{
    return atomic_load_explicit(&b->kept, memory_order_acquire) > 0;
}

/* Empties B, the oldest batch. Slots freed by the steps of B become available, because all evaluators have processed B. */
static void empty_batch(struct steps *s, struct mpg_batch *b)
{
    while (b->attachments) {
        struct batch_attachment *left = b->attachments;
        b->attachments = left->next;
        left->free(left);
    }
    for (; b->freed > 0; b->freed--, s->freed_count--) {
        s->unused_slots[s->unused_count++] = s->first_freed;
        s->first_freed = s->next_freed[s->first_freed];
    }
    b->n = 0;
    b->listed_bytes = b->edge_number = 0;
    b->fill = ++s->fills;
    empty(&b->steps);
    empty(&b->edges);
    empty(&b->lists);
    empty(&b->arrivals);
}

bool mpg_graph_lists_are_full(const struct steps *s)
{
    return s->batch->listed_bytes >= FULL_LISTS || s->batch->edge_number >= FULL_EDGES;
}

/* Empties batches that no evaluator reads any more. If the current batch is full, an empty batch, or a new batch, becomes the
 * current batch. */
static int choose_batch(struct steps *s, struct mpg_error *err)
{
    while (s->oldest && !is_kept(s->oldest)) {
        struct mpg_batch *b = s->oldest;
        empty_batch(s, b);
        if (b == s->batch)
            return 0;
        s->oldest = b->next;
        b->next = s->spare;
        s->spare = b;
    }
    if (s->batch && s->batch->n < FULL && !mpg_graph_lists_are_full(s))
        return 0;
    struct mpg_batch *b = s->spare;
    if (b)
        s->spare = b->next;
    else if (!(b = calloc(1, sizeof *b)))
        return mpg_graph_out_of_memory(err);
    b->next = NULL;
    b->fill = ++s->fills;
    if (s->batch)
        s->batch->next = b;
    else
        s->oldest = b;
    s->batch = b;
    return 0;
}

/* Returns the begin of C's free part, and in *CAPACITY the number of items, of BYTES bytes each, for which the part has room. */
static void *open_in(struct step_memory *c, size_t bytes, size_t usual, uint32_t *capacity)
{
    void *at = room(c, bytes, usual);
    *capacity = at ? (uint32_t)((c->at->bytes - c->used) / bytes) : 0;
    return at;
}

int mpg_graph_steps_begin(struct steps *s, struct mpg_error *err)
{
    struct mpg_batch *b = s->batch;
    if (b) {
        b->n += s->count;
        b->edge_number += s->edge_count;
        b->steps.used += s->count * sizeof *s->steps;
        b->edges.used = s->edges ? (size_t)((char *)(s->edges + s->edge_count) - b->edges.at->data) : 0;
    }
    s->count = s->edge_count = 0;
    if (choose_batch(s, err) < 0)
        return -1;
    b = s->batch;
    s->steps = open_in(&b->steps, sizeof *s->steps, STEP_BYTES, &s->capacity);
    s->edges = open_in(&b->edges, sizeof *s->edges, EDGE_BYTES, &s->edge_capacity);
    return s->steps && s->edges ? 0 : mpg_graph_out_of_memory(err);
}

/* Moves the last list of C, which is still growing, to a place with more room. *ITEMS: pointer to the list, of COUNT items of
 * BYTES bytes each. */
static int grow(struct step_memory *c, void *items, size_t bytes, size_t usual, uint32_t count, uint32_t *capacity)
{
    void *old, *at;
    memcpy(&old, items, sizeof old);
    c->used = c->at->bytes;
    if (!(at = room(c, 2 * (count + 1) * bytes, usual)))
        return -1;
    memcpy(at, old, count * bytes);
    memcpy(items, &at, sizeof at);
    *capacity = (uint32_t)(c->at->bytes / bytes);
    return 0;
}

int mpg_graph_steps_grow(struct steps *s)
{
    return grow(&s->batch->steps, &s->steps, sizeof *s->steps, STEP_BYTES, s->count, &s->capacity);
}

int mpg_graph_edges_grow(struct steps *s)
{
    return grow(&s->batch->edges, &s->edges, sizeof *s->edges, EDGE_BYTES, s->edge_count, &s->edge_capacity);
}

void *mpg_graph_steps_list(struct steps *s, size_t bytes, struct mpg_error *err)
{
    struct step_memory *c = &s->batch->lists;
    void *list = room(c, bytes, LIST_BYTES);
    if (!list) {
        mpg_graph_out_of_memory(err);
        return NULL;
    }
    c->used += (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    c->used = c->used < c->at->bytes ? c->used : c->at->bytes;
    s->batch->listed_bytes += bytes;
    return list;
}

struct mpg_edge *mpg_graph_steps_arrival(struct steps *s)
{
    struct step_memory *c = &s->batch->arrivals;
    struct mpg_edge *edge = (struct mpg_edge *)(void *)room(c, sizeof *edge, LIST_BYTES);
    if (edge)
        c->used += sizeof *edge;
    return edge;
}

/* --- contents of a batch --- */

struct mpg_step *mpg_graph_emit_at(struct steps *s, enum mpg_step_kind kind, const struct call_ref *call_ref)
{
    if (s->wanted == MPG_STEPS_LEAVES)
        return &s->discarded;
    if (s->count == s->capacity && mpg_graph_steps_grow(s) < 0)
        return NULL;
    struct mpg_step *step = &s->steps[s->count++];
    graph_clear_step(step);
    step->kind = kind;
    step->rank = call_ref->rank;
    step->thread = call_ref->thread;
    step->call = mpg_call_plain(call_ref->call);
    step->number = call_ref->number;
    return step;
}

int mpg_graph_export(struct steps *s, uint32_t slot, const struct call_ref *call_ref, void *value, struct mpg_error *err)
{
    struct mpg_step *step = mpg_graph_emit_at(s, MPG_STEP_EXPORT, call_ref);
    if (!step)
        return mpg_graph_out_of_memory(err);
    step->slot = slot;
    step->value = value;
    return 0;
}

int mpg_graph_import(struct steps *s, void *value, const struct call_ref *call_ref, uint32_t *slot, struct mpg_error *err)
{
    if (graph_new_slot(s, slot, err) < 0)
        return -1;
    struct mpg_step *step = mpg_graph_emit_at(s, MPG_STEP_IMPORT, call_ref);
    if (!step)
        return mpg_graph_out_of_memory(err);
    step->slot = *slot;
    step->value = value;
    return 0;
}

int mpg_graph_store(struct steps *s, const struct call *call, uint32_t *slot, struct mpg_error *err)
{
    if (graph_new_slot(s, slot, err) < 0)
        return -1;
    struct mpg_step *step = graph_emit(s, MPG_STEP_STORE, call);
    if (!step)
        return mpg_graph_out_of_memory(err);
    step->slot = *slot;
    return 0;
}

struct mpg_edge *mpg_graph_lose_edge(struct steps *s, enum mpg_edge_kind kind)
{
    struct mpg_error err;
    if (mpg_reserve_at(&s->lost, sizeof *s->lost, &s->lost_capacity, s->lost_count + 1, &err) < 0)
        return NULL;
    struct mpg_edge *edge = &s->lost[s->lost_count++];
    *edge = (struct mpg_edge){.kind = kind};
    return edge;
}

int mpg_graph_lose_wait(struct steps *s, struct mpg_error *err)
{
    return mpg_graph_lose_edge(s, MPG_EDGE_MEETING) ? 0 : mpg_graph_out_of_memory(err);
}

int mpg_graph_list_lost(struct steps *s)
{
    struct mpg_edge *edge;
    for (uint32_t i = 0; i < s->lost_count; i++) {
        if (!(edge = graph_add_edge(s, s->lost[i].kind)))
            return -1;
        *edge = s->lost[i];
    }
    return 0;
}

struct mpg_sent *mpg_graph_add_sent(struct steps *s, struct mpg_step *step, uint32_t n, struct mpg_error *err)
{
    struct mpg_sent *sent = mpg_graph_steps_list(s, n * sizeof *sent, err);
    step->sent = sent;
    step->sent_number = sent ? n : 0;
    return sent;
}

int mpg_graph_keep_sent(struct steps *s, struct mpg_step *step, const struct mpg_sent *sent, uint32_t n, struct mpg_error *err)
{
    struct mpg_sent *kept = mpg_graph_add_sent(s, step, n, err);
    if (!kept)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        kept[i] = sent[i];
    return 0;
}

struct mpg_transfer *mpg_graph_add_transfer(struct steps *s, struct mpg_step *step, struct mpg_error *err)
{
    struct mpg_transfer *transfer = mpg_graph_steps_list(s, sizeof *transfer, err);
    if (transfer)
        *transfer = mpg_no_transfer;
    step->transfer = transfer;
    return transfer;
}

struct mpg_change *mpg_graph_add_change(struct steps *s, struct mpg_step *step, struct mpg_error *err)
{
    struct mpg_change *change = mpg_graph_steps_list(s, sizeof *change, err);
    if (change)
        *change = mpg_no_change;
    step->change = change;
    return change;
}

struct mpg_candidate *mpg_graph_add_candidate(struct steps *s)
{
    struct mpg_error err;
    if (mpg_reserve_at(&s->candidates, sizeof *s->candidates, &s->candidate_capacity, s->candidate_count + 1, &err) < 0)
        return NULL;
    struct mpg_candidate *candidate = &s->candidates[s->candidate_count++];
    *candidate = (struct mpg_candidate){0};
    return candidate;
}

struct mpg_posted *mpg_graph_add_posted(struct steps *s)
{
    struct mpg_error err;
    if (mpg_reserve_at(&s->posted, sizeof *s->posted, &s->posted_capacity, s->posted_count + 1, &err) < 0)
        return NULL;
    struct mpg_posted *posted = &s->posted[s->posted_count++];
    *posted = (struct mpg_posted){0};
    return posted;
}

int mpg_graph_further_slot(struct steps *s, uint32_t *slot, struct mpg_error *err)
{
    if (s->slots == s->unused_capacity) { /* room for the case that all slots are unused at once */
        if (mpg_reserve_at(&s->unused_slots, sizeof *s->unused_slots, &s->unused_capacity, s->slots + 1, err) < 0 ||
            (s->keeps_slots &&
             mpg_reserve_at(&s->next_freed, sizeof *s->next_freed, &s->next_freed_capacity, s->slots + 1, err) < 0))
            return -1;
    }
    *slot = s->slots++;
    return 0;
}

static void free_batches(struct steps *s, struct mpg_batch *b)
{
    for (struct mpg_batch *next; b; b = next) {
        next = b->next;
        empty_batch(s, b);
        clear(&b->steps);
        clear(&b->edges);
        clear(&b->lists);
        clear(&b->arrivals);
        free(b);
    }
}

void mpg_graph_steps_clear(struct steps *s)
{
    free_batches(s, s->oldest);
    free_batches(s, s->spare);
    free(s->lost);
    free(s->candidates);
    free(s->posted);
    free(s->unused_slots);
    free(s->next_freed);
    *s = (struct steps){0};
}
