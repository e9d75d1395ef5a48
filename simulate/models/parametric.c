/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/parametric.h"

/* What a rank sends itself is copied in memory, with or without clusters. */
static bool is_near(const struct mpg_perturbation *p, const struct mpg_sending *m)
{
    return m->to == m->rank ||
           (m->to >= 0 && p->parameters->cluster > 1 && mpg_processors_near(p->processors, m->rank, m->to));
}

/* Build and startup of M, for REPLICA. */
static double send_ns(const struct mpg_perturbation *p, const struct mpg_sending *m, enum mpg_purpose purpose, uint32_t replica)
{
    const struct mpg_address a = mpg_sending_address(p->seed, m, purpose);
    return mpg_parameter_draw(p->parameters, MPG_BUILD, &a, replica) +
           mpg_parameter_draw(p->parameters, is_near(p, m) ? MPG_CLUSTER_STARTUP : MPG_STARTUP, &a, replica);
}

/* What its receiver's processor takes. */
static double service_ns(const struct mpg_perturbation *p, const struct mpg_sending *m, enum mpg_purpose purpose, uint32_t replica)
{
    const struct mpg_address a = mpg_sending_address(p->seed, m, purpose);
    return mpg_parameter_draw(p->parameters, MPG_SERVICE, &a, replica);
}

/* A byte's way. */
static double byte_ns(const struct mpg_perturbation *p, const struct mpg_sending *m, enum mpg_purpose purpose, uint32_t replica)
{
    const struct mpg_address a = mpg_sending_address(p->seed, m, purpose);
    return mpg_parameter_draw(p->parameters, is_near(p, m) ? MPG_CLUSTER_BYTE : MPG_BYTE, &a, replica);
}

/* What the links take. */
static double hops_ns(const struct mpg_perturbation *p, const struct mpg_sending *m, enum mpg_purpose purpose, uint32_t replica)
{
    const int32_t hops = m->to < 0 ? 1 : mpg_processors_hops(p->processors, m->rank, m->to);
    const struct mpg_address a = mpg_sending_address(p->seed, m, purpose);
    return hops > 0 ? hops * mpg_parameter_draw(p->parameters, MPG_HOP, &a, replica) : 0;
}

void mpg_parametric_flight(const struct mpg_perturbation *p, const struct mpg_sending *m, uint32_t first, uint32_t n,
                           double *lambda_ns, double *tau_ns)
{
    for (uint32_t w = 0; w < n; w++) {
        lambda_ns[w] += send_ns(p, m, MPG_DRAW_LATENCY, first + w) +
                        hops_ns(p, m, MPG_DRAW_LATENCY, first + w) +
                        service_ns(p, m, MPG_DRAW_LATENCY, first + w);
        tau_ns[w] += m->bytes > 0 ? m->bytes * byte_ns(p, m, MPG_DRAW_LATENCY, first + w) : 0;
    }
}

void mpg_parametric_ack(const struct mpg_perturbation *p, const struct mpg_sending *m, uint32_t first, uint32_t n,
                        double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += send_ns(p, m, MPG_DRAW_ACK, first + w) +
                       hops_ns(p, m, MPG_DRAW_ACK, first + w) +
                       service_ns(p, m, MPG_DRAW_ACK, first + w);
}

void mpg_parametric_overhead(const struct mpg_perturbation *p, enum mpg_overhead which, const struct mpg_sending *m,
                             double factor, uint32_t first, uint32_t n, double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += factor * (which == MPG_OVERHEAD_SEND ? send_ns(p, m, MPG_DRAW_LATENCY, first + w)
                                                            : service_ns(p, m, MPG_DRAW_LATENCY, first + w));
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
