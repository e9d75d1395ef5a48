/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What messages take, each part by itself; what is on its way, and what that costs what gets on its way (docs/MACHINES.md,
 * Contention). */
#include <math.h>

#include "simulate/evaluate/vectors.h"
#include "simulate/events/world.h"
#include "simulate/models/times.h"

/* --- costs --- */

static const struct mpg_perturbation *way_of(const struct world *w, const struct mpg_sent_message *m)
{
    return mpg_target_between(w->target, m->rank, m->to);
}

static double overhead_ns(const struct world *w, enum mpg_overhead which, const struct mpg_sent_message *m)
{
    double ns = 0;
    const struct mpg_perturbation *p = way_of(w, m);
    if (mpg_overhead_known(p, which))
        mpg_time_overhead(p, which, m, 1, w->replica, 1, &ns);
    return ns;
}

double mpg_events_world_send_ns(const struct world *w, const struct mpg_sent_message *m)
{
    return overhead_ns(w, MPG_OVERHEAD_SEND, m);
}

double mpg_events_world_service_ns(const struct world *w, const struct mpg_sent_message *m)
{
    return overhead_ns(w, MPG_OVERHEAD_RECEIVE, m);
}

double mpg_events_world_flight_ns(const struct world *w, const struct mpg_sent_message *m, double *tau_ns)
{
    double lambda_ns = 0;
    *tau_ns = 0;
    mpg_time_flight(way_of(w, m), m, w->replica, 1, &lambda_ns, tau_ns);
    return fmax(lambda_ns + *tau_ns - mpg_events_world_send_ns(w, m) - mpg_events_world_service_ns(w, m), 0);
}

double mpg_events_world_copy_ns(const struct world *w, const struct mpg_sent_message *m, double bytes)
{
    struct mpg_sent_message copied = *m;
    double tau_ns;
    copied.bytes = bytes;
    (void)mpg_events_world_flight_ns(w, &copied, &tau_ns);
    return tau_ns;
}

double mpg_events_world_sent_ns(const struct world *w, const struct mpg_step *s)
{
    double ns = 0;
    (void)mpg_target_add_sent(w->target, s, w->replica, 1, &ns);
    return ns;
}

double mpg_events_world_arrived_ns(const struct world *w, const struct mpg_step *s, double end_ns)
{
    double at_ns = -INFINITY;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        double value_ns = *mpg_times_slot(w->times, e->slot, MPG_SLOT_TIME);
        if (e->kind == MPG_EDGE_ARRIVAL && !mpg_call_is_probe(s->call)) {
            const struct mpg_sent_message m = sending_of(&e->origin, e->bytes);
            value_ns -= mpg_events_world_service_ns(w, &m);
        } else if (e->kind != MPG_EDGE_ARRIVAL)
            return end_ns;
        at_ns = fmax(at_ns, value_ns);
    }
    return s->edge_number > 0 ? fmin(at_ns, end_ns) : end_ns;
}

double mpg_events_world_draw(const struct world *w, enum mpg_parameter which, struct mpg_address address)
{
    address.seed = w->target->noise->seed;
    return mpg_parameter_draw(w->parameters, which, &address, w->replica);
}

/* --- the network --- */

/* What gets into the network, and where it is then. */
struct flight {
    double tau_ns, at_ns; /* of its bytes; when it were there, were it alone */
    uint32_t slot;        /* eager: whose value it is, */
    struct mpg_batch *batch; /* of its step, kept, so that no other value gets its slot */
    struct node *node;    /* synchronous */
    enum event_kind kind; /* else the event that it becomes, of ID with WHAT */
    uint32_t id;
    void *what;
    double service_ns;    /* after it has landed */
};

size_t mpg_events_network_flight_bytes(void)
{
    return sizeof(struct flight);
}

/* How much later it is there for those that are on their way already. */
static double delay_ns(const struct world *w, double tau_ns)
{
    return tau_ns * w->parameters->contention * w->in_flight / w->processors->links;
}

static bool is_far(const struct world *w, int32_t a, int32_t b)
{
    return w->processors->of[a] != w->processors->of[b] && !mpg_processors_near(w->processors, a, b);
}

static int arrive(struct world *w, struct flight *f, double late_ns, struct mpg_error *err)
{
    const double at_ns = f->at_ns + late_ns;
    if (f->batch) {
        *mpg_times_slot(w->times, f->slot, MPG_SLOT_TIME) = at_ns;
        *mpg_times_slot(w->times, f->slot, MPG_SLOT_ENVELOPE) = at_ns;
        mpg_batch_give_back(f->batch);
        return mpg_events_world_know(w, f->slot, err);
    }
    if (f->node) {
        *mpg_times_slot(w->times, f->node->step->slot, MPG_SLOT_TIME) = at_ns;
        return mpg_events_world_node_known(w, f->node, err);
    }
    return mpg_events_push(&w->heap, (struct event){.at_ns = at_ns, .kind = f->kind, .id = f->id, .what = f->what}, err);
}

int mpg_events_network_inject(struct world *w, const struct event *e, struct mpg_error *err)
{
    struct flight *f = e->what;
    const double late_ns = delay_ns(w, f->tau_ns);
    w->in_flight++;
    int status = mpg_events_push(&w->heap, (struct event){.at_ns = f->at_ns + late_ns - f->service_ns, .kind = EVENT_LAND}, err);
    if (status == 0)
        status = arrive(w, f, late_ns, err);
    mpg_pool_give(&w->flights, f);
    return status;
}

/* F of rank FROM's gets into the network at AT_NS. */
static int send(struct world *w, const struct flight *f, int32_t from, double at_ns, struct mpg_error *err)
{
    struct flight *copy = mpg_pool_take(&w->flights);
    if (!copy)
        return mpg_error_set(err, "out of memory");
    *copy = *f;
    return mpg_events_push(
        &w->heap, (struct event){.at_ns = fmax(at_ns, w->now_ns), .kind = EVENT_INJECT, .id = (uint32_t)from, .what = copy}, err);
}

int mpg_events_network_send(struct world *w, uint32_t lane, const struct mpg_step *s, struct mpg_error *err)
{
    if (!w->contends || !is_far(w, s->rank, s->receiver))
        return mpg_events_world_know(w, s->slot, err);
    const struct mpg_sent_message m = sending_of(&s->origin, s->bytes);
    struct flight f = {.slot = s->slot, .batch = w->program.queue[lane].first->batch,
                       .at_ns = *mpg_times_slot(w->times, s->slot, MPG_SLOT_TIME)};
    mpg_batch_keep(f.batch, 1);
    f.service_ns = mpg_events_world_service_ns(w, &m);
    mpg_events_world_flight_ns(w, &m, &f.tau_ns);
    return send(w, &f, s->rank, *mpg_times_slot(w->times, s->slot, MPG_SLOT_BEGIN) + mpg_events_world_send_ns(w, &m), err);
}

int mpg_events_network_send_node(struct world *w, struct node *node, struct mpg_error *err)
{
    const struct mpg_step *s = node->step;
    if (!w->contends || !is_far(w, s->rank, s->receiver))
        return mpg_events_world_node_known(w, node, err);
    const struct mpg_sent_message m = sending_of(&s->origin, s->bytes);
    struct flight f = {.node = node, .at_ns = *mpg_times_slot(w->times, s->slot, MPG_SLOT_TIME)};
    f.service_ns = mpg_events_world_service_ns(w, &m);
    mpg_events_world_flight_ns(w, &m, &f.tau_ns);
    return send(w, &f, s->rank, *mpg_times_slot(w->times, s->slot, MPG_SLOT_MET), err);
}

int mpg_events_network_fly(struct world *w, const struct mpg_sent_message *m, double at_ns, enum event_kind kind, uint32_t id,
                           void *what, struct mpg_error *err)
{
    struct flight f = {.kind = kind, .id = id, .what = what};
    f.at_ns = at_ns + mpg_events_world_flight_ns(w, m, &f.tau_ns);
    if (w->contends && is_far(w, m->rank, m->to))
        return send(w, &f, m->rank, at_ns, err);
    return arrive(w, &f, 0, err);
}
