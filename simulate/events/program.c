/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/program.h"

#include <stdlib.h>

#include "common/reserve.h"

static int out_of_memory(struct mpg_error *err)
{
    return mpg_error_set(err, "out of memory");
}

/* --- values --- */

struct watcher mpg_value_known;

static struct slot *renew(struct program *p, uint32_t slot)
{
    struct slot *s = &p->slot[slot];
    struct meeting *m = s->meeting;
    if (m && --m->slots == 0) {
        free(m->member);
        free(m);
    }
    *s = (struct slot){.meeting = NULL};
    return s;
}

static int watch(struct program *p, struct value *value, const struct watcher *who, struct mpg_error *err)
{
    struct watcher *w = mpg_pool_take(&p->watchers);
    if (!w)
        return out_of_memory(err);
    *w = *who;
    w->next = value->watcher;
    value->watcher = w;
    return 0;
}

int mpg_events_program_watch(struct program *p, struct value *value, uint32_t stream, struct mpg_error *err)
{
    return watch(p, value, &(struct watcher){.stream = stream}, err);
}

int mpg_events_program_set_known(struct program *p, struct value *value, const struct program_calls *calls, struct mpg_error *err)
{
    int status = 0;
    struct watcher *w = value->watcher;
    value->watcher = VALUE_KNOWN;
    while (w && status == 0) {
        const struct watcher who = *w;
        mpg_pool_give(&p->watchers, w);
        w = who.next;
        if (who.node)
            status = --who.node->missing == 0 ? calls->evaluate(calls->replica, who.node, err) : 0;
        else if (who.meeting)
            status = --who.meeting->missing == 0 ? calls->meet(calls->replica, who.meeting, err) : 0;
        else
            status = calls->wake(calls->replica, who.stream, err);
    }
    return status;
}

/* --- batches --- */

void mpg_events_program_give_back(struct program *p, struct kept_batch *batch)
{
    if (--batch->holders > 0)
        return;
    *(batch->before ? &batch->before->next : &p->kept) = batch->next;
    if (batch->next)
        batch->next->before = batch->before;
    mpg_batch_give_back(batch->batch);
    mpg_pool_give(&p->batches, batch);
}

/* Makes BATCH (NULL: none) the current batch. */
static int hold(struct program *p, struct mpg_batch *batch, struct mpg_error *err)
{
    if (p->current && p->current->batch == batch)
        return 0;
    if (p->current)
        mpg_events_program_give_back(p, p->current);
    p->current = NULL;
    if (!batch)
        return 0;
    struct kept_batch *b = mpg_pool_take(&p->batches);
    if (!b)
        return out_of_memory(err);
    mpg_batch_keep(batch, 1);
    *b = (struct kept_batch){.next = p->kept, .batch = batch, .holders = 1};
    if (b->next)
        b->next->before = b;
    p->kept = p->current = b;
    return 0;
}

/* --- nodes --- */

static struct node *new_node(struct program *p, const struct mpg_step *s, struct kept_batch *batch, struct mpg_error *err)
{
    struct node *node = mpg_pool_take(&p->nodes);
    if (!node) {
        out_of_memory(err);
        return NULL;
    }
    *node = (struct node){.step = s, .batch = program_keep(batch)};
    return node;
}

static int need(struct program *p, struct node *node, struct value *value, struct mpg_error *err)
{
    if (value_is_known(value))
        return 0;
    node->missing++;
    return watch(p, value, &(struct watcher){.node = node}, err);
}

static int add_node(struct program *p, const struct mpg_step *s, struct kept_batch *batch, const struct program_calls *calls,
                    struct mpg_error *err)
{
    struct node *node = new_node(p, s, batch, err);
    if (!node)
        return -1;
    const uint32_t needed[] = {s->a, s->kind == MPG_STEP_SYNCHRONOUS ? calls->progress_slot(calls->replica, s) : s->b};
    node->awaits_progress = needed[1] != s->b;
    const int n = s->kind == MPG_STEP_CONTRIBUTE ? 1 : 2;
    (void)renew(p, s->slot);
    for (int i = 0; i < n; i++)
        if (need(p, node, program_value(p, needed[i]), err) < 0)
            return -1;
    return node->missing == 0 ? calls->evaluate(calls->replica, node, err) : 0;
}

/* Adds the nodes of S, an EXPAND step: of the step's member, or of all members. A member enters when the value of the member's
 * slot is known. */
static int expand(struct program *p, const struct mpg_step *s, struct kept_batch *batch, const struct program_calls *calls,
                  struct mpg_error *err)
{
    const struct mpg_collective_size *size = &s->expanding->plan.size;
    const int32_t last = s->member < 0 ? size->p - 1 : s->member;
    for (int32_t v = s->member < 0 ? 0 : s->member; v <= last; v++) {
        struct node *node = new_node(p, s, batch, err);
        if (!node)
            return -1;
        node->member = v;
        const int32_t index = (int32_t)(((int64_t)v + size->root) % size->p);
        if (need(p, node, &p->slot[s->expanding->member[index].slot].own, err) < 0 ||
            (node->missing == 0 && calls->evaluate(calls->replica, node, err) < 0))
            return -1;
    }
    return 0;
}

int mpg_events_program_await(struct program *p, struct node *node, uint32_t slot, const struct program_calls *calls,
                             struct mpg_error *err)
{
    if (need(p, node, program_value(p, slot), err) < 0)
        return -1;
    return node->missing == 0 ? calls->evaluate(calls->replica, node, err) : 0;
}

void mpg_events_program_drop_node(struct program *p, struct node *node)
{
    mpg_events_program_give_back(p, node->batch);
    mpg_pool_give(&p->nodes, node);
}

/* --- barriers: members join in the order of the graph, and arrive once the members' values are known --- */

static bool is_barrier(const struct program *p, const struct mpg_step *s)
{
    return p->meets && s->members > 1 && (s->call == MPG_CALL_Barrier || s->call == MPG_CALL_Win_fence);
}

/* Makes SLOT refer to M from now on. */
static void redirect_slot(struct program *p, uint32_t slot, struct meeting *m)
{
    renew(p, slot)->meeting = m;
    m->slots++;
}

/* The rank of S joins the barrier; the other members join in the same batch of steps. */
static int join(struct program *p, const struct mpg_step *s, struct kept_batch *batch, struct mpg_error *err)
{
    struct meeting *m = p->open;
    const struct mpg_origin *o = &s->meeting;
    if (!m || m->origin.rank != o->rank || m->origin.call != o->call || m->origin.index != o->index) {
        if (!(m = calloc(1, sizeof *m)))
            return out_of_memory(err);
        *m = (struct meeting){.next = p->open, .origin = *o, .batch = program_keep(batch), .sorted = true};
        p->open = m;
    }
    redirect_slot(p, s->slot, m);
    if (mpg_reserve_at(&m->member, sizeof *m->member, &m->capacity, m->n + 1, err) < 0)
        return -1;
    m->sorted = m->sorted && (m->n == 0 || m->member[m->n - 1].rank < s->rank);
    m->member[m->n++] = (struct meeting_member){.rank = s->rank, .slot = s->a};
    return 0;
}

/* Closes the open meetings: all members have joined. */
static int close_meetings(struct program *p, const struct program_calls *calls, struct mpg_error *err)
{
    while (p->open) {
        struct meeting *m = p->open;
        p->open = m->next;
        for (uint32_t i = 0; i < m->n; i++) {
            if (value_is_known(program_value(p, m->member[i].slot)))
                continue;
            if (watch(p, program_value(p, m->member[i].slot), &(struct watcher){.meeting = m}, err) < 0)
                return -1;
            m->missing++;
        }
        if (m->missing == 0 && calls->meet(calls->replica, m, err) < 0)
            return -1;
    }
    return 0;
}

int mpg_events_program_met(struct program *p, struct meeting *m, const struct program_calls *calls, struct mpg_error *err)
{
    mpg_events_program_give_back(p, m->batch);
    return mpg_events_program_set_known(p, &m->value, calls, err);
}

/* The member of RANK: by bisection if members are sorted by rank. */
static uint32_t find_member(const struct meeting *m, int32_t rank)
{
    uint32_t first = 0, n = m->n;
    while (m->sorted && n > 1) {
        const uint32_t half = n / 2;
        first += m->member[first + half].rank <= rank ? half : 0;
        n -= half;
    }
    while (first + 1 < m->n && m->member[first].rank != rank)
        first++;
    return first;
}

double mpg_events_meeting_end(const struct meeting *m, int32_t rank)
{
    return m->member[find_member(m, rank)].end_ns;
}

/* --- streams --- */

static int reserve_streams(struct program *p, uint32_t n, struct mpg_error *err)
{
    if (n <= p->streams)
        return 0;
    if (mpg_reserve_at(&p->queue, sizeof *p->queue, &p->stream_capacity, n, err) < 0)
        return -1;
    p->streams = n;
    return 0;
}

/* Appends S, of BATCH, to the queue of the stream. */
static int append(struct program *p, const struct mpg_step *s, struct kept_batch *batch, const struct program_calls *calls,
                  struct mpg_error *err)
{
    if (reserve_streams(p, s->stream + 1, err) < 0)
        return -1;
    struct queue *q = &p->queue[s->stream];
    struct span *last = q->last;
    if (last && last->batch == batch && last->step + last->n == s) {
        last->n++;
        return 0;
    }
    struct span *span = mpg_pool_take(&p->spans);
    if (!span)
        return out_of_memory(err);
    *span = (struct span){.batch = program_keep(batch), .step = s, .n = 1};
    q->last = span;
    if (last) {
        last->next = span;
        return 0;
    }
    q->first = span;
    return calls->appended(calls->replica, s->stream, err);
}

void mpg_events_program_drop(struct program *p, uint32_t stream)
{
    struct queue *q = &p->queue[stream];
    struct span *first = q->first;
    first->step++;
    if (--first->n > 0)
        return;
    q->first = first->next;
    if (!q->first)
        q->last = NULL;
    mpg_events_program_give_back(p, first->batch);
    mpg_pool_give(&p->spans, first);
}

/* --- the graph --- */

static int take(struct program *p, const struct mpg_step *s, struct kept_batch *batch, const struct program_calls *calls,
                struct mpg_error *err)
{
    switch (s->kind) {
    case MPG_STEP_CONTRIBUTE:
        return is_barrier(p, s) ? join(p, s, batch, err) : add_node(p, s, batch, calls, err);
    case MPG_STEP_MERGE: {
        struct meeting *m = p->slot[s->a].meeting;
        if (!m || p->slot[s->b].meeting != m)
            return add_node(p, s, batch, calls, err);
        redirect_slot(p, s->slot, m);
        return 0;
    }
    case MPG_STEP_SYNCHRONOUS:
        return add_node(p, s, batch, calls, err);
    case MPG_STEP_EXPAND:
        return expand(p, s, batch, calls, err);
    case MPG_STEP_STORE:
    case MPG_STEP_EAGER:
        (void)renew(p, s->slot);
        return append(p, s, batch, calls, err);
    default:
        return append(p, s, batch, calls, err);
    }
}

static int next(struct program_source *source, struct mpg_steps *steps, struct mpg_error *err)
{
    return source->graph ? mpg_graph_next(source->graph, steps, err) : mpg_step_reader_take(&source->reader, steps, err);
}

int mpg_events_program_pull(struct program *p, const struct program_calls *calls, struct mpg_error *err)
{
    struct mpg_steps steps;
    const int more = p->ended ? 0 : next(p->source, &steps, err);
    if (more <= 0) {
        p->ended = true;
        (void)hold(p, NULL, err);
        return more;
    }
    if (hold(p, steps.batch, err) < 0)
        return -1;
    if (steps.slots > p->slots && mpg_reserve_at(&p->slot, sizeof *p->slot, &p->slot_capacity, steps.slots, err) < 0)
        return -1;
    p->slots = steps.slots;
    for (size_t i = 0; i < steps.n; i++)
        if (take(p, &steps.step[i], p->current, calls, err) < 0)
            return -1;
    return close_meetings(p, calls, err) < 0 ? -1 : 1;
}

int mpg_events_program_init(struct program *p, struct program_source *source, uint32_t streams, bool meets,
                            struct mpg_error *err)
{
    *p = (struct program){.source = source, .meets = meets, .spans = {.size = sizeof(struct span)},
                          .nodes = {.size = sizeof(struct node)}, .watchers = {.size = sizeof(struct watcher)},
                          .batches = {.size = sizeof(struct kept_batch)}};
    return reserve_streams(p, streams, err);
}

void mpg_events_program_clear(struct program *p)
{
    for (uint32_t i = 0; i < p->slots; i++)
        (void)renew(p, i);
    for (struct kept_batch *b = p->kept; b; b = b->next) /* other programs may go on with the graph */
        mpg_batch_give_back(b->batch);
    mpg_pool_clear(&p->spans);
    mpg_pool_clear(&p->nodes);
    mpg_pool_clear(&p->watchers);
    mpg_pool_clear(&p->batches);
    free(p->queue);
    free(p->slot);
    *p = (struct program){.source = NULL};
}
