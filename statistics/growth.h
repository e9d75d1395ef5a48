/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How something grows with the number of processes: the performance model normal form with one
 * term, f(N) = c + a N^i log2(N)^j (Calotoiu, Hoefler, Poke, Wolf, SC 2013, equation 1), from
 * values measured at several N, or the statement that they do not tell growth from noise.
 *
 * Noise is taken as relative: of the logarithms of values. What is fitted at an N is the
 * geometric mean of its values, by least squares of logarithms (three steps of Gauss and Newton,
 * each a linear regression). The shape (i, j) is that which predicts best what was left out,
 * all values of one N at a time: those of one N have their launches, placement and algorithms in
 * common, so that leaving out single ones would not ask for anything new.
 *
 * Whether there is growth at all is another question, asked first: the best of forty shapes finds
 * a trend in any noise. The share R^2 of the logarithms' variance that the best shape explains is
 * compared with what it explains of noise, by the volume of the tube around the path from shape
 * to shape (Hotelling, Am. J. Math. 61 (1939) 440; Naiman, Ann. Stat. 14 (1986) 896; Knowles and
 * Siegmund, Int. Stat. Rev. 57 (1989) 205): with d + 1 values,
 *     p <= path / 2 pi (1 - R^2)^((d - 2) / 2) + 1/2 P(beta(1/2, (d - 1) / 2) > R^2).
 * The noise is that between values of one N; where the N scatter about the shape by more than
 * that (F test at 5 %), values of one N count as one. */
#ifndef MPG_GROWTH_H
#define MPG_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* N^(numerator / denominator) log2(N)^logs. */
struct mpg_growth_shape {
    signed char numerator, denominator, logs;
};

enum {
    /* Rising ones, those that Extra-P 4 has by default, then falling ones: its powers with
     * negative exponents. */
    MPG_GROWTH_RISING = 42,
    MPG_GROWTH_SHAPES = 61,
    MPG_GROWTH_CONSTANT = -1, /* instead of a shape */
    MPG_GROWTH_MIN_COUNTS = 3,
    MPG_GROWTH_MAX_COUNTS = 1000,
};

/* Growth is named where noise looks like it at most so often, and with a question mark where it
 * does not more than so often. */
#define MPG_GROWTH_LEVEL 0.01
#define MPG_GROWTH_DOUBTFUL 0.05

enum mpg_growth_verdict {
    MPG_GROWS,
    MPG_PERHAPS_GROWS,
    MPG_IS_CONSTANT,  /* or grows or falls so slowly that it cannot be told from that */
    MPG_PERHAPS_FALLS,
    MPG_FALLS,
    MPG_IS_UNCLEAR,   /* no growth can be told, and none excluded: the order's interval has 1 or -1 */
};

struct mpg_growth_model {
    int shape;                    /* or MPG_GROWTH_CONSTANT */
    double constant, coefficient; /* c of any sign, f being positive wherever N was measured; a > 0,
                                   * 0 without shape. In the values' unit */
};

struct mpg_growth_interval {
    double value, low, high; /* low <= value <= high; 95 % */
};

struct mpg_growth {
    size_t values, counts;  /* that it was made from; distinct N */
    double least_n, most_n; /* of them */
    enum mpg_growth_verdict verdict;
    double probability;     /* that noise is as much like it; of the likelier direction; <= 1 */
    struct mpg_growth_model model; /* of the verdict; with a shape also where it is doubtful */
    double error;           /* of the values of an N that was left out: mean of 2 |f - y| / (f + y), 0..2 */
    double error_constant;  /* the same of the constant */
    double spread;          /* standard deviation of logarithms about the model */
    double freedom;         /* its degrees of freedom */
    bool by_counts;         /* the N scatter more than their values: the spread is between N */
    struct mpg_growth_interval order; /* d ln(f - c) / d ln N = i + j / ln N at the largest N;
                                       * where constant: the slope of ln y over ln N */
    double support;         /* of the resamples, the share in which the shape is the same; 1: constant */
    size_t resamples;       /* each a model of values drawn again; 0: constant */
    struct mpg_growth_model *resample;
    double mean_log_n, mean_log, slope, slope_error, mean_error, quantile; /* of the line of logarithms */
};

/* A uniform draw of (0, 1), the INDEX-th (< 2^16) of REPLICA, the same whenever asked. */
typedef double mpg_growth_draw(void *context, uint32_t replica, uint32_t index);

const struct mpg_growth_shape *mpg_growth_shape(int shape);
/* The shape's value, without a coefficient, at N >= 1; 0 for MPG_GROWTH_CONSTANT. */
double mpg_growth_term(int shape, double n);

/* The growth of VALUE[i] > 0 at N[i] >= 1, VALUES of them, in any order (which changes nothing).
 * Intervals are of RESAMPLES models: the spread drawn again as its degrees of freedom have it
 * (spread sqrt(freedom / chi^2)), values about the model, and the shape chosen anew from them.
 * Resampling the values of each N instead would find no uncertainty where there is one value of
 * each, and two thirds of the variance where there are three.
 * 1: done, GROWTH is to be freed with mpg_growth_free(); 0: there is no model, and *WHY says so
 * (fewer than 3 distinct N; not all values are positive, nor all the same); -1 out of memory, or a
 * value is not finite, or N is below 1, or there are too many. Thread-safe. */
int mpg_growth_of(const double *n, const double *value, size_t values, size_t resamples,
                  mpg_growth_draw *draw, void *context, struct mpg_growth *growth,
                  const char **why, struct mpg_error *err);
void mpg_growth_free(struct mpg_growth *growth);

/* The typical (geometric mean) value at N >= 1, and between which it lies with 95 %, the choice of the
 * shape included. Where constant: as the line of logarithms has it, so that far
 * outside of what was measured it is wide. N is within what was measured and as far beyond as one dares. */
struct mpg_growth_interval mpg_growth_at(const struct mpg_growth *growth, double n);

#endif
