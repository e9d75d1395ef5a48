/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interpolates between measured sizes, and finds one-way times. */
#include "simulate/models/sizes.h"

#include <math.h>

#include "simulate/draws/lane_code.h"
#include "simulate/rules.h"

static double place_of(double bytes)
{
    return log2(bytes + 1);
}

/* Returns the index of the first measured size >= BYTES; sizes->n: none. */
static size_t first_from(const struct mpg_network_sizes *sizes, double bytes)
{
    size_t i = 0;
    while (i < sizes->n && (double)sizes->size[i].size_bytes < bytes)
        i++;
    return i;
}

static struct mpg_interpolation at_one(const struct mpg_network_size *size)
{
    return (struct mpg_interpolation){size, size, 0};
}

struct mpg_interpolation mpg_interpolation_find(const struct mpg_network_sizes *sizes, double bytes)
{
    const size_t i = first_from(sizes, bytes);
    if (i == sizes->n || i == 0)
        return at_one(&sizes->size[i > 0 ? i - 1 : 0]);
    const struct mpg_network_size *low = &sizes->size[i - 1], *high = &sizes->size[i];
    const int64_t eager = sizes->eager_bytes;
    if ((double)high->size_bytes == bytes)
        return at_one(high);
    if (eager > 0 && low->size_bytes <= eager && eager < high->size_bytes && mpg_rule_holds(MPG_RULE_SIZE_SIDES))
        return at_one(bytes <= (double)eager ? low : high);
    return (struct mpg_interpolation){low, high,
                             (bytes - (double)low->size_bytes) / (double)(high->size_bytes - low->size_bytes)};
}

const struct mpg_network_size *mpg_size_nearest(const struct mpg_network_sizes *sizes,
                                                double bytes)
{
    const size_t i = first_from(sizes, bytes);
    if (i == sizes->n || i == 0)
        return &sizes->size[i > 0 ? i - 1 : 0];
    const double low = place_of((double)sizes->size[i - 1].size_bytes),
                 high = place_of((double)sizes->size[i].size_bytes);
    return &sizes->size[place_of(bytes) - low > high - place_of(bytes) ? i : i - 1];
}

double mpg_size_quantile(const struct mpg_network_size *size, double launch, double u)
{
    size_t n = size->launches.n;
    if (launch < 0 || n == 0)
        return mpg_distribution_quantile(size->time_ns, u);
    size_t i = (size_t)(launch * (double)n);
    return mpg_distribution_quantile(size->launches.ns[i < n ? i : n - 1], u);
}

double mpg_interpolation_quantile(const struct mpg_interpolation *interpolation, double launch, double u)
{
    double low_ns = mpg_size_quantile(interpolation->low, launch, u);
    if (interpolation->low == interpolation->high)
        return low_ns;
    return low_ns + (mpg_size_quantile(interpolation->high, launch, u) - low_ns) * interpolation->weight;
}

bool mpg_size_distributions(const struct mpg_network_size *size, const struct mpg_quantile_requests *wanted,
                            const struct mpg_distribution **of)
{
    const struct mpg_distribution *all = size->time_ns;
    const int64_t launches = wanted->launch ? (int64_t)size->launches.n : 0;
    bool prepared = all->piece != NULL;
    for (int64_t i = 0; i < launches; i++)
        prepared = prepared && size->launches.ns[i]->piece;
    for (uint32_t w = 0; launches > 0 && w < wanted->n; w++) {
        int64_t i = (int64_t)(wanted->launch[w] * (double)launches);
        of[w] = size->launches.ns[i < launches ? i : launches - 1];
    }
    for (uint32_t w = 0; launches == 0 && w < wanted->n; w++)
        of[w] = all;
    return prepared;
}

static void size_quantiles(const struct mpg_network_size *size, const struct mpg_quantile_requests *wanted,
                           double *ns)
{
    const struct mpg_distribution *of[MPG_LANES_AT_ONCE];
    bool prepared = mpg_size_distributions(size, wanted, of);
    if (wanted->u && prepared)
        mpg_lane_code()->quantile(of, wanted->u, wanted->n, ns);
    else
        for (uint32_t w = 0; w < wanted->n; w++)
            ns[w] = wanted->u ? mpg_distribution_quantile(of[w], wanted->u[w]) : of[w]->quantiles[0];
}

void mpg_interpolation_quantiles(const struct mpg_interpolation *interpolation, const struct mpg_quantile_requests *wanted,
                                 double *ns)
{
    double high_ns[MPG_LANES_AT_ONCE];
    size_quantiles(interpolation->low, wanted, ns);
    if (interpolation->low == interpolation->high)
        return;
    size_quantiles(interpolation->high, wanted, high_ns);
    for (uint32_t w = 0; w < wanted->n; w++)
        ns[w] = ns[w] + (high_ns[w] - ns[w]) * interpolation->weight;
}

double mpg_interpolation_median(const struct mpg_interpolation *interpolation)
{
    return mpg_interpolation_quantile(interpolation, -1, 0.5);
}

double mpg_interpolation_max(const struct mpg_interpolation *interpolation, bool recorded)
{
    const double disturbed = 20; /* an overhead above `disturbed` times the median contains noise */
    return recorded && mpg_rule_holds(MPG_RULE_DISTURBED) ? disturbed * mpg_interpolation_median(interpolation) : INFINITY;
}

/* --- one-way times --- */

struct mpg_curve_point mpg_curve_point_find(const struct mpg_network_sizes *sizes,
                                        const struct mpg_fitted *fits, double bytes)
{
    struct mpg_curve_point p = {.interpolation = mpg_interpolation_find(sizes, bytes)};
    if (fits) {
        p.low = &fits[p.interpolation.low - sizes->size];
        p.high = &fits[p.interpolation.high - sizes->size];
    }
    return p;
}

static double place_ns(const struct mpg_curve_point *p, double launch, double u)
{
    if (!p->low)
        return mpg_interpolation_quantile(&p->interpolation, launch, u);
    double low_ns = mpg_fitted_quantile(p->low, u);
    if (p->low == p->high)
        return low_ns;
    return low_ns + (mpg_fitted_quantile(p->high, u) - low_ns) * p->interpolation.weight;
}

/* Returns the slope between the two largest of SIZES, ns per byte. */
static double slope_of(const struct mpg_network_sizes *sizes)
{
    const struct mpg_network_size *from = &sizes->size[sizes->n - 2], *to = from + 1;
    const double more_ns = mpg_size_quantile(to, -1, 0.5) - mpg_size_quantile(from, -1, 0.5);
    return fmax(more_ns, 0) / (double)(to->size_bytes - from->size_bytes);
}

struct mpg_one_way_time mpg_one_way_find(const struct mpg_network_sizes *sizes, const struct mpg_fitted *fits,
                            const struct mpg_network_sizes *slope, double bytes)
{
    struct mpg_one_way_time one_way = {.place = mpg_curve_point_find(sizes, fits, bytes)};
    const double beyond = bytes - (double)sizes->size[sizes->n - 1].size_bytes;
    if (beyond > 0 && slope->n > 1 && mpg_rule_holds(MPG_RULE_BEYOND_SIZES))
        one_way.more_ns = beyond * slope_of(slope);
    return one_way;
}

struct mpg_one_way_time mpg_one_way_on_path(const struct mpg_network_path *path, const struct mpg_path_fits *fits, double bytes)
{
    const bool latencies = path->latency.n > 0;
    const struct mpg_network_sizes *sizes = latencies ? &path->latency : &path->bandwidth;
    return mpg_one_way_find(sizes, !fits ? NULL : latencies ? fits->latency : fits->bandwidth,
                        path->bandwidth.n > 1 ? &path->bandwidth : sizes, bytes);
}

double mpg_one_way_ns(const struct mpg_one_way_time *one_way, double launch, double u)
{
    return place_ns(&one_way->place, launch, u) + one_way->more_ns;
}

void mpg_curve_point_times(const struct mpg_curve_point *p, const struct mpg_quantile_requests *wanted, double *ns)
{
    if (!p->low)
        mpg_interpolation_quantiles(&p->interpolation, wanted, ns);
    else
        for (uint32_t w = 0; w < wanted->n; w++)
            ns[w] = place_ns(p, -1, wanted->u ? wanted->u[w] : 0);
}

void mpg_one_way_times(const struct mpg_one_way_time *one_way, const struct mpg_quantile_requests *wanted, double *ns)
{
    mpg_curve_point_times(&one_way->place, wanted, ns);
    for (uint32_t w = 0; w < wanted->n && one_way->more_ns > 0; w++)
        ns[w] += one_way->more_ns;
}
