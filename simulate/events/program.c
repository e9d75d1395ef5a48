/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/program.h"

#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* --- cells --- */

static int new_cell(struct program *p, uint32_t *cell, struct mpg_error *err)
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

static void free_meeting(struct meeting *m)
{
    free(m->member);
    free(m);
}

static void leave_cell(struct program *p, uint32_t cell)
{
    struct cell *c = &p->cell[cell];
    if (--c->uses > 0)
        return;
    if (c->meeting)
        free_meeting(c->meeting);
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

/* SLOT stands for CELL from now on. */
static void rename_slot(struct program *p, uint32_t slot, uint32_t cell)
{
    const uint32_t old = cell_of(p, slot);
    p->cell[cell].uses++;
    p->cell_of[slot] = cell + 1;
    if (old != NO_CELL)
        leave_cell(p, old);
}

/* A step reads *SLOT: it becomes its cell. */
static int reads(struct program *p, uint32_t *slot, struct mpg_error *err)
{
    *slot = cell_of(p, *slot);
    if (*slot == NO_CELL)
        return mpg_error_set(err, "a step reads what none has written");
    p->cell[*slot].uses++;
    return 0;
}

/* A step writes *SLOT: it becomes a new cell. */
static int writes(struct program *p, uint32_t *slot, struct mpg_error *err)
{
    uint32_t cell;
    if (new_cell(p, &cell, err) < 0)
        return -1;
    rename_slot(p, *slot, cell);
    *slot = cell;
    p->cell[cell].uses++;
    return 0;
}

static int watch(struct program *p, uint32_t cell, struct node *node, uint32_t stream, struct mpg_error *err)
{
    struct watcher *w = malloc(sizeof *w);
    if (!w)
        return out_of_memory(err);
    *w = (struct watcher){p->cell[cell].watcher, node, stream};
    p->cell[cell].watcher = w;
    return 0;
}

int program_watch(struct program *p, uint32_t cell, uint32_t stream, struct mpg_error *err)
{
    return watch(p, cell, NULL, stream, err);
}

/* --- meetings --- */

static bool same(const struct mpg_origin *a, const struct mpg_origin *b)
{
    return a->rank == b->rank && a->call == b->call && a->index == b->index;
}

/* One that has come, with all that are to come in these steps. */
static int join(struct program *p, const struct mpg_step *s, struct mpg_error *err)
{
    struct meeting *m = p->open;
    uint32_t came = s->a;
    if (!m || !same(&m->origin, &s->meeting)) {
        uint32_t cell;
        if (!(m = calloc(1, sizeof *m)))
            return out_of_memory(err);
        if (new_cell(p, &cell, err) < 0) {
            free(m);
            return -1;
        }
        m->origin = s->meeting;
        m->cell = cell;
        m->sorted = true;
        m->next = p->open;
        p->cell[cell].meeting = m;
        p->cell[cell].uses = 1; /* until it is sealed */
        p->open = m;
    }
    if (reads(p, &came, err) < 0)
        return -1;
    void *members = m->member;
    uint32_t capacity = (uint32_t)m->capacity;
    const int status = mpg_reserve(&members, sizeof *m->member, &capacity, (uint32_t)m->n + 1, err);
    m->member = members;
    m->capacity = (int32_t)capacity;
    if (status < 0)
        return -1;
    m->sorted = m->sorted && (m->n == 0 || m->member[m->n - 1].rank < s->rank);
    m->member[m->n++] = (struct meeting_member){.rank = s->rank, .cell = came};
    rename_slot(p, s->slot, m->cell);
    return 0;
}

int program_met(struct program *p, struct meeting *m, const struct program_calls *calls,
                int (*wake)(void *world, uint32_t stream, struct mpg_error *err), struct mpg_error *err)
{
    const uint32_t cell = m->cell;
    for (int32_t i = 0; i < m->n; i++)
        leave_cell(p, m->member[i].cell);
    const int status = program_know(p, cell, calls, wake, err);
    leave_cell(p, cell);
    return status;
}

/* Which member RANK is: by halves where they are in the order of their ranks. */
static int32_t find_member(const struct meeting *m, int32_t rank)
{
    int32_t first = 0, n = m->n;
    while (m->sorted && n > 1) {
        const int32_t half = n / 2;
        first += m->member[first + half].rank <= rank ? half : 0;
        n -= half;
    }
    while (first + 1 < m->n && m->member[first].rank != rank)
        first++;
    return first;
}

double meeting_end(const struct meeting *m, int32_t rank)
{
    return m->member[find_member(m, rank)].end_ns;
}

/* No more members will come to those that are open. */
static int seal(struct program *p, const struct program_calls *calls, struct mpg_error *err)
{
    int status = 0;
    while (p->open) {
        struct meeting *m = p->open;
        p->open = m->next;
        for (int32_t i = 0; i < m->n && status == 0; i++) {
            const uint32_t cell = m->member[i].cell;
            if (p->cell[cell].known)
                continue;
            struct node *node = calloc(1, sizeof *node);
            status = node ? watch(p, cell, node, 0, err) : out_of_memory(err);
            if (status < 0) {
                free(node);
                break;
            }
            node->step.kind = MPG_STEP_MERGE; /* a place of its own in the list: it tells the meeting */
            node->step.slot = m->cell;
            node->step.a = NO_CELL;
            m->missing++;
        }
        m->sealed = true;
        if (status == 0 && m->missing == 0)
            status = calls->meet(calls->world, m, err);
    }
    return status;
}

/* --- nodes --- */

static int add_node(struct program *p, const struct mpg_step *s, const struct program_calls *calls,
                    struct mpg_error *err)
{
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        return out_of_memory(err);
    const bool has_b = s->kind != MPG_STEP_CONTRIBUTE && s->kind != MPG_STEP_VIEW;
    node->step = *s;
    if (reads(p, &node->step.a, err) < 0 || (has_b && reads(p, &node->step.b, err) < 0) ||
        writes(p, &node->step.slot, err) < 0)
        goto fail;
    if (!has_b)
        node->step.b = NO_CELL;
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
    leave_cell(p, node->step.a);
    if (node->step.b != NO_CELL)
        leave_cell(p, node->step.b);
    leave_cell(p, node->step.slot);
    free(node);
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
            free(node);
            if (--m->missing == 0)
                status = calls->meet(calls->world, m, err);
        } else if (--node->missing == 0)
            status = calls->evaluate(calls->world, node, err);
        free(w);
        w = next;
    }
    return status;
}

/* --- streams --- */

static int reserve_streams(struct program *p, uint32_t n, struct mpg_error *err)
{
    void *queues = p->queue;
    const uint32_t old = p->streams;
    if (n <= old)
        return 0;
    if (n > p->stream_capacity) { /* queues point to themselves */
        const uint32_t capacity = 2 * n;
        struct queue *all = calloc(capacity, sizeof *all);
        if (!all)
            return out_of_memory(err);
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
    return s->kind == MPG_STEP_LEAVE   ? s->edge_number * sizeof *s->edges + s->sent_number * sizeof *s->sent
           : s->kind == MPG_STEP_ENTER ? s->mark_number * sizeof *s->marks
                                       : 0;
}

/* ITEMS go to *TO, which goes on behind them. */
static const void *copy(char **to, const void *items, size_t bytes)
{
    const void *copied = *to;
    if (bytes > 0)
        memcpy(*to, items, bytes);
    *to += bytes;
    return copied;
}

static struct action *new_action(struct program *p, const struct mpg_step *s)
{
    const size_t lists = lists_of(s);
    struct action *a = lists == 0 ? p->spare : NULL;
    if (a)
        p->spare = a->next;
    else if (!(a = malloc(sizeof *a + lists)))
        return NULL;
    char *to = (char *)(a + 1);
    a->next = NULL;
    memcpy(&a->step, s, sizeof *s);
    if (s->kind == MPG_STEP_ENTER)
        a->step.marks = copy(&to, s->marks, lists);
    if (s->kind != MPG_STEP_LEAVE)
        return a;
    a->step.edges = copy(&to, s->edges, s->edge_number * sizeof *s->edges);
    a->step.sent = copy(&to, s->sent, s->sent_number * sizeof *s->sent);
    return a;
}

/* The cells that a stream's own step names. */
static int name_cells(struct program *p, struct mpg_step *s, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_STORE:
    case MPG_STEP_EAGER:
        return writes(p, &s->slot, err);
    case MPG_STEP_LOAD:
    case MPG_STEP_JOIN:
        return reads(p, &s->slot, err);
    case MPG_STEP_LEAVE:
        for (uint32_t i = 0; i < s->edge_number; i++)
            if (reads(p, (uint32_t *)&s->edges[i].slot, err) < 0)
                return -1;
        return 0;
    default:
        return 0;
    }
}

static int append(struct program *p, const struct mpg_step *s, const struct program_calls *calls, struct mpg_error *err)
{
    if (reserve_streams(p, s->stream + 1, err) < 0)
        return -1;
    struct action *a = new_action(p, s);
    if (!a)
        return out_of_memory(err);
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
    const bool has_lists = lists_of(s) > 0;
    q->first = a->next;
    if (!q->first)
        q->last = &q->first;
    if (s->kind == MPG_STEP_STORE || s->kind == MPG_STEP_EAGER || s->kind == MPG_STEP_LOAD || s->kind == MPG_STEP_JOIN)
        leave_cell(p, s->slot);
    for (uint32_t i = 0; s->kind == MPG_STEP_LEAVE && i < s->edge_number; i++)
        leave_cell(p, s->edges[i].slot);
    if (has_lists)
        free(a);
    else {
        a->next = p->spare;
        p->spare = a;
    }
}

/* --- the graph --- */

static int take(struct program *p, const struct mpg_step *s, const struct program_calls *calls, struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_CONTRIBUTE:
        if (p->meets && s->members > 1 && (s->call == MPG_CALL_Barrier || s->call == MPG_CALL_Win_fence))
            return join(p, s, err);
        return add_node(p, s, calls, err);
    case MPG_STEP_MERGE: {
        const uint32_t a = cell_of(p, s->a), b = cell_of(p, s->b);
        if (a != NO_CELL && a == b && p->cell[a].meeting) {
            rename_slot(p, s->slot, a);
            return 0;
        }
        return add_node(p, s, calls, err);
    }
    case MPG_STEP_SYNCHRONOUS:
    case MPG_STEP_VIEW:
        return add_node(p, s, calls, err);
    default:
        return append(p, s, calls, err);
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
    return seal(p, calls, err) < 0 ? -1 : 1;
}

int program_init(struct program *p, struct mpg_graph *graph, uint32_t streams, bool meets, struct mpg_error *err)
{
    *p = (struct program){.graph = graph, .meets = meets};
    return reserve_streams(p, streams, err);
}

void program_clear(struct program *p)
{
    for (uint32_t i = 0; i < p->streams; i++)
        while (p->queue[i].first) {
            struct action *a = p->queue[i].first;
            p->queue[i].first = a->next;
            free(a);
        }
    while (p->spare) {
        struct action *a = p->spare;
        p->spare = a->next;
        free(a);
    }
    for (uint32_t i = 0; i < p->cells; i++) {
        while (p->cell[i].watcher) {
            struct watcher *w = p->cell[i].watcher;
            p->cell[i].watcher = w->next;
            if (w->node && (w->node->step.a == NO_CELL || --w->node->missing == 0))
                free(w->node);
            free(w);
        }
        if (p->cell[i].meeting)
            free_meeting(p->cell[i].meeting);
    }
    free(p->queue);
    free(p->cell);
    free(p->free_cell);
    free(p->cell_of);
    *p = (struct program){0};
}
