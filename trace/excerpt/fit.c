/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits events at the edges of an excerpt. */
#include "trace/excerpt/fit.h"

#include <stdlib.h>

#include "common/reserve.h"

void mpg_fitted_lists_clear(struct mpg_fitted_lists *lists)
{
    free(lists->requests);
    free(lists->persistent);
    free(lists->done);
    free(lists->cancelled);
}

/* Makes E a failed call, which keeps the times of E and has no partner. */
static void make_local(struct mpg_event *e)
{
    *e = (struct mpg_event){.enter_ns = e->enter_ns, .leave_ns = e->leave_ns, .call = e->call, .thread = e->thread,
                            .site = e->site, .comm = MPG_NO_COMM, .newcomm = MPG_NO_COMM, .object = MPG_NO_OBJECT,
                            .failed = true, .value_number = e->value_number, .values = e->values,
                            .off_before_ns = e->off_before_ns, .off_in_ns = e->off_in_ns};
}

static int note_requests(struct mpg_open *open, const struct mpg_event *e, enum mpg_origin origin, struct mpg_error *err)
{
    for (uint32_t i = 0; i < e->request_number; i++)
        if (mpg_open_note_request(open, e->requests[i], origin, err) < 0)
            return -1;
    return 0;
}

/* Marks E as local; the requests of E are left out. */
static int leave_out(struct mpg_open *open, struct mpg_event *e, struct mpg_error *err)
{
    if (mpg_kind_makes_requests(mpg_call_kind(e->call)) && note_requests(open, e, MPG_ORIGIN_LEFT_OUT, err) < 0)
        return -1;
    make_local(e);
    return 0;
}

/* Returns whether OPERATION, the rank's next in the sequence or channel, has all partners in the excerpt. */
static bool is_whole(struct mpg_crossings *c, const struct mpg_operation *operation, bool is_before)
{
    if (operation->kind == MPG_OPERATION_MEET)
        return mpg_meeting_is_whole(&c->meetings[operation->where], operation->number);
    if (operation->kind == MPG_OPERATION_NEVER)
        return false;
    struct mpg_channel *channel = &c->channels[operation->where];
    const bool sends = operation->kind == MPG_OPERATION_SEND;
    struct mpg_channel_end *end = sends ? &channel->sends : &channel->receives;
    const bool whole = !is_before && mpg_channel_is_whole(end, sends ? &channel->receives : &channel->sends);
    end->met += !is_before && operation->kind != MPG_OPERATION_PEEK;
    return whole;
}

static bool is_in(const int64_t *list, uint32_t n, int64_t number)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == number)
            return true;
    return false;
}

/* --- calls that start several requests --- */

/* Returns the operation of item I in O's list, after *NEXT, which is advanced; NULL: the item has none. */
static const struct mpg_operation *operation_of(const struct mpg_operations *o, uint32_t i, uint32_t *next)
{
    return *next < o->n && o->list[*next].item == i ? &o->list[(*next)++] : NULL;
}

/* Removes the starts without partner from E. */
static int fit_start(struct mpg_crossings *c, const struct mpg_operations *o, bool is_before, struct mpg_open *open,
                     struct mpg_fitted_lists *lists, struct mpg_event *e, struct mpg_error *err)
{
    uint32_t n = 0, next = 0;
    if (mpg_reserve_at(&lists->requests, sizeof *lists->requests, &lists->requests_capacity, e->request_number, err) < 0 ||
        mpg_reserve_at(&lists->persistent, sizeof *lists->persistent, &lists->persistent_capacity, e->request_number, err) < 0)
        return -1;
    for (uint32_t i = 0; i < e->request_number; i++) {
        const struct mpg_operation *operation = operation_of(o, i, &next);
        /* Without an operation: MPI_PROC_NULL, a process of another job, or a cancelled message. */
        const bool stays = operation ? is_whole(c, operation, is_before)
                                     : !is_in(e->cancelled, e->cancelled_number, e->requests[i]);
        if (mpg_open_note_request(open, e->requests[i], stays ? MPG_ORIGIN_INSIDE : MPG_ORIGIN_LEFT_OUT, err) < 0)
            return -1;
        lists->requests[n] = e->requests[i];
        lists->persistent[n] = e->persistent[i];
        n += stays;
    }
    e->requests = lists->requests;
    e->persistent = lists->persistent;
    e->request_number = n;
    if (n == 0)
        make_local(e);
    return 0;
}

/* --- calls about requests --- */

/* Stores in *LIST the requests of FROM made in the excerpt, and points *TO at *LIST. *N: number of requests. */
static int filter(const struct mpg_open *open, const int64_t *from, uint32_t *n, int64_t **list, uint32_t *capacity,
                  const int64_t **to, struct mpg_error *err)
{
    uint32_t kept = 0;
    if (*n == 0)
        return 0;
    if (mpg_reserve_at(list, sizeof **list, capacity, *n, err) < 0)
        return -1;
    for (uint32_t i = 0; i < *n; i++)
        if (mpg_open_request(open, from[i]) == MPG_ORIGIN_INSIDE)
            (*list)[kept++] = from[i];
    *n = kept;
    *to = *list;
    return 0;
}

/* Removes requests made outside the excerpt from E, a call completing requests. */
static int fit_completion(struct mpg_open *open, struct mpg_fitted_lists *l, struct mpg_event *e, struct mpg_error *err)
{
    const struct mpg_event all = *e;
    if (filter(open, all.requests, &e->request_number, &l->requests, &l->requests_capacity, &e->requests, err) < 0 ||
        filter(open, all.done, &e->done_number, &l->done, &l->done_capacity, &e->done, err) < 0 ||
        filter(open, all.cancelled, &e->cancelled_number, &l->cancelled, &l->cancelled_capacity, &e->cancelled, err) < 0)
        return -1;
    return mpg_open_note(open, &all, MPG_ORIGIN_INSIDE, err);
}

/* E is about one request: marks E as local if the request was not made in the excerpt. */
static int fit_about_request(struct mpg_open *open, struct mpg_event *e, struct mpg_error *err)
{
    const struct mpg_event all = *e;
    if (e->request_number > 0 && mpg_open_request(open, e->requests[0]) != MPG_ORIGIN_INSIDE)
        make_local(e);
    return mpg_open_note(open, &all, MPG_ORIGIN_INSIDE, err);
}

/* --- messages --- */

/* The receive half of E, which no message in the excerpt meets, becomes a receive from MPI_PROC_NULL. */
static void drop_receive(struct mpg_event *e)
{
    e->from = MPG_PROC_NULL;
    e->any = 0;
    if (e->tag == MPG_UNKNOWN)
        e->tag = 0;
    if (e->recvtag == MPG_UNKNOWN)
        e->recvtag = 0;
}

/* A receive of a matched message whose probe is not in the excerpt, or found nothing in the excerpt, receives nothing. */
static void fit_matched_receive(struct mpg_open *open, struct mpg_event *e)
{
    const struct mpg_kept_call *probe = mpg_open_matched(open, e->message);
    if (e->message == 0 || (probe && probe->origin == MPG_ORIGIN_INSIDE))
        return;
    e->message = 0;
    drop_receive(e);
}

static int fit_messages(struct mpg_crossings *c, const struct mpg_operations *o, bool are_before, struct mpg_open *open,
                        struct mpg_event *e, struct mpg_error *err)
{
    const enum mpg_kind kind = mpg_call_kind(e->call);
    enum mpg_origin origin = MPG_ORIGIN_INSIDE;
    struct mpg_event all = *e;
    for (uint32_t i = 0; i < o->n; i++) {
        if (is_whole(c, &o->list[i], are_before))
            continue;
        if (o->list[i].kind == MPG_OPERATION_MEET)
            return leave_out(open, e, err);
        if (o->list[i].kind == MPG_OPERATION_SEND) {
            e->to = MPG_PROC_NULL;
            continue;
        }
        drop_receive(e);
        origin = MPG_ORIGIN_LEFT_OUT;
        if (kind == MPG_KIND_MPROBE)
            e->message = 0;
    }
    if (e->cancelled_number > 0)
        return leave_out(open, e, err);
    if (kind == MPG_KIND_MRECV || kind == MPG_KIND_IMRECV)
        fit_matched_receive(open, e);
    if ((kind == MPG_KIND_IRECV || kind == MPG_KIND_ISENDRECV) &&
        (e->from == MPG_UNKNOWN || (e->any && (e->tag == MPG_UNKNOWN || e->recvtag == MPG_UNKNOWN))))
        drop_receive(e);
    if (mpg_kind_makes_requests(kind) && note_requests(open, e, MPG_ORIGIN_INSIDE, err) < 0)
        return -1;
    return mpg_open_note(open, &all, origin, err);
}

int mpg_excerpt_fit(struct mpg_crossings *crossings, const struct mpg_operations *o, bool are_before, struct mpg_open *open,
                    struct mpg_fitted_lists *lists, struct mpg_event *e, struct mpg_error *err)
{
    if (e->failed)
        return 0;
    switch (mpg_call_kind(e->call)) {
    case MPG_KIND_COMPLETE:
        return fit_completion(open, lists, e, err);
    case MPG_KIND_START:
        return fit_start(crossings, o, are_before, open, lists, e, err);
    case MPG_KIND_PREADY:
    case MPG_KIND_PARRIVED:
    case MPG_KIND_CANCEL:
    case MPG_KIND_REQUEST_FREE:
        return fit_about_request(open, e, err);
    default:
        return fit_messages(crossings, o, are_before, open, e, err);
    }
}
