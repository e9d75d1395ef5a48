/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace whose tasks have other workers. The pieces are read in the order of the master's receives, from all workers side
 * by side, and go to the files of their new workers. */
#include "simulate/tasks/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "trace/copy/copy.h"

/* Workers whose files are open at once: some MiB each. */
enum { MOST_FILES = 64 };

/* A worker as it was traced. */
struct source {
    struct mpg_cursor *cursor;
    int64_t left_ns; /* leave of the last event that was read; INT64_MIN: none was */
};

/* A worker as it is written. */
struct sink {
    struct mpg_copy *copy; /* NULL: not written in this pass */
    int64_t left_ns;
};

struct writing {
    struct mpg_trace *trace;
    const struct mpg_tasks *t;
    const int32_t *order;
    const char *folder;
    struct source *source; /* by world rank */
    struct sink *sink;
    struct mpg_error *err;
};

/* Facts about clocks are not true of the new trace; deaths come last, from the reader. */
static bool is_kept(const char *key)
{
    return strcmp(key, "clock") != 0 && strcmp(key, "clocks") != 0 && strcmp(key, "died") != 0;
}

/* Returns a copy that has the facts of RANK; NULL with the error. */
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

/* Moves the next N events of worker FROM to worker TO, or skips them if TO is not written. */
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
            if (mpg_copy_event(out->copy, &e, x->err) < 0)
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

/* Writes the workers from rank FIRST on, as many as may be open. *NEXT: the rank after them. */
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

struct master {
    uint64_t k;        /* the next receive from any source */
    uint64_t call;     /* number of the next call */
    uint64_t *pending; /* by world rank: the receive of the traced run that takes the worker's next message */
    uint64_t message;  /* the receive of the traced run that takes the message of receive k - 1 */
    bool probed;       /* the next call receives this message */
    bool answers;      /* the next send is the reply to receive k - 1 */
};

/* Makes E find or receive the message of M. */
static void receive(const struct writing *x, const struct master *m, struct mpg_event *e)
{
    const struct mpg_task *message = &x->t->task[m->message];
    e->from = x->t->worker[x->order[m->k - 1]].in_comm;
    e->tag = message->tag;
    e->bytes = message->bytes;
}

/* Gives E, an event of the master, its new peer. */
static void redirect(const struct writing *x, struct master *m, struct mpg_event *e)
{
    const struct mpg_tasks *t = x->t;
    const bool is_call = mpg_event_is_call(e);
    if (is_call && m->k < t->n && m->call == t->task[m->k].call) {
        const int32_t worker = x->order[m->k];
        const struct mpg_task *task = &t->task[m->k];
        const uint64_t piece = task->is_task ? m->k : t->final[(size_t)task->round * (size_t)t->ranks + (size_t)worker];
        m->message = m->pending[worker];
        m->pending[worker] = t->task[piece].next;
        m->answers = task->replies;
        m->probed = task->probes;
        m->k++;
        receive(x, m, e);
    } else if (m->probed && mpg_call_kind(e->call) == MPG_KIND_RECV) {
        m->probed = false;
        receive(x, m, e);
    } else if (m->answers && mpg_call_kind(e->call) == MPG_KIND_SEND) {
        e->to = t->worker[x->order[m->k - 1]].in_comm;
        m->answers = false;
    }
    m->call += is_call;
}

/* Writes RANK, which is no worker. */
static int write_other(struct writing *x, int32_t rank, bool last)
{
    struct master m = {.pending = calloc((size_t)x->t->ranks, sizeof *m.pending)};
    struct mpg_copy *copy = begin_rank(x, rank);
    struct mpg_cursor *c = mpg_cursor_open(x->trace, rank, x->err);
    struct mpg_event e;
    int more = -1, status = copy && c ? 0 : -1;
    if (!m.pending && status == 0)
        status = mpg_error_set(x->err, "out of memory");
    for (int32_t r = 0; r < x->t->ranks && m.pending; r++)
        m.pending[r] = x->t->worker[r].first;
    while (status == 0 && (more = mpg_cursor_next(c, &e, x->err)) > 0) {
        if (rank == x->t->master)
            redirect(x, &m, &e);
        status = mpg_copy_event(copy, &e, x->err);
    }
    mpg_cursor_close(c);
    free(m.pending);
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
        status = write_other(&x, t->master, true); /* the definitions that no other file has */
    free(x.source);
    free(x.sink);
    return status;
}
