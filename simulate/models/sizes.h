/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times measured at several sizes, asked for at any size (docs/MODEL.md, section 3:
 * Q(d; u)): linear in d between the sizes measured, constant outside, and where the limit between two
 * protocols is between two sizes, each side of it as its own. */
#ifndef MPG_SIZES_H
#define MPG_SIZES_H

#include <stdint.h>

#include "signature/signature.h"
#include "simulate/models/path_fits.h"

/* Where a size lies among those measured. */
struct mpg_interpolation {
    const struct mpg_network_size *low, *high; /* equal at, below and above what was measured */
    double weight;                             /* of high, 0..1 */
};

/* Of BYTES >= 0 among SIZES, of which there is at least one. */
struct mpg_interpolation mpg_interpolation_find(const struct mpg_network_sizes *sizes, double bytes);
/* The size measured that is nearest to BYTES in log2(d + 1), the lesser of two. */
const struct mpg_network_size *mpg_size_nearest(const struct mpg_network_sizes *sizes,
                                                double bytes);
/* At probability U of the launch at LAUNCH of [0, 1); below 0, or where launches are not
 * kept, of all launches together. */
double mpg_size_quantile(const struct mpg_network_size *size, double launch, double u);
double mpg_interpolation_quantile(const struct mpg_interpolation *spot, double launch, double u);

/* What is asked for in each of some lanes. */
struct mpg_quantile_requests {
    uint32_t n;           /* 0 or more */
    const double *launch; /* n, of [0, 1); NULL: all of all launches together */
    const double *u;      /* n, 0 .. 1; NULL: all 0 */
};
/* Whose quantiles they ask for at SIZE, into OF; false: some are not prepared for being asked at once. */
bool mpg_size_distributions(const struct mpg_network_size *size, const struct mpg_quantile_requests *asked,
                            const struct mpg_distribution **of);
/* mpg_interpolation_quantile() in lanes, at most MPG_LANES_AT_ONCE, into NS. */
void mpg_interpolation_quantiles(const struct mpg_interpolation *spot, const struct mpg_quantile_requests *asked, double *ns);

/* The median of all launches. */
double mpg_interpolation_median(const struct mpg_interpolation *spot);
/* What is above it is what noise did to the few samples that it met, where the machine's noise is
 * known by itself (RECORDED): 20 times the median (docs/MODEL.md, section 3); else INFINITY. */
double mpg_interpolation_most(const struct mpg_interpolation *spot, bool recorded);

/* --- ways: times of messages at any size, as measured or of the families fitted to them, above the greatest with a slope
 * (docs/MODEL.md, section 3, Flights) --- */

/* Times at a size between two of those measured. */
struct mpg_curve_point {
    struct mpg_interpolation spot;
    const struct mpg_fitted *low, *high; /* NULL: as measured */
};

struct mpg_one_way {
    struct mpg_curve_point place;
    double more_ns; /* >= 0, of the bytes above the greatest size */
};

/* Of BYTES >= 0 among SIZES, not empty, which have FITS (NULL: which are taken as measured). */
struct mpg_curve_point mpg_curve_point_find(const struct mpg_network_sizes *sizes,
                                        const struct mpg_fitted *fits, double bytes);
/* The same; above the greatest of SIZES with the slope of the medians of SLOPE's two greatest sizes, if
 * it has two. */
struct mpg_one_way mpg_one_way_find(const struct mpg_network_sizes *sizes, const struct mpg_fitted *fits,
                            const struct mpg_network_sizes *slope, double bytes);
/* One-way times of BYTES on PATH, which has some: its latencies, or, if it has none, its transfers, as FITS has them (NULL: as
 * measured); above the greatest size with the slope of transfers, if there are two sizes of these. */
struct mpg_one_way mpg_one_way_on_path(const struct mpg_network_path *path, const struct mpg_path_fits *fits, double bytes);
/* At probability U of the launch at LAUNCH, as mpg_size_quantile(); fits know no launches. */
double mpg_one_way_ns(const struct mpg_one_way *way, double launch, double u);

/* The same in lanes, into NS. */
void mpg_curve_point_times(const struct mpg_curve_point *place, const struct mpg_quantile_requests *asked,
                         double *ns);
void mpg_one_way_times(const struct mpg_one_way *way, const struct mpg_quantile_requests *asked, double *ns);

#endif
