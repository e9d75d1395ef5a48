/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From exchanges to the distributions of one class of path. */
#include "signature/collect_network.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A time of exchange E; NAN leaves it out. CONTEXT is the caller's. */
typedef double pick_fn(const struct mpg_exchange *e, const void *context);

/* The distributions of PICK's times of each size of FROM, where there are any. */
static int make_sizes(const struct mpg_exchange_sizes *from, pick_fn *pick, const void *context,
                      struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    if (!(sizes->size = calloc(from->n + 1, sizeof *sizes->size)))
        return mpg_collect_no_memory(err);
    for (size_t s = 0; s < from->n; s++) {
        const struct mpg_exchanges *all = &from->size[s];
        double *times = malloc(all->n * sizeof *times);
        size_t n = 0;
        if (!times)
            return mpg_collect_no_memory(err);
        for (size_t i = 0; i < all->n; i++) {
            times[n] = pick(&all->exchange[i], context);
            n += !isnan(times[n]);
        }
        struct mpg_network_size *made = &sizes->size[sizes->n];
        made->size_bytes = all->size_bytes;
        if (n > 0)
            made->time_ns = mpg_distribution_from_samples(times, n, MPG_DISTRIBUTION_KNOTS, err);
        free(times);
        if (n > 0 && !made->time_ns)
            return mpg_error_prefix(err, "%lld bytes", (long long)all->size_bytes);
        sizes->n += n > 0;
    }
    return 0;
}

static double half_time(const struct mpg_exchange *e, const void *context)
{
    (void)context;
    return e->time_ns / 2;
}

static double whole_time(const struct mpg_exchange *e, const void *context)
{
    (void)context;
    return e->time_ns;
}

static double send_time(const struct mpg_exchange *e, const void *context)
{
    (void)context;
    return e->send_ns;
}

/* A transfer is the time to the acknowledgement without the way back, half an
 * empty round trip: E's own, or CONTEXT. */
static double transfer_time(const struct mpg_exchange *e, const void *context)
{
    double empty_ns = isnan(e->back_ns) ? *(const double *)context : e->back_ns;
    return fmax(0, e->time_ns - empty_ns / 2);
}

/* The median round trip of the empty exchanges in IN's bandwidth; 0 without any. */
static int median_empty(const struct mpg_collect_path *in, double *median_ns,
                        struct mpg_error *err)
{
    const struct mpg_exchanges *all = &in->bandwidth.size[0];
    *median_ns = 0;
    if (in->bandwidth.n == 0 || all->size_bytes != 0)
        return 0;
    double *times = malloc(all->n * sizeof *times);
    if (!times)
        return mpg_collect_no_memory(err);
    for (size_t i = 0; i < all->n; i++)
        times[i] = all->exchange[i].time_ns;
    gsl_sort(times, 1, all->n);
    *median_ns = times[(all->n - 1) / 2];
    free(times);
    return 0;
}

int mpg_collect_make_path(struct mpg_collect *c, const struct mpg_collect_path *in,
                          struct mpg_network_path *out, struct mpg_error *err)
{
    (void)c;
    double empty_ns;
    out->eager_limit_bytes = MPG_EAGER_LIMIT_UNKNOWN;
    out->window = in->window;
    if (in->pingpong.n > 0 && !(out->one_way = strdup("half the round trip")))
        return mpg_collect_no_memory(err);
    if (make_sizes(&in->pingpong, half_time, NULL, &out->latency, err) < 0 ||
        make_sizes(&in->pingpong, whole_time, NULL, &out->round_trip, err) < 0 ||
        median_empty(in, &empty_ns, err) < 0 ||
        make_sizes(&in->bandwidth, transfer_time, &empty_ns, &out->bandwidth, err) < 0 ||
        make_sizes(&in->bandwidth, send_time, NULL, &out->sender, err) < 0 ||
        make_sizes(&in->stream, whole_time, NULL, &out->streaming, err) < 0)
        return -1;
    if (in->eager_limits > 0) { /* the lower median: a limit that some launch had */
        gsl_sort(in->eager_limit_bytes, 1, in->eager_limits);
        out->eager_limit_bytes = (int64_t)in->eager_limit_bytes[(in->eager_limits - 1) / 2];
    }
    return 0;
}
