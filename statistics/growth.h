/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growth of a quantity with the number of processes N: the performance model normal form with a single term, f(N)
 * = c + a N^i log2(N)^j (Calotoiu, Hoefler, Poke, Wolf, SC 2013, equation 1), fitted to values at several N, or
 * the verdict that noise hides any growth.
 *
 * Fit: noise is relative, therefore all fits use logarithms. The geometric mean of the values at each N is fitted
 * by least squares of logarithms (three Gauss-Newton steps, each a linear regression). The shape (i, j) is chosen
 * by cross-validation that leaves out all values of an N together: values at equal N share launches, placement and
 * algorithms, and leaving out single values would test nothing new.
 *
 * Significance: the best of forty shapes finds a trend in any noise. The share R^2 of the logarithms' variance
 * explained by the best shape is therefore compared with its distribution under noise, by the volume of the tube
 * around the path from shape to shape (Hotelling, Am. J. Math. 61 (1939) 440; Naiman, Ann. Stat. 14 (1986) 896;
 * Knowles and Siegmund, Int. Stat. Rev. 57 (1989) 205): with d + 1 values,
 *     p <= path / 2 pi (1 - R^2)^((d - 2) / 2) + 1/2 P(beta(1/2, (d - 1) / 2) > R^2).
 * The noise is the scatter of values at equal N. If the means scatter about the shape by more (F test at 5 %),
 * each N counts as a single value. */
#ifndef MPG_GROWTH_H
#define MPG_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The term N^(numerator / denominator) log2(N)^logs. */
struct mpg_growth_shape {
    signed char numerator, denominator, logs;
};

enum {
    /* Number of rising shapes (Extra-P 4's defaults); falling shapes follow (the powers with negative exponents). */
    MPG_GROWTH_RISING = 42,
    MPG_GROWTH_SHAPES = 61,
    MPG_GROWTH_CONSTANT = -1, /* in place of a shape: no growth */
    MPG_GROWTH_MIN_COUNTS = 3,
    MPG_GROWTH_MAX_COUNTS = 1000,
};

/* p-values: growth is reported at MPG_GROWTH_LEVEL, and as doubtful at MPG_GROWTH_DOUBTFUL. */
#define MPG_GROWTH_LEVEL 0.01
#define MPG_GROWTH_DOUBTFUL 0.05

enum mpg_growth_verdict {
    MPG_GROWTH_RISES,
    MPG_GROWTH_PERHAPS_RISES,
    MPG_GROWTH_NONE,         /* no growth, or growth too slow to be detected */
    MPG_GROWTH_PERHAPS_FALLS,
    MPG_GROWTH_FALLS,
    MPG_GROWTH_INCONCLUSIVE, /* growth neither shown nor excluded: the interval of the order contains 1 or -1 */
};

struct mpg_growth_model {
    int shape;                    /* shape number, or MPG_GROWTH_CONSTANT */
    double constant, coefficient; /* c (any sign; f > 0 at all measured N) and a > 0 (0 for a constant), in the values' unit */
};

struct mpg_growth_interval {
    double value, low, high; /* low <= value <= high; 95 % confidence interval */
};

struct mpg_growth {
    size_t values, counts;  /* numbers of values and of distinct N */
    double min_n, max_n;    /* smallest and largest N */
    enum mpg_growth_verdict verdict;
    double probability;     /* p-value of the more likely direction, <= 1 */
    struct mpg_growth_model model; /* the model of the verdict; with a shape also for doubtful growth */
    double error;           /* cross-validation error: mean of 2 |f - y| / (f + y) of left-out N, 0..2 */
    double error_constant;  /* cross-validation error of the constant */
    double spread;          /* standard deviation of logarithms about the model */
    double freedom;         /* degrees of freedom of spread */
    bool by_counts;         /* true: means scatter more than values of equal N; spread is between N */
    struct mpg_growth_interval order; /* d ln(f - c) / d ln N = i + j / ln N at the largest N; for a constant the slope of ln y
                                         over ln N */
    double support;         /* share of resamples that choose the shape of model; 1: constant */
    size_t resamples;       /* number of parametric bootstrap models; 0: constant */
    struct mpg_growth_model *resample;
    double mean_log_n, mean_log, slope, slope_error, mean_error, quantile; /* the regression line of ln y over ln N */
};

/* Returns the uniform draw of (0, 1) number INDEX (< 2^16) of REPLICA; equal arguments give equal draws. */
typedef double mpg_growth_draw(void *context, uint32_t replica, uint32_t index);

const struct mpg_growth_shape *mpg_growth_shape(int shape);
/* Returns the term of SHAPE without coefficient at N >= 1; 0 for MPG_GROWTH_CONSTANT. */
double mpg_growth_term(int shape, double n);

/* Fits the growth of VALUE[i] > 0 at N[i] >= 1 for VALUES values; their order has no effect. Intervals come from a
 * parametric bootstrap of RESAMPLES models: each draws a spread by its degrees of freedom (spread sqrt(freedom /
 * chi^2)) and values about the model, and chooses the shape anew. Resampling the values of each N instead would
 * find no uncertainty for single values at each N, and two thirds of the variance for three.
 *
 * Returns 1: done, free GROWTH by mpg_growth_free(); 0: no model exists, for the reason *WHY, a constant string
 * (fewer than 3 distinct N; values neither all positive nor all equal); -1: out of memory, a value not finite, N
 * below 1, or too many values. Thread-safe. */
int mpg_growth_analyse(const double *n, const double *value, size_t values, size_t resamples,
                  mpg_growth_draw *draw, void *context, struct mpg_growth *growth,
                  const char **why, struct mpg_error *err);
void mpg_growth_free(struct mpg_growth *growth);

/* Returns the predicted typical value (geometric mean) at N >= 1 with its 95 % interval, the choice of the shape
 * included. A constant's interval comes from the regression line of logarithms, hence is wide far outside the
 * measured range. */
struct mpg_growth_interval mpg_growth_predict(const struct mpg_growth *growth, double n);

#endif
