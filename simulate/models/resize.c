/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/models/resize.h"

#include "simulate/draws/lane_code.h"
#include "simulate/models/perturbation.h"

static bool has_times(const struct mpg_perturbation *p)
{
    return !p->source_byte_given && p->source_path && p->source_path->latency.n > 0;
}

bool mpg_resize_is_known(const struct mpg_perturbation *p)
{
    return p->source_byte_given || has_times(p);
}

/* One-way times of two message sizes on the source. */
struct sizes {
    struct mpg_one_way_time from, to;
};

static struct sizes find_sizes(const struct mpg_perturbation *p, double from, double to)
{
    return (struct sizes){mpg_one_way_on_path(p->source_path, NULL, from), mpg_one_way_on_path(p->source_path, NULL, to)};
}

static void add_difference(const void *sizes, const struct mpg_quantile_requests *wanted, double *value_ns)
{
    const struct sizes *x = sizes;
    double less_ns[MPG_LANES_AT_ONCE], ns[MPG_LANES_AT_ONCE];
    mpg_one_way_times(&x->from, wanted, less_ns);
    mpg_one_way_times(&x->to, wanted, ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        value_ns[w] += ns[w] - less_ns[w];
}

static void add_bytes(const struct mpg_perturbation *p, double bytes, uint32_t n, double *value_ns)
{
    for (uint32_t w = 0; w < n; w++)
        value_ns[w] += bytes * p->source_byte_ns;
}

void mpg_resize_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m, double traced_bytes,
                       uint32_t first, uint32_t n, double *value_ns)
{
    if (m->bytes == traced_bytes)
        return;
    if (!has_times(p)) {
        add_bytes(p, m->bytes - traced_bytes, n, value_ns);
        return;
    }
    const struct sizes x = find_sizes(p, traced_bytes, m->bytes);
    mpg_add_of_message(p, m, first, n, add_difference, &x, value_ns);
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
    for (uint32_t round = 0; round < rounds; round++) {
        address.index = round + index * MPG_INDEX_OF_SEVERAL;
        mpg_add_drawn(p, &address, first, n, add_difference, &x, value_ns);
    }
}
