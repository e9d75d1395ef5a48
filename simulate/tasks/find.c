/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds masters, workers and pieces: first all ranks' receives from any source, then each worker's cycles. */
#include "simulate/tasks/survey.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/reserve.h"

/* A message to the master, in the order of the master's receives. */
struct received {
    int32_t source;   /* world rank */
    uint64_t receive; /* the receive from any source; MPG_NO_TASK: another receive */
};

/* What find.c knows of a receive beyond struct mpg_task. */
struct extra {
    /* master: the first call after the receive and the reply; worker: the call for which the piece is no task's.
     * MPG_CALL_COUNT: none */
    struct mpg_task_place other, end;
};

struct finding {
    struct mpg_trace *trace;
    struct mpg_tasks *t;
    struct mpg_error *why;
    struct extra *extra;
    struct received *received; /* messages to the master */
    bool is_probed;              /* the next call of the master must be the receive of the message that was found */
    uint32_t received_number, received_capacity, task_capacity, extra_capacity;
    struct mpg_task_survey survey;
    uint32_t *sequence, *begin; /* the messages of each worker, as indices of `received`, from begin[rank] to begin[rank + 1] */
};

enum { HOLDS = 1, BREAKS = 0, FAILS = -1 };

static int out_of_memory(struct finding *f)
{
    mpg_error_set(f->why, "out of memory");
    return FAILS;
}

__attribute__((format(printf, 4, 5)))
static int refuse(struct finding *f, int32_t rank, struct mpg_task_place at, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    mpg_error_set(f->why, "rank %d, call %" PRIu64 " (%s%s): %s", rank, at.number, mpg_call_prefix(at.call),
                  mpg_call_name(at.call), text);
    return BREAKS;
}

static bool is_persistent(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND_INIT:
    case MPG_KIND_RECV_INIT:
    case MPG_KIND_PSEND_INIT:
    case MPG_KIND_PRECV_INIT:
        return !e->failed;
    default:
        return false;
    }
}

/* --- the master --- */

static int add_received(struct finding *f, int32_t source, uint64_t receive)
{
    if (f->received_number == f->received_capacity &&
        mpg_reserve_at(&f->received, sizeof *f->received, &f->received_capacity, f->received_number + 1, f->why) < 0)
        return FAILS;
    f->received[f->received_number++] = (struct received){source, receive};
    return HOLDS;
}

/* Adds E, a receive of the master from any source, to the tasks. */
static int add_task(struct finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    struct mpg_tasks *t = f->t;
    const int32_t source = mpg_task_world(f->trace, e->comm, e->from);
    if (t->n == 0)
        t->comm = e->comm;
    if (source < 0 || source == rank || e->comm != t->comm)
        return refuse(f, rank, mpg_task_place_of(number, e),
                      "it receives from itself, from another job, or on another communicator than the first receive from any "
                      "source");
    const uint32_t n = (uint32_t)t->n;
    if ((n == f->task_capacity && mpg_reserve_at(&t->task, sizeof *t->task, &f->task_capacity, n + 1, f->why) < 0) ||
        (n == f->extra_capacity && mpg_reserve_at(&f->extra, sizeof *f->extra, &f->extra_capacity, n + 1, f->why) < 0))
        return FAILS;
    t->task[n] = (struct mpg_task){
        .call = number, .source = source, .probes = mpg_call_is_probe(e->call), .tag = e->tag, .bytes = e->bytes,
        .next = MPG_NO_TASK};
    f->extra[n] = (struct extra){MPG_TASK_NOWHERE, MPG_TASK_NOWHERE};
    t->n++;
    if (!t->worker[source].is_worker) {
        t->worker[source] = (struct mpg_worker){.is_worker = true, .in_comm = e->from, .first = n};
        t->workers++;
    }
    return add_received(f, source, n);
}

/* Takes E, a call of the master between two receives from any source. */
static void take_between(struct finding *f, uint64_t number, const struct mpg_event *e)
{
    struct mpg_tasks *t = f->t;
    if (t->n == 0 || f->extra[t->n - 1].other.call != MPG_CALL_COUNT)
        return;
    struct mpg_task *task = &t->task[t->n - 1];
    if (mpg_call_kind(e->call) == MPG_KIND_SEND && mpg_task_is_send(e) && !task->replies && e->comm == t->comm &&
        mpg_task_world(f->trace, e->comm, e->to) == task->source) {
        task->replies = true;
        task->reply_tag = e->tag;
        task->reply_bytes = e->bytes;
    } else
        f->extra[t->n - 1].other = mpg_task_place_of(number, e);
}

/* Takes E, the call of the master after a probe of any source that found a message. */
static int take_probed(struct finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    const struct mpg_task *task = &f->t->task[f->t->n - 1];
    f->is_probed = false;
    if (mpg_call_kind(e->call) == MPG_KIND_RECV && !e->failed && e->comm == f->t->comm && e->tag == task->tag &&
        mpg_task_world(f->trace, e->comm, e->from) == task->source)
        return HOLDS;
    return refuse(f, rank, mpg_task_place_of(number, e), "not the MPI_Recv of the message that the call before has found");
}

/* Takes E, call NUMBER of RANK, which is the master if it has receives from any source. */
static int take_call(struct finding *f, int32_t rank, uint64_t number, const struct mpg_event *e)
{
    struct mpg_tasks *t = f->t;
    int32_t from;
    if (f->is_probed)
        return take_probed(f, rank, number, e);
    if (mpg_task_leaves_source_open(e)) {
        if (t->master >= 0 && t->master != rank)
            return refuse(f, rank, mpg_task_place_of(number, e), "a second rank beside rank %d receives from any source",
                          t->master);
        t->master = rank;
        f->is_probed = mpg_call_kind(e->call) == MPG_KIND_PROBE;
        if (mpg_call_kind(e->call) != MPG_KIND_RECV && !f->is_probed)
            return refuse(f, rank, mpg_task_place_of(number, e),
                          "from any source only MPI_Recv, or MPI_Probe and MPI_Recv, are followed");
        return add_task(f, rank, number, e);
    }
    take_between(f, number, e);
    if (mpg_task_is_receive(e, &from)) {
        const int32_t source = mpg_task_world(f->trace, e->comm, from);
        return source < 0 ? HOLDS : add_received(f, source, MPG_NO_TASK);
    }
    return HOLDS;
}

/* Reads all events of RANK. STATUS BREAKS: only for the survey. */
static int scan_rank(struct finding *f, int32_t rank, int status)
{
    struct mpg_cursor *c = mpg_cursor_open(f->trace, rank, f->why);
    const struct mpg_event *e;
    struct mpg_task_place persistent = MPG_TASK_NOWHERE;
    uint64_t number = 0;
    int more = -1;
    if (f->t->master < 0)
        f->received_number = 0; /* messages to ranks that are no masters */
    mpg_task_survey_begin(&f->survey, rank);
    while (c && status != FAILS && (more = mpg_cursor_read(c, &e, f->why)) > 0) {
        mpg_task_survey_take(&f->survey, number, e);
        if (is_persistent(e) && persistent.call == MPG_CALL_COUNT)
            persistent = mpg_task_place_of(number, e);
        if (status == HOLDS && !mpg_task_is_local(e) &&
            (f->t->master < 0 || f->t->master == rank || mpg_task_leaves_source_open(e)))
            status = take_call(f, rank, number, e);
        number += mpg_event_is_call(e);
    }
    mpg_cursor_close(c);
    mpg_task_survey_end(&f->survey);
    if (more < 0 || status != HOLDS)
        return more < 0 ? FAILS : status;
    return f->t->master == rank && persistent.call != MPG_CALL_COUNT
               ? refuse(f, rank, persistent, "the master of the tasks has a persistent request") : HOLDS;
}

/* Sorts the messages by worker. */
static int sort_messages(struct finding *f)
{
    const int32_t ranks = f->t->ranks;
    f->begin = calloc((size_t)ranks + 2, sizeof *f->begin);
    f->sequence = calloc((size_t)f->received_number + 1, sizeof *f->sequence);
    if (!f->begin || !f->sequence)
        return out_of_memory(f);
    for (uint32_t i = 0; i < f->received_number; i++)
        f->begin[f->received[i].source + 2]++;
    for (int32_t r = 1; r <= ranks; r++)
        f->begin[r + 1] += f->begin[r];
    for (uint32_t i = 0; i < f->received_number; i++)
        f->sequence[f->begin[f->received[i].source + 1]++] = i;
    return HOLDS;
}

/* --- the workers --- */

/* A worker while its events are read. */
struct cycle {
    int32_t rank;
    uint32_t sent;        /* number of messages to the master so far */
    uint64_t piece;       /* the receive whose piece the events belong to; MPG_NO_TASK: before the first piece */
    uint64_t next_piece;  /* the message was sent: the next call to other ranks begins this piece */
    bool waits, has_task; /* the piece has received the task */
    int depth;            /* regions begun less regions ended in the piece */
    struct mpg_task_place other;   /* the first call that does not belong to a task */
};

/* Ends the piece of C by E, the call NUMBER, which sends the message of receive NEXT, or is MPI_Finalize (MPG_NO_TASK). */
static int end_piece(struct finding *f, struct cycle *c, struct mpg_task_place at, uint64_t next)
{
    if (c->piece == MPG_NO_TASK)
        return HOLDS;
    struct mpg_task *task = &f->t->task[c->piece];
    task->next = next;
    task->is_task = next != MPG_NO_TASK && c->has_task && c->other.call == MPG_CALL_COUNT;
    if (!task->is_task)
        f->extra[c->piece].end = c->other.call != MPG_CALL_COUNT ? c->other : at;
    f->t->tasks += task->is_task;
    return HOLDS;
}

/* Takes E of C, a send to the master. */
static int take_message(struct finding *f, struct cycle *c, uint64_t number, const struct mpg_event *e)
{
    const struct mpg_task_place at = mpg_task_place_of(number, e);
    const uint32_t i = f->begin[c->rank] + c->sent++;
    if (i >= f->begin[c->rank + 1])
        return refuse(f, c->rank, at, "rank %d does not receive this message", f->t->master);
    const uint64_t k = f->received[f->sequence[i]].receive;
    if (k == MPG_NO_TASK) {
        if (c->other.call == MPG_CALL_COUNT)
            c->other = at;
        return HOLDS;
    }
    const struct mpg_task *task = &f->t->task[k];
    if (mpg_call_kind(e->call) != MPG_KIND_SEND || e->comm != f->t->comm || e->tag != task->tag || e->bytes != task->bytes)
        return refuse(f, c->rank, at, "rank %d receives other messages of this rank before it, or it is nonblocking",
                      f->t->master);
    if (end_piece(f, c, at, k) != HOLDS)
        return BREAKS;
    c->next_piece = k;
    c->waits = true;
    return HOLDS;
}

static int take_worker_call(struct finding *f, struct cycle *c, uint64_t number, const struct mpg_event *e)
{
    const struct mpg_task_place at = mpg_task_place_of(number, e);
    if (c->waits) {
        if (c->piece != MPG_NO_TASK && f->t->task[c->piece].is_task && c->depth != 0)
            return refuse(f, c->rank, at, "a region begins in one task and ends in another one");
        c->piece = c->next_piece;
        c->waits = c->has_task = false;
        c->depth = 0;
        c->other = MPG_TASK_NOWHERE;
    }
    if (is_persistent(e))
        return refuse(f, c->rank, at, "a worker has a persistent request");
    if (mpg_task_is_send(e) && mpg_task_world(f->trace, e->comm, e->to) == f->t->master)
        return take_message(f, c, number, e);
    if (mpg_call_kind(e->call) == MPG_KIND_RECV && !e->failed && !c->has_task && e->comm == f->t->comm &&
        mpg_task_world(f->trace, e->comm, e->from) == f->t->master && !(e->any & MPG_ANY_SOURCE))
        c->has_task = true;
    else if (c->other.call == MPG_CALL_COUNT)
        c->other = at;
    return HOLDS;
}

static int scan_worker(struct finding *f, int32_t rank)
{
    struct cycle c = {.rank = rank, .piece = MPG_NO_TASK, .other = MPG_TASK_NOWHERE};
    struct mpg_cursor *cursor = mpg_cursor_open(f->trace, rank, f->why);
    const struct mpg_event *e;
    struct mpg_task_place last = MPG_TASK_NOWHERE;
    uint64_t number = 0;
    int more = -1, status = cursor ? HOLDS : FAILS;
    while (status == HOLDS && (more = mpg_cursor_read(cursor, &e, f->why)) > 0) {
        if (!mpg_task_is_local(e)) {
            last = mpg_task_place_of(number, e);
            status = take_worker_call(f, &c, number, e);
        }
        const enum mpg_kind kind = mpg_call_kind(e->call);
        c.depth += (kind == MPG_KIND_REGION_BEGIN) - (kind == MPG_KIND_REGION_END);
        *(c.piece == MPG_NO_TASK ? &f->t->worker[rank].before : &f->t->task[c.piece].events) += 1;
        number += mpg_event_is_call(e);
    }
    mpg_cursor_close(cursor);
    if (more < 0 || status != HOLDS)
        return status == HOLDS ? FAILS : status;
    if (c.waits)
        return refuse(f, rank, last, "the rank makes no call after this message");
    return end_piece(f, &c, last, MPG_NO_TASK);
}

/* --- rounds --- */

/* Checks the calls of the master after task K, which is followed by another receive of its round. */
static int check_master(struct finding *f, uint64_t k)
{
    const struct mpg_tasks *t = f->t;
    const struct mpg_task_place receive = {t->task[k].call, MPG_CALL_Recv};
    if (f->extra[k].other.call != MPG_CALL_COUNT)
        return refuse(f, t->master, f->extra[k].other,
                      "between two receives from any source the rank does more than one MPI_Send to the source of the first");
    if (t->task[k].is_task && !t->task[k].replies)
        return refuse(f, t->master, receive, "no MPI_Send to the source follows before the next receive from any source");
    return HOLDS;
}

/* Checks the final receive K of a round, whose first one is FIRST: a worker's last answer can go to any of them. */
static int check_final(struct finding *f, uint64_t k, uint64_t first)
{
    const struct mpg_task *task = &f->t->task[k], *like = &f->t->task[first];
    const struct mpg_task_place at = {task->call, MPG_CALL_Recv};
    if (task->replies != like->replies ||
        (task->replies && (task->reply_tag != like->reply_tag || task->reply_bytes != like->reply_bytes)))
        return refuse(f, f->t->master, at, "the last messages to the workers differ");
    return HOLDS;
}

/* Makes the table of final receives. */
static int make_finals(struct finding *f)
{
    struct mpg_tasks *t = f->t;
    uint64_t finals = 0;
    for (uint64_t k = 0; k < t->n; k++)
        finals += !t->task[k].is_task;
    const size_t n = ((size_t)finals / (size_t)t->workers + 1) * (size_t)t->ranks;
    if (!(t->final = malloc(n * sizeof *t->final)))
        return out_of_memory(f);
    for (size_t i = 0; i < n; i++)
        t->final[i] = MPG_NO_TASK;
    return HOLDS;
}

/* Error: the round whose first final receive is FIRST has begun to end, and not all workers end it. */
static int refuse_round(struct finding *f, uint64_t first)
{
    const int32_t master = f->t->master;
    return refuse(f, f->t->task[first].source, f->extra[first].end,
                  "not a worker's cycle (receive a task, compute, send to rank %d) while rank %d still hands out tasks", master,
                  master);
}

static int find_rounds(struct finding *f)
{
    struct mpg_tasks *t = f->t;
    const size_t ranks = (size_t)t->ranks;
    uint64_t finals = 0, first = 0;
    if (make_finals(f) != HOLDS)
        return FAILS;
    for (uint64_t k = 0; k < t->n; k++) {
        struct mpg_task *task = &t->task[k];
        uint64_t *final = &t->final[(size_t)t->rounds * ranks + (size_t)task->source];
        task->round = t->rounds;
        if (finals > 0 && (task->is_task || *final != MPG_NO_TASK))
            return refuse_round(f, first);
        if (task->is_task) {
            if (check_master(f, k) != HOLDS)
                return BREAKS;
            continue;
        }
        first = finals == 0 ? k : first;
        *final = k;
        finals++;
        if (finals == (uint64_t)t->workers) {
            task->replies = t->workers > 1 ? task->replies && t->task[first].replies : task->replies;
            t->rounds++;
            finals = 0;
        } else if (check_master(f, k) != HOLDS)
            return BREAKS;
        if (check_final(f, k, first) != HOLDS)
            return BREAKS;
    }
    return finals > 0 ? refuse_round(f, first) : HOLDS;
}

/* --- all --- */

/* Error: a rank of the pattern has several threads. */
static int check_threads(struct finding *f)
{
    for (int32_t r = 0; r < f->t->ranks; r++)
        if ((r == f->t->master || f->t->worker[r].is_worker) && mpg_trace_threads(f->trace, r) > 1) {
            mpg_error_set(f->why, "rank %d has several threads", r);
            return BREAKS;
        }
    return HOLDS;
}

/* Error: no rank receives from any source. */
static int refuse_others(struct finding *f)
{
    const struct mpg_task_chooser *c = mpg_task_survey_master(&f->survey);
    if (c)
        return refuse(f, c->rank, c->first, "no rank makes MPI_Recv from MPI_ANY_SOURCE; tasks by this call are not followed");
    mpg_error_set(f->why, "no rank makes MPI_Recv from MPI_ANY_SOURCE");
    return BREAKS;
}

static int find_all(struct finding *f)
{
    struct mpg_tasks *t = f->t;
    int status = HOLDS;
    for (int32_t r = 0; r < t->ranks && status != FAILS; r++)
        status = scan_rank(f, r, status);
    if (status == HOLDS && t->master < 0)
        status = refuse_others(f);
    if (status == HOLDS)
        status = check_threads(f);
    if (status == HOLDS)
        status = sort_messages(f);
    for (int32_t r = 0; r < t->ranks && status == HOLDS; r++)
        if (t->worker[r].is_worker)
            status = scan_worker(f, r);
    if (status == HOLDS)
        status = find_rounds(f);
    if (status == HOLDS && (t->tasks == 0 || t->workers < 2)) {
        mpg_error_set(f->why, t->tasks == 0 ? "rank %d answers no message from any source with a task" :
                                              "rank %d hands out all tasks to one worker", t->master);
        status = BREAKS;
    }
    return status;
}

/* Names the master and its workers of a trace without the pattern, as far as the survey knows them. */
static void take_survey(struct finding *f)
{
    struct mpg_tasks *t = f->t;
    const struct mpg_task_chooser *master = mpg_task_survey_master(&f->survey);
    t->master = master ? master->rank : -1;
    t->workers = 0;
    for (int32_t r = 0; r < t->ranks && master; r++) {
        t->worker[r].is_worker = master->partner[r];
        t->workers += master->partner[r];
    }
}

int mpg_tasks_find(struct mpg_trace *trace, struct mpg_tasks *t, struct mpg_error *why)
{
    struct finding f = {.trace = trace, .t = t, .why = why};
    const int32_t ranks = mpg_trace_ranks(trace);
    *t = (struct mpg_tasks){.ranks = ranks, .master = -1, .comm = MPG_NO_COMM};
    t->worker = calloc((size_t)ranks, sizeof *t->worker);
    t->computation_ns = calloc((size_t)ranks, sizeof *t->computation_ns);
    const bool has_memory =
        t->worker && t->computation_ns && mpg_task_survey_new(&f.survey, trace, t->computation_ns) == 0;
    const int status = has_memory ? find_all(&f) : out_of_memory(&f);
    if (status == BREAKS)
        take_survey(&f);
    mpg_task_survey_clear(&f.survey);
    free(f.extra);
    free(f.received);
    free(f.sequence);
    free(f.begin);
    return status;
}

void mpg_tasks_clear(struct mpg_tasks *t)
{
    free(t->task);
    free(t->worker);
    free(t->computation_ns);
    free(t->final);
    *t = (struct mpg_tasks){.master = -1};
}
