/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking sizes up. */
#include "simulate/models/sizes.h"

#include <math.h>

static double place_of(double bytes)
{
    return log2(bytes + 1);
}

/* The first size of at least BYTES; n: none. */
static size_t first_from(const struct mpg_network_sizes *sizes, double bytes)
{
    size_t i = 0;
    while (i < sizes->n && (double)sizes->size[i].size_bytes < bytes)
        i++;
    return i;
}

struct mpg_spot mpg_spot_find(const struct mpg_network_sizes *sizes, double bytes)
{
    size_t i = first_from(sizes, bytes);
    if (i == sizes->n || i == 0 || (double)sizes->size[i].size_bytes == bytes) {
        const struct mpg_network_size *only = &sizes->size[i < sizes->n ? i : i - 1];
        return (struct mpg_spot){only, only, 0};
    }
    const struct mpg_network_size *low = &sizes->size[i - 1], *high = &sizes->size[i];
    double from = place_of((double)low->size_bytes), to = place_of((double)high->size_bytes);
    return (struct mpg_spot){low, high, (place_of(bytes) - from) / (to - from)};
}

const struct mpg_network_size *mpg_size_nearest(const struct mpg_network_sizes *sizes,
                                                double bytes)
{
    struct mpg_spot spot = mpg_spot_find(sizes, bytes);
    return spot.weight > 0.5 ? spot.high : spot.low;
}

double mpg_size_quantile(const struct mpg_network_size *size, double launch, double u)
{
    size_t n = size->launches.n;
    if (launch < 0 || n == 0)
        return mpg_distribution_quantile(size->time_ns, u);
    size_t i = (size_t)(launch * (double)n);
    return mpg_distribution_quantile(size->launches.ns[i < n ? i : n - 1], u);
}

double mpg_spot_quantile(const struct mpg_spot *spot, double launch, double u)
{
    double low_ns = mpg_size_quantile(spot->low, launch, u);
    if (spot->low == spot->high)
        return low_ns;
    return low_ns + (mpg_size_quantile(spot->high, launch, u) - low_ns) * spot->weight;
}

double mpg_spot_median(const struct mpg_spot *spot)
{
    return mpg_spot_quantile(spot, -1, 0.5);
}

double mpg_spot_most(const struct mpg_spot *spot, bool recorded)
{
    const double disturbed = 20; /* medians */
    return recorded ? disturbed * mpg_spot_median(spot) : INFINITY;
}
