/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From exchanges to the distributions of one class of path. */
#include "config.h"

#include "signature/collect_network.h"

#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The times of exchange E of which a distribution is made; returns how many it
 * put into TIMES, 0 to 2. CONTEXT is the caller's. */
typedef int pick_fn(const struct mpg_exchange *e, const void *context, double times[2]);

/* The picked times of ALL, in order, which the caller frees; *N may be 0. */
static double *pick_times(const struct mpg_exchanges *all, pick_fn *pick, const void *context,
                          size_t *n, struct mpg_error *err)
{
    double *times = malloc((2 * all->n + 1) * sizeof *times);
    *n = 0;
    if (!times)
        mpg_collect_no_memory(err);
    for (size_t i = 0; times && i < all->n; i++)
        *n += (size_t)pick(&all->exchange[i], context, times + *n);
    return times;
}

/* The distributions of the picked times of each size of FROM, where there are
 * any; fitted if FIT. */
static int make_sizes(const struct mpg_exchange_sizes *from, pick_fn *pick, const void *context,
                      bool fit, struct mpg_network_sizes *sizes, struct mpg_error *err)
{
    if (!(sizes->size = calloc(from->n + 1, sizeof *sizes->size)))
        return mpg_collect_no_memory(err);
    for (size_t s = 0; s < from->n; s++) {
        size_t n;
        double *times = pick_times(&from->size[s], pick, context, &n, err);
        if (!times)
            return -1;
        struct mpg_network_size *made = &sizes->size[sizes->n];
        int status = n > 0 ? mpg_collect_distribution(times, n, fit, &made->time_ns, err) : 0;
        free(times);
        made->size_bytes = from->size[s].size_bytes;
        sizes->n += made->time_ns != NULL;
        if (status < 0)
            return mpg_error_prefix(err, "%lld bytes", (long long)from->size[s].size_bytes);
    }
    return 0;
}

static int half_time(const struct mpg_exchange *e, const void *context, double times[2])
{
    (void)context;
    times[0] = e->time_ns / 2;
    return 1;
}

static int whole_time(const struct mpg_exchange *e, const void *context, double times[2])
{
    (void)context;
    times[0] = e->time_ns;
    return 1;
}

static int send_time(const struct mpg_exchange *e, const void *context, double times[2])
{
    (void)context;
    times[0] = e->send_ns;
    return !isnan(e->send_ns);
}

/* Both ways by the clocks, CONTEXT. */
static int both_ways(const struct mpg_exchange *e, const void *context, double times[2])
{
    times[0] = mpg_one_way_there(context, e);
    times[1] = fmax(0, e->time_ns - times[0]);
    return 2;
}

/* The way there by the clocks, CONTEXT. */
static int there(const struct mpg_exchange *e, const void *context, double times[2])
{
    times[0] = mpg_one_way_there(context, e);
    return 1;
}

/* The time to the acknowledgement without the way back, half an empty round trip:
 * E's own, or CONTEXT. */
static int without_half(const struct mpg_exchange *e, const void *context, double times[2])
{
    double empty_ns = isnan(e->back_ns) ? *(const double *)context : e->back_ns;
    times[0] = fmax(0, e->time_ns - empty_ns / 2);
    return 1;
}

/* ---- one way ---- */

static int say_one_way(const struct mpg_one_way *ways, struct mpg_network_path *out,
                       struct mpg_error *err)
{
    int length = -1;
    switch (ways->clocks) {
    case MPG_CLOCKS_ONE:
        out->one_way = strdup("forward and backward times; one clock");
        return out->one_way ? 0 : mpg_collect_no_memory(err);
    case MPG_CLOCKS_GOOD:
        length = asprintf(&out->one_way, "forward and backward times; clocks synchronised within"
                                         " %.3g ns", ways->error_ns);
        break;
    case MPG_CLOCKS_SHAPE:
        length = asprintf(&out->one_way, "forward and backward times, moved to the same median;"
                                         " clocks synchronised within %.3g ns", ways->error_ns);
        break;
    case MPG_CLOCKS_NONE:
        out->one_way = strdup("half the round trip");
        return out->one_way ? 0 : mpg_collect_no_memory(err);
    }
    if (length < 0) {
        out->one_way = NULL;
        return mpg_collect_no_memory(err);
    }
    return 0;
}

static int make_latency(const struct mpg_collect_path *in, struct mpg_network_path *out,
                        struct mpg_error *err)
{
    struct mpg_one_way ways;
    if (in->pingpong.n == 0)
        return 0;
    if (mpg_one_way_find(&in->pingpong, in->launch, in->launches, in->pairs, true, &ways, err) < 0)
        return -1;
    int status = say_one_way(&ways, out, err);
    bool clocks = ways.clocks != MPG_CLOCKS_NONE;
    if (clocks)
        out->one_way_error_ns = ways.error_ns;
    if (status == 0)
        status = make_sizes(&in->pingpong, clocks ? both_ways : half_time, &ways, true,
                            &out->latency, err);
    mpg_one_way_clear(&ways);
    return status;
}

/* ---- transfers ---- */

/* The median round trip of the empty exchanges in IN's bandwidth; 0 without any. */
static int median_empty(const struct mpg_collect_path *in, double *median_ns,
                        struct mpg_error *err)
{
    const struct mpg_exchanges *all = &in->bandwidth.size[0];
    *median_ns = 0;
    if (all->size_bytes != 0)
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

static int make_bandwidth(const struct mpg_collect_path *in, struct mpg_network_path *out,
                          struct mpg_error *err)
{
    struct mpg_one_way ways;
    double empty_ns;
    if (in->bandwidth.n == 0)
        return 0;
    if (mpg_one_way_find(&in->bandwidth, in->transfer, in->transfer_launches, in->pairs,
                         in->bandwidth.size[0].size_bytes == 0, &ways, err) < 0)
        return -1;
    int status = 0;
    if (ways.clocks != MPG_CLOCKS_NONE)
        status = make_sizes(&in->bandwidth, there, &ways, true, &out->bandwidth, err);
    else if ((status = median_empty(in, &empty_ns, err)) == 0)
        status = make_sizes(&in->bandwidth, without_half, &empty_ns, true, &out->bandwidth, err);
    mpg_one_way_clear(&ways);
    return status;
}

int mpg_collect_make_path(struct mpg_collect *c, const struct mpg_collect_path *in,
                          struct mpg_network_path *out, struct mpg_error *err)
{
    out->eager_limit_bytes = MPG_EAGER_LIMIT_UNKNOWN;
    out->window = in->window;
    if (make_latency(in, out, err) < 0 || make_bandwidth(in, out, err) < 0 ||
        make_sizes(&in->pingpong, whole_time, NULL, false, &out->round_trip, err) < 0 ||
        make_sizes(&in->bandwidth, send_time, NULL, false, &out->sender, err) < 0 ||
        make_sizes(&in->stream, whole_time, NULL, false, &out->streaming, err) < 0)
        return -1;
    if (in->eager_limits > 0) { /* the lower median: a limit that some launch had */
        gsl_sort(in->eager_limit_bytes, 1, in->eager_limits);
        out->eager_limit_bytes = (int64_t)in->eager_limit_bytes[(in->eager_limits - 1) / 2];
    }
    return mpg_collect_groups(c, in, out, err);
}
