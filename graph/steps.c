/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A queue of steps, an array of edges, a stack of unused slots. */
#include "graph/steps.h"

#include <stdlib.h>

int graph_steps_grow(struct steps *s)
{
    size_t capacity = s->capacity ? 2 * s->capacity : 64;
    void *grown = realloc(s->steps, capacity * sizeof *s->steps);
    if (!grown)
        return -1;
    s->steps = grown;
    s->capacity = capacity;
    return 0;
}

struct mpg_step *graph_emit_at(struct steps *s, enum mpg_step_kind kind, const struct place *place)
{
    if (s->count == s->capacity && graph_steps_grow(s) < 0)
        return NULL;
    struct mpg_step *step = &s->steps[s->count++];
    memset(step, 0, sizeof *step); /* all of it: an initialiser would leave parts of the union */
    step->kind = kind;
    step->rank = place->rank;
    step->thread = place->thread;
    step->call = mpg_call_plain(place->call);
    step->number = place->number;
    return step;
}

int graph_store(struct steps *s, const struct call *call, uint32_t *slot, struct mpg_error *err)
{
    if (graph_new_slot(s, slot, err) < 0)
        return -1;
    struct mpg_step *step = graph_emit(s, MPG_STEP_STORE, call);
    if (!step)
        return graph_out_of_memory(err);
    step->slot = *slot;
    return 0;
}

int graph_edges_grow(struct steps *s)
{
    size_t capacity = s->edge_capacity ? 2 * s->edge_capacity : 64;
    struct mpg_edge *grown = malloc(capacity * sizeof *grown);
    if (!grown)
        return -1;
    if (s->edge_count > 0)
        memcpy(grown, s->edges, s->edge_count * sizeof *grown);
    for (size_t i = 0; i < s->count; i++)
        if (s->steps[i].kind == MPG_STEP_LEAVE)
            s->steps[i].edges = grown + (s->steps[i].edges - s->edges);
    free(s->edges);
    s->edges = grown;
    s->edge_capacity = capacity;
    return 0;
}

static int grow_sent(struct steps *s, uint32_t n)
{
    size_t capacity = 2 * (s->sent_count + n) + 64;
    struct mpg_sent *grown = malloc(capacity * sizeof *grown);
    if (!grown)
        return -1;
    if (s->sent_count > 0)
        memcpy(grown, s->sent, s->sent_count * sizeof *grown);
    for (size_t i = 0; i < s->count; i++)
        if (s->steps[i].kind == MPG_STEP_LEAVE)
            s->steps[i].sent = grown + (s->steps[i].sent - s->sent);
    free(s->sent);
    s->sent = grown;
    s->sent_capacity = capacity;
    return 0;
}

const struct mpg_sent *graph_keep_sent(struct steps *s, const struct mpg_sent *sent, uint32_t n)
{
    if ((!s->sent || s->sent_count + n > s->sent_capacity) && grow_sent(s, n) < 0)
        return NULL;
    struct mpg_sent *kept = s->sent + s->sent_count;
    for (uint32_t i = 0; i < n; i++)
        kept[i] = sent[i];
    s->sent_count += n;
    return kept;
}

struct mpg_candidate *graph_add_candidate(struct steps *s)
{
    if (s->candidate_count == s->candidate_capacity) {
        size_t capacity = s->candidate_capacity ? 2 * s->candidate_capacity : 16;
        void *grown = realloc(s->candidates, capacity * sizeof *s->candidates);
        if (!grown)
            return NULL;
        s->candidates = grown;
        s->candidate_capacity = capacity;
    }
    struct mpg_candidate *candidate = &s->candidates[s->candidate_count++];
    *candidate = (struct mpg_candidate){0};
    return candidate;
}

struct mpg_posted *graph_add_posted(struct steps *s)
{
    if (s->posted_count == s->posted_capacity) {
        size_t capacity = s->posted_capacity ? 2 * s->posted_capacity : 16;
        void *grown = realloc(s->posted, capacity * sizeof *s->posted);
        if (!grown)
            return NULL;
        s->posted = grown;
        s->posted_capacity = capacity;
    }
    struct mpg_posted *posted = &s->posted[s->posted_count++];
    *posted = (struct mpg_posted){0};
    return posted;
}

int graph_further_slot(struct steps *s, uint32_t *slot, struct mpg_error *err)
{
    if (s->slots == s->unused_capacity) { /* room for giving all of them back */
        uint32_t capacity = s->unused_capacity ? 2 * s->unused_capacity : 64;
        void *grown = realloc(s->unused_slots, capacity * sizeof *s->unused_slots);
        if (!grown)
            return graph_out_of_memory(err);
        s->unused_slots = grown;
        s->unused_capacity = capacity;
    }
    *slot = s->slots++;
    return 0;
}

void graph_steps_clear(struct steps *s)
{
    free(s->steps);
    free(s->edges);
    free(s->sent);
    free(s->candidates);
    free(s->posted);
    free(s->unused_slots);
    *s = (struct steps){0};
}
