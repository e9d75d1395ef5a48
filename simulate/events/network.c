/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/network.h"

#include <math.h>
#include <stdlib.h>

#include "common/pool.h"
#include "simulate/evaluate/vectors.h"
#include "simulate/events/collective.h"
#include "simulate/events/costs.h"
#include "simulate/events/flows.h"
#include "simulate/events/opposite.h"

/* A message with contention or sharing, until the DELIVER or FLOW event. The arrival makes a value known (BATCH), makes the value
 * of a synchronous message known (NODE), is reported to a collective (LETTER), or becomes an event (KIND, ID, WHAT). */
struct flight {
    struct opposing opposing; /* of a message with OPPOSES set */
    bool synchronous;
    bool asks;                /* the receiver asks for the bytes, by a request, possibly after other bytes */
    bool opposes;             /* the message waits for opposite messages of the two ranks, and opposite messages wait for this
                               * message */
    bool queued;              /* the request has waited in the queue of the port */
    bool sent;                /* the sender of a synchronous message is done */
    double part;              /* part of the bytes of a synchronous message after which the sender is done */
    double latency_ns;        /* latency of a message with ASKS set */
    double asked_ns;          /* when the message entered the network, or the receiver asks for the bytes */
    double begin_ns;          /* when the bytes begin */
    int32_t from, to;     /* ranks */
    double bytes;
    double tau_ns;        /* transfer time of the bytes */
    double longer_ns;     /* minimum extra time of the flow */
    double at_ns;         /* arrival without contention and sharing, o_r included */
    double service_ns;    /* o_r, after the network */
    uint32_t slot;        /* slot of the value */
    struct kept_batch *batch; /* batch of the slot's value: while kept, no new value reuses the slot */
    struct node *node;
    struct letter *letter;
    enum event_kind kind;
    uint32_t id;
    void *what;
};

struct network {
    const struct mpg_parameters *parameters;
    const struct mpg_processors *processors;
    const struct mpg_capacities *capacities;
    struct mpg_pool flights;
    double in_flight;    /* messages between INJECT and DELIVER */
    struct flows *flows; /* messages between INJECT and FLOW; NULL: nothing is shared */
    uint64_t *begun;     /* for each rank: number of messages with begun bytes */
    struct opposites opposites; /* messages between INJECT and FLOW, waiting for each other */
    bool settles;        /* rates change after the messages entering the network now */
    double end_ns;       /* when the first flows end, or the first bucket is empty; INFINITY: never, or rates will change */
};

struct network *mpg_events_network_new(const struct mpg_parameters *p, const struct mpg_processors *processors,
                                       const struct mpg_capacities *capacities, struct mpg_error *err)
{
    struct network *n = malloc(sizeof *n);
    if (!n) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *n = (struct network){.parameters = p,
                          .processors = processors,
                          .capacities = capacities,
                          .flights.size = sizeof(struct flight),
                          .end_ns = INFINITY};
    if (!capacities)
        return n;
    n->begun = calloc((size_t)processors->ranks, sizeof *n->begun);
    if (!n->begun)
        mpg_error_set(err, "out of memory");
    if (n->begun && (n->flows = mpg_flows_new(capacities, err)))
        return n;
    free(n->begun);
    free(n);
    return NULL;
}

void mpg_events_network_free(struct network *n)
{
    if (!n)
        return;
    mpg_flows_free(n->flows);
    free(n->begun);
    mpg_opposites_clear(&n->opposites);
    mpg_pool_clear(&n->flights);
    free(n);
}

/* Whether messages between ranks A and B contend (the processors are of different clusters) or share (a crossed resource has a
 * capacity). */
static bool contend(const struct network *n, int32_t a, int32_t b)
{
    const struct mpg_processors *p = n->processors;
    if (n->capacities)
        return mpg_capacities_between(n->capacities, a, b);
    return n->parameters->contention > 0 && p->of[a] != p->of[b] && !mpg_processors_near(p, a, b);
}

/* The delay of F by the messages in flight. */
static double delay_ns(const struct network *n, const struct flight *f)
{
    return f->tau_ns * n->parameters->contention * n->in_flight / n->processors->links;
}

static int arrive(struct replica *rep, struct flight *f, double delay_ns, struct mpg_error *err)
{
    const double at_ns = f->at_ns + delay_ns;
    if (f->letter)
        return mpg_events_collective_arrive(rep, f->letter, delay_ns, err);
    if (f->batch) {
        *mpg_times_slot(rep->times, f->slot, MPG_SLOT_TIME) = at_ns;
        *mpg_times_slot(rep->times, f->slot, MPG_SLOT_ENVELOPE) = at_ns;
        mpg_events_program_give_back(&rep->program, f->batch);
        return mpg_events_replica_set_known(rep, f->slot, err);
    }
    if (f->node) {
        *mpg_times_slot(rep->times, f->node->step->slot, MPG_SLOT_TIME) = at_ns;
        if (rep->network->flows && !f->sent) /* the send is done later, too */
            *mpg_times_slot(rep->times, f->node->step->slot, MPG_SLOT_BEGIN) += delay_ns;
        return mpg_events_replica_node_known(rep, f->node, err);
    }
    return mpg_events_push(&rep->heap, (struct event){.at_ns = at_ns, .kind = f->kind, .id = f->id, .what = f->what}, err);
}

/* --- sharing --- */

/* The sender of F, a synchronous message, is done, DELAY_NS later than without sharing. */
static int end_send(struct replica *rep, struct flight *f, double delay_ns, struct mpg_error *err)
{
    f->sent = true;
    if (f->letter)
        return mpg_events_collective_sent(rep, f->letter, delay_ns, err);
    const uint32_t slot = f->node->step->slot;
    *mpg_times_slot(rep->times, slot, MPG_SLOT_BEGIN) += delay_ns;
    return mpg_events_program_set_known(&rep->program, &rep->program.slot[slot].left, &rep->calls, err);
}

/* A bucket lets bytes pass at any rate, but a flow of time 0 would find no bucket. */
static const double FASTEST_NS = 1;

/* Draws the weight of F, whose bytes begin now. */
static double weight_of(struct replica *rep, const struct flight *f)
{
    const struct mpg_leads *leads = &rep->capacities->leads[mpg_first_resource(rep->capacities, f->from, f->to)];
    if (leads->n == 0)
        return 1;
    const struct mpg_address at = {.seed = rep->target->noise->seed, .call = rep->network->begun[f->from]++, .rank = f->from,
                                   .purpose = MPG_DRAW_WEIGHT};
    return mpg_message_weight(leads, f->bytes, mpg_draw(&at, rep->replica));
}

static int begin_flow(struct replica *rep, struct flight *f, struct mpg_error *err)
{
    const struct mpg_capacities *c = rep->capacities;
    const bool finds_bucket = mpg_bucket(c, mpg_first_resource(c, f->from, f->to)) > 0;
    f->longer_ns = finds_bucket ? fmax(FASTEST_NS - f->tau_ns, 0) : 0;
    const struct mpg_new_flow flow = {f->from, f->to, f->bytes, f->tau_ns + f->longer_ns, f->part < 1 ? f->part : 0,
                                      weight_of(rep, f), f};
    f->begin_ns = rep->now_ns;
    rep->network->settles = true;
    if (mpg_flows_add(rep->network->flows, &flow, rep->now_ns, err) < 0)
        return -1;
    const bool buffered = (f->node || f->letter) && f->synchronous && f->part <= 0;
    return buffered ? end_send(rep, f, f->begin_ns - f->asked_ns, err) : 0;
}

/* Returns the time before which bytes must have begun to delay the request for F: later bytes cross the request. */
static double delaying_before_ns(const struct flight *f)
{
    return fmin(f->asked_ns - f->latency_ns + MPG_TOGETHER_NS, f->asked_ns);
}

/* Nothing in the port is ahead of the request for F's bytes any longer: the bytes begin, unless opposite bytes come first. */
static int answer(struct replica *rep, struct flight *f, struct mpg_error *err)
{
    if (f->opposes) {
        f->opposing = (struct opposing){.from = f->from, .to = f->to, .before_ns = delaying_before_ns(f), .what = f};
        const int waits = mpg_opposites_add(&rep->network->opposites, &f->opposing, rep->now_ns, err);
        if (waits != 0)
            return waits < 0 ? -1 : 0;
    }
    return begin_flow(rep, f, err);
}

/* The receiver asks for the bytes of F: the request waits behind the bytes in the port of the receiver's host. */
static int ask(struct replica *rep, struct flight *f, struct mpg_error *err)
{
    const struct mpg_capacities *c = rep->capacities;
    double wait_ns = 0;
    if (mpg_first_resource(c, f->from, f->to) == MPG_RESOURCE_OUT)
        wait_ns = mpg_flows_queue_ns(rep->network->flows, f->to, mpg_queue_bytes(c, f->bytes), delaying_before_ns(f),
                                     rep->now_ns);
    f->queued = true;
    return wait_ns > 0 ? mpg_events_push(&rep->heap,
                                         (struct event){.at_ns = rep->now_ns + wait_ns, .kind = EVENT_INJECT,
                                                        .id = (uint32_t)f->from, .what = f}, err)
                       : answer(rep, f, err);
}

/* F enters the network. */
static int enter(struct replica *rep, struct flight *f, struct mpg_error *err)
{
    rep->shared.messages++;
    f->asked_ns = rep->now_ns;
    if (f->bytes > 0)
        return f->asks ? ask(rep, f, err) : begin_flow(rep, f, err);
    const int status = arrive(rep, f, 0, err);
    mpg_pool_give(&rep->network->flights, f);
    return status;
}

/* The bytes of F have ended: opposite messages waiting for F begin. */
static int begin_opposite(struct replica *rep, struct flight *f, struct mpg_error *err)
{
    struct opposing *begins;
    if (mpg_opposites_end(&rep->network->opposites, &f->opposing, rep->now_ns, &begins, err) < 0)
        return -1;
    for (; begins; begins = begins->then)
        if (begin_flow(rep, begins->what, err) < 0)
            return -1;
    return 0;
}

bool mpg_events_network_next(const struct replica *rep, struct event *e)
{
    const struct network *n = rep->network;
    const double settle_ns = n->settles ? rep->now_ns : INFINITY, at_ns = fmin(n->end_ns, settle_ns);
    *e = (struct event){.at_ns = at_ns, .kind = n->end_ns <= settle_ns ? EVENT_FLOW : EVENT_SETTLE};
    return !isinf(at_ns);
}

void mpg_events_network_settle(struct replica *rep)
{
    struct network *n = rep->network;
    n->settles = false;
    mpg_flows_settle(n->flows, rep->now_ns);
    n->end_ns = fmax(mpg_flows_next_ns(n->flows), rep->now_ns);
}

int mpg_events_network_end_flows(struct replica *rep, struct mpg_error *err)
{
    struct network *n = rep->network;
    double delay_ns;
    bool continues;
    n->settles = true;
    n->end_ns = INFINITY;
    for (struct flight *f; (f = mpg_flows_end(n->flows, rep->now_ns, &delay_ns, &continues));) {
        if (continues) {
            if (end_send(rep, f, delay_ns + (f->begin_ns - f->asked_ns), err) < 0)
                return -1;
            continue;
        }
        if (f->opposes && begin_opposite(rep, f, err) < 0)
            return -1;
        delay_ns += f->begin_ns - f->asked_ns;
        rep->shared.delayed += delay_ns > 0;
        rep->shared.delay_ns += delay_ns;
        const int status = arrive(rep, f, delay_ns + f->longer_ns, err);
        mpg_pool_give(&n->flights, f);
        if (status < 0)
            return -1;
    }
    return 0;
}

/* --- messages --- */

int mpg_events_network_inject(struct replica *rep, const struct event *e, struct mpg_error *err)
{
    struct flight *f = e->what;
    if (rep->network->flows)
        return f->queued ? answer(rep, f, err) : enter(rep, f, err);
    const double late_ns = delay_ns(rep->network, f);
    const struct event deliver = {.at_ns = f->at_ns + late_ns - f->service_ns, .kind = EVENT_DELIVER, .what = f};
    rep->network->in_flight++;
    return mpg_events_push(&rep->heap, deliver, err) < 0 ? -1 : arrive(rep, f, late_ns, err);
}

void mpg_events_network_end_message(struct replica *rep, const struct event *e)
{
    rep->network->in_flight--;
    mpg_pool_give(&rep->network->flights, e->what);
}

/* Returns a new, zeroed flight; NULL: out of memory. */
static struct flight *new_flight(struct replica *rep, struct mpg_error *err)
{
    struct flight *f = mpg_pool_take(&rep->network->flights);
    if (!f)
        mpg_error_set(err, "out of memory");
    return f;
}

/* Sends F, whose fields are set, into the network at AT_NS, or now if AT_NS is past. */
static int send(struct replica *rep, struct flight *f, double at_ns, struct mpg_error *err)
{
    return mpg_events_push(
        &rep->heap,
        (struct event){.at_ns = fmax(at_ns, rep->now_ns), .kind = EVENT_INJECT, .id = (uint32_t)f->from, .what = f}, err);
}

/* Sends F (with tau_ns set), the message M of step S; F enters the network at AT_NS. */
static int send_step(struct replica *rep, struct flight *f, const struct mpg_step *s, const struct mpg_sent_message *m,
                     double at_ns, struct mpg_error *err)
{
    f->at_ns = *mpg_times_slot(rep->times, s->slot, MPG_SLOT_TIME);
    f->from = s->rank;
    f->to = s->receiver;
    f->bytes = s->bytes;
    f->service_ns = rep->network->flows ? 0 : mpg_events_receive_overhead_ns(rep, m);
    return send(rep, f, at_ns, err);
}

int mpg_events_network_send(struct replica *rep, uint32_t stream, const struct mpg_step *s, struct mpg_error *err)
{
    if (!contend(rep->network, s->rank, s->receiver))
        return mpg_events_replica_set_known(rep, s->slot, err);
    const struct mpg_sent_message m = sending_of(&s->origin, s->bytes);
    struct flight *f = new_flight(rep, err);
    if (!f)
        return -1;
    f->slot = s->slot;
    f->batch = program_keep(rep->program.queue[stream].first->batch);
    f->tau_ns = mpg_times_tau(rep->times);
    double at_ns = *mpg_times_slot(rep->times, s->slot, MPG_SLOT_BEGIN) + mpg_events_send_overhead_ns(rep, &m);
    if (rep->network->flows) /* a measured o_s can be longer than lambda */
        at_ns = fmin(at_ns, *mpg_times_slot(rep->times, s->slot, MPG_SLOT_TIME) - f->tau_ns);
    return send_step(rep, f, s, &m, at_ns, err);
}

/* Returns whether a synchronous message of BYTES bytes waits for opposite messages, or opposite messages for this message. */
static bool opposes(const struct mpg_capacities *c, int32_t from, int32_t to, double bytes)
{
    return c && mpg_opposite_waits(c, mpg_first_resource(c, from, to), bytes);
}

/* Sets whether F, a synchronous message, depends on a request, which may wait. */
static void set_asking(const struct replica *rep, struct flight *f, int32_t from, int32_t to, double bytes)
{
    f->opposes = opposes(rep->capacities, from, to, bytes);
    f->asks = f->opposes || (rep->capacities && rep->capacities->queues > 0);
}

bool mpg_events_network_asks(const struct replica *rep, const struct mpg_step *s)
{
    const struct mpg_capacities *c = rep->capacities;
    return c && contend(rep->network, s->rank, s->receiver) && (c->queues > 0 || opposes(c, s->rank, s->receiver, s->bytes));
}

int mpg_events_network_send_node(struct replica *rep, struct node *node, struct mpg_error *err)
{
    const struct mpg_step *s = node->step;
    if (!contend(rep->network, s->rank, s->receiver))
        return mpg_events_replica_node_known(rep, node, err);
    const struct mpg_sent_message m = sending_of(&s->origin, s->bytes);
    struct flight *f = new_flight(rep, err);
    if (!f)
        return -1;
    f->node = node;
    f->synchronous = true;
    mpg_events_message_times(rep, &m, &f->latency_ns, &f->tau_ns);
    set_asking(rep, f, s->rank, s->receiver, s->bytes);
    f->part = mpg_events_sent_part(rep, &m, f->latency_ns, f->tau_ns);
    return send_step(rep, f, s, &m, *mpg_times_slot(rep->times, s->slot, MPG_SLOT_MET), err);
}

int mpg_events_network_deliver(struct replica *rep, const struct mpg_sent_message *m, double at_ns, enum event_kind kind,
                               uint32_t id, void *what, struct mpg_error *err)
{
    double tau_ns;
    const double arrival_ns = at_ns + mpg_events_flight_ns(rep, m, &tau_ns);
    if (!contend(rep->network, m->rank, m->to))
        return mpg_events_push(&rep->heap, (struct event){.at_ns = arrival_ns, .kind = kind, .id = id, .what = what}, err);
    struct flight *f = new_flight(rep, err);
    if (!f)
        return -1;
    *f = (struct flight){.from = m->rank, .to = m->to, .bytes = m->bytes, .tau_ns = tau_ns, .at_ns = arrival_ns,
                         .kind = kind, .id = id, .what = what};
    return send(rep, f, at_ns, err);
}

int mpg_events_network_send_letter(struct replica *rep, const struct network_letter *x, double at_ns, struct mpg_error *err)
{
    if (!rep->network->flows || !contend(rep->network, x->from, x->to))
        return mpg_events_collective_arrive(rep, x->letter, 0, err);
    struct flight *f = new_flight(rep, err);
    if (!f)
        return -1;
    *f = (struct flight){.letter = x->letter, .from = x->from, .to = x->to, .bytes = x->bytes, .latency_ns = x->latency_ns,
                         .tau_ns = x->tau_ns, .synchronous = x->synchronous, .part = x->part};
    if (x->synchronous)
        set_asking(rep, f, x->from, x->to, x->bytes);
    return send(rep, f, at_ns, err);
}
