/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking ways up. */
#include "simulate/models/ways.h"

#include <math.h>

#include "simulate/draws/lane_code.h"
#include "simulate/rules.h"

struct mpg_way_place mpg_way_place_find(const struct mpg_network_sizes *sizes,
                                        const struct mpg_fitted *fits, double bytes)
{
    struct mpg_way_place p = {.spot = mpg_spot_find(sizes, bytes)};
    if (fits) {
        p.low = &fits[p.spot.low - sizes->size];
        p.high = &fits[p.spot.high - sizes->size];
    }
    return p;
}

static double place_ns(const struct mpg_way_place *p, double launch, double u)
{
    if (!p->low)
        return mpg_spot_quantile(&p->spot, launch, u);
    double low_ns = mpg_fitted_quantile(p->low, u);
    if (p->low == p->high)
        return low_ns;
    return low_ns + (mpg_fitted_quantile(p->high, u) - low_ns) * p->spot.weight;
}

/* Nanoseconds a byte between the two greatest of SIZES. */
static double slope_of(const struct mpg_network_sizes *sizes)
{
    const struct mpg_network_size *from = &sizes->size[sizes->n - 2], *to = from + 1;
    const double more_ns = mpg_size_quantile(to, -1, 0.5) - mpg_size_quantile(from, -1, 0.5);
    return fmax(more_ns, 0) / (double)(to->size_bytes - from->size_bytes);
}

struct mpg_way mpg_way_find(const struct mpg_network_sizes *sizes, const struct mpg_fitted *fits,
                            const struct mpg_network_sizes *slope, double bytes)
{
    struct mpg_way way = {.place = mpg_way_place_find(sizes, fits, bytes)};
    const double beyond = bytes - (double)sizes->size[sizes->n - 1].size_bytes;
    if (beyond > 0 && slope->n > 1 && mpg_rule_holds(MPG_RULE_BEYOND_SIZES))
        way.more_ns = beyond * slope_of(slope);
    return way;
}

struct mpg_way mpg_way_on_path(const struct mpg_network_path *path, const struct mpg_path_fits *fits, double bytes)
{
    const bool latencies = path->latency.n > 0;
    const struct mpg_network_sizes *sizes = latencies ? &path->latency : &path->bandwidth;
    return mpg_way_find(sizes, !fits ? NULL : latencies ? fits->latency : fits->bandwidth,
                        path->bandwidth.n > 1 ? &path->bandwidth : sizes, bytes);
}

double mpg_way_ns(const struct mpg_way *way, double launch, double u)
{
    return place_ns(&way->place, launch, u) + way->more_ns;
}

void mpg_way_place_times(const struct mpg_way_place *p, const struct mpg_wanted *asked, double *ns)
{
    if (!p->low)
        mpg_spot_quantiles(&p->spot, asked, ns);
    else
        for (uint32_t w = 0; w < asked->n; w++)
            ns[w] = place_ns(p, -1, asked->u ? asked->u[w] : 0);
}

void mpg_way_times(const struct mpg_way *way, const struct mpg_wanted *asked, double *ns)
{
    mpg_way_place_times(&way->place, asked, ns);
    for (uint32_t w = 0; w < asked->n && way->more_ns > 0; w++)
        ns[w] += way->more_ns;
}
