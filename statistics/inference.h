/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sure one can be: intervals of quantiles, comparisons of two distributions,
 * stationarity, outliers. No family of distributions is assumed anywhere. Pure
 * functions, thread-safe, deterministic. */
#ifndef MPG_INFERENCE_H
#define MPG_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "statistics/distribution.h"

/* More samples count as this many in intervals, which then are wider than they
 * need be: GSL's binomial distribution fails from about 1.5 million on. */
#define MPG_INFERENCE_MAX_SAMPLES 1e6

/* The P quantile (0 < P < 1) of chi-square with FREEDOM > 0 degrees of freedom. Above
 * 500 it is Wilson and Hilferty's cube (Proc. Natl. Acad. Sci. 17 (1931) 684), right to
 * 1e-5: GSL's inverse fails at some of these. */
double mpg_chi_square_quantile(double p, double freedom);

/* How many independent samples tell as much about a mean as N samples whose lag-1
 * autocorrelation is LAG1 (-1..1), for a first-order process: n (1 - r) / (1 + r)
 * (Bayley and Hammersley, Suppl. J. R. Stat. Soc. 8 (1946) 184). Never more than N
 * (negative correlation earns nothing), nor less than 1. */
double mpg_effective_samples(size_t n, double lag1);

/* Between LOW and HIGH the quantile lies with a probability of at least COVERAGE. */
struct mpg_confidence {
    double value, low, high; /* the estimate, the interval */
    double coverage;         /* less than asked for where there are too few samples */
    double freedom;          /* degrees of freedom of its width; INFINITY: known */
    size_t launches;         /* whose differences it covers; 0: not said, 1: of none */
};

/* Confidence interval of the quantile at P in (0, 1) of what D was sampled from: the one that
 * D states for P, scaled by Student's distribution where CONFIDENCE is not 0.95; its coverage
 * is half of what is asked for where one side is open, and the extremes are taken. Where D
 * states none, from two order statistics, those of mpg_order_interval() (statistics/order.h) for as many
 * independent samples as mpg_effective_samples() says, taken from D's quantiles.
 * Where there is none, the minimum or maximum is taken and coverage says what is left.
 * Errors: P or CONFIDENCE outside (0, 1). */
int mpg_distribution_interval(const struct mpg_distribution *d, double p, double confidence,
                              struct mpg_confidence *interval, struct mpg_error *err);

/* How quantile P of B differs from that of A. */
struct mpg_comparison {
    struct mpg_confidence a, b;
    struct mpg_confidence difference; /* b - a, same unit */
    struct mpg_confidence ratio;      /* b / a; all NAN unless both intervals are above 0 */
};

/* Intervals of difference and ratio at CONFIDENCE from those of the two quantiles
 * (MOVER: Zou and Donner, Stat. Med. 27 (2008) 1693, equations 3 and 4; the ratio on a
 * logarithmic scale: Li, Tang and Wong, Comput. Stat. 29 (2014) 1). A and B are
 * independent; coverage is the lesser of the two. Errors: as
 * mpg_distribution_interval(). */
int mpg_compare_quantile(const struct mpg_distribution *a, const struct mpg_distribution *b,
                         double p, double confidence, struct mpg_comparison *comparison,
                         struct mpg_error *err);

struct mpg_stationarity {
    double distance, probability; /* of the halves, as mpg_kolmogorov_of_two() */
    struct mpg_comparison median, p99; /* second half against first, at 99 % */
    bool stationary; /* unless probability < 0.01 and an interval of a difference excludes 0 */
};

enum { MPG_STATIONARITY_MIN_SAMPLES = 40 };

/* Compares the first half of N samples in time order with the second. Errors: fewer
 * than MPG_STATIONARITY_MIN_SAMPLES, as mpg_distribution_from_samples(). */
int mpg_stationarity_test(const double *samples, size_t n, struct mpg_stationarity *result,
                          struct mpg_error *err);

#define MPG_OUTLIERS_SCORE 3.5
enum { MPG_OUTLIERS_MIN_VALUES = 3 };

/* Which of K values (medians of launches, say) are outliers: |0.6745 (x - median) /
 * MAD| > MPG_OUTLIERS_SCORE, MAD being the median distance from the median (Iglewicz and
 * Hoaglin, How to Detect and Handle Outliers, ASQC 1993), but at least FLOOR |median|: what
 * is nearer than 5.2 FLOOR never is one. SCORE (K values) becomes 0.6745 (x - median) / MAD,
 * limited to +-1e9 (MAD may be 0), OUTLIER (K values) the verdict; with K <
 * MPG_OUTLIERS_MIN_VALUES there are none. Returns how many there are. Errors: K is 0, FLOOR
 * negative, a value not finite, out of memory. */
int mpg_outliers(const double *values, size_t k, double floor, double *score, bool *outlier,
                 struct mpg_error *err);

/* The same for K LOGARITHMS of ratios (of pairs' times to those of all pairs, say), whose
 * median is about 0 and no measure of anything: MAD counts for at least LEAST, which is in
 * their own unit, a part of the ratio where it is small. Medians are the lower of the two
 * in the middle, so that where just half of the times are longer (those of the pairs with
 * one of four ranks), it is these that stand out. Errors: LEAST negative, and as above. */
int mpg_outliers_of_ratios(const double *logarithms, size_t k, double least, double *score,
                           bool *outlier, struct mpg_error *err);

#endif
