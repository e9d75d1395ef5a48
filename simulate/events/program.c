/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/program_parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* --- cells --- */

int program_new_cell(struct program *p, uint32_t *cell, struct mpg_error *err)
{
    void *cells = p->cell, *unused = p->free_cell;
    if (p->free_cells == 0) {
        const int status = mpg_reserve(&cells, sizeof *p->cell, &p->cell_capacity, p->cells + 1, err) < 0 ||
                           mpg_reserve(&unused, sizeof *p->free_cell, &p->free_capacity, p->cells + 1, err) < 0
                               ? -1 : 0;
        p->cell = cells;
        p->free_cell = unused;
        if (status < 0)
            return -1;
        *cell = p->cells++;
    } else
        *cell = p->free_cell[--p->free_cells];
    p->cell[*cell] = (struct cell){0};
    return 0;
}

void program_leave(struct program *p, uint32_t cell)
{
    struct cell *c = &p->cell[cell];
    if (--c->uses > 0)
        return;
    if (c->meeting)
        meeting_free(c->meeting);
    c->meeting = NULL;
    p->free_cell[p->free_cells++] = cell;
}

static uint32_t cell_of(const struct program *p, uint32_t slot)
{
    return slot < p->slots && p->cell_of[slot] > 0 ? p->cell_of[slot] - 1 : NO_CELL;
}

static int reserve_slots(struct program *p, uint32_t slots, struct mpg_error *err)
{
    void *all = p->cell_of;
    if (slots <= p->slots)
        return 0;
    const int status = mpg_reserve(&all, sizeof *p->cell_of, &p->slot_capacity, slots, err);
    p->cell_of = all;
    if (status < 0)
        return -1;
    memset(p->cell_of + p->slots, 0, (slots - p->slots) * sizeof *p->cell_of);
    p->slots = slots;
    return 0;
}

void program_rename(struct program *p, uint32_t slot, uint32_t cell)
{
    const uint32_t old = cell_of(p, slot);
    p->cell[cell].uses++;
    p->cell_of[slot] = cell + 1;
    if (old != NO_CELL)
        program_leave(p, old);
}

int program_reads(struct program *p, uint32_t *slot, struct mpg_error *err)
{
    *slot = cell_of(p, *slot);
    if (*slot == NO_CELL)
        return mpg_error_set(err, "a step reads what none has written");
    p->cell[*slot].uses++;
    return 0;
}

int program_writes(struct program *p, uint32_t *slot, struct mpg_error *err)
{
    uint32_t cell;
    if (program_new_cell(p, &cell, err) < 0)
        return -1;
    program_rename(p, *slot, cell);
    *slot = cell;
    p->cell[cell].uses++;
    return 0;
}

static int watch(struct program *p, uint32_t cell, struct node *node, uint32_t stream, struct mpg_error *err)
{
    struct watcher *w = pool_take(&p->watchers);
    if (!w)
        return out_of_memory(err);
    *w = (struct watcher){p->cell[cell].watcher, node, stream};
    p->cell[cell].watcher = w;
    return 0;
}

int program_watch_node(struct program *p, uint32_t cell, struct node *node, struct mpg_error *err)
{
    return watch(p, cell, node, 0, err);
}

int program_watch(struct program *p, uint32_t cell, uint32_t stream, struct mpg_error *err)
{
    return watch(p, cell, NULL, stream, err);
}

/* --- nodes --- */

struct node *program_new_node(struct program *p)
{
    struct node *node = pool_take(&p->nodes);
    if (node)
        *node = (struct node){.missing = 0};
    return node;
}

static int add_node(struct program *p, const struct mpg_step *s, const struct program_calls *calls,
                    struct mpg_error *err)
{
    struct node *node = program_new_node(p);
    if (!node)
        return out_of_memory(err);
    const bool has_b = s->kind != MPG_STEP_CONTRIBUTE && s->kind != MPG_STEP_VIEW;
    node->step = *s;
    if (program_reads(p, &node->step.a, err) < 0 || (has_b && program_reads(p, &node->step.b, err) < 0) ||
        program_writes(p, &node->step.slot, err) < 0)
        goto fail;
    if (!has_b)
        node->step.b = NO_CELL;
    if (s->kind == MPG_STEP_SYNCHRONOUS) /* machines that are parameters serve requests by rules of their own */
        node->step.seen = node->step.b;
    const uint32_t needed[] = {node->step.a, node->step.b};
    for (int i = 0; i < 1 + has_b; i++) {
        if (p->cell[needed[i]].known)
            continue;
        if (watch(p, needed[i], node, 0, err) < 0)
            goto fail;
        node->missing++;
    }
    return node->missing == 0 ? calls->evaluate(calls->world, node, err) : 0;
fail:
    free(node);
    return -1;
}

void program_drop_node(struct program *p, struct node *node)
{
    program_leave(p, node->step.a);
    if (node->step.b != NO_CELL)
        program_leave(p, node->step.b);
    program_leave(p, node->step.slot);
    pool_give(&p->nodes, node);
}

int program_know(struct program *p, uint32_t cell, const struct program_calls *calls,
                 int (*wake)(void *world, uint32_t stream, struct mpg_error *err), struct mpg_error *err)
{
    int status = 0;
    struct watcher *w = p->cell[cell].watcher;
    p->cell[cell].known = true;
    p->cell[cell].watcher = NULL;
    while (w) {
        struct watcher *next = w->next;
        struct node *node = w->node;
        if (status < 0) {
            if (node && (node->step.a == NO_CELL || --node->missing == 0))
                free(node);
        } else if (!node)
            status = wake(calls->world, w->stream, err);
        else if (node->step.a == NO_CELL) { /* of a meeting */
            struct meeting *m = p->cell[node->step.slot].meeting;
            pool_give(&p->nodes, node);
            if (--m->missing == 0)
                status = calls->meet(calls->world, m, err);
        } else if (--node->missing == 0)
            status = calls->evaluate(calls->world, node, err);
        pool_give(&p->watchers, w);
        w = next;
    }
    return status;
}

/* --- the graph --- */

static int take(struct program *p, const struct mpg_step *s, const struct program_calls *calls, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_CONTRIBUTE:
        if (p->meets && s->members > 1 && (s->call == MPG_CALL_Barrier || s->call == MPG_CALL_Win_fence))
            return program_join(p, s, err);
        return add_node(p, s, calls, err);
    case MPG_STEP_MERGE: {
        const uint32_t a = cell_of(p, s->a), b = cell_of(p, s->b);
        if (a != NO_CELL && a == b && p->cell[a].meeting) {
            program_rename(p, s->slot, a);
            return 0;
        }
        return add_node(p, s, calls, err);
    }
    case MPG_STEP_SYNCHRONOUS:
    case MPG_STEP_VIEW:
        return add_node(p, s, calls, err);
    default:
        return program_append(p, s, calls, err);
    }
}

int program_pull(struct program *p, const struct program_calls *calls, struct mpg_error *err)
{
    struct mpg_steps steps;
    const int more = p->ended ? 0 : mpg_graph_next(p->graph, &steps, err);
    if (more <= 0) {
        p->ended = true;
        return more;
    }
    if (reserve_slots(p, steps.slots, err) < 0)
        return -1;
    for (size_t i = 0; i < steps.n; i++)
        if (take(p, &steps.step[i], calls, err) < 0)
            return -1;
    return program_seal(p, calls, err) < 0 ? -1 : 1;
}

int program_init(struct program *p, struct mpg_graph *graph, uint32_t streams, bool meets, bool keeps_whole,
                 struct mpg_error *err)
{
    *p = (struct program){.graph = graph, .meets = meets, .keeps_whole = keeps_whole,
                          .watchers = {.size = sizeof(struct watcher)}, .nodes = {.size = sizeof(struct node)}};
    program_init_blocks(p);
    return program_reserve_streams(p, streams, err);
}

void program_clear(struct program *p)
{
    program_clear_streams(p);
    for (uint32_t i = 0; i < p->cells; i++) {
        while (p->cell[i].watcher) {
            struct watcher *w = p->cell[i].watcher;
            p->cell[i].watcher = w->next;
            if (w->node && (w->node->step.a == NO_CELL || --w->node->missing == 0))
                free(w->node);
            free(w);
        }
        if (p->cell[i].meeting)
            meeting_free(p->cell[i].meeting);
    }
    pool_clear(&p->nodes);
    pool_clear(&p->watchers);
    free(p->cell);
    free(p->free_cell);
    free(p->cell_of);
    *p = (struct program){0};
}
