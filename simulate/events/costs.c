/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of messages, each part by itself. */
#include <math.h>

#include "simulate/evaluate/vectors.h"
#include "simulate/events/world.h"
#include "simulate/models/times.h"

static const struct mpg_perturbation *way_of(const struct world *w, const struct mpg_sending *m)
{
    return mpg_target_between(w->target, m->rank, m->to);
}

static double overhead_ns(const struct world *w, enum mpg_overhead which, const struct mpg_sending *m)
{
    double ns = 0;
    const struct mpg_perturbation *p = way_of(w, m);
    if (mpg_overhead_known(p, which))
        mpg_time_overhead(p, which, m, 1, w->replica, 1, &ns);
    return ns;
}

double world_send_ns(const struct world *w, const struct mpg_sending *m)
{
    return overhead_ns(w, MPG_OVERHEAD_SEND, m);
}

double world_service_ns(const struct world *w, const struct mpg_sending *m)
{
    return overhead_ns(w, MPG_OVERHEAD_RECEIVE, m);
}

double world_flight_ns(const struct world *w, const struct mpg_sending *m, double *tau_ns)
{
    double lambda_ns = 0;
    *tau_ns = 0;
    mpg_time_flight(way_of(w, m), m, w->replica, 1, &lambda_ns, tau_ns);
    return fmax(lambda_ns + *tau_ns - world_send_ns(w, m) - world_service_ns(w, m), 0);
}

double world_copy_ns(const struct world *w, const struct mpg_sending *m, double bytes)
{
    struct mpg_sending copied = *m;
    double tau_ns;
    copied.bytes = bytes;
    (void)world_flight_ns(w, &copied, &tau_ns);
    return tau_ns;
}

double world_sent_ns(const struct world *w, const struct mpg_step *s)
{
    const struct mpg_perturbation *p = mpg_target_farthest(w->target);
    double ns = 0;
    for (uint32_t i = 0; i < s->sent_number; i++) {
        const struct mpg_sending m = sending_of(&s->sent[i].origin, s->sent[i].bytes);
        const struct mpg_overhead_sizes *o = &way_of(w, &m)->overhead[MPG_OVERHEAD_SEND];
        if (!((s->sent[i].blocking || o->in_send) && s->sent[i].sync_target))
            ns += world_send_ns(w, &m);
    }
    if (s->rooted > 0 && mpg_overhead_known(p, MPG_OVERHEAD_SEND)) {
        const struct mpg_sending m = {.rank = s->rank, .to = -1, .call = s->number, .bytes = s->rooted_bytes};
        mpg_time_overhead(p, MPG_OVERHEAD_SEND, &m, s->rooted, w->replica, 1, &ns);
    }
    return ns;
}

double world_arrived_ns(const struct world *w, const struct mpg_step *s, double end_ns)
{
    double at_ns = -INFINITY;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        double value_ns = *mpg_times_slot(w->times, e->slot, MPG_SLOT_TIME);
        if (e->kind == MPG_EDGE_ARRIVAL && !mpg_call_is_probe(s->call)) {
            const struct mpg_sending m = sending_of(&e->origin, e->bytes);
            value_ns -= world_service_ns(w, &m);
        } else if (e->kind != MPG_EDGE_ARRIVAL)
            return end_ns;
        at_ns = fmax(at_ns, value_ns);
    }
    return s->edge_number > 0 ? fmin(at_ns, end_ns) : end_ns;
}
