/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gets and puts as requests to the owners of windows, which reply (docs/MACHINES.md, One-sided). */
#include <math.h>
#include <stdlib.h>

#include "simulate/events/costs.h"
#include "simulate/events/network.h"

/* Index giving a reply other random draws than the request. */
enum { INDEX_OF_REPLY = 1 << 20 };

int mpg_events_transfers_start(struct replica *rep, const struct mpg_step *s, double at_ns, struct mpg_error *err)
{
    struct rank *r = &rep->rank[s->rank];
    struct transfer *t = mpg_pool_take(&rep->transfers);
    struct request *q = t ? mpg_pool_take(&rep->requests) : NULL;
    if (!q)
        return mpg_error_set(err, "out of memory");
    *t = (struct transfer){.next = r->transfers,
                           .rank = s->rank,
                           .owner = s->transfer->owner,
                           .window = s->window,
                           .requested = s->transfer->requested};
    r->transfers = t;
    *q = (struct request){.from = s->rank,
                          .owner = s->transfer->owner,
                          .back_bytes = s->transfer->get_bytes > 0 ? s->transfer->get_bytes : rep->parameters->request_bytes,
                          .transfer = t};
    q->sending = (struct mpg_sent_message){.rank = s->rank,
                                      .to = s->transfer->owner,
                                      .call = s->number,
                                      .bytes = s->transfer->put_bytes > 0 ? s->transfer->put_bytes
                                                                         : rep->parameters->request_bytes};
    return mpg_events_network_deliver(rep, &q->sending, at_ns, EVENT_REQUEST, (uint32_t)q->owner, q, err);
}

/* The reply to Q. The call that sent Q addresses the reply's random draws. */
static struct mpg_sent_message reply_of(const struct request *q)
{
    struct mpg_sent_message m = q->sending;
    m.index = INDEX_OF_REPLY;
    m.bytes = q->back_bytes;
    return m;
}

double mpg_events_transfers_service_ns(const struct replica *rep, const struct request *q)
{
    const struct mpg_sent_message reply = reply_of(q);
    return mpg_events_receive_overhead_ns(rep, &q->sending) + mpg_events_send_overhead_ns(rep, &reply);
}

int mpg_events_transfers_served(struct replica *rep, struct request *q, struct mpg_error *err)
{
    const struct mpg_sent_message reply = reply_of(q);
    q->transfer->service_ns = mpg_events_receive_overhead_ns(rep, &reply);
    const int status = mpg_events_network_deliver(rep, &reply, rep->now_ns, EVENT_REPLY, (uint32_t)q->from, q->transfer, err);
    mpg_pool_give(&rep->requests, q);
    return status;
}

int mpg_events_transfers_reply(struct replica *rep, struct transfer *t, struct mpg_error *err)
{
    const struct stream *l = stream_of(rep, t->rank);
    t->there = true;
    t->there_ns = rep->now_ns;
    if (t->awaited && --rep->rank[t->rank].awaited > 0)
        return 0;
    return t->awaited && l->state == STREAM_WAITS &&
           !l->left ? mpg_events_replica_schedule(rep, (uint32_t)t->rank, rep->now_ns, err) : 0;
}

/* Whether S, whose call may wait for transfers, waits for T. */
static bool awaits(const struct mpg_step *s, const struct transfer *t)
{
    switch (mpg_call_kind(s->call)) {
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_FREE:
        return t->window == s->window;
    case MPG_KIND_WIN_EPOCH:
        return s->call == MPG_CALL_Win_complete && t->window == s->window;
    case MPG_KIND_WIN_TARGET:
        return s->kind == MPG_STEP_LEAVE && s->call != MPG_CALL_Win_lock && t->window == s->window &&
               (s->transfer->awaits_of < 0 || s->transfer->awaits_of == t->owner);
    case MPG_KIND_WIN_ALL:
        return s->call != MPG_CALL_Win_lock_all && s->call != MPG_CALL_Win_sync && t->window == s->window;
    case MPG_KIND_COMPLETE:
        return s->kind == MPG_STEP_LEAVE && s->round_trip && t->requested;
    default:
        return false;
    }
}

static int compare(const void *a, const void *b)
{
    const struct transfer *const *x = a, *const *y = b;
    return ((*x)->there_ns > (*y)->there_ns) - ((*x)->there_ns < (*y)->there_ns);
}

/* Charges N replies, in order of arrival, from *VALUE_NS on. */
static void take(struct replica *rep, struct transfer **t, size_t n, double *value_ns)
{
    qsort(t, n, sizeof(struct transfer *), compare);
    for (size_t i = 0; i < n; i++) {
        *value_ns = fmax(*value_ns, t[i]->there_ns) + t[i]->service_ns;
        mpg_pool_give(&rep->transfers, t[i]);
    }
}

/* Whether the call of S may wait for transfers. */
static bool may_await(const struct mpg_step *s)
{
    switch (mpg_call_kind(s->call)) {
    case MPG_KIND_WIN_FENCE:
    case MPG_KIND_WIN_FREE:
    case MPG_KIND_WIN_EPOCH:
    case MPG_KIND_WIN_TARGET:
    case MPG_KIND_WIN_ALL:
    case MPG_KIND_COMPLETE:
        return true;
    default:
        return false;
    }
}

size_t mpg_events_transfers_awaited(const struct replica *rep, const struct mpg_step *s, int32_t rank, bool *missing)
{
    struct rank *r = &rep->rank[rank];
    size_t n = 0;
    *missing = r->awaited > 0;
    if (*missing || !r->transfers || (s && !may_await(s)))
        return *missing;
    for (struct transfer *t = r->transfers; t; t = t->next) {
        if (s && !awaits(s, t))
            continue;
        n++;
        t->awaited = !t->there;
        r->awaited += t->awaited;
    }
    *missing = r->awaited > 0;
    return n;
}

int mpg_events_transfers_take(struct replica *rep, const struct mpg_step *s, int32_t rank, size_t n, double *value_ns,
                              struct mpg_error *err)
{
    struct transfer **all = malloc(n * sizeof(struct transfer *));
    size_t k = 0;
    if (!all)
        return mpg_error_set(err, "out of memory");
    for (struct transfer **t = &rep->rank[rank].transfers; *t;) {
        if (s && !awaits(s, *t)) {
            t = &(*t)->next;
            continue;
        }
        all[k++] = *t;
        *t = (*t)->next;
    }
    take(rep, all, k, value_ns);
    free(all);
    return 0;
}
