/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws message times for several replicas. */
#include "simulate/models/flights.h"

#include <math.h>

#include "simulate/draws/lane_code.h"
#include "simulate/models/perturbation.h"
#include "simulate/rules.h"

#pragma GCC diagnostic error "-Wswitch-enum"

static bool has_latencies(const struct mpg_network_path *path)
{
    return path && path->latency.n > 0;
}

enum mpg_flight_rule mpg_flight_rule(const struct mpg_perturbation *p)
{
    const struct mpg_network_path *target = p->target_path, *source = p->source_path;
    bool transfers = p->predicts ? target && target->bandwidth.n > 0 /* one-way times of any size come from transfer times */
                                 : mpg_perturbation_has_transfers(target);
    bool both_transfer = transfers && mpg_perturbation_has_transfers(source);
    if (has_latencies(target) && has_latencies(source))
        return MPG_FLIGHT_DIFFERENCE;
    if (both_transfer)
        return MPG_FLIGHT_TRANSFER_DIFFERENCE;
    return has_latencies(target) ? MPG_FLIGHT_TARGET
           : transfers           ? MPG_FLIGHT_TRANSFER_TARGET
                                 : MPG_FLIGHT_NONE;
}

bool mpg_flight_target_known(const struct mpg_perturbation *p)
{
    return p->latency.n == 0 && p->byte.n == 0 && has_latencies(p->target_path);
}

/* --- one path --- */

double mpg_flight_of(const struct mpg_network_path *path, double bytes, double u)
{
    struct mpg_one_way_time one_way = mpg_one_way_on_path(path, NULL, bytes);
    return mpg_one_way_ns(&one_way, -1, u);
}

double mpg_flight_median(const struct mpg_perturbation *p, double bytes)
{
    return mpg_flight_target_known(p) ? mpg_flight_of(p->target_path, bytes, 0.5) : 0;
}

/* Transfer time of the bytes: the message's time minus the time of an empty message. */
struct transfer {
    struct mpg_curve_point min, at;
    bool empty;
};

static struct transfer find_transfer(const struct mpg_network_path *path, const struct mpg_path_fits *fits,
                                     double bytes)
{
    struct mpg_network_sizes sizes = path->bandwidth;
    const struct mpg_fitted *fitted = fits ? fits->bandwidth : NULL;
    while (sizes.n > 1 && sizes.size[0].size_bytes == 0) {
        sizes.size++;
        sizes.n--;
        fitted = fitted ? fitted + 1 : NULL;
    }
    return (struct transfer){mpg_curve_point_find(&sizes, fitted, 0), mpg_curve_point_find(&sizes, fitted, bytes),
                         !(bytes > 0)};
}

static void transfer_times(const struct transfer *transfer, const struct mpg_quantile_requests *wanted, double *ns)
{
    double min_ns[MPG_LANES_AT_ONCE];
    if (transfer->empty) {
        for (uint32_t w = 0; w < wanted->n; w++)
            ns[w] = 0;
        return;
    }
    mpg_curve_point_times(&transfer->at, wanted, ns);
    mpg_curve_point_times(&transfer->min, wanted, min_ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        ns[w] = fmax(ns[w] - min_ns[w], 0);
}

/* --- two paths --- */

/* delta(d; u), the extra time on the target, at a size d. */
struct flight {
    enum mpg_flight_rule rule;
    struct mpg_one_way_time target, source;
    struct transfer target_transfer, source_transfer;
};

/* Returns delta at BYTES by MODEL. */
static struct flight find_flight(const struct mpg_perturbation *p, enum mpg_time_model model,
                                 double bytes)
{
    bool fit = model == MPG_TIME_FIT;
    const struct mpg_path_fits *target = fit ? &p->target_fits : NULL;
    const struct mpg_path_fits *source = fit ? &p->source_fits : NULL;
    struct flight f = {.rule = mpg_flight_rule(p)};
    switch (f.rule) {
    case MPG_FLIGHT_DIFFERENCE:
        f.source = mpg_one_way_on_path(p->source_path, source, bytes);
        f.target = mpg_one_way_on_path(p->target_path, target, bytes);
        break;
    case MPG_FLIGHT_TARGET:
        f.target = mpg_one_way_on_path(p->target_path, target, bytes);
        break;
    case MPG_FLIGHT_TRANSFER_DIFFERENCE:
        f.source_transfer = find_transfer(p->source_path, source, bytes);
        f.target_transfer = find_transfer(p->target_path, target, bytes);
        break;
    case MPG_FLIGHT_TRANSFER_TARGET:
        f.target_transfer = find_transfer(p->target_path, target, bytes);
        break;
    case MPG_FLIGHT_NONE:
        break;
    }
    return f;
}

/* Writes delta of each request into NS, ns. F's rule must not be NONE. */
static void flight_times(const struct flight *f, const struct mpg_quantile_requests *wanted, double *ns)
{
    double less_ns[MPG_LANES_AT_ONCE];
    const struct mpg_quantile_requests min = {.n = wanted->n, .launch = wanted->launch};
    switch (f->rule) {
    case MPG_FLIGHT_DIFFERENCE:
        mpg_one_way_times(&f->target, wanted, ns);
        mpg_one_way_times(&f->source, wanted, less_ns);
        break;
    case MPG_FLIGHT_TARGET:
        mpg_one_way_times(&f->target, wanted, ns);
        mpg_one_way_times(&f->target, &min, less_ns);
        break;
    case MPG_FLIGHT_TRANSFER_DIFFERENCE:
        transfer_times(&f->target_transfer, wanted, ns);
        transfer_times(&f->source_transfer, wanted, less_ns);
        break;
    case MPG_FLIGHT_TRANSFER_TARGET:
        transfer_times(&f->target_transfer, wanted, ns);
        transfer_times(&f->target_transfer, &min, less_ns);
        break;
    case MPG_FLIGHT_NONE:
        return;
    }
    for (uint32_t w = 0; w < wanted->n; w++)
        ns[w] = ns[w] - less_ns[w];
}

/* The terms of a message's extra time: lambda, and tau = whole - empty. If both terms are requested with one model, lambda and
 * `empty` cancel. */
struct parts {
    struct flight lambda, whole, empty;
    bool has_lambda, has_whole, has_empty;
};

static struct parts find_parts(const struct mpg_perturbation *p, bool lambda, bool tau, double bytes)
{
    bool together = lambda && tau && p->latency_model == p->byte_model;
    struct parts x = {
        .has_lambda = lambda && !together, .has_whole = tau, .has_empty = tau && !together};
    if (x.has_lambda)
        x.lambda = find_flight(p, p->latency_model, 0);
    if (x.has_whole)
        x.whole = find_flight(p, p->byte_model, bytes);
    if (x.has_empty)
        x.empty = find_flight(p, p->byte_model, 0);
    return x;
}

/* Returns true if all of SPECS are constants for all ranks. */
static bool are_constant(const struct mpg_specs *specs)
{
    return !mpg_specs_are_random(specs) && mpg_specs_are_for_all(specs);
}

uint32_t mpg_flight_terms(const struct mpg_perturbation *p, double bytes, uint32_t max, double *term_ns)
{
    const bool is_measured = mpg_flight_rule(p) != MPG_FLIGHT_NONE && (p->latency.n == 0 || (p->byte.n == 0 && bytes > 0));
    uint32_t n = 0;
    if (is_measured || !are_constant(&p->latency) || !are_constant(&p->byte) || p->latency.n + p->byte.n > max)
        return 0;
    for (size_t i = 0; i < p->latency.n; i++)
        term_ns[n++] = mpg_spec_quantile(&p->latency.spec[i], 0.5);
    for (size_t i = 0; i < p->byte.n && bytes > 0; i++)
        term_ns[n++] = bytes * mpg_spec_quantile(&p->byte.spec[i], 0.5);
    return n;
}

bool mpg_flight_interpolations(const struct mpg_perturbation *p, double bytes, struct mpg_interpolation *target,
                      struct mpg_interpolation *source, bool *min)
{
    if (p->latency.n > 0 || p->byte.n > 0 || p->latency_model == MPG_TIME_FIT ||
        p->byte_model == MPG_TIME_FIT)
        return false;
    const struct flight f = find_flight(p, p->byte_model, bytes);
    *min = f.rule == MPG_FLIGHT_TARGET;
    *target = f.target.place.interpolation;
    *source = f.source.place.interpolation;
    return (*min || f.rule == MPG_FLIGHT_DIFFERENCE) && !(f.target.more_ns > 0) && !(f.source.more_ns > 0);
}

/* --- probabilities and rows --- */

enum mpg_purpose mpg_flight_purpose(const struct mpg_perturbation *p, enum mpg_purpose latency)
{
    return p->latency.n > 0 ? MPG_DRAW_BYTE : latency;
}

const struct mpg_rows *mpg_flight_rows(const struct mpg_perturbation *p, double bytes)
{
    if (!has_latencies(p->target_path))
        return NULL;
    const struct mpg_rows *rows = &mpg_size_nearest(&p->target_path->latency, bytes)->rows;
    return rows->blocks > 0 && rows->length > 0 && mpg_rule_holds(MPG_RULE_ROWS) ? rows : NULL;
}

static uint32_t at_most(uint32_t x, size_t max)
{
    return x < max ? x : (uint32_t)max;
}

void mpg_flight_draw_rows(const struct mpg_perturbation *p, const struct mpg_rows *rows, uint64_t row,
                          const struct mpg_sent_message *m, uint32_t first, uint32_t n, uint32_t *begin)
{
    const struct mpg_address address = {.seed = p->seed,
                                        .rank = m->rank,
                                        .call = row,
                                        .index = (uint32_t)m->to,
                                        .purpose = MPG_DRAW_ROW};
    double v[MPG_LANES_AT_ONCE];
    for (uint32_t done = 0, k; done < n; done += k) {
        k = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
        mpg_draw_lanes(&address, first + done, k, v);
        for (uint32_t w = 0; w < k; w++) {
            const double place = v[w] * (double)rows->blocks;
            const uint32_t block = at_most((uint32_t)place, rows->blocks - 1);
            const uint32_t offset = at_most((uint32_t)((place - block) * (double)rows->length), rows->length - 1);
            begin[done + w] = block * 2 * (uint32_t)rows->length + offset;
        }
    }
}

struct mpg_address mpg_flight_address(const struct mpg_perturbation *p, const struct mpg_sent_message *m)
{
    return mpg_sent_message_address(p->seed, m, mpg_flight_purpose(p, MPG_DRAW_LATENCY));
}

void mpg_flight_find_u(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                       uint32_t first, uint32_t n, double *u)
{
    const struct mpg_address address = mpg_flight_address(p, m);
    const struct mpg_rows *rows = m->in_row ? mpg_flight_rows(p, m->bytes) : NULL;
    uint32_t begin[MPG_LANES_AT_ONCE];
    mpg_draw_lanes(&address, first, n, u);
    if (!rows)
        return;
    const struct mpg_row_place place = mpg_flight_row_place(rows, m);
    mpg_flight_draw_rows(p, rows, place.row, m, first, n, begin);
    mpg_lane_code()->place_in_rows(place.element, begin, mpg_flight_row_share(rows), n, u);
}

/* --- several replicas --- */

/* Returns the number of replicas in the next vector, if DONE of N are done. */
static uint32_t batch_of(uint32_t n, uint32_t done)
{
    return n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
}

void mpg_add_drawn(const struct mpg_perturbation *p, const struct mpg_address *address, uint32_t first, uint32_t n,
                   mpg_add_times *add, const void *what, double *value_ns)
{
    double u[MPG_LANES_AT_ONCE];
    for (uint32_t done = 0, k; done < n; done += k) {
        k = batch_of(n, done);
        mpg_draw_lanes(address, first + done, k, u);
        add(what, &(struct mpg_quantile_requests){.n = k, .launch = mpg_perturbation_launches(p, first + done), .u = u},
            value_ns + done);
    }
}

void mpg_add_of_message(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first, uint32_t n,
                        mpg_add_times *add, const void *what, double *value_ns)
{
    double u[MPG_LANES_AT_ONCE];
    for (uint32_t done = 0, k; done < n; done += k) {
        k = batch_of(n, done);
        mpg_flight_find_u(p, m, first + done, k, u);
        add(what, &(struct mpg_quantile_requests){.n = k, .launch = mpg_perturbation_launches(p, first + done), .u = u},
            value_ns + done);
    }
}

static void add_flight(const void *flight, const struct mpg_quantile_requests *wanted, double *value_ns)
{
    double ns[MPG_LANES_AT_ONCE];
    flight_times(flight, wanted, ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        value_ns[w] += ns[w];
}

static void add_parts(const void *parts, const struct mpg_quantile_requests *wanted, double *value_ns)
{
    const struct parts *x = parts;
    double ns[MPG_LANES_AT_ONCE];
    if (x->has_lambda)
        add_flight(&x->lambda, wanted, value_ns);
    if (x->has_whole)
        add_flight(&x->whole, wanted, value_ns);
    if (x->has_empty) {
        flight_times(&x->empty, wanted, ns);
        for (uint32_t w = 0; w < wanted->n; w++)
            value_ns[w] -= ns[w];
    }
}

void mpg_perturb_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                        enum mpg_flight_part part, uint32_t first, uint32_t n, double *value_ns)
{
    bool lambda = part & MPG_FLIGHT_LAMBDA, tau = (part & MPG_FLIGHT_TAU) && m->bytes > 0;
    struct mpg_address address = mpg_sent_message_address(p->seed, m, MPG_DRAW_LATENCY);
    if (lambda && p->latency.n > 0)
        mpg_specs_draw(&p->latency, &address, 1, first, n, value_ns);
    address.purpose = MPG_DRAW_BYTE;
    if (tau && p->byte.n > 0)
        mpg_specs_draw(&p->byte, &address, m->bytes, first, n, value_ns);
    lambda = lambda && p->latency.n == 0;
    tau = tau && p->byte.n == 0;
    if ((!lambda && !tau) || mpg_flight_rule(p) == MPG_FLIGHT_NONE)
        return;
    const struct parts x = find_parts(p, lambda, tau, m->bytes);
    mpg_add_of_message(p, m, first, n, add_parts, &x, value_ns);
}

void mpg_perturb_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                     uint32_t first, uint32_t n, double *value_ns)
{
    const struct mpg_address address = mpg_sent_message_address(p->seed, m, MPG_DRAW_ACK);
    if (p->latency.n > 0) {
        mpg_specs_draw(&p->latency, &address, 1, first, n, value_ns);
        return;
    }
    const struct flight empty = find_flight(p, p->latency_model, 0);
    if (empty.rule != MPG_FLIGHT_NONE)
        mpg_add_drawn(p, &address, first, n, add_flight, &empty, value_ns);
}

/* --- times on the target --- */

bool mpg_flight_target_one_way_times(const struct mpg_perturbation *p, double bytes, struct mpg_target_one_way_times *x)
{
    const struct mpg_network_path *path = p->target_path;
    const struct mpg_path_fits *latency = p->latency_model == MPG_TIME_FIT ? &p->target_fits : NULL;
    const struct mpg_path_fits *byte = p->byte_model == MPG_TIME_FIT ? &p->target_fits : NULL;
    if (!path || (path->latency.n == 0 && path->bandwidth.n == 0))
        return false;
    *x = (struct mpg_target_one_way_times){.lambda = mpg_one_way_on_path(path, latency, 0),
                                           .whole = mpg_one_way_on_path(path, byte, bytes),
                                           .empty = mpg_one_way_on_path(path, byte, 0)};
    return true;
}

/* The time on the target of PART of a message. */
struct target_part {
    enum mpg_flight_part part;
    struct mpg_target_one_way_times times;
    bool mixed; /* latency model and byte model differ */
};

static void target_times(const struct target_part *x, const struct mpg_quantile_requests *wanted, double *ns)
{
    double more_ns[MPG_LANES_AT_ONCE];
    if (x->part == MPG_FLIGHT_LAMBDA) {
        mpg_one_way_times(&x->times.lambda, wanted, ns);
        return;
    }
    mpg_one_way_times(&x->times.whole, wanted, ns);
    if (x->part == MPG_FLIGHT_WHOLE && !x->mixed)
        return;
    mpg_one_way_times(&x->times.empty, wanted, more_ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        ns[w] -= more_ns[w];
    if (x->part != MPG_FLIGHT_WHOLE)
        return;
    mpg_one_way_times(&x->times.lambda, wanted, more_ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        ns[w] = fmax(0, more_ns[w] + ns[w]);
}

static void add_target(const void *part, const struct mpg_quantile_requests *wanted, double *value_ns)
{
    double ns[MPG_LANES_AT_ONCE];
    target_times(part, wanted, ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        value_ns[w] += ns[w];
}

static void add_to_all(double ns, uint32_t n, double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += ns;
}

void mpg_add_target_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                           enum mpg_flight_part part, double floor_ns, uint32_t first, uint32_t n,
                           double *value_ns)
{
    struct target_part x = {.part = part, .mixed = p->latency_model != p->byte_model};
    if (mpg_flight_target_known(p) && mpg_flight_target_one_way_times(p, m->bytes, &x.times)) {
        mpg_add_of_message(p, m, first, n, add_target, &x, value_ns);
        return;
    }
    add_to_all(floor_ns, n, value_ns);
    mpg_perturb_flight(p, m, part, first, n, value_ns);
}

void mpg_add_target_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                        double floor_ns, uint32_t first, uint32_t n, double *value_ns)
{
    const struct mpg_address address = mpg_sent_message_address(p->seed, m, MPG_DRAW_ACK);
    struct target_part x = {.part = MPG_FLIGHT_LAMBDA};
    if (mpg_flight_target_known(p) && mpg_flight_target_one_way_times(p, 0, &x.times)) {
        mpg_add_drawn(p, &address, first, n, add_target, &x, value_ns);
        return;
    }
    add_to_all(floor_ns, n, value_ns);
    mpg_perturb_ack(p, m, first, n, value_ns);
}

/* --- rounds of a collective --- */

/* Adds kappa of one round and, if HAS_MESSAGE, the lambda of the command line. */
static void add_given_round(const struct mpg_perturbation *p, struct mpg_address *address,
                            bool has_message, uint32_t first, uint32_t n, double *value_ns)
{
    address->purpose = MPG_DRAW_ROUND_LATENCY;
    if (has_message)
        mpg_specs_draw(&p->latency, address, 1, first, n, value_ns);
    address->purpose = MPG_DRAW_ROUND_CALL;
    mpg_specs_draw(&p->call_noise, address, 1, first, n, value_ns);
}

void mpg_perturb_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                        uint32_t index, uint32_t rounds, double bytes, bool has_message,
                        uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {.seed = p->seed, .call = call, .rank = rank};
    bool lambda = has_message && p->latency.n == 0, tau = has_message && p->byte.n == 0 && bytes > 0;
    bool measured = rounds > 0 && (lambda || tau) && mpg_flight_rule(p) != MPG_FLIGHT_NONE;
    struct parts x = {.has_lambda = false};
    if (measured)
        x = find_parts(p, lambda, tau, bytes / rounds);
    for (uint32_t round = 0; round < rounds; round++) {
        address.index = round + index * MPG_INDEX_OF_SEVERAL;
        add_given_round(p, &address, has_message, first, n, value_ns);
        if (!measured)
            continue;
        address.purpose = mpg_flight_purpose(p, MPG_DRAW_ROUND_LATENCY);
        mpg_add_drawn(p, &address, first, n, add_parts, &x, value_ns);
    }
    if (has_message && p->byte.n > 0 && bytes > 0) {
        address.index = index;
        address.purpose = MPG_DRAW_BYTE;
        mpg_specs_draw(&p->byte, &address, bytes, first, n, value_ns);
    }
}
