/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divides a worker's events into segments, each up to the worker's next messages to the master. A segment is either the piece
 * of a task, or the worker's own, which belongs to no task. */
#include "simulate/tasks/finding.h"

enum { HOLDS = MPG_TASK_HOLDS, BREAKS = MPG_TASK_BREAKS, FAILS = MPG_TASK_FAILS, AGAIN = MPG_TASK_AGAIN };

/* Maximum number of a segment's open requests; a segment with more is not the piece of a task. */
enum { MOST_REQUESTS = 32 };

/* The current segment of a worker, during reading. The segment begins after the worker's previous messages to the master,
 * and ends with the messages received by the next step of the master. */
struct segment {
    struct mpg_task_finding *f;
    int32_t rank;
    /* state of the worker: */
    uint32_t message;   /* index of the worker's next message in the sequence of the worker's messages to the master */
    uint32_t answered;  /* index, in this sequence, of the next message to be answered */
    uint32_t answered_number; /* number, among the worker's steps, of the step that receives the message to be answered */
    uint32_t received;  /* number of messages received from the master */
    uint64_t *own;      /* address where the events of the worker's own segments are counted */
    uint32_t own_run;   /* number of own segments counted there */
    /* state of the segment: */
    uint32_t number;    /* number of the worker's earlier segments */
    uint64_t step; /* the master's receive of the worker's last message before the segment; MPG_NO_TASK: first segment */
    uint64_t task;      /* the master's receive whose reply begins the segment; MPG_NO_TASK: none */
    /* number of the step of `task` among the worker's steps; number of the step's replies received */
    uint32_t task_number, replies;
    uint64_t events, next; /* EVENTS: number of events read; NEXT: the master's receive for the messages at the end */
    uint32_t sent;      /* number of messages sent for NEXT */
    bool has_ended; /* all messages for NEXT are sent: the next call that concerns another rank begins the next segment */
    int depth;          /* number of regions begun minus number of regions ended */
    struct mpg_task_place other; /* the first call that cannot belong to a task */
    int64_t request[MOST_REQUESTS];
    uint32_t requests;
};

static void note_other(struct segment *c, struct mpg_task_place at)
{
    if (c->other.call == MPG_CALL_COUNT)
        c->other = at;
}

/* Returns the index of REQUEST among the open requests of C; c->requests: not open. */
static uint32_t find_request(const struct segment *c, int64_t request)
{
    uint32_t i = 0;
    while (i < c->requests && c->request[i] != request)
        i++;
    return i;
}

static void add_request(struct segment *c, struct mpg_task_place at, const struct mpg_event *e)
{
    if (c->requests == MOST_REQUESTS)
        note_other(c, at);
    else
        c->request[c->requests++] = e->requests[0];
}

/* Returns true if E completes, tests or frees requests of C only. */
static bool is_about_own_requests(const struct segment *c, const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (e->failed || (kind != MPG_KIND_COMPLETE && kind != MPG_KIND_REQUEST_FREE) || e->persistent)
        return false;
    for (uint32_t i = 0; i < e->request_number; i++)
        if (find_request(c, e->requests[i]) == c->requests)
            return false;
    return true;
}

static void take_completion(struct segment *c, const struct mpg_event *e)
{
    uint32_t n = e->request_number;
    const int64_t *done = e->requests;
    if (mpg_call_kind(e->call) == MPG_KIND_COMPLETE)
        done = mpg_task_done(e, &n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = find_request(c, done[i]);
        if (at < c->requests)
            c->request[at] = c->request[--c->requests];
    }
}

/* --- the end of a segment --- */

/* Ends a segment, the piece of a task. */
static int end_piece(struct segment *c, struct mpg_task_place at)
{
    struct mpg_task_finding *f = c->f;
    struct mpg_tasks *t = f->t;
    struct mpg_task *task = &t->task[c->task];
    const uint32_t depth = c->number - c->task_number;
    if (depth != t->depth && t->tasks > 0)
        return mpg_task_refuse(f, c->rank, at,
                               "from sending this task to the end of its piece the rank sends %u messages, for other tasks %u",
                               depth, t->depth);
    if (depth != t->depth) {
        t->depth = depth;
        return AGAIN;
    }
    if (c->depth != 0)
        return mpg_task_refuse(f, c->rank, at, "a region begins in one task and ends in another one");
    if (c->requests > 0)
        return mpg_task_refuse(f, c->rank, at, "a request is made in one task and completed in another one, or never");
    task->is_task = true;
    task->next = c->next;
    task->events = c->events;
    t->tasks++;
    c->own = NULL;
    return HOLDS;
}

/* Ends a segment, the worker's own. */
static void end_own(struct segment *c, struct mpg_task_place at)
{
    struct mpg_task_finding *f = c->f;
    struct mpg_tasks *t = f->t;
    const struct mpg_task_place end = c->other.call != MPG_CALL_COUNT ? c->other : at;
    if (c->task != MPG_NO_TASK)
        f->extra[c->task].end = end;
    if (c->step == MPG_NO_TASK) {
        c->own = &t->worker[c->rank].before;
        c->own_run = 0;
    } else if (!c->own || c->own_run == t->depth) {
        c->own = &t->task[c->step].events;
        c->own_run = 0;
        t->task[c->step].ends = true;
        f->extra[c->step].end = end;
    }
    c->own_run++;
    *c->own += c->events;
}

/* Returns true if segment C, as far as read, can be the piece of a task. */
static bool is_piece(const struct segment *c)
{
    if (c->task == MPG_NO_TASK || c->other.call != MPG_CALL_COUNT)
        return false;
    const struct mpg_task *task = &c->f->t->task[c->task];
    return !task->is_named && c->replies == task->replies;
}

/* Ends segment C before the call AT, or after the last call. */
static int end_segment(struct segment *c, struct mpg_task_place at)
{
    int status = HOLDS;
    if (c->has_ended && is_piece(c))
        status = end_piece(c, at);
    else
        end_own(c, at);
    if (c->has_ended && c->step != MPG_NO_TASK)
        c->f->t->task[c->step].after = c->next;
    c->number++;
    c->step = c->next;
    c->task = MPG_NO_TASK;
    c->replies = c->requests = c->sent = 0;
    c->events = 0;
    c->has_ended = false;
    c->depth = 0;
    c->other = MPG_TASK_NOWHERE;
    return status;
}

/* --- calls --- */

/* Returns the MPI_ANY_SOURCE receive in whose step message I of C's sequence is received. */
static uint64_t step_of(const struct segment *c, uint32_t i)
{
    const struct mpg_task_finding *f = c->f;
    return f->received[f->sequence[f->begin[c->rank] + i]].receive;
}

/* Advances c->answered to the next message whose step has a reply. */
static void find_answered(struct segment *c)
{
    for (; c->answered < c->message; c->answered++) {
        const uint64_t k = step_of(c, c->answered);
        if (k == MPG_NO_TASK || (c->answered > 0 && k == step_of(c, c->answered - 1)) || mpg_task_is_void(&c->f->t->task[k]))
            continue;
        if (c->f->t->task[k].replies > 0)
            return;
        c->answered_number++;
    }
}

/* Handles E of C's worker, which receives a message of the master, at once or later. */
static void take_reply(struct segment *c, struct mpg_task_place at, const struct mpg_event *e)
{
    const uint32_t number = c->received++;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    find_answered(c);
    if (c->answered < c->message && number == c->f->t->task[step_of(c, c->answered)].answer) {
        if (c->task != MPG_NO_TASK || c->sent > 0)
            note_other(c, at);
        c->task = step_of(c, c->answered);
        c->task_number = c->answered_number++;
        c->replies = 0;
        c->answered++;
    } else if (c->task == MPG_NO_TASK || number - c->f->t->task[c->task].answer >= c->f->t->task[c->task].replies)
        note_other(c, at);
    c->replies++;
    if ((kind != MPG_KIND_RECV && kind != MPG_KIND_MRECV && kind != MPG_KIND_IRECV) || e->comm != c->f->t->comm)
        note_other(c, at);
    if (kind == MPG_KIND_IRECV)
        add_request(c, at, e);
}

/* Returns true if receive K, which names C's worker as source and takes MESSAGE, is a final receive: known before, or
 * because MESSAGE ends the piece of a task and has the tag of the worker's first message. */
static bool is_final(const struct segment *c, uint64_t k, const struct mpg_event *message)
{
    const struct mpg_tasks *t = c->f->t;
    return t->task[k].is_used || (is_piece(c) && message->tag == t->message[t->worker[c->rank].first * t->messages].tag);
}

/* Handles E of C's worker, a send to the master. */
static int take_message(struct segment *c, struct mpg_task_place at, const struct mpg_event *e)
{
    struct mpg_task_finding *f = c->f;
    struct mpg_tasks *t = f->t;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const uint32_t i = c->message++;
    if (i >= f->begin[c->rank + 1] - f->begin[c->rank])
        return mpg_task_refuse(f, c->rank, at, "rank %d does not receive this message", t->master);
    const uint64_t k = step_of(c, i);
    if (k == MPG_NO_TASK || (t->task[k].is_named && !is_final(c, k, e))) {
        note_other(c, at);
        return HOLDS;
    }
    t->task[k].is_used = t->task[k].is_named;
    struct mpg_task_message *m = &t->message[k * t->messages + c->sent++];
    if (m->bytes < 0)
        m->bytes = e->bytes;
    if ((kind != MPG_KIND_SEND && kind != MPG_KIND_ISEND) || e->comm != t->comm || e->tag != m->tag || e->bytes != m->bytes)
        return mpg_task_refuse(f, c->rank, at,
                               "rank %d receives other messages of this rank before it, or it is not MPI_Send or MPI_Isend",
                               t->master);
    if (kind == MPG_KIND_ISEND)
        add_request(c, at, e);
    c->next = k;
    c->has_ended = c->sent == t->messages;
    return HOLDS;
}

static int take_call(struct segment *c, uint64_t number, const struct mpg_event *e)
{
    struct mpg_task_finding *f = c->f;
    const struct mpg_task_place at = mpg_task_place_of(number, e);
    int32_t from;
    if (c->has_ended && !is_about_own_requests(c, e)) {
        const int status = end_segment(c, at);
        if (status != HOLDS)
            return status;
    }
    if (mpg_task_is_persistent(e))
        return mpg_task_refuse(f, c->rank, at, "a worker has a persistent request");
    if (mpg_task_is_send(e) && mpg_task_world(f->trace, e->comm, e->to) == f->t->master) {
        if (mpg_task_is_receive(e, &from) && mpg_task_world(f->trace, e->comm, from) == f->t->master)
            return mpg_task_refuse(f, c->rank, at, "a message to rank %d and the task in one call", f->t->master);
        return take_message(c, at, e);
    }
    if (mpg_task_is_receive(e, &from) && mpg_task_world(f->trace, e->comm, from) == f->t->master)
        take_reply(c, at, e);
    else if (is_about_own_requests(c, e))
        take_completion(c, e);
    else if (!mpg_call_is_probe(e->call))
        note_other(c, at);
    return HOLDS;
}

int mpg_task_read_worker(struct mpg_task_finding *f, int32_t rank)
{
    struct segment c = {.f = f, .rank = rank, .step = MPG_NO_TASK, .task = MPG_NO_TASK, .next = MPG_NO_TASK,
                        .other = MPG_TASK_NOWHERE};
    struct mpg_cursor *cursor = mpg_cursor_open(f->trace, rank, f->why);
    const struct mpg_event *e;
    struct mpg_task_place last = MPG_TASK_NOWHERE;
    uint64_t number = 0;
    int more = -1, status = cursor ? HOLDS : FAILS;
    while (status == HOLDS && (more = mpg_cursor_read(cursor, &e, f->why)) > 0) {
        if (!mpg_task_is_local(e)) {
            last = mpg_task_place_of(number, e);
            status = take_call(&c, number, e);
        }
        const enum mpg_kind kind = mpg_call_kind(e->call);
        c.depth += (kind == MPG_KIND_REGION_BEGIN) - (kind == MPG_KIND_REGION_END);
        c.events++;
        number += mpg_event_is_call(e);
    }
    mpg_cursor_close(cursor);
    if (more < 0 || status != HOLDS)
        return status == HOLDS ? FAILS : status;
    if (c.has_ended)
        return mpg_task_refuse(f, rank, last, "the rank makes no call after this message");
    return end_segment(&c, last);
}
