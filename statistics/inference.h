/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistical inference without a family of distributions: confidence intervals of quantiles, comparison of two
 * distributions, stationarity, outliers. Pure functions, thread-safe, deterministic. */
#ifndef MPG_INFERENCE_H
#define MPG_INFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "statistics/distribution.h"

/* Maximum effective size; larger sizes count as this size, and intervals become wider than necessary: GSL's binomial distribution
 * fails from about 1.5 million on. */
#define MPG_INFERENCE_MAX_SAMPLES 1e6

/* Returns the P quantile (0 < P < 1) of chi-square with FREEDOM > 0 degrees of freedom. Above 500 by Wilson and
 * Hilferty's cube (Proc. Natl. Acad. Sci. 17 (1931) 684), correct to 1e-5, because GSL's inverse fails for some
 * large FREEDOM. */
double mpg_chi_square_quantile(double p, double freedom);

/* Returns the effective size for a mean of N samples of a first-order process with lag-1 autocorrelation LAG1
 * (-1..1): n (1 - r) / (1 + r) (Bayley and Hammersley, Suppl. J. R. Stat. Soc. 8 (1946) 184). Negative LAG1 counts
 * as 0; the result is within 1..N. */
double mpg_effective_samples(size_t n, double lag1);

/* A confidence interval: LOW..HIGH contains the quantile with probability at least COVERAGE. */
struct mpg_confidence {
    double value, low, high; /* estimate and interval */
    double coverage;         /* less than requested if the samples are too few */
    double freedom;          /* degrees of freedom of the width; INFINITY: variance known */
    size_t launches;         /* number of launches whose differences the interval covers; 0: unknown, 1: no differences */
};

/* Computes the confidence interval of the P quantile of the distribution behind D; P and CONFIDENCE within (0, 1).
 *
 * If D stores an interval for P, the result is this interval, rescaled by Student's distribution to CONFIDENCE; an
 * open side becomes the extreme sample and halves the coverage. Else the result comes from the two order
 * statistics of mpg_order_interval() (statistics/order.h) at the effective size mpg_effective_samples(), read from
 * D's quantiles. A missing order statistic becomes the minimum or maximum; coverage states the remaining
 * probability. Errors: P or CONFIDENCE outside (0, 1). */
int mpg_distribution_interval(const struct mpg_distribution *d, double p, double confidence,
                              struct mpg_confidence *interval, struct mpg_error *err);

/* Comparison of a quantile of A and B. */
struct mpg_comparison {
    struct mpg_confidence a, b;
    struct mpg_confidence difference; /* b - a, in the samples' unit */
    struct mpg_confidence ratio;      /* b / a; all NAN unless both intervals are above 0 */
};

/* Computes confidence intervals at CONFIDENCE for difference and ratio of the P quantiles of B and A from the
 * intervals of both (MOVER: Zou and Donner, Stat. Med. 27 (2008) 1693, equations 3 and 4; the ratio on a
 * logarithmic scale: Li, Tang and Wong, Comput. Stat. 29 (2014) 1). A and B are independent; coverage is the
 * smaller coverage of both. Errors: as mpg_distribution_interval(). */
int mpg_compare_quantile(const struct mpg_distribution *a, const struct mpg_distribution *b,
                         double p, double confidence, struct mpg_comparison *comparison,
                         struct mpg_error *err);

struct mpg_stationarity {
    double distance, probability; /* Kolmogorov-Smirnov distance of the halves and its p-value */
    struct mpg_comparison median, p99; /* second half against first, at 99 % */
    bool stationary; /* false if probability < 0.01 and an interval of a difference excludes 0 */
};

enum { MPG_STATIONARITY_MIN_SAMPLES = 40 };

/* Compares the first half of N samples in time order with the second half. Errors: fewer than
 * MPG_STATIONARITY_MIN_SAMPLES samples, and as mpg_distribution_from_samples(). */
int mpg_stationarity_test(const double *samples, size_t n, struct mpg_stationarity *result,
                          struct mpg_error *err);

#define MPG_OUTLIERS_SCORE 3.5
enum { MPG_OUTLIERS_MIN_VALUES = 3 };

/* Marks outliers among K values, such as medians of launches: |0.6745 (x - median) / MAD| > MPG_OUTLIERS_SCORE,
 * MAD being the median absolute deviation (Iglewicz and Hoaglin, How to Detect and Handle Outliers, ASQC 1993), at
 * least FLOOR |median|. A value nearer to the median than 5.2 FLOOR |median| is thus never an outlier. SCORE[k]
 * becomes 0.6745 (x - median) / MAD, clamped to +-1e9; OUTLIER[k] the verdict, all false for K <
 * MPG_OUTLIERS_MIN_VALUES. Returns the number of outliers. Errors: K is 0, FLOOR negative, a value not finite, out
 * of memory. */
int mpg_outliers(const double *values, size_t k, double floor, double *score, bool *outlier,
                 struct mpg_error *err);

/* Marks outliers among K LOGARITHMS of ratios (for example of a pair's time to the median of all pairs). The
 * median of the logarithms is about 0 and gives no scale, hence MAD is at least MIN >= 0, in units of the
 * logarithm. Medians are lower medians: if exactly half of the times are long (the pairs of a slow rank among
 * four), the long times become the outliers. Remaining parameters and result as mpg_outliers(). Errors: MIN
 * negative, and as above. */
int mpg_outliers_of_ratios(const double *logarithms, size_t k, double min, double *score,
                           bool *outlier, struct mpg_error *err);

#endif
