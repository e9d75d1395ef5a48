/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A queue of steps, an array of edges, a stack of unused slots. */
#include "graph/steps.h"

#include <stdlib.h>

#include "common/reserve.h"

const struct mpg_transfer mpg_no_transfer = {.owner = -1, .awaits_of = -1};
const struct mpg_change mpg_no_change = {.ratio = 1, .cpu_ratio = 1};
const struct mpg_alternatives mpg_no_alternatives = {.candidates = NULL};

int graph_steps_grow(struct steps *s)
{
    struct mpg_error err;
    return mpg_reserve_at(&s->steps, sizeof *s->steps, &s->capacity, s->count + 1, &err);
}

/* Room for COUNT items in an array that steps point into. */
static int reserve(struct steps *s, void *items, size_t bytes, uint32_t *capacity, uint32_t count, struct mpg_error *err)
{
    if (count <= *capacity)
        return 0;
    s->has_moved = s->has_moved || s->count > 0;
    return mpg_reserve_at(items, bytes, capacity, count, err);
}

void graph_steps_point(struct steps *s)
{
    uint32_t edges = 0, sent = 0;
    const struct mpg_transfer *transfer = s->transfers;
    const struct mpg_change *change = s->changes;
    if (!s->has_moved)
        return;
    for (struct mpg_step *step = s->steps, *end = step + s->count; step < end; step++) {
        if (step->kind == MPG_STEP_ENTER && step->change != &mpg_no_change)
            step->change = change++;
        if (step->kind != MPG_STEP_LEAVE)
            continue;
        step->edges = s->edges ? &s->edges[edges] : NULL; /* adding to no array is undefined */
        step->sent = s->sent ? &s->sent[sent] : NULL;
        edges += step->edge_number + step->lost_number;
        sent += step->sent_number;
        if (step->transfer != &mpg_no_transfer)
            step->transfer = transfer++;
    }
}

struct mpg_step *graph_emit_at(struct steps *s, enum mpg_step_kind kind, const struct place *place)
{
    if (s->wanted == MPG_STEPS_LEAVES)
        return &s->aside;
    if (s->count == s->capacity && graph_steps_grow(s) < 0)
        return NULL;
    struct mpg_step *step = &s->steps[s->count++];
    graph_clear_step(step);
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
    struct mpg_error err;
    return reserve(s, &s->edges, sizeof *s->edges, &s->edge_capacity, s->edge_count + 1, &err);
}

struct mpg_edge *graph_lose_edge(struct steps *s, enum mpg_edge_kind kind)
{
    struct mpg_error err;
    if (mpg_reserve_at(&s->lost, sizeof *s->lost, &s->lost_capacity, s->lost_count + 1, &err) < 0)
        return NULL;
    struct mpg_edge *edge = &s->lost[s->lost_count++];
    *edge = (struct mpg_edge){.kind = kind};
    return edge;
}

int graph_lose_wait(struct steps *s, struct mpg_error *err)
{
    return graph_lose_edge(s, MPG_EDGE_MEETING) ? 0 : graph_out_of_memory(err);
}

int graph_list_lost(struct steps *s)
{
    struct mpg_edge *edge;
    for (uint32_t i = 0; i < s->lost_count; i++) {
        if (!(edge = graph_add_edge(s, s->lost[i].kind)))
            return -1;
        *edge = s->lost[i];
    }
    return 0;
}

struct mpg_sent *graph_add_sent(struct steps *s, struct mpg_step *step, uint32_t n, struct mpg_error *err)
{
    if (reserve(s, &s->sent, sizeof *s->sent, &s->sent_capacity, s->sent_count + n, err) < 0)
        return NULL;
    struct mpg_sent *sent = s->sent + s->sent_count;
    step->sent = sent;
    step->sent_number = n;
    s->sent_count += n;
    return sent;
}

int graph_keep_sent(struct steps *s, struct mpg_step *step, const struct mpg_sent *sent, uint32_t n,
                    struct mpg_error *err)
{
    struct mpg_sent *kept = graph_add_sent(s, step, n, err);
    if (!kept)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        kept[i] = sent[i];
    return 0;
}

struct mpg_transfer *graph_add_transfer(struct steps *s, struct mpg_step *step, struct mpg_error *err)
{
    if (reserve(s, &s->transfers, sizeof *s->transfers, &s->transfer_capacity, s->transfer_count + 1, err) < 0)
        return NULL;
    struct mpg_transfer *transfer = &s->transfers[s->transfer_count++];
    *transfer = mpg_no_transfer;
    step->transfer = transfer;
    return transfer;
}

struct mpg_change *graph_add_change(struct steps *s, struct mpg_step *step, struct mpg_error *err)
{
    if (reserve(s, &s->changes, sizeof *s->changes, &s->change_capacity, s->change_count + 1, err) < 0)
        return NULL;
    struct mpg_change *change = &s->changes[s->change_count++];
    *change = mpg_no_change;
    step->change = change;
    return change;
}

struct mpg_candidate *graph_add_candidate(struct steps *s)
{
    struct mpg_error err;
    if (mpg_reserve_at(&s->candidates, sizeof *s->candidates, &s->candidate_capacity, s->candidate_count + 1, &err) < 0)
        return NULL;
    struct mpg_candidate *candidate = &s->candidates[s->candidate_count++];
    *candidate = (struct mpg_candidate){0};
    return candidate;
}

struct mpg_posted *graph_add_posted(struct steps *s)
{
    struct mpg_error err;
    if (mpg_reserve_at(&s->posted, sizeof *s->posted, &s->posted_capacity, s->posted_count + 1, &err) < 0)
        return NULL;
    struct mpg_posted *posted = &s->posted[s->posted_count++];
    *posted = (struct mpg_posted){0};
    return posted;
}

int graph_further_slot(struct steps *s, uint32_t *slot, struct mpg_error *err)
{
    if (s->slots == s->unused_capacity) { /* room for giving all of them back */
        if (mpg_reserve_at(&s->unused_slots, sizeof *s->unused_slots, &s->unused_capacity, s->slots + 1, err) < 0)
            return -1;
    }
    *slot = s->slots++;
    return 0;
}

void graph_steps_clear(struct steps *s)
{
    free(s->steps);
    free(s->edges);
    free(s->lost);
    free(s->sent);
    free(s->transfers);
    free(s->changes);
    free(s->candidates);
    free(s->posted);
    free(s->unused_slots);
    *s = (struct steps){0};
}
