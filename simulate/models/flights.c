/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawing flights for a vector of lanes. */
#include "simulate/models/flights.h"

#include <math.h>

#include "simulate/models/perturbation.h"
#include "simulate/models/sizes.h"

enum { LANES_AT_ONCE = 64 };

/* Threads of a rank send rows of their own: so many rows may be of one. */
static const uint64_t ROWS_OF_A_THREAD = UINT64_C(1) << 40;

static bool has_latencies(const struct mpg_network_path *path)
{
    return path && path->latency.n > 0;
}

enum mpg_flight_rule mpg_flight_rule(const struct mpg_perturbation *p)
{
    const struct mpg_network_path *target = p->target_path, *source = p->source_path;
    bool transfers = mpg_perturbation_has_transfers(target);
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

/* --- of one path --- */

/* X(d; u) at some size. */
struct way {
    struct mpg_spot spot;
    const struct mpg_network_size *from, *to; /* the slope's; NULL: none is needed */
    double beyond;                            /* bytes above the greatest size */
};

static struct way find_way(const struct mpg_network_path *path, double bytes)
{
    const struct mpg_network_sizes *l = &path->latency;
    const struct mpg_network_sizes *slope = path->bandwidth.n > 1 ? &path->bandwidth : l;
    struct way way = {.spot = mpg_spot_find(l, bytes)};
    double greatest = (double)l->size[l->n - 1].size_bytes;
    if (bytes > greatest && slope->n > 1) {
        way.beyond = bytes - greatest;
        way.from = &slope->size[slope->n - 2];
        way.to = &slope->size[slope->n - 1];
    }
    return way;
}

static double way_ns(const struct way *way, double launch, double u)
{
    double ns = mpg_spot_quantile(&way->spot, launch, u);
    if (!way->to)
        return ns;
    double more_ns = mpg_size_quantile(way->to, launch, u) - mpg_size_quantile(way->from, launch, u);
    double bytes = (double)(way->to->size_bytes - way->from->size_bytes);
    return ns + way->beyond * fmax(more_ns / bytes, 0);
}

double mpg_flight_of(const struct mpg_network_path *path, double bytes, double u)
{
    struct way way = find_way(path, bytes);
    return way_ns(&way, -1, u);
}

double mpg_flight_median(const struct mpg_perturbation *p, double bytes)
{
    return mpg_flight_target_known(p) ? mpg_flight_of(p->target_path, bytes, 0.5) : 0;
}

/* What bytes take of a transfer; the empty message has none. */
struct haul {
    struct mpg_spot least, spot;
    bool empty;
};

static struct haul find_haul(const struct mpg_network_path *path, double bytes)
{
    struct mpg_network_sizes sizes = path->bandwidth;
    while (sizes.n > 1 && sizes.size[0].size_bytes == 0) {
        sizes.size++;
        sizes.n--;
    }
    return (struct haul){mpg_spot_find(&sizes, 0), mpg_spot_find(&sizes, bytes), !(bytes > 0)};
}

static double haul_ns(const struct haul *haul, double launch, double u)
{
    if (haul->empty)
        return 0;
    return fmax(mpg_spot_quantile(&haul->spot, launch, u) -
                    mpg_spot_quantile(&haul->least, launch, u),
                0);
}

/* --- of two --- */

/* delta(d; u) at some size. */
struct flight {
    enum mpg_flight_rule rule;
    struct way target, source;
    struct haul target_haul, source_haul;
};

static struct flight find_flight(const struct mpg_perturbation *p, double bytes)
{
    struct flight f = {.rule = mpg_flight_rule(p)};
    switch (f.rule) {
    case MPG_FLIGHT_DIFFERENCE:
        f.source = find_way(p->source_path, bytes);
        f.target = find_way(p->target_path, bytes);
        break;
    case MPG_FLIGHT_TARGET:
        f.target = find_way(p->target_path, bytes);
        break;
    case MPG_FLIGHT_TRANSFER_DIFFERENCE:
        f.source_haul = find_haul(p->source_path, bytes);
        f.target_haul = find_haul(p->target_path, bytes);
        break;
    case MPG_FLIGHT_TRANSFER_TARGET:
        f.target_haul = find_haul(p->target_path, bytes);
        break;
    case MPG_FLIGHT_NONE:
        break;
    }
    return f;
}

static double flight_ns(const struct flight *f, double launch, double u)
{
    switch (f->rule) {
    case MPG_FLIGHT_DIFFERENCE:
        return way_ns(&f->target, launch, u) - way_ns(&f->source, launch, u);
    case MPG_FLIGHT_TARGET:
        return way_ns(&f->target, launch, u) - way_ns(&f->target, launch, 0);
    case MPG_FLIGHT_TRANSFER_DIFFERENCE:
        return haul_ns(&f->target_haul, launch, u) - haul_ns(&f->source_haul, launch, u);
    case MPG_FLIGHT_TRANSFER_TARGET:
        return haul_ns(&f->target_haul, launch, u) - haul_ns(&f->target_haul, launch, 0);
    default:
        return 0;
    }
}

/* --- where in the distribution --- */

/* Of what kind the draw of the signatures' u is: where lambda is given, its draw is not that
 * of what the signatures say. */
static enum mpg_purpose purpose_of(const struct mpg_perturbation *p, enum mpg_purpose latency)
{
    return p->latency.n > 0 ? MPG_DRAW_BYTE : latency;
}

/* The rows that M, which may have none, is in. */
static const struct mpg_rows *rows_of(const struct mpg_perturbation *p,
                                      const struct mpg_sending *m)
{
    if (!m->in_row || !has_latencies(p->target_path))
        return NULL;
    const struct mpg_rows *rows = &mpg_size_nearest(&p->target_path->latency, m->bytes)->rows;
    return rows->blocks > 0 && rows->length > 0 ? rows : NULL;
}

/* u of M in each lane. */
static void find_u(const struct mpg_perturbation *p, const struct mpg_sending *m, uint32_t first,
                   uint32_t n, double *u)
{
    const struct mpg_rows *rows = rows_of(p, m);
    struct mpg_address address = {.seed = p->seed,
                                  .rank = m->rank,
                                  .call = m->call,
                                  .index = m->index,
                                  .purpose = purpose_of(p, MPG_DRAW_LATENCY)};
    for (uint32_t w = 0; w < n; w++)
        u[w] = mpg_draw(&address, first + w);
    if (!rows)
        return;
    double share = 1 / ((double)rows->blocks * (double)rows->length); /* of each of their u */
    address.call = m->nth / rows->length + m->thread * ROWS_OF_A_THREAD;
    address.index = (uint32_t)m->to;
    address.purpose = MPG_DRAW_ROW;
    size_t at = (size_t)(m->nth % rows->length);
    for (uint32_t w = 0; w < n; w++) {
        size_t row = (size_t)(mpg_draw(&address, first + w) * (double)rows->blocks);
        row = row < rows->blocks ? row : rows->blocks - 1;
        u[w] = rows->u[row * rows->length + at] + (u[w] - 0.5) * share;
    }
}

/* --- many lanes --- */

/* Adds those parts of M's flight that are the signatures' to N <= LANES_AT_ONCE lanes. */
static void add_measured(const struct mpg_perturbation *p, const double *u,
                         const struct flight *empty, const struct flight *whole, uint32_t first,
                         uint32_t n, double *value_ns)
{
    for (uint32_t w = 0; w < n; w++) {
        double launch = mpg_perturbation_launch(p, first + w);
        if (whole)
            value_ns[w] += flight_ns(whole, launch, u[w]);
        if (empty) /* all of it, or what is not part of the whole */
            value_ns[w] += whole ? -flight_ns(empty, launch, u[w]) : flight_ns(empty, launch, u[w]);
    }
}

void mpg_perturb_flight(const struct mpg_perturbation *p, const struct mpg_sending *m,
                        enum mpg_flight_part part, uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {
        .seed = p->seed, .call = m->call, .rank = m->rank, .index = m->index};
    bool lambda = part & MPG_FLIGHT_LAMBDA, tau = (part & MPG_FLIGHT_TAU) && m->bytes > 0;
    if (lambda && p->latency.n > 0) {
        address.purpose = MPG_DRAW_LATENCY;
        mpg_specs_draw(&p->latency, &address, 1, first, n, value_ns);
    }
    if (tau && p->byte.n > 0) {
        address.purpose = MPG_DRAW_BYTE;
        mpg_specs_draw(&p->byte, &address, m->bytes, first, n, value_ns);
    }
    lambda = lambda && p->latency.n == 0;
    tau = tau && p->byte.n == 0;
    if ((!lambda && !tau) || mpg_flight_rule(p) == MPG_FLIGHT_NONE)
        return;
    struct flight empty = find_flight(p, 0), whole = find_flight(p, m->bytes);
    double u[LANES_AT_ONCE];
    for (uint32_t done = 0, k; done < n; done += k) {
        k = n - done < LANES_AT_ONCE ? n - done : LANES_AT_ONCE;
        find_u(p, m, first + done, k, u);
        add_measured(p, u, lambda && tau ? NULL : &empty, tau ? &whole : NULL, first + done, k,
                     value_ns + done);
    }
}

void mpg_perturb_ack(const struct mpg_perturbation *p, const struct mpg_sending *m,
                     uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {.seed = p->seed,
                                  .call = m->call,
                                  .rank = m->rank,
                                  .index = m->index,
                                  .purpose = MPG_DRAW_ACK};
    if (p->latency.n > 0) {
        mpg_specs_draw(&p->latency, &address, 1, first, n, value_ns);
        return;
    }
    struct flight empty = find_flight(p, 0);
    if (empty.rule == MPG_FLIGHT_NONE)
        return;
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += flight_ns(&empty, mpg_perturbation_launch(p, first + w),
                                 mpg_draw(&address, first + w));
}

void mpg_add_target_flight(const struct mpg_perturbation *p, const struct mpg_sending *m,
                           enum mpg_flight_part part, double floor_ns, uint32_t first, uint32_t n,
                           double *value_ns)
{
    if (!mpg_flight_target_known(p)) {
        for (uint32_t w = 0; w < n; w++)
            value_ns[w] += floor_ns;
        mpg_perturb_flight(p, m, part, first, n, value_ns);
        return;
    }
    struct way empty = find_way(p->target_path, 0), whole = find_way(p->target_path, m->bytes);
    double u[LANES_AT_ONCE];
    for (uint32_t done = 0, k; done < n; done += k) {
        k = n - done < LANES_AT_ONCE ? n - done : LANES_AT_ONCE;
        find_u(p, m, first + done, k, u);
        for (uint32_t w = 0; w < k; w++) {
            double launch = mpg_perturbation_launch(p, first + done + w);
            if (part & MPG_FLIGHT_TAU)
                value_ns[done + w] += way_ns(&whole, launch, u[w]);
            if (part == MPG_FLIGHT_LAMBDA)
                value_ns[done + w] += way_ns(&empty, launch, u[w]);
            else if (part == MPG_FLIGHT_TAU)
                value_ns[done + w] -= way_ns(&empty, launch, u[w]);
        }
    }
}

void mpg_add_target_ack(const struct mpg_perturbation *p, const struct mpg_sending *m,
                        double floor_ns, uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {.seed = p->seed,
                                  .call = m->call,
                                  .rank = m->rank,
                                  .index = m->index,
                                  .purpose = MPG_DRAW_ACK};
    if (!mpg_flight_target_known(p)) {
        for (uint32_t w = 0; w < n; w++)
            value_ns[w] += floor_ns;
        mpg_perturb_ack(p, m, first, n, value_ns);
        return;
    }
    struct way way = find_way(p->target_path, 0);
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += way_ns(&way, mpg_perturbation_launch(p, first + w),
                              mpg_draw(&address, first + w));
}

/* --- rounds --- */

/* kappa and, if it is to FLY, the command line's lambda of a round. */
static void add_given_round(const struct mpg_perturbation *p, struct mpg_address *address,
                            bool fly, uint32_t first, uint32_t n, double *value_ns)
{
    address->purpose = MPG_DRAW_ROUND_LATENCY;
    if (fly)
        mpg_specs_draw(&p->latency, address, 1, first, n, value_ns);
    address->purpose = MPG_DRAW_ROUND_CALL;
    mpg_specs_draw(&p->call_noise, address, 1, first, n, value_ns);
}

void mpg_perturb_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                        uint32_t index, uint32_t rounds, double bytes, bool fly,
                        uint32_t first, uint32_t n, double *value_ns)
{
    struct mpg_address address = {.seed = p->seed, .call = call, .rank = rank};
    bool lambda = fly && p->latency.n == 0, tau = fly && p->byte.n == 0 && bytes > 0;
    struct flight empty = {.rule = MPG_FLIGHT_NONE}, whole = empty;
    if (rounds > 0 && (lambda || tau)) {
        empty = find_flight(p, 0);
        whole = find_flight(p, bytes / rounds);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        address.index = round + index * 0x9e3779b1u; /* of several that one call starts */
        add_given_round(p, &address, fly, first, n, value_ns);
        if (empty.rule == MPG_FLIGHT_NONE)
            continue;
        address.purpose = purpose_of(p, MPG_DRAW_ROUND_LATENCY);
        for (uint32_t w = 0; w < n; w++) {
            double u = mpg_draw(&address, first + w);
            add_measured(p, &u, lambda && tau ? NULL : &empty, tau ? &whole : NULL, first + w, 1,
                         &value_ns[w]);
        }
    }
    if (fly && p->byte.n > 0 && bytes > 0) {
        address.index = index;
        address.purpose = MPG_DRAW_BYTE;
        mpg_specs_draw(&p->byte, &address, bytes, first, n, value_ns);
    }
}
