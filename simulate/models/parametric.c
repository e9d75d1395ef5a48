/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/parametric.h"

static struct mpg_address address_of(const struct mpg_perturbation *p, const struct mpg_sending *m,
                                     enum mpg_purpose purpose)
{
    return (struct mpg_address){
        .seed = p->seed, .call = m->call, .rank = m->rank, .index = m->index, .purpose = purpose};
}

/* What a rank sends itself is copied in memory, with or without clusters. */
static bool is_near(const struct mpg_perturbation *p, const struct mpg_sending *m)
{
    return m->to == m->rank ||
           (m->to >= 0 && p->parameters->cluster > 1 && mpg_processors_near(p->processors, m->rank, m->to));
}

double mpg_parametric_send(const struct mpg_perturbation *p, const struct mpg_sending *m, enum mpg_purpose purpose,
                           uint32_t replica)
{
    const struct mpg_address a = address_of(p, m, purpose);
    return mpg_parameter_draw(p->parameters, MPG_BUILD, &a, replica) +
           mpg_parameter_draw(p->parameters, is_near(p, m) ? MPG_CLUSTER_STARTUP : MPG_STARTUP, &a, replica);
}

double mpg_parametric_service(const struct mpg_perturbation *p, const struct mpg_sending *m, enum mpg_purpose purpose,
                              uint32_t replica)
{
    const struct mpg_address a = address_of(p, m, purpose);
    return mpg_parameter_draw(p->parameters, MPG_SERVICE, &a, replica);
}

double mpg_parametric_byte(const struct mpg_perturbation *p, const struct mpg_sending *m, enum mpg_purpose purpose,
                           uint32_t replica)
{
    const struct mpg_address a = address_of(p, m, purpose);
    return mpg_parameter_draw(p->parameters, is_near(p, m) ? MPG_CLUSTER_BYTE : MPG_BYTE, &a, replica);
}

double mpg_parametric_hops(const struct mpg_perturbation *p, const struct mpg_sending *m, enum mpg_purpose purpose,
                           uint32_t replica)
{
    const int32_t hops = m->to < 0 ? 1 : mpg_processors_hops(p->processors, m->rank, m->to);
    const struct mpg_address a = address_of(p, m, purpose);
    return hops > 0 ? hops * mpg_parameter_draw(p->parameters, MPG_HOP, &a, replica) : 0;
}

void mpg_parametric_flight(const struct mpg_perturbation *p, const struct mpg_sending *m, uint32_t first, uint32_t n,
                           double *lambda_ns, double *tau_ns)
{
    for (uint32_t w = 0; w < n; w++) {
        lambda_ns[w] += mpg_parametric_send(p, m, MPG_DRAW_LATENCY, first + w) +
                        mpg_parametric_hops(p, m, MPG_DRAW_LATENCY, first + w) +
                        mpg_parametric_service(p, m, MPG_DRAW_LATENCY, first + w);
        tau_ns[w] += m->bytes > 0 ? m->bytes * mpg_parametric_byte(p, m, MPG_DRAW_LATENCY, first + w) : 0;
    }
}

void mpg_parametric_ack(const struct mpg_perturbation *p, const struct mpg_sending *m, uint32_t first, uint32_t n,
                        double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += mpg_parametric_send(p, m, MPG_DRAW_ACK, first + w) +
                       mpg_parametric_hops(p, m, MPG_DRAW_ACK, first + w) +
                       mpg_parametric_service(p, m, MPG_DRAW_ACK, first + w);
}

void mpg_parametric_overhead(const struct mpg_perturbation *p, enum mpg_overhead which, const struct mpg_sending *m,
                             double factor, uint32_t first, uint32_t n, double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += factor * (which == MPG_OVERHEAD_SEND ? mpg_parametric_send(p, m, MPG_DRAW_LATENCY, first + w)
                                                            : mpg_parametric_service(p, m, MPG_DRAW_LATENCY, first + w));
}

double mpg_parametric_gap(const struct mpg_perturbation *p)
{
    return mpg_parameter_median(p->parameters, MPG_BUILD) + mpg_parameter_median(p->parameters, MPG_STARTUP);
}

double mpg_parametric_round(const struct mpg_perturbation *p, const struct mpg_address *address, double bytes,
                            uint32_t replica)
{
    struct mpg_address a = *address;
    a.purpose = MPG_DRAW_ROUND_LATENCY;
    const double byte_ns = bytes > 0 ? bytes * mpg_parameter_draw(p->parameters, MPG_BYTE, &a, replica) : 0;
    return mpg_parameter_draw(p->parameters, MPG_BUILD, &a, replica) +
           mpg_parameter_draw(p->parameters, MPG_STARTUP, &a, replica) +
           mpg_parameter_draw(p->parameters, MPG_HOP, &a, replica) +
           mpg_parameter_draw(p->parameters, MPG_SERVICE, &a, replica) + byte_ns;
}
