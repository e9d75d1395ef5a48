/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Service of requests of other ranks by policies (Shanmugam, Malony, Mohr 1995, 3.3.1; docs/MACHINES.md). */
#include <math.h>

#include "simulate/evaluate/vectors.h"
#include "simulate/events/costs.h"
#include "simulate/events/network.h"

static enum mpg_policy policy_of(const struct replica *rep)
{
    return rep->parameters->policy;
}

/* Draws parameter WHICH for RANK's work before call NUMBER, or for a request of call NUMBER. */
static double draw(const struct replica *rep, int32_t rank, uint64_t number, enum mpg_parameter which)
{
    return mpg_events_draw_ns(rep, which, (struct mpg_address){.call = number, .rank = rank, .purpose = MPG_DRAW_CALL});
}

/* --- requests --- */

/* Service time of a synchronous message's request: the reply, of 0 bytes, permits the transfer of the message's bytes. */
static double match_ns(const struct replica *rep, const struct request *q)
{
    struct mpg_sent_message reply = q->sending;
    reply.index += 1u << 20;
    reply.bytes = 0;
    return mpg_events_receive_overhead_ns(rep, &q->sending) + mpg_events_send_overhead_ns(rep, &reply);
}

static bool may_serve(struct replica *rep, int32_t rank)
{
    const struct rank *r = &rep->rank[rank];
    const struct stream *l = stream_of(rep, rank);
    switch (l->state) {
    case STREAM_WAITS:
        return !l->over;
    case STREAM_DONE:
        return true;
    case STREAM_WORKS:
        return policy_of(rep) == MPG_POLICY_INTERRUPT ? rep->now_ns < l->due_ns : policy_of(rep) == MPG_POLICY_POLL && r->looks;
    default:
        return false;
    }
}

int mpg_events_serve_next(struct replica *rep, int32_t rank, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    struct stream *l = stream_of(rep, rank);
    struct request *q = r->first;
    bool has = true;
    if (!q || r->current || !may_serve(rep, rank))
        return 0;
    if (rep->shares && mpg_events_share_take(rep, rank, &has, err) < 0)
        return -1;
    if (!has)
        return 0;
    const bool works = l->state == STREAM_WORKS;
    const double begin_ns = works ? rep->now_ns : fmax(rep->now_ns, r->free_ns);
    double service_ns = q->node ? match_ns(rep, q) : mpg_events_transfers_service_ns(rep, q);
    if (works && policy_of(rep) == MPG_POLICY_INTERRUPT)
        service_ns += draw(rep, q->from, q->sending.call, MPG_INTERRUPT);
    r->first = q->next;
    if (!r->first)
        r->last = &r->first;
    r->current = q;
    r->requests++;
    r->served_ns += service_ns;
    r->use[USE_SERVICE] += service_ns;
    if (works && mpg_events_replica_schedule(rep, (uint32_t)rank, l->due_ns + service_ns, err) < 0)
        return -1;
    return mpg_events_push(&rep->heap, (struct event){.at_ns = begin_ns + service_ns, .kind = EVENT_SERVED, .id = (uint32_t)rank},
                           err);
}

/* The sender of Q's message begins the transfer of the bytes. */
static int grant_transfer(struct replica *rep, struct request *q, struct mpg_error *err)
{
    struct node *node = q->node;
    const uint32_t slot = node->step->slot;
    const struct mpg_sent_message m = sending_of(&node->step->origin, node->step->bytes);
    double tau_ns;
    const double flight_ns = mpg_events_flight_ns(rep, &m, &tau_ns);
    *mpg_times_slot(rep->times, slot, MPG_SLOT_BEGIN) += rep->now_ns - *mpg_times_slot(rep->times, slot, MPG_SLOT_MET);
    *mpg_times_slot(rep->times, slot, MPG_SLOT_MET) = rep->now_ns;
    *mpg_times_slot(rep->times, slot, MPG_SLOT_TIME) = rep->now_ns + flight_ns + mpg_events_receive_overhead_ns(rep, &m);
    mpg_pool_give(&rep->requests, q);
    return mpg_events_network_send_node(rep, node, err);
}

/* Schedules the first check of RANK's work from now on. */
static int plan_check(struct replica *rep, int32_t rank, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    const struct stream *l = stream_of(rep, rank);
    const double each_ns = rep->parameters->poll_interval_ns + r->poll_ns;
    const double since_ns = rep->now_ns - r->begin_ns - r->served_ns;
    const double n = ceil(r->work_ns / rep->parameters->poll_interval_ns);
    const double k = fmax(ceil(since_ns / each_ns - 1e-12), 1);
    if (!r->first || r->checks || r->looks || r->work_ns <= 0) /* work of length 0 has no check */
        return 0;
    r->checks = true;
    return mpg_events_push(&rep->heap,
                           (struct event){.at_ns = fmax(k < n ? r->begin_ns + r->served_ns + k * each_ns : l->due_ns,
                                                         rep->now_ns),
                                          .kind = EVENT_CHECK,
                                          .id = (uint32_t)rank,
                                          .turn = r->works},
                           err);
}

int mpg_events_serve_check(struct replica *rep, int32_t rank, uint64_t work, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    if (work != r->works || stream_of(rep, rank)->state != STREAM_WORKS)
        return 0;
    r->checks = false;
    r->looks = true;
    return mpg_events_serve_next(rep, rank, err);
}

int mpg_events_serve_request(struct replica *rep, struct request *q, struct mpg_error *err)
{
    struct rank *r = &rep->rank[q->owner];
    q->next = NULL;
    *r->last = q;
    r->last = &q->next;
    if (stream_of(rep, q->owner)->state == STREAM_WORKS && policy_of(rep) == MPG_POLICY_POLL)
        return plan_check(rep, q->owner, err);
    return mpg_events_serve_next(rep, q->owner, err);
}

int mpg_events_serve_done(struct replica *rep, int32_t rank, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    struct stream *l = stream_of(rep, rank);
    struct request *q = r->current;
    r->current = NULL;
    r->free_ns = rep->now_ns;
    if ((q->node ? grant_transfer(rep, q, err) : mpg_events_transfers_served(rep, q, err)) < 0)
        return -1;
    if (l->state == STREAM_WAITS && l->over)
        return mpg_events_replica_schedule(rep, (uint32_t)rank, rep->now_ns, err);
    if (mpg_events_serve_next(rep, rank, err) < 0)
        return -1;
    if (r->current)
        return 0;
    r->looks = false;
    const bool idles = l->state == STREAM_WAITS || l->state == STREAM_DONE;
    return rep->shares && idles && r->holds ? mpg_events_share_release(rep, rank, err) : 0;
}

int mpg_events_serve_match(struct replica *rep, struct node *node, struct mpg_error *err)
{
    const struct mpg_step *s = node->step;
    struct mpg_sent_message m = sending_of(&s->origin, rep->parameters->request_bytes);
    double tau_ns;
    struct request *q = mpg_pool_take(&rep->requests);
    if (!q)
        return mpg_error_set(err, "out of memory");
    *q = (struct request){.from = s->rank, .owner = s->receiver, .sending = m, .node = node};
    const double left_ns = *mpg_times_slot(rep->times, s->a, MPG_SLOT_TIME) + mpg_events_send_overhead_ns(rep, &m);
    const double there_ns = left_ns + mpg_events_flight_ns(rep, &m, &tau_ns);
    const double posted_ns = *mpg_times_slot(rep->times, s->b, MPG_SLOT_TIME);
    return mpg_events_push(
        &rep->heap,
        (struct event){
            .at_ns = fmax(fmax(there_ns, posted_ns), rep->now_ns), .kind = EVENT_REQUEST, .id = (uint32_t)q->owner, .what = q},
        err);
}

/* --- work --- */

int mpg_events_serve_resume(struct replica *rep, int32_t rank, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    const double quantum_ns = rep->shares ? rep->parameters->quantum_ns : 0;
    const double slice_ns = quantum_ns > 0 ? fmin(r->left_ns, quantum_ns) : r->left_ns;
    r->left_ns -= slice_ns;
    stream_of(rep, rank)->state = STREAM_WORKS;
    return mpg_events_replica_schedule(rep, (uint32_t)rank, rep->now_ns + slice_ns, err);
}

int mpg_events_serve_work(struct replica *rep, int32_t rank, const struct mpg_step *s, double work_ns, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    const bool polls = policy_of(rep) == MPG_POLICY_POLL;
    double checks_ns = 0;
    r->works++;
    r->begin_ns = rep->now_ns;
    r->work_ns = work_ns;
    r->served_ns = 0;
    r->checks = r->looks = false;
    if (polls) {
        r->poll_ns = draw(rep, rank, s->number, MPG_POLL);
        checks_ns = ceil(work_ns / rep->parameters->poll_interval_ns) * r->poll_ns;
        r->use[USE_SERVICE] += checks_ns;
    }
    r->left_ns = work_ns + checks_ns;
    if (mpg_events_serve_resume(rep, rank, err) < 0)
        return -1;
    return polls && work_ns > 0 ? plan_check(rep, rank, err) : mpg_events_serve_next(rep, rank, err);
}

int mpg_events_serve_slice(struct replica *rep, int32_t rank, bool *done, struct mpg_error *err)
{
    struct rank *r = &rep->rank[rank];
    struct processor *p = rep->shares ? mpg_events_share_processor(rep, rank) : NULL;
    double end_ns;
    bool has;
    if (p && p->rounds > 0)
        mpg_events_turns_end(rep, p);
    *done = r->left_ns <= 0;
    if (*done)
        return 0;
    if (p && mpg_events_turns_begin(rep, p, &end_ns))
        return mpg_events_replica_schedule(rep, (uint32_t)rank, end_ns, err);
    if (!mpg_events_share_wanted(rep, rank))
        return mpg_events_serve_resume(rep, rank, err);
    stream_of(rep, rank)->state = STREAM_READY;
    if (mpg_events_share_release(rep, rank, err) < 0 || mpg_events_share_take(rep, rank, &has, err) < 0)
        return -1;
    return has ? mpg_events_serve_resume(rep, rank, err) : 0;
}
