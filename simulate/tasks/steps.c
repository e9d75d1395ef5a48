/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the events of the master: MPI_ANY_SOURCE receives, and the steps that follow. */
#include "common/reserve.h"
#include "simulate/tasks/finding.h"

enum { HOLDS = MPG_TASK_HOLDS, BREAKS = MPG_TASK_BREAKS, FAILS = MPG_TASK_FAILS };

static int add_received(struct mpg_task_finding *f, int32_t source, uint64_t receive)
{
    if (f->received_number == f->received_capacity &&
        mpg_reserve_at(&f->received, sizeof *f->received, &f->received_capacity, f->received_number + 1, f->why) < 0)
        return FAILS;
    f->received[f->received_number++] = (struct mpg_task_received){source, receive};
    return HOLDS;
}

/* Adds a message to the last step. BYTES -1: unknown size. */
static int add_message(struct mpg_task_finding *f, int32_t tag, int64_t bytes)
{
    struct mpg_tasks *t = f->t;
    if (f->message_number == f->message_capacity &&
        mpg_reserve_at(&t->message, sizeof *t->message, &f->message_capacity, f->message_number + 1, f->why) < 0)
        return FAILS;
    t->message[f->message_number++] = (struct mpg_task_message){bytes, tag};
    f->taken++;
    return add_received(f, t->task[t->n - 1].source, t->n - 1);
}

int mpg_task_end_master(struct mpg_task_finding *f)
{
    struct mpg_tasks *t = f->t;
    if (t->n == 0)
        return HOLDS;
    const struct mpg_task *task = &t->task[t->n - 1];
    const struct mpg_task_place at = {task->call, MPG_CALL_Recv};
    if (f->is_probed)
        return mpg_task_refuse(f, t->master, at, "the message that it finds is not received");
    if (t->n == 1)
        t->messages = f->taken;
    /* not a final receive: the step is filled with MPG_TASK_NO_MESSAGE */
    while (task->is_named && f->taken < t->messages) {
        if (add_message(f, 0, MPG_TASK_NO_MESSAGE) != HOLDS)
            return FAILS;
        f->received_number--;
    }
    if (f->taken != t->messages)
        return mpg_task_refuse(f, t->master, at, "%u messages of rank %d are received together, and of rank %d %u", f->taken,
                               task->source, t->task[0].source, t->messages);
    return HOLDS;
}

/* Begins a step with the call AT of RANK, the master, which takes or finds a message of rank FROM of COMM. */
static int begin_step(struct mpg_task_finding *f, int32_t rank, struct mpg_task_place at, int32_t comm, int32_t from)
{
    struct mpg_tasks *t = f->t;
    const int32_t source = mpg_task_world(f->trace, comm, from);
    if (t->n == 0)
        t->comm = comm;
    if (source < 0 || source == rank || comm != t->comm)
        return mpg_task_refuse(f, rank, at,
                               "it receives from itself, from another job, or on another communicator than the first receive "
                               "from any source");
    const int status = mpg_task_end_master(f);
    if (status != HOLDS)
        return status;
    const uint32_t n = (uint32_t)t->n;
    if ((n == f->task_capacity && mpg_reserve_at(&t->task, sizeof *t->task, &f->task_capacity, n + 1, f->why) < 0) ||
        (n == f->extra_capacity && mpg_reserve_at(&f->extra, sizeof *f->extra, &f->extra_capacity, n + 1, f->why) < 0))
        return FAILS;
    t->task[n] = (struct mpg_task){.call = at.number, .source = source, .next = MPG_NO_TASK, .after = MPG_NO_TASK};
    f->extra[n] = (struct mpg_task_extra){MPG_TASK_NOWHERE, MPG_TASK_NOWHERE};
    f->taken = 0;
    t->n++;
    if (!t->worker[source].is_worker) {
        t->worker[source] = (struct mpg_worker){.is_worker = true, .in_comm = from, .first = n,
                                                .begins = t->worker[source].begins, .place = f->pick ? f->pick[source].place : 0};
        t->workers++;
    }
    return HOLDS;
}

/* Handles E, an MPI_ANY_SOURCE receive, or a successful MPI_ANY_SOURCE probe. */
static int take_open(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    const struct mpg_task_place at = mpg_task_place_of(number, e);
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (kind == MPG_KIND_IRECV) {
        if (f->posted.request)
            return mpg_task_refuse(f, rank, at, "a second receive from any source is posted before the first one is complete");
        f->posted = (struct mpg_task_posted){.request = e->requests[0], .comm = e->comm, .from = e->from, .tag = e->tag};
        return HOLDS;
    }
    if (kind != MPG_KIND_RECV && !mpg_call_is_probe(e->call))
        return mpg_task_refuse(f, rank, at, "from any source only receives, MPI_Irecv and probes are followed");
    const int status = begin_step(f, rank, at, e->comm, e->from);
    if (status != HOLDS)
        return status;
    f->is_probed = kind != MPG_KIND_RECV;
    f->probed_tag = e->tag;
    return f->is_probed ? HOLDS : add_message(f, e->tag, e->bytes);
}

/* Handles E, a call of the master after a probe has found a message: another probe, or the receive, of this message. */
static int take_probed(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    const struct mpg_task *task = &f->t->task[f->t->n - 1];
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool is_receive = kind == MPG_KIND_RECV || kind == MPG_KIND_MRECV;
    if ((is_receive || mpg_call_is_probe(e->call)) && !e->failed && e->comm == f->t->comm &&
        e->tag == f->probed_tag && mpg_task_world(f->trace, e->comm, e->from) == task->source) {
        f->is_probed = !is_receive;
        return is_receive ? add_message(f, e->tag, e->bytes) : HOLDS;
    }
    return mpg_task_refuse(f, rank, mpg_task_place_of(number, e),
                           "not the MPI_Recv or MPI_Mrecv of the message that the call before has found");
}

/* --- a receive from each worker, among which calls pick --- */

/* Handles E, an MPI_Irecv of the master with a named source. */
static int take_post(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    struct mpg_tasks *t = f->t;
    const int32_t source = mpg_task_world(f->trace, e->comm, e->from);
    struct mpg_task *task = t->n > 0 && f->extra[t->n - 1].other.call == MPG_CALL_COUNT ? &t->task[t->n - 1] : NULL;
    if (source < 0)
        return HOLDS;
    if (f->pick[source].request)
        return mpg_task_refuse(f, rank, mpg_task_place_of(number, e),
                               "a second receive from rank %d is posted before the first one is complete", source);
    f->pick[source] = (struct mpg_task_posted){
        .request = e->requests[0], .comm = e->comm, .from = e->from, .tag = e->tag, .place = f->pick[source].place};
    f->picks++;
    if (task && source == task->source && !task->reposts)
        task->reposts = true;
    else if (task)
        f->extra[t->n - 1].other = mpg_task_place_of(number, e);
    return HOLDS;
}

/* Returns the world rank from which REQUEST is a posted receive; -1: none. */
static int32_t find_pick(const struct mpg_task_finding *f, int64_t request)
{
    for (int32_t r = 0; r < f->t->ranks; r++)
        if (f->pick[r].request == request)
            return r;
    return -1;
}

/* Stores the receives' indices in the list of E. */
static void take_first_list(struct mpg_task_finding *f, const struct mpg_event *e)
{
    for (uint32_t i = 0; i < e->request_number && (int32_t)i < f->picks; i++) {
        const int32_t source = find_pick(f, e->requests[i]);
        if (source < 0)
            return;
        f->pick[source].place = (int32_t)i;
        f->at_place[i] = source;
        f->places = (int32_t)i + 1;
    }
}

/* Returns true if the list of E has all posted receives, in the order of the first list. */
static bool is_whole_list(const struct mpg_task_finding *f, const struct mpg_event *e)
{
    uint32_t i = 0;
    for (int32_t place = 0; place < f->places; place++) {
        const int64_t request = f->pick[f->at_place[place]].request;
        if (request && (i == e->request_number || e->requests[i++] != request))
            return false;
    }
    return i == e->request_number && (int64_t)i == f->picks;
}

/* Handles E, a completion of the master that completes a receive of the list. */
static int take_pick(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    const struct mpg_task_place at = mpg_task_place_of(number, e);
    uint32_t n;
    const int64_t *done = mpg_task_done(e, &n);
    if (f->t->n == 0)
        take_first_list(f, e);
    if (!is_whole_list(f, e))
        return mpg_task_refuse(f, rank, at, "its list is not one receive from each worker, in the order of the first list");
    if (n > 1)
        return mpg_task_refuse(f, rank, at, "it completes several messages");
    const int32_t source = find_pick(f, done[0]);
    struct mpg_task_posted *p = &f->pick[source];
    p->request = 0;
    f->picks--;
    const int status = begin_step(f, rank, at, p->comm, p->from);
    return status == HOLDS ? add_message(f, p->tag, -1) : status;
}

/* --- calls --- */

/* Handles E, a completion of the master. *HAS_RECEIVED: E completes the MPI_ANY_SOURCE receive. */
static int take_completion(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e,
                           bool *has_received)
{
    uint32_t n;
    const int64_t *done = mpg_task_done(e, &n);
    *has_received = f->pick && n > 0 && find_pick(f, done[0]) >= 0;
    if (*has_received)
        return take_pick(f, rank, number, e);
    for (uint32_t i = 0; i < n && !*has_received; i++)
        *has_received = f->posted.request != 0 && done[i] == f->posted.request;
    if (!*has_received)
        return HOLDS;
    f->posted.request = 0;
    const int status = begin_step(f, rank, mpg_task_place_of(number, e), f->posted.comm, f->posted.from);
    return status == HOLDS ? add_message(f, f->posted.tag, -1) : status;
}

/* Returns true if E, a receive or probe of the master with a named source, belongs to the last step. */
static bool is_of_step(const struct mpg_task_finding *f, const struct mpg_event *e)
{
    const struct mpg_tasks *t = f->t;
    return t->n > 0 && f->extra[t->n - 1].other.call == MPG_CALL_COUNT && e->comm == t->comm && !e->failed &&
           mpg_task_world(f->trace, e->comm, e->from) == t->task[t->n - 1].source && (t->n == 1 || f->taken < t->messages);
}

/* Handles E, a receive of the master that names a worker as source and does not belong to the last step. */
static int take_named(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    const int status = begin_step(f, rank, mpg_task_place_of(number, e), e->comm, e->from);
    if (status != HOLDS)
        return status;
    f->t->task[f->t->n - 1].is_named = true;
    return add_message(f, e->tag, e->bytes);
}

/* Returns true if E may be a final receive with a named source. */
static bool may_be_final(const struct mpg_task_finding *f, const struct mpg_event *e)
{
    const int32_t source = mpg_task_world(f->trace, e->comm, e->from);
    return !f->t->picks && f->t->n > 0 && mpg_call_kind(e->call) == MPG_KIND_RECV && !e->failed && e->comm == f->t->comm &&
           source >= 0 && f->t->worker[source].is_worker;
}

/* Handles E, a send of the master. Returns true if E belongs to the last step. */
static bool take_reply(struct mpg_task_finding *f, int32_t rank, const struct mpg_event *e)
{
    struct mpg_tasks *t = f->t;
    const int32_t to = mpg_task_world(f->trace, e->comm, e->to);
    if (to < 0)
        return false;
    if (f->sent[to].by != rank + 1)
        f->sent[to] = (struct mpg_task_sent){.by = rank + 1};
    const uint32_t answer = f->sent[to].n++;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    if (t->n == 0 || f->extra[t->n - 1].other.call != MPG_CALL_COUNT || e->comm != t->comm ||
        (kind != MPG_KIND_SEND && kind != MPG_KIND_ISEND))
        return false;
    struct mpg_task *task = &t->task[t->n - 1];
    if (!t->worker[to].is_worker && to != rank) { /* this is the worker's first task */
        t->worker[to].begins = t->n;
        return true;
    }
    if (to != task->source)
        return false;
    if (task->replies++ == 0) {
        task->answer = answer;
        task->reply_tag = e->tag;
        task->reply_bytes = e->bytes;
    }
    return true;
}

/* Adds the interval before E to slow_polls_ns if E repeats a call that found nothing and the interval exceeds POLLING_NS. */
static void note_poll(struct mpg_task_finding *f, const struct mpg_event *e)
{
    struct mpg_tasks *t = f->t;
    const int64_t interval_ns = e->enter_ns - f->polled_ns;
    if (f->polled == e->call && interval_ns > f->polling_ns) {
        t->slow_polls_ns += interval_ns;
        t->slowest_poll_ns = interval_ns > t->slowest_poll_ns ? interval_ns : t->slowest_poll_ns;
    }
    f->polled = mpg_task_finds_nothing(e) ? e->call : MPG_CALL_COUNT;
    f->polled_ns = e->leave_ns;
}

int mpg_task_take_master(struct mpg_task_finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    struct mpg_tasks *t = f->t;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    int32_t from;
    bool belongs = false;
    if (t->master == rank)
        note_poll(f, e);
    if (mpg_task_finds_nothing(e))
        return HOLDS;
    if (f->is_probed)
        return take_probed(f, rank, number, e);
    if (f->pick && kind == MPG_KIND_IRECV && mpg_task_is_receive(e, &from))
        return take_post(f, rank, number, e);
    if (mpg_task_leaves_source_open(e)) {
        if (t->master >= 0 && t->master != rank)
            return mpg_task_refuse(f, rank, mpg_task_place_of(number, e),
                                   "a second rank beside rank %d receives from any source", t->master);
        t->master = rank;
        return take_open(f, rank, number, e);
    }
    if (kind == MPG_KIND_COMPLETE) {
        const int status = take_completion(f, rank, number, e, &belongs);
        if (status != HOLDS || belongs)
            return status;
    }
    if (mpg_task_is_send(e))
        belongs = take_reply(f, rank, e);
    else if (kind == MPG_KIND_RECV || kind == MPG_KIND_MRECV || mpg_call_is_probe(e->call))
        belongs = is_of_step(f, e);
    else
        belongs = kind == MPG_KIND_COMPLETE || kind == MPG_KIND_REQUEST_FREE;
    if (!belongs && may_be_final(f, e))
        return take_named(f, rank, number, e);
    if (belongs && (kind == MPG_KIND_RECV || kind == MPG_KIND_MRECV))
        return add_message(f, e->tag, e->bytes);
    if (!belongs && t->n > 0 && f->extra[t->n - 1].other.call == MPG_CALL_COUNT)
        f->extra[t->n - 1].other = mpg_task_place_of(number, e);
    if (mpg_task_is_receive(e, &from)) {
        const int32_t source = mpg_task_world(f->trace, e->comm, from);
        return source < 0 ? HOLDS : add_received(f, source, MPG_NO_TASK);
    }
    return HOLDS;
}
