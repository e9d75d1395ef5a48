/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that wait until their stream is that far. */
#include <stdlib.h>
#include <string.h>

#include "simulate/events/program_parts.h"

int program_reserve_streams(struct program *p, uint32_t n, struct mpg_error *err)
{
    void *queues = p->queue;
    const uint32_t old = p->streams;
    if (n <= old)
        return 0;
    if (n > p->stream_capacity) { /* queues point to themselves */
        const uint32_t capacity = 2 * n;
        struct queue *all = calloc(capacity, sizeof *all);
        if (!all)
            return mpg_error_set(err, "out of memory");
        for (uint32_t i = 0; i < old; i++) {
            all[i] = p->queue[i];
            if (!all[i].first)
                all[i].last = &all[i].first;
        }
        p->queue = all;
        p->stream_capacity = capacity;
        free(queues);
    }
    for (uint32_t i = old; i < n; i++)
        p->queue[i] = (struct queue){NULL, &p->queue[i].first};
    p->streams = n;
    return 0;
}

static size_t lists_of(const struct mpg_step *s)
{
    if (s->kind == MPG_STEP_LEAVE)
        return s->edge_number * sizeof *s->edges + s->sent_number * sizeof *s->sent +
               (s->transfer == &mpg_no_transfer ? 0 : sizeof *s->transfer);
    if (s->kind == MPG_STEP_ENTER && s->change != &mpg_no_change)
        return sizeof *s->change + s->change->mark_number * sizeof *s->change->marks;
    return 0;
}

/* ITEMS go to *TO, which goes on behind them. */
static void *copy(char **to, const void *items, size_t bytes)
{
    void *copied = *to;
    if (bytes > 0)
        memcpy(*to, items, bytes);
    *to += bytes;
    return copied;
}

/* Room for a step with LISTS bytes of lists. */
static struct action *take_action(struct program *p, size_t lists)
{
    const size_t class = (lists + LIST_CLASS - 1) / LIST_CLASS;
    return class < LIST_CLASSES ? pool_take(&p->actions[class]) : malloc(sizeof(struct action) + lists);
}

static void give_action(struct program *p, struct action *a, size_t lists)
{
    const size_t class = (lists + LIST_CLASS - 1) / LIST_CLASS;
    if (class < LIST_CLASSES)
        pool_give(&p->actions[class], a);
    else
        free(a);
}

static struct action *new_action(struct program *p, const struct mpg_step *s)
{
    const size_t lists = lists_of(s);
    struct action *a = take_action(p, lists);
    if (!a)
        return NULL;
    char *to = (char *)(a + 1);
    a->next = NULL;
    memcpy(&a->step, s, sizeof *s);
    if (s->kind == MPG_STEP_ENTER && s->change != &mpg_no_change) {
        struct mpg_change *change = copy(&to, s->change, sizeof *s->change);
        change->marks = copy(&to, change->marks, change->mark_number * sizeof *change->marks);
        a->step.change = change;
    }
    if (s->kind != MPG_STEP_LEAVE)
        return a;
    a->step.edges = copy(&to, s->edges, s->edge_number * sizeof *s->edges);
    a->step.sent = copy(&to, s->sent, s->sent_number * sizeof *s->sent);
    if (s->transfer != &mpg_no_transfer)
        a->step.transfer = copy(&to, s->transfer, sizeof *s->transfer);
    return a;
}

/* The cells that a stream's own step names. */
static int name_cells(struct program *p, struct mpg_step *s, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_STORE:
    case MPG_STEP_EAGER:
        return program_writes(p, &s->slot, err);
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        return program_reads(p, &s->slot, err);
    case MPG_STEP_LEAVE:
        for (uint32_t i = 0; i < s->edge_number; i++)
            if (program_reads(p, (uint32_t *)&s->edges[i].slot, err) < 0)
                return -1;
        return 0;
    default:
        return 0;
    }
}

int program_append(struct program *p, const struct mpg_step *s, const struct program_calls *calls, struct mpg_error *err)
{
    if (program_reserve_streams(p, s->stream + 1, err) < 0)
        return -1;
    struct action *a = new_action(p, s);
    if (!a)
        return mpg_error_set(err, "out of memory");
    if (name_cells(p, &a->step, err) < 0) {
        free(a);
        return -1;
    }
    struct queue *q = &p->queue[s->stream];
    const bool was_empty = !q->first;
    *q->last = a;
    q->last = &a->next;
    return was_empty ? calls->appended(calls->world, s->stream, err) : 0;
}

void program_drop(struct program *p, struct queue *q)
{
    struct action *a = q->first;
    const struct mpg_step *s = &a->step;
    const size_t lists = lists_of(s);
    q->first = a->next;
    if (!q->first)
        q->last = &q->first;
    if (s->kind == MPG_STEP_STORE || s->kind == MPG_STEP_EAGER || s->kind == MPG_STEP_LOAD || s->kind == MPG_STEP_JOIN)
        program_leave(p, s->slot);
    for (uint32_t i = 0; s->kind == MPG_STEP_LEAVE && i < s->edge_number; i++)
        program_leave(p, s->edges[i].slot);
    give_action(p, a, lists);
}

void program_clear_streams(struct program *p)
{
    for (uint32_t i = 0; i < p->streams; i++)
        while (p->queue[i].first) {
            struct action *a = p->queue[i].first;
            p->queue[i].first = a->next;
            free(a);
        }
    for (size_t i = 0; i < LIST_CLASSES; i++)
        pool_clear(&p->actions[i]);
    free(p->queue);
}
