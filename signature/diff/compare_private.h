/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a comparison share. */
#ifndef MPG_COMPARE_PRIVATE_H
#define MPG_COMPARE_PRIVATE_H

#include "signature/diff/compare.h"

/* A quantity >= 0 and how sure it is. */
struct estimate {
    double value;
    double log_variance; /* of the logarithm's estimate */
    double freedom;      /* degrees of freedom of that; INFINITY: known */
    double error;        /* standard error of a value of 0, which has no logarithm */
    size_t launches;     /* whose differences are in it; 0: not said */
};

/* How launches differ: what it adds to the variance of any median. */
struct launches {
    double log_variance, freedom; /* 0 and INFINITY when there are fewer than 3 */
};

struct comparing {
    const struct mpg_signature *a, *b;
    double tolerance;
    struct mpg_difference *result;
};

struct launches compare_launches(const struct mpg_network_path *path);
/* A and B: the variance of both together, by Welch and Satterthwaite. */
void compare_add_variance(struct estimate *e, double log_variance, double freedom);

/* A new item with every number NaN; NULL when memory is out. */
struct mpg_parameter *compare_new(struct comparing *c, struct mpg_error *err,
                                   enum mpg_quantity quantity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fills ITEM's ratio and the test of the measurements from two estimates; returns the degrees of
 * freedom of both. */
double compare_estimates(struct mpg_parameter *item, const struct estimate *a,
                         const struct estimate *b);
/* The probability that DISTANCE, two-sided, is as large by chance: VARIANCE may be 0. */
double compare_t_test(double distance, double variance, double freedom);
/* Items for the median, with the distributions' test, and the 99th percentile of
 * A and B, named NAME. */
int compare_samples(struct comparing *c, const char *name, enum mpg_quantity quantity,
                    const char *unit, const struct mpg_distribution *a,
                    const struct mpg_distribution *b,
                    const struct launches *launches_a, const struct launches *launches_b,
                    struct mpg_error *err);
/* An item that is not tested, WHY: A, B are its values or NaN. */
int compare_only(struct comparing *c, const char *name, enum mpg_quantity quantity,
                 const char *unit, double a, double b, const char *why, struct mpg_error *err);

/* Every item, as measured. */
int compare_all(struct comparing *c, struct mpg_error *err);
/* From the measurements to the machines: intervals and tests against the tolerance. */
int compare_machines(struct comparing *c, const struct mpg_comparing *how,
                     struct mpg_error *err);

int compare_noise(struct comparing *c, struct mpg_error *err);
int compare_network(struct comparing *c, struct mpg_error *err);
int compare_compute(struct comparing *c, struct mpg_error *err);

#endif
