/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace whose tasks have new workers. The pieces are read in the order of the master's receives, from all
 * workers at the same time, and are written to the files of the new workers. */
#include <stdlib.h>
#include <string.h>

#include "common/reserve.h"
#include "simulate/tasks/survey.h"
#include "trace/copy/copy.h"

/* Maximum number of workers whose files are open at once; each needs some MiB. */
enum { MOST_FILES = 64 };

/* A worker as source: the worker's events in the original trace. */
struct source {
    struct mpg_cursor *cursor;
    int64_t left_ns; /* leave of the last event read, on the worker's clock; INT64_MIN: none */
};

/* A worker as sink: the worker's events in the new trace. */
struct sink {
    struct mpg_copy *copy; /* NULL: the worker is not written in this pass */
    int64_t left_ns;
};

/* Larger than all request numbers in a trace. The numbers in a piece that moves from rank R to another rank are increased
 * by R + 1 times MOVED, to give all requests of a rank different numbers. */
static const int64_t MOVED = (int64_t)1 << 40;

/* Lists of requests with new numbers. */
struct renumbered {
    int64_t *requests, *done;
    uint32_t requests_capacity, done_capacity;
};

struct writing {
    struct mpg_trace *trace;
    const struct mpg_tasks *t;
    const int32_t *order;
    const char *folder;
    struct source *source; /* by world rank */
    struct sink *sink;
    struct renumbered renumbered;
    struct mpg_error *err;
};

/* Returns true if fact KEY holds for the new trace: facts about clocks do not; deaths are written last, when the reader
 * returns them. */
static bool is_kept(const char *key)
{
    return strcmp(key, "clock") != 0 && strcmp(key, "clocks") != 0 && strcmp(key, "died") != 0;
}

/* Returns a copy of the trace in which the facts of RANK have been written; NULL with the error. */
static struct mpg_copy *begin_rank(struct writing *x, int32_t rank)
{
    struct mpg_copy *copy = mpg_copy_new(x->trace, x->folder, x->err);
    const char *key, *value;
    int status = copy ? mpg_copy_begin(copy, rank, x->err) : -1;
    for (size_t i = 0; status == 0 && mpg_trace_fact(x->trace, rank, i, &key, &value); i++)
        if (is_kept(key))
            status = mpg_copy_fact(copy, key, value, x->err);
    if (status == 0)
        return copy;
    mpg_copy_free(copy);
    return NULL;
}

static int end_rank(struct writing *x, struct mpg_copy *copy, bool last, int status)
{
    if (status == 0)
        status = mpg_copy_end(copy, last, x->err);
    mpg_copy_free(copy);
    return status;
}

/* --- pieces of workers --- */

/* Stores the N numbers FROM, each increased by ADDED, in *LIST, and returns *LIST. NULL: out of memory, with ERR. */
static const int64_t *renumber(int64_t **list, uint32_t *capacity, const int64_t *from, uint32_t n, int64_t added,
                               struct mpg_error *err)
{
    if (n > *capacity && mpg_reserve_at(list, sizeof **list, capacity, n, err) < 0)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        (*list)[i] = from[i] + added;
    return *list;
}

/* Renumbers the requests and matched messages of E, an event of worker FROM that moves to another rank. */
static int renumber_event(struct writing *x, int32_t from, struct mpg_event *e)
{
    const int64_t added = MOVED * (from + 1);
    struct renumbered *r = &x->renumbered;
    e->message += e->message > 0 ? added : 0;
    if (e->request_number > 0 &&
        !(e->requests = renumber(&r->requests, &r->requests_capacity, e->requests, e->request_number, added, x->err)))
        return -1;
    if (e->done_number > 0 && !(e->done = renumber(&r->done, &r->done_capacity, e->done, e->done_number, added, x->err)))
        return -1;
    return 0;
}

/* Moves the next N events of worker FROM to worker TO; skips the events if TO is not written. */
static int move_events(struct writing *x, int32_t from, uint64_t n, int32_t to)
{
    struct source *in = &x->source[from];
    struct sink *out = &x->sink[to];
    int more = 1;
    for (uint64_t i = 0; i < n; i++) {
        struct mpg_event e;
        if ((more = mpg_cursor_next(in->cursor, &e, x->err)) <= 0)
            break;
        const int64_t entered_ns = e.enter_ns, traced_ns = e.leave_ns;
        if (out->copy) {
            if (in->left_ns != INT64_MIN && out->left_ns != INT64_MIN)
                e.enter_ns = out->left_ns + (entered_ns - in->left_ns);
            e.leave_ns = e.enter_ns + (traced_ns - entered_ns);
            out->left_ns = e.leave_ns;
            if ((from != to && renumber_event(x, from, &e) < 0) || mpg_copy_event(out->copy, &e, x->err) < 0)
                return -1;
        }
        in->left_ns = traced_ns;
    }
    return more < 0 ? -1 : 0;
}

static int move_pieces(struct writing *x)
{
    const struct mpg_tasks *t = x->t;
    for (int32_t r = 0; r < t->ranks; r++)
        if (t->worker[r].is_worker && move_events(x, r, t->worker[r].before, r) < 0)
            return -1;
    for (uint64_t k = 0; k < t->n; k++) {
        const struct mpg_task *task = &t->task[k];
        if (move_events(x, task->source, task->events, task->is_task ? x->order[k] : task->source) < 0)
            return -1;
    }
    return 0;
}

static int open_sources(struct writing *x)
{
    for (int32_t r = 0; r < x->t->ranks; r++)
        if (x->t->worker[r].is_worker) {
            x->source[r].left_ns = INT64_MIN;
            if (!(x->source[r].cursor = mpg_cursor_open(x->trace, r, x->err)))
                return -1;
        }
    return 0;
}

/* Writes the workers from rank FIRST on, as many as may be open at once. *NEXT: the rank after the last. */
static int write_some(struct writing *x, int32_t first, int32_t *next)
{
    int status = open_sources(x), files = 0;
    int32_t r = first;
    for (; r < x->t->ranks && files < MOST_FILES && status == 0; r++)
        if (x->t->worker[r].is_worker) {
            x->sink[r].left_ns = INT64_MIN;
            status = (x->sink[r].copy = begin_rank(x, r)) ? 0 : -1;
            files++;
        }
    *next = r;
    if (status == 0 && files > 0)
        status = move_pieces(x);
    for (r = 0; r < x->t->ranks; r++) {
        mpg_cursor_close(x->source[r].cursor);
        x->source[r].cursor = NULL;
        if (x->sink[r].copy)
            status = end_rank(x, x->sink[r].copy, false, status);
        x->sink[r].copy = NULL;
    }
    return status;
}

/* --- the master and all other ranks --- */

/* The messages that a worker has sent or will send next. A message is named by the receive that takes the message in the
 * traced run. */
struct line {
    uint64_t *message; /* at most DEPTH of T */
    uint32_t first, n;
    uint32_t finals;   /* number of final receives in this round */
};

struct master {
    uint64_t k;          /* number of the next MPI_ANY_SOURCE receive */
    uint64_t call;       /* number of the next call */
    struct line *line;   /* by world rank */
    uint64_t message;    /* the receive that takes, in the traced run, the messages now taken by receive k - 1 */
    uint32_t taken;      /* number of messages received by receive k - 1 */
    uint32_t replies;    /* number of replies to receive k - 1 not sent yet */
    /* if the master picks, by world rank: request of the posted receive, in the traced and in the written trace; 0: none */
    int64_t *traced, *request;
    int32_t *at_place;   /* by index in the list of receives: the worker */
    int64_t *list, done; /* requests of the current call; the request completed by the call */
};

static void push(const struct mpg_tasks *t, struct line *line, uint64_t message)
{
    line->message[(line->first + line->n++) % t->depth] = message;
}

static uint64_t pop(const struct mpg_tasks *t, struct line *line)
{
    const uint64_t message = line->message[line->first];
    line->first = (line->first + 1) % t->depth;
    line->n--;
    return message;
}

/* Adds to LINE the worker's own messages of a round, from MESSAGE on. */
static void push_own(const struct mpg_tasks *t, struct line *line, uint64_t message)
{
    line->finals = 0;
    for (uint32_t i = 0; i < t->depth && message != MPG_NO_TASK; i++) {
        push(t, line, message);
        message = t->task[message].after;
    }
}

/* Changes E into a receive or probe, from WORKER, of message I of the messages taken by receive MESSAGE in the traced run. */
static void receive(const struct mpg_tasks *t, int32_t worker, uint64_t message, uint32_t i, struct mpg_event *e)
{
    const struct mpg_task_message *m = &t->message[message * t->messages + i];
    e->from = t->worker[worker].in_comm;
    e->tag = m->tag;
    if (mpg_call_kind(e->call) != MPG_KIND_IRECV) /* for an Irecv, bytes is the size of the buffer, which stays */
        e->bytes = m->bytes;
}

/* Begins the step of receive K of M. */
static void begin_step(const struct writing *x, struct master *m)
{
    const struct mpg_tasks *t = x->t;
    const struct mpg_task *task = &t->task[m->k];
    const int32_t worker = x->order[m->k];
    struct line *line = &m->line[worker];
    if (mpg_task_is_void(task)) {
        m->taken = t->messages;
        m->replies = 0;
        m->k++;
        return;
    }
    m->message = pop(t, line);
    m->taken = 0;
    m->replies = task->replies;
    m->k++;
    if (task->is_task)
        push(t, line, task->next);
    else if (++line->finals == t->depth)
        push_own(t, line, t->task[t->final[(size_t)task->round * (size_t)t->ranks + (size_t)worker]].after);
}

/* Returns the world rank from which REQUEST of the trace receives; -1: none. */
static int32_t find_traced(const struct mpg_tasks *t, const struct master *m, int64_t request)
{
    for (int32_t r = 0; r < t->ranks; r++)
        if (m->traced[r] == request)
            return r;
    return -1;
}

/* Sets the requests of E, a completion of the master, to the posted receives; if E BEGINS a step, E completes the receive
 * from the step's source. */
static void pick(const struct writing *x, struct master *m, bool begins, struct mpg_event *e)
{
    const struct mpg_tasks *t = x->t;
    uint32_t n = 0;
    if (e->request_number == 0 || find_traced(t, m, e->requests[0]) < 0)
        return;
    for (int32_t place = 0; place < t->workers; place++) {
        const int64_t request = m->request[m->at_place[place]];
        if (request)
            m->list[n++] = request;
    }
    e->requests = m->list;
    if (!begins)
        return;
    m->traced[t->task[m->k - 1].source] = 0;
    m->done = m->request[x->order[m->k - 1]];
    m->request[x->order[m->k - 1]] = 0;
    if (!e->done_all)
        e->done = &m->done;
}

/* Changes E, a receive posted by the master from a named worker: after a task, from the worker that now gets the task. */
static void post(const struct writing *x, struct master *m, struct mpg_event *e)
{
    const struct mpg_tasks *t = x->t;
    const int32_t source = mpg_task_world(x->trace, e->comm, e->from);
    const struct mpg_task *task = m->k > 0 ? &t->task[m->k - 1] : NULL;
    if (source < 0 || !t->worker[source].is_worker)
        return;
    m->traced[source] = e->requests[0];
    if (!task || !task->is_task) {
        m->request[source] = e->requests[0];
        return;
    }
    const int32_t worker = x->order[m->k - 1];
    m->request[worker] = e->requests[0];
    receive(t, worker, m->line[worker].message[m->line[worker].first], 0, e);
}

/* Changes E, a posted MPI_ANY_SOURCE receive: E gets the message of the next MPI_ANY_SOURCE receive. */
static void post_open(const struct writing *x, const struct master *m, struct mpg_event *e)
{
    const struct mpg_tasks *t = x->t;
    uint64_t k = m->k;
    while (k < t->n && t->task[k].is_named)
        k++;
    if (k == t->n)
        return;
    const struct line *line = &m->line[x->order[k]];
    receive(t, x->order[k], line->message[line->first], 0, e);
}

/* Sets the peer of E, an event of the master, to the new peer. */
static void redirect(const struct writing *x, struct master *m, struct mpg_event *e)
{
    const struct mpg_tasks *t = x->t;
    const enum mpg_kind kind = mpg_call_kind(e->call);
    const bool is_receive = kind == MPG_KIND_RECV || kind == MPG_KIND_MRECV;
    const bool begins = m->k < t->n && m->call == t->task[m->k].call;
    if (begins)
        begin_step(x, m);
    if (begins && kind == MPG_KIND_COMPLETE)
        m->taken = 1;
    if (t->picks && kind == MPG_KIND_COMPLETE)
        pick(x, m, begins, e);
    if (kind == MPG_KIND_IRECV && !e->failed) {
        if (t->picks)
            post(x, m, e);
        else if (mpg_task_leaves_source_open(e))
            post_open(x, m, e);
    } else if (m->k > 0 && m->taken < t->messages && (is_receive || (mpg_call_is_probe(e->call) && e->found))) {
        receive(t, x->order[m->k - 1], m->message, m->taken, e);
        m->taken += is_receive;
    } else if (m->replies > 0 && (kind == MPG_KIND_SEND || kind == MPG_KIND_ISEND) &&
               e->to == t->worker[t->task[m->k - 1].source].in_comm) {
        e->to = t->worker[x->order[m->k - 1]].in_comm;
        m->replies--;
    }
}

static void clear_lines(struct master *m, int32_t ranks)
{
    for (int32_t r = 0; r < ranks && m->line; r++)
        free(m->line[r].message);
    free(m->line);
    free(m->traced);
    free(m->request);
    free(m->at_place);
    free(m->list);
}

/* Allocates and fills the list of receives. */
static int make_list(const struct mpg_tasks *t, struct master *m)
{
    m->traced = calloc((size_t)t->ranks, sizeof *m->traced);
    m->request = calloc((size_t)t->ranks, sizeof *m->request);
    m->at_place = calloc((size_t)t->workers, sizeof *m->at_place);
    m->list = calloc((size_t)t->workers, sizeof *m->list);
    if (!m->traced || !m->request || !m->at_place || !m->list)
        return -1;
    for (int32_t r = 0; r < t->ranks; r++)
        if (t->worker[r].is_worker)
            m->at_place[t->worker[r].place] = r;
    return 0;
}

/* Allocates and fills the lines of the workers. */
static int make_lines(const struct writing *x, struct master *m)
{
    const struct mpg_tasks *t = x->t;
    if (!(m->line = calloc((size_t)t->ranks, sizeof *m->line)))
        return -1;
    for (int32_t r = 0; r < t->ranks; r++) {
        if (!t->worker[r].is_worker)
            continue;
        if (!(m->line[r].message = calloc(t->depth, sizeof *m->line[r].message)))
            return -1;
        push_own(t, &m->line[r], t->worker[r].first);
    }
    return t->picks ? make_list(t, m) : 0;
}

/* Writes RANK, which is not a worker. */
static int write_other(struct writing *x, int32_t rank, bool last)
{
    struct master m = {.k = 0};
    struct mpg_copy *copy = begin_rank(x, rank);
    struct mpg_cursor *c = mpg_cursor_open(x->trace, rank, x->err);
    struct mpg_event e;
    int more = -1, status = copy && c ? 0 : -1;
    if (status == 0 && rank == x->t->master && make_lines(x, &m) < 0)
        status = mpg_error_set(x->err, "out of memory");
    while (status == 0 && (more = mpg_cursor_next(c, &e, x->err)) > 0) {
        if (rank == x->t->master && mpg_event_is_call(&e)) {
            redirect(x, &m, &e);
            m.call++;
        }
        status = mpg_copy_event(copy, &e, x->err);
    }
    mpg_cursor_close(c);
    clear_lines(&m, x->t->ranks);
    return end_rank(x, copy, last, status == 0 && more < 0 ? -1 : status);
}

int mpg_tasks_write(struct mpg_trace *trace, const struct mpg_tasks *t, const int32_t *order, const char *folder,
                    struct mpg_error *err)
{
    struct writing x = {.trace = trace, .t = t, .order = order, .folder = folder, .err = err};
    x.source = calloc((size_t)t->ranks, sizeof *x.source);
    x.sink = calloc((size_t)t->ranks, sizeof *x.sink);
    int status = x.source && x.sink ? 0 : mpg_error_set(err, "out of memory");
    for (int32_t next = 0; status == 0 && next < t->ranks;)
        status = write_some(&x, next, &next);
    for (int32_t r = 0; r < t->ranks && status == 0; r++)
        if (!t->worker[r].is_worker && r != t->master)
            status = write_other(&x, r, false);
    if (status == 0)
        status = write_other(&x, t->master, true); /* the master's file gets the definitions that no other file has */
    free(x.renumbered.requests);
    free(x.renumbered.done);
    free(x.source);
    free(x.sink);
    return status;
}
