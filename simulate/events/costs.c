/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/events/costs.h"

#include <math.h>

#include "simulate/evaluate/vectors.h"
#include "simulate/models/times.h"

static const struct mpg_perturbation *path_class(const struct replica *rep, const struct mpg_sent_message *m)
{
    return mpg_target_between(rep->target, m->rank, m->to);
}

static double overhead_ns(const struct replica *rep, enum mpg_overhead which, const struct mpg_sent_message *m)
{
    double ns = 0;
    const struct mpg_perturbation *p = path_class(rep, m);
    if (mpg_overhead_known(p, which))
        mpg_time_overhead(p, which, m, 1, rep->replica, 1, &ns);
    return ns;
}

double mpg_events_send_overhead_ns(const struct replica *rep, const struct mpg_sent_message *m)
{
    return overhead_ns(rep, MPG_OVERHEAD_SEND, m);
}

double mpg_events_receive_overhead_ns(const struct replica *rep, const struct mpg_sent_message *m)
{
    return overhead_ns(rep, MPG_OVERHEAD_RECEIVE, m);
}

void mpg_events_message_times(const struct replica *rep, const struct mpg_sent_message *m, double *lambda_ns, double *tau_ns)
{
    *lambda_ns = *tau_ns = 0;
    mpg_time_flight(path_class(rep, m), m, rep->replica, 1, lambda_ns, tau_ns);
}

double mpg_events_flight_ns(const struct replica *rep, const struct mpg_sent_message *m, double *tau_ns)
{
    double lambda_ns;
    mpg_events_message_times(rep, m, &lambda_ns, tau_ns);
    return fmax(lambda_ns + *tau_ns - mpg_events_send_overhead_ns(rep, m) - mpg_events_receive_overhead_ns(rep, m), 0);
}

double mpg_events_copy_ns(const struct replica *rep, const struct mpg_sent_message *m, double bytes)
{
    struct mpg_sent_message copied = *m;
    double lambda_ns, tau_ns;
    copied.bytes = bytes;
    mpg_events_message_times(rep, &copied, &lambda_ns, &tau_ns);
    return tau_ns;
}

double mpg_events_call_sends_ns(const struct replica *rep, const struct mpg_step *s)
{
    double ns = 0;
    (void)mpg_target_add_sent(rep->target, s, rep->replica, 1, &ns);
    return ns;
}

double mpg_events_arrival_ns(const struct replica *rep, const struct mpg_step *s, double end_ns)
{
    double at_ns = -INFINITY;
    for (uint32_t i = 0; i < s->edge_number; i++) {
        const struct mpg_edge *e = &s->edges[i];
        double value_ns = *mpg_times_slot(rep->times, e->slot, MPG_SLOT_TIME);
        if (e->kind == MPG_EDGE_ARRIVAL && !mpg_call_is_probe(s->call)) {
            const struct mpg_sent_message m = sending_of(&e->origin, e->bytes);
            /* a signature's o_r of a large message is mostly the transfer, during which the core is free */
            if (rep->options->simulation->cores == 0 || !mpg_times_is_large(rep->times, e->bytes))
                value_ns -= mpg_events_receive_overhead_ns(rep, &m);
        } else if (e->kind != MPG_EDGE_ARRIVAL)
            return end_ns;
        at_ns = fmax(at_ns, value_ns);
    }
    return s->edge_number > 0 ? fmin(at_ns, end_ns) : end_ns;
}

double mpg_events_draw_ns(const struct replica *rep, enum mpg_parameter which, struct mpg_address address)
{
    address.seed = rep->target->noise->seed;
    return mpg_parameter_draw(rep->parameters, which, &address, rep->replica);
}

double mpg_events_sent_part(const struct replica *rep, const struct mpg_sent_message *m, double lambda_ns, double tau_ns)
{
    double waiting_ns = 0;
    if (mpg_times_is_answered(rep->times))
        return 1;
    if (!mpg_times_is_large(rep->times, m->bytes)) /* MPI_Ssend: done a latency after the receive */
        return 0;
    if (!mpg_time_in_send(path_class(rep, m), m, rep->replica, 1, &waiting_ns))
        return 1;
    return mpg_sent_part(waiting_ns, lambda_ns, tau_ns);
}
