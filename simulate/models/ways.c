/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking ways up. */
#include "simulate/models/ways.h"

#include <math.h>

#include "simulate/draws/lane_code.h"

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

double mpg_way_place_ns(const struct mpg_way_place *p, double launch, double u)
{
    if (!p->low)
        return mpg_spot_quantile(&p->spot, launch, u);
    double low_ns = mpg_fitted_quantile(p->low, u);
    if (p->low == p->high)
        return low_ns;
    return low_ns + (mpg_fitted_quantile(p->high, u) - low_ns) * p->spot.weight;
}

struct mpg_way mpg_way_find(const struct mpg_network_sizes *sizes, const struct mpg_fitted *fits,
                            const struct mpg_network_sizes *slope,
                            const struct mpg_fitted *slope_fits, double bytes)
{
    struct mpg_way way = {.place = mpg_way_place_find(sizes, fits, bytes)};
    double greatest = (double)sizes->size[sizes->n - 1].size_bytes;
    if (bytes > greatest && slope->n > 1) {
        way.beyond = bytes - greatest;
        way.from = mpg_way_place_find(slope, slope_fits, (double)slope->size[slope->n - 2].size_bytes);
        way.to = mpg_way_place_find(slope, slope_fits, (double)slope->size[slope->n - 1].size_bytes);
    }
    return way;
}

double mpg_way_ns(const struct mpg_way *way, double launch, double u)
{
    double ns = mpg_way_place_ns(&way->place, launch, u);
    if (!(way->beyond > 0))
        return ns;
    double more_ns = mpg_way_place_ns(&way->to, launch, u) - mpg_way_place_ns(&way->from, launch, u);
    double bytes = (double)(way->to.spot.low->size_bytes - way->from.spot.low->size_bytes);
    return ns + way->beyond * fmax(more_ns / bytes, 0);
}

void mpg_way_place_times(const struct mpg_way_place *p, const struct mpg_wanted *asked, double *ns)
{
    if (!p->low)
        mpg_spot_quantiles(&p->spot, asked, ns);
    else
        for (uint32_t w = 0; w < asked->n; w++)
            ns[w] = mpg_way_place_ns(p, -1, asked->u ? asked->u[w] : 0);
}

void mpg_way_times(const struct mpg_way *way, const struct mpg_wanted *asked, double *ns)
{
    double from_ns[MPG_LANES_AT_ONCE], to_ns[MPG_LANES_AT_ONCE];
    mpg_way_place_times(&way->place, asked, ns);
    if (!(way->beyond > 0))
        return;
    mpg_way_place_times(&way->to, asked, to_ns);
    mpg_way_place_times(&way->from, asked, from_ns);
    double bytes = (double)(way->to.spot.low->size_bytes - way->from.spot.low->size_bytes);
    for (uint32_t w = 0; w < asked->n; w++)
        ns[w] += way->beyond * fmax((to_ns[w] - from_ns[w]) / bytes, 0);
}
