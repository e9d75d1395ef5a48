/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/tasks/survey.h"

#include <stdlib.h>
#include <string.h>

bool mpg_task_is_local(const struct mpg_event *e)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    return kind <= MPG_KIND_REGION_END || kind == MPG_KIND_OTHER || kind == MPG_KIND_PCONTROL || e->sum.calls > 0;
}

bool mpg_task_is_receive(const struct mpg_event *e, int32_t *from)
{
    *from = e->from;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_RECV:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_IRECV:
    case MPG_KIND_MRECV:
    case MPG_KIND_IMRECV:
    case MPG_KIND_ISENDRECV:
        return !e->failed && e->from >= 0 && e->cancelled_number == 0;
    default:
        return false;
    }
}

bool mpg_task_is_send(const struct mpg_event *e)
{
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_SEND:
    case MPG_KIND_SENDRECV:
    case MPG_KIND_ISEND:
    case MPG_KIND_ISENDRECV:
        return !e->failed && e->to >= 0;
    default:
        return false;
    }
}

bool mpg_task_leaves_source_open(const struct mpg_event *e)
{
    int32_t from;
    if (e->failed || !(e->any & MPG_ANY_SOURCE))
        return false;
    return mpg_task_is_receive(e, &from) || (mpg_call_is_probe(e->call) && e->found) ||
           mpg_call_kind(e->call) == MPG_KIND_RECV_INIT;
}

bool mpg_task_finds_nothing(const struct mpg_event *e)
{
    return mpg_call_is_probe(e->call) ? !e->found :
           mpg_call_kind(e->call) == MPG_KIND_COMPLETE && !e->done_all && e->done_number == 0;
}

const int64_t *mpg_task_done(const struct mpg_event *e, uint32_t *n)
{
    *n = e->done_all ? e->request_number : e->done_number;
    return e->done_all ? e->requests : e->done;
}

int32_t mpg_task_world(const struct mpg_trace *trace, int32_t comm, int32_t rank)
{
    const struct mpg_comm *c = comm >= 0 ? mpg_trace_comm(trace, comm) : NULL;
    return c && c->remote_size == 0 && rank >= 0 && rank < c->size ? c->world_ranks[rank] : -1;
}

int mpg_task_survey_new(struct mpg_task_survey *x, struct mpg_trace *trace, double *computation_ns)
{
    const size_t ranks = (size_t)mpg_trace_ranks(trace);
    *x = (struct mpg_task_survey){.trace = trace, .ranks = (int32_t)ranks, .computation_ns = computation_ns};
    x->open.partner = calloc(ranks, sizeof *x->open.partner);
    x->pick.partner = calloc(ranks, sizeof *x->pick.partner);
    x->max.partner = calloc(ranks, sizeof *x->max.partner);
    return x->open.partner && x->pick.partner && x->max.partner ? 0 : -1;
}

void mpg_task_survey_clear(struct mpg_task_survey *x)
{
    free(x->open.partner);
    free(x->pick.partner);
    free(x->max.partner);
}

void mpg_task_survey_begin(struct mpg_task_survey *x, int32_t rank)
{
    x->left_ns = INT64_MIN;
    x->pick.rank = rank;
    x->pick.n = 0;
    memset(x->pick.partner, 0, (size_t)x->ranks * sizeof *x->pick.partner);
}

/* Returns true if E, a call that chooses among requests by completion, has completed a request. */
static bool picks(const struct mpg_event *e)
{
    switch (mpg_call_plain(e->call)) {
    case MPG_CALL_Waitany:
    case MPG_CALL_Waitsome:
    case MPG_CALL_Testany:
    case MPG_CALL_Testsome:
        return !e->failed && (e->done_all || e->done_number > 0);
    default:
        return false;
    }
}

static void note(struct mpg_task_chooser *c, uint64_t number, const struct mpg_event *e)
{
    if (c->n++ == 0)
        c->first = mpg_task_place_of(number, e);
}

static void take_open(struct mpg_task_survey *x, uint64_t number, const struct mpg_event *e)
{
    const int32_t source = mpg_task_world(x->trace, e->comm, e->from);
    if (x->open.n == 0 || x->open.rank != x->pick.rank)
        x->open_ranks++; /* counts every call of later ranks, because only 0, 1 and more matter */
    if (x->open.n == 0)
        x->open.rank = x->pick.rank;
    if (x->open.rank != x->pick.rank)
        return;
    note(&x->open, number, e);
    if (source >= 0 && source != x->open.rank)
        x->open.partner[source] = true;
}

void mpg_task_survey_take(struct mpg_task_survey *x, uint64_t number, const struct mpg_event *e)
{
    if (mpg_task_is_local(e))
        return;
    if (x->left_ns != INT64_MIN && e->enter_ns > x->left_ns)
        x->computation_ns[x->pick.rank] += (double)(e->enter_ns - x->left_ns);
    x->left_ns = e->leave_ns;
    if (mpg_task_leaves_source_open(e))
        take_open(x, number, e);
    if (picks(e))
        note(&x->pick, number, e);
    const int32_t to = mpg_task_is_send(e) ? mpg_task_world(x->trace, e->comm, e->to) : -1;
    if (to >= 0 && to != x->pick.rank)
        x->pick.partner[to] = true;
}

void mpg_task_survey_end(struct mpg_task_survey *x)
{
    if (x->pick.n <= x->max.n)
        return;
    const struct mpg_task_chooser last = x->max;
    x->max = x->pick;
    x->pick = last;
}

const struct mpg_task_chooser *mpg_task_survey_master(const struct mpg_task_survey *x)
{
    if (x->open_ranks > 0)
        return x->open_ranks == 1 ? &x->open : NULL;
    return x->max.n > 0 ? &x->max : NULL;
}
