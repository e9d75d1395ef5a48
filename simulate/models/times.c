/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws times on the target for several replicas. */
#include "simulate/models/times.h"

#include <math.h>

#include "simulate/draws/lane_code.h"
#include "simulate/rules.h"

/* --- by a machine's parameters (docs/MACHINES.md) --- */

/* Returns true if M has the times within a cluster; always true for a message of a rank to itself, which is copied in memory. */
static bool is_near(const struct mpg_perturbation *p, const struct mpg_sent_message *m)
{
    return m->to == m->rank ||
           (m->to >= 0 && p->parameters->cluster > 1 && mpg_processors_near(p->processors, m->rank, m->to));
}

/* Returns build time plus startup time of M in REPLICA, ns. */
static double send_ns(const struct mpg_perturbation *p, const struct mpg_sent_message *m, enum mpg_purpose purpose,
                      uint32_t replica)
{
    const struct mpg_address a = mpg_sent_message_address(p->seed, m, purpose);
    return mpg_parameter_draw(p->parameters, MPG_BUILD, &a, replica) +
           mpg_parameter_draw(p->parameters, is_near(p, m) ? MPG_CLUSTER_STARTUP : MPG_STARTUP, &a, replica);
}

/* Returns the service time of M on the receiver's processor, ns. */
static double service_ns(const struct mpg_perturbation *p, const struct mpg_sent_message *m, enum mpg_purpose purpose,
                         uint32_t replica)
{
    const struct mpg_address a = mpg_sent_message_address(p->seed, m, purpose);
    return mpg_parameter_draw(p->parameters, MPG_SERVICE, &a, replica);
}

/* Returns the time per byte of M, ns. */
static double byte_ns(const struct mpg_perturbation *p, const struct mpg_sent_message *m, enum mpg_purpose purpose,
                      uint32_t replica)
{
    const struct mpg_address a = mpg_sent_message_address(p->seed, m, purpose);
    return mpg_parameter_draw(p->parameters, is_near(p, m) ? MPG_CLUSTER_BYTE : MPG_BYTE, &a, replica);
}

/* Returns the time of M on the links, ns. */
static double hops_ns(const struct mpg_perturbation *p, const struct mpg_sent_message *m, enum mpg_purpose purpose,
                      uint32_t replica)
{
    const int32_t hops = m->to < 0 ? 1 : mpg_processors_hops(p->processors, m->rank, m->to);
    const struct mpg_address a = mpg_sent_message_address(p->seed, m, purpose);
    return hops > 0 ? hops * mpg_parameter_draw(p->parameters, MPG_HOP, &a, replica) : 0;
}

static void parametric_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first, uint32_t n,
                              double *lambda_ns, double *tau_ns)
{
    for (uint32_t w = 0; w < n; w++) {
        lambda_ns[w] += send_ns(p, m, MPG_DRAW_LATENCY, first + w) +
                        hops_ns(p, m, MPG_DRAW_LATENCY, first + w) +
                        service_ns(p, m, MPG_DRAW_LATENCY, first + w);
        tau_ns[w] += m->bytes > 0 ? m->bytes * byte_ns(p, m, MPG_DRAW_LATENCY, first + w) : 0;
    }
}

static void parametric_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first, uint32_t n,
                           double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += send_ns(p, m, MPG_DRAW_ACK, first + w) +
                       hops_ns(p, m, MPG_DRAW_ACK, first + w) +
                       service_ns(p, m, MPG_DRAW_ACK, first + w);
}

static void parametric_overhead(const struct mpg_perturbation *p, enum mpg_overhead which, const struct mpg_sent_message *m,
                                double factor, uint32_t first, uint32_t n, double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += factor * (which == MPG_OVERHEAD_SEND ? send_ns(p, m, MPG_DRAW_LATENCY, first + w)
                                                            : service_ns(p, m, MPG_DRAW_LATENCY, first + w));
}

static double parametric_gap(const struct mpg_perturbation *p)
{
    return mpg_parameter_median(p->parameters, MPG_BUILD) + mpg_parameter_median(p->parameters, MPG_STARTUP);
}

/* Returns the time of one round with BYTES between two processors one link apart, ns. ADDRESS: address of the draws. */
static double parametric_round(const struct mpg_perturbation *p, const struct mpg_address *address, double bytes,
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

/* --- by signatures and the command line --- */

/* Returns the time of BYTES by the measured times SIZES, extrapolated with the slope of SIZES. */
static struct mpg_one_way_time find_measured(const struct mpg_network_sizes *sizes, double bytes)
{
    return mpg_one_way_find(sizes, NULL, sizes, bytes);
}

static bool all_given(const struct mpg_perturbation *p)
{
    return p->latency.n > 0 && p->byte.n > 0;
}

/* Raises negative values to 0. */
static void keep_times(uint32_t n, double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] = fmax(value_ns[w], 0);
}

/* Adds lambda and tau of BYTES from the command line for the message at ADDRESS. */
static void add_given(const struct mpg_perturbation *p, struct mpg_address address, double bytes,
                      uint32_t first, uint32_t n, double *lambda_ns, double *tau_ns)
{
    if (p->latency.n > 0) {
        address.purpose = MPG_DRAW_LATENCY;
        mpg_specs_draw(&p->latency, &address, 1, first, n, lambda_ns);
    }
    if (p->byte.n > 0 && bytes > 0) {
        address.purpose = MPG_DRAW_BYTE;
        mpg_specs_draw(&p->byte, &address, bytes, first, n, tau_ns);
    }
}

/* Returns false if the target has no message times or the command line gives all message times. */
static bool find_one_way_times(const struct mpg_perturbation *p, double bytes, struct mpg_target_one_way_times *x)
{
    return !all_given(p) && mpg_flight_target_one_way_times(p, bytes, x);
}

void mpg_time_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                     uint32_t n, double *lambda_ns, double *tau_ns)
{
    const struct mpg_address address = mpg_sent_message_address(p->seed, m, MPG_DRAW_LATENCY);
    if (p->parameters) {
        parametric_flight(p, m, first, n, lambda_ns, tau_ns);
        return;
    }
    struct mpg_target_one_way_times x;
    double lambda[MPG_LANES_AT_ONCE], tau[MPG_LANES_AT_ONCE], u[MPG_LANES_AT_ONCE], empty[MPG_LANES_AT_ONCE];
    bool measured = find_one_way_times(p, m->bytes, &x);
    for (uint32_t done = 0, k; done < n; done += k) {
        k = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
        for (uint32_t w = 0; w < k; w++)
            lambda[w] = tau[w] = 0;
        add_given(p, address, m->bytes, first + done, k, lambda, tau);
        if (measured)
            mpg_flight_find_u(p, m, first + done, k, u);
        const struct mpg_quantile_requests wanted = {.n = k, .launch = mpg_perturbation_launches(p, first + done), .u = u};
        if (measured && p->latency.n == 0)
            mpg_one_way_times(&x.lambda, &wanted, lambda);
        if (measured && p->byte.n == 0) {
            mpg_one_way_times(&x.whole, &wanted, tau);
            mpg_one_way_times(&x.empty, &wanted, empty);
            for (uint32_t w = 0; w < k; w++)
                tau[w] -= empty[w];
        }
        keep_times(k, lambda);
        keep_times(k, tau);
        for (uint32_t w = 0; w < k; w++) {
            lambda_ns[done + w] += lambda[w];
            tau_ns[done + w] += tau[w];
        }
    }
}

static void add_one_way_time(const void *one_way, const struct mpg_quantile_requests *wanted, double *value_ns)
{
    double ns[MPG_LANES_AT_ONCE];
    mpg_one_way_times(one_way, wanted, ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        value_ns[w] += ns[w];
}

/* Adds the time ONE_WAY of each request, but at least 0. */
static void add_ack(const void *one_way, const struct mpg_quantile_requests *wanted, double *value_ns)
{
    double ns[MPG_LANES_AT_ONCE];
    mpg_one_way_times(one_way, wanted, ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        value_ns[w] += fmax(ns[w], 0);
}

void mpg_time_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                  uint32_t n, double *value_ns)
{
    const struct mpg_address address = mpg_sent_message_address(p->seed, m, MPG_DRAW_ACK);
    struct mpg_target_one_way_times x;
    if (p->parameters)
        parametric_ack(p, m, first, n, value_ns);
    else if (p->latency.n == 0 && mpg_flight_target_one_way_times(p, 0, &x))
        mpg_add_drawn(p, &address, first, n, add_ack, &x.lambda, value_ns);
    else
        for (uint32_t w = 0; w < n; w++) {
            double ns = 0;
            mpg_specs_draw(&p->latency, &address, 1, first + w, 1, &ns);
            value_ns[w] += fmax(ns, 0);
        }
}

/* Returns true if the benchmark sent messages of BYTES synchronously: the time of sends that wait was then measured. */
static bool has_held_sends(const struct mpg_perturbation *p, double bytes)
{
    return p->target_path && p->target_path->sender.n > 0 && bytes > (double)p->target_path->eager_limit_bytes &&
           mpg_rule_holds(MPG_RULE_HELD_SENDS);
}

bool mpg_time_in_send(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first,
                      uint32_t n, double *value_ns)
{
    if (p->parameters || all_given(p) || !has_held_sends(p, m->bytes))
        return false;
    const struct mpg_one_way_time measured = find_measured(&p->target_path->sender, m->bytes);
    const struct mpg_address address = mpg_sent_message_address(p->seed, m, MPG_DRAW_ACK);
    mpg_add_drawn(p, &address, first, n, add_one_way_time, &measured, value_ns);
    return true;
}

struct mpg_held_share mpg_time_held_share(const struct mpg_perturbation *p, double bytes)
{
    const struct mpg_network_path *path = p->target_path;
    if (!path || path->latency.n + path->bandwidth.n == 0)
        return (struct mpg_held_share){0, 0};
    const struct mpg_one_way_time whole = mpg_one_way_on_path(path, NULL, bytes), empty = mpg_one_way_on_path(path, NULL, 0);
    const double ns = mpg_one_way_ns(&whole, -1, 0.5);
    if (!(ns > 0))
        return (struct mpg_held_share){0, 0};
    return (struct mpg_held_share){fmin(mpg_one_way_ns(&empty, -1, 0.5) / ns, 1), 1 / ns};
}

void mpg_time_overhead(const struct mpg_perturbation *p, enum mpg_overhead which,
                       const struct mpg_sent_message *m, double factor, uint32_t first, uint32_t n,
                       double *value_ns)
{
    if (p->parameters)
        parametric_overhead(p, which, m, factor, first, n, value_ns);
    else
        mpg_add_target_overhead(p, which, m, factor, first, n, value_ns);
}

double mpg_time_gap(const struct mpg_perturbation *p, double bytes)
{
    if (p->parameters)
        return parametric_gap(p);
    if (!p->target_path || p->target_path->streaming.n == 0 || all_given(p) || !mpg_rule_holds(MPG_RULE_GAPS))
        return 0;
    const struct mpg_network_sizes *sizes = &p->target_path->streaming;
    struct mpg_one_way_time measured = find_measured(sizes, bytes);
    return mpg_one_way_ns(&measured, -1, 0.5);
}

bool mpg_time_overlaps(const struct mpg_perturbation *p, enum mpg_overlap_side side, double bytes)
{
    if (p->parameters || !p->target_path || p->target_path->overlap[side].share.n == 0 || all_given(p) ||
        !mpg_rule_holds(MPG_RULE_OVERLAP))
        return false;
    const struct mpg_interpolation share = mpg_interpolation_find(&p->target_path->overlap[side].share, bytes);
    return mpg_interpolation_median(&share) > MPG_OVERLAP_MATTERS;
}

struct mpg_typical mpg_time_typical(const struct mpg_perturbation *p, double bytes)
{
    struct mpg_typical t = {.waiting_ns = -1, .gap_ns = mpg_time_gap(p, bytes)};
    struct mpg_target_one_way_times x;
    if (find_one_way_times(p, bytes, &x)) {
        t.lambda_ns = mpg_one_way_ns(&x.lambda, -1, 0.5);
        t.tau_ns = fmax(mpg_one_way_ns(&x.whole, -1, 0.5) - mpg_one_way_ns(&x.empty, -1, 0.5), 0);
    }
    t.send_ns = mpg_overhead_median(p, MPG_OVERHEAD_SEND, false, bytes, false);
    t.receive_ns = mpg_overhead_median(p, MPG_OVERHEAD_RECEIVE, false, bytes, false);
    if (has_held_sends(p, bytes)) {
        const struct mpg_one_way_time measured = find_measured(&p->target_path->sender, bytes);
        t.waiting_ns = mpg_one_way_ns(&measured, -1, 0.5);
    }
    return t;
}

/* --- collectives --- */

void mpg_time_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index,
                     uint32_t rounds, double bytes, bool has_message, uint32_t first, uint32_t n,
                     double *value_ns)
{
    struct mpg_address address = {.seed = p->seed, .call = call, .rank = rank};
    struct mpg_target_one_way_times x;
    const bool parametric = has_message && p->parameters;
    bool measured = has_message && rounds > 0 && !parametric && find_one_way_times(p, bytes / rounds, &x);
    for (uint32_t round = 0; round < rounds; round++) {
        address.index = round + index * MPG_INDEX_OF_SEVERAL;
        for (uint32_t w = 0; w < n; w++) {
            double lambda = 0, tau = 0, kappa = 0, launch = mpg_perturbation_launch(p, first + w);
            address.purpose = MPG_DRAW_ROUND_CALL;
            mpg_specs_draw(&p->call_noise, &address, 1, first + w, 1, &kappa);
            address.purpose = MPG_DRAW_ROUND_LATENCY;
            if (parametric)
                lambda = parametric_round(p, &address, bytes / rounds, first + w);
            else if (has_message)
                mpg_specs_draw(&p->latency, &address, 1, first + w, 1, &lambda);
            if (measured) {
                address.purpose = mpg_flight_purpose(p, MPG_DRAW_ROUND_LATENCY);
                double u = mpg_draw(&address, first + w);
                if (p->latency.n == 0)
                    lambda = mpg_one_way_ns(&x.lambda, launch, u);
                if (p->byte.n == 0)
                    tau = mpg_one_way_ns(&x.whole, launch, u) - mpg_one_way_ns(&x.empty, launch, u);
            }
            value_ns[w] += fmax(lambda, 0) + fmax(tau, 0) + kappa;
        }
    }
    if (!has_message || parametric || p->byte.n == 0 || !(bytes > 0))
        return;
    address.index = index;
    address.purpose = MPG_DRAW_BYTE;
    for (uint32_t w = 0; w < n; w++) {
        double tau = 0;
        mpg_specs_draw(&p->byte, &address, bytes, first + w, 1, &tau);
        value_ns[w] += fmax(tau, 0);
    }
}
