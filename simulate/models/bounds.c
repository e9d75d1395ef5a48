/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A send and a receive are parts of a message's way: benchmarks that measure them by themselves, with other
 * messages in flight, can find more than the whole takes. */
#include "simulate/models/bounds.h"

#include <math.h>

#include "simulate/models/ways.h"

/* Of which an overhead of one size is a part; N of them. */
struct bounds {
    struct mpg_way way[2];
    size_t n;
};

static int bound(struct mpg_distribution *d, const struct bounds *b, double launch, struct mpg_error *err)
{
    for (size_t i = 0; i < d->knots; i++)
        for (size_t k = 0; k < b->n; k++)
            d->quantiles[i] = fmin(d->quantiles[i], mpg_way_ns(&b->way[k], launch, d->probabilities[i]));
    return mpg_distribution_prepare(d, err);
}

/* The times of PATH of which an overhead is a part, where they are known; SENDS: that of a send. */
static struct bounds find_bounds(const struct mpg_network_path *path, bool sends, double bytes)
{
    struct bounds b = {.n = 0};
    if (path->latency.n + path->bandwidth.n > 0)
        b.way[b.n++] = mpg_way_on_path(path, NULL, bytes);
    if (sends && path->streaming.n > 0)
        b.way[b.n++] = mpg_way_find(&path->streaming, NULL, &path->streaming, bytes);
    return b;
}

/* Those of SIZES up to MOST bytes. */
static int bound_sizes(const struct mpg_network_path *path, struct mpg_network_sizes *sizes, bool sends, int64_t most,
                       struct mpg_error *err)
{
    for (size_t i = 0; i < sizes->n && sizes->size[i].size_bytes <= most; i++) {
        struct mpg_network_size *size = &sizes->size[i];
        const struct bounds b = find_bounds(path, sends, (double)size->size_bytes);
        const size_t launches = size->launches.n;
        if (bound(size->time_ns, &b, -1, err) < 0)
            return -1;
        for (size_t k = 0; k < launches; k++)
            if (bound(size->launches.ns[k], &b, ((double)k + 0.5) / (double)launches, err) < 0)
                return -1;
    }
    return 0;
}

int mpg_bound_overheads(struct mpg_signature *sig, struct mpg_error *err)
{
    for (size_t i = 0; i < sig->paths; i++) {
        struct mpg_network_path *path = &sig->network[i];
        const int64_t in_send = path->send_overhead.n == 0 ? path->eager_limit_bytes : -1;
        if (bound_sizes(path, &path->send_overhead, true, INT64_MAX, err) < 0 ||
            bound_sizes(path, &path->sender, true, in_send, err) < 0 ||
            bound_sizes(path, &path->receive_overhead, false, INT64_MAX, err) < 0)
            return -1;
    }
    return 0;
}
