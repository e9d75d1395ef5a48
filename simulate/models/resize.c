/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/resize.h"

#include "simulate/draws/lane_code.h"
#include "simulate/models/perturbation.h"
#include "simulate/models/ways.h"

static bool has_times(const struct mpg_perturbation *p)
{
    return !p->source_byte_given && p->source_path && p->source_path->latency.n > 0;
}

bool mpg_resize_is_known(const struct mpg_perturbation *p)
{
    return p->source_byte_given || has_times(p);
}

/* One-way times of two sizes on the source. */
struct sizes {
    struct mpg_way from, to;
};

static struct mpg_way find_way(const struct mpg_network_path *path, double bytes)
{
    return mpg_way_find(&path->latency, NULL, path->bandwidth.n > 1 ? &path->bandwidth : &path->latency, bytes);
}

static struct sizes find_sizes(const struct mpg_perturbation *p, double from, double to)
{
    return (struct sizes){find_way(p->source_path, from), find_way(p->source_path, to)};
}

static void add_difference(const struct mpg_perturbation *p, const struct sizes *x, const double *u,
                           uint32_t first, uint32_t n, double *value_ns)
{
    double less_ns[MPG_LANES_AT_ONCE], ns[MPG_LANES_AT_ONCE];
    const struct mpg_wanted asked = {.n = n, .launch = mpg_perturbation_launches(p, first), .u = u};
    mpg_way_times(&x->from, &asked, less_ns);
    mpg_way_times(&x->to, &asked, ns);
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += ns[w] - less_ns[w];
}

static void add_bytes(const struct mpg_perturbation *p, double bytes, uint32_t n, double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += bytes * p->source_byte_ns;
}

void mpg_resize_flight(const struct mpg_perturbation *p, const struct mpg_sending *m, double traced_bytes,
                       uint32_t first, uint32_t n, double *value_ns)
{
    if (m->bytes == traced_bytes)
        return;
    if (!has_times(p)) {
        add_bytes(p, m->bytes - traced_bytes, n, value_ns);
        return;
    }
    const struct sizes x = find_sizes(p, traced_bytes, m->bytes);
    double u[MPG_LANES_AT_ONCE];
    for (uint32_t done = 0, k; done < n; done += k) {
        k = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
        mpg_flight_find_u(p, m, first + done, k, u);
        add_difference(p, &x, u, first + done, k, value_ns + done);
    }
}

void mpg_resize_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call, uint32_t index,
                       uint32_t rounds, double traced_bytes, double bytes, uint32_t first, uint32_t n,
                       double *value_ns)
{
    struct mpg_address address = {.seed = p->seed,
                                  .call = call,
                                  .rank = rank,
                                  .purpose = mpg_flight_purpose(p, MPG_DRAW_ROUND_LATENCY)};
    if (bytes == traced_bytes || rounds == 0)
        return;
    if (!has_times(p)) {
        add_bytes(p, bytes - traced_bytes, n, value_ns);
        return;
    }
    const struct sizes x = find_sizes(p, traced_bytes / rounds, bytes / rounds);
    double u[MPG_LANES_AT_ONCE];
    for (uint32_t round = 0; round < rounds; round++) {
        address.index = round + index * MPG_INDEX_OF_SEVERAL;
        for (uint32_t done = 0, k; done < n; done += k) {
            k = n - done < MPG_LANES_AT_ONCE ? n - done : MPG_LANES_AT_ONCE;
            mpg_draw_lanes(&address, first + done, k, u);
            add_difference(p, &x, u, first + done, k, value_ns + done);
        }
    }
}
