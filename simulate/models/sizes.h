/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times measured at several message sizes, interpolated to any size d: Q(d; u) of docs/MODEL.md, section 3. Between two measured
 * sizes Q is linear in d; outside Q is constant. If the eager limit lies between two measured sizes, Q is constant on each side
 * of the limit. */
#ifndef MPG_SIZES_H
#define MPG_SIZES_H

#include <stdint.h>

#include "signature/signature.h"
#include "simulate/models/path_fits.h"

/* The two measured sizes around a size, with weights. */
struct mpg_interpolation {
    /* measured sizes below and above; equal where a single size counts: at a measured size, below or above all measured sizes,
     * and between two sizes with the eager limit between them */
    const struct mpg_network_size *low, *high;
    double weight;                             /* weight of HIGH, 0 to 1 */
};

/* Returns the interpolation for BYTES >= 0 among SIZES, which has at least one size. */
struct mpg_interpolation mpg_interpolation_find(const struct mpg_network_sizes *sizes, double bytes);
/* Returns the measured size nearest to BYTES in log2(bytes + 1); of two equally near sizes the smaller. */
const struct mpg_network_size *mpg_size_nearest(const struct mpg_network_sizes *sizes,
                                                double bytes);
/* Returns the quantile, ns, at probability U (0 to 1) of the benchmark launch that LAUNCH (0 <= LAUNCH < 1) selects. With a
 * negative LAUNCH, or without separate launches in the signature, of the pooled launches. */
double mpg_size_quantile(const struct mpg_network_size *size, double launch, double u);
double mpg_interpolation_quantile(const struct mpg_interpolation *interpolation, double launch, double u);

/* Quantiles to look up for several replicas at once. */
struct mpg_quantile_requests {
    uint32_t n;           /* number of replicas, 0 or more */
    const double *launch; /* n values, 0 <= launch < 1: number launch * L of L benchmark launches; NULL: all launches, pooled */
    const double *u;      /* n probabilities, 0 to 1; NULL: 0 for all replicas: the minimum */
};
/* Sets OF[w] to replica w's distribution at SIZE. Returns false if a distribution has no table for vector look-ups. */
bool mpg_size_distributions(const struct mpg_network_size *size, const struct mpg_quantile_requests *wanted,
                            const struct mpg_distribution **of);
/* Writes mpg_interpolation_quantile() of each request, at most MPG_LANES_AT_ONCE, into NS. */
void mpg_interpolation_quantiles(const struct mpg_interpolation *interpolation, const struct mpg_quantile_requests *wanted,
                                 double *ns);

/* Returns the median over the pooled launches, ns. */
double mpg_interpolation_median(const struct mpg_interpolation *interpolation);
/* Returns the upper limit, ns, to which overhead samples are cut. If the machine's noise has been RECORDED: 20 times the median,
 * since larger samples are noise, and noise is drawn separately (docs/MODEL.md, section 3). Otherwise INFINITY. */
double mpg_interpolation_max(const struct mpg_interpolation *interpolation, bool recorded);

/* --- one-way times of messages: measured or fitted, with extrapolation above the largest measured size
 * (docs/MODEL.md, section 3, Flights) --- */

/* A point of a latency curve. */
struct mpg_curve_point {
    struct mpg_interpolation interpolation;
    const struct mpg_fitted *low, *high; /* fitted families at both sizes; NULL: measured samples */
};

struct mpg_one_way_time {
    struct mpg_curve_point place;
    double more_ns; /* >= 0, for the bytes above the largest measured size */
};

/* Returns the point at BYTES >= 0 of SIZES, which has at least one size. FITS has a fitted family for each size; NULL: use the
 * measured samples. */
struct mpg_curve_point mpg_curve_point_find(const struct mpg_network_sizes *sizes,
                                            const struct mpg_fitted *fits, double bytes);
/* As mpg_curve_point_find(); above the largest of SIZES, time grows with the slope between the medians of the two largest sizes
 * of SLOPE, or not at all if SLOPE has fewer than two. */
struct mpg_one_way_time mpg_one_way_find(const struct mpg_network_sizes *sizes, const struct mpg_fitted *fits,
                                    const struct mpg_network_sizes *slope, double bytes);
/* Returns the one-way time of BYTES on PATH: from PATH's latencies or, without latencies, from the transfer times. PATH must have
 * latencies or transfer times. FITS as for mpg_curve_point_find(). Extrapolation uses the slope of the transfer times. */
struct mpg_one_way_time mpg_one_way_on_path(const struct mpg_network_path *path, const struct mpg_path_fits *fits, double bytes);
/* Returns the time, ns, at probability U. LAUNCH as in mpg_size_quantile(); fitted families ignore it. */
double mpg_one_way_ns(const struct mpg_one_way_time *one_way, double launch, double u);

/* Write the times, ns, of the replicas in WANTED into NS: the times at PLACE of a latency curve; the times ONE_WAY. */
void mpg_curve_point_times(const struct mpg_curve_point *place, const struct mpg_quantile_requests *wanted,
                           double *ns);
void mpg_one_way_times(const struct mpg_one_way_time *one_way, const struct mpg_quantile_requests *wanted, double *ns);

#endif
