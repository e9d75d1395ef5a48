/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the parts of a comparison. */
#ifndef MPG_COMPARE_PRIVATE_H
#define MPG_COMPARE_PRIVATE_H

#include "signature/diff/compare.h"

/* A quantity >= 0 and the accuracy of the estimate. */
struct estimate {
    double value;
    double log_variance; /* variance of the logarithm of VALUE */
    double freedom;      /* degrees of freedom of the variance; INFINITY: variance known */
    double error;        /* standard error of VALUE 0, which has no logarithm */
    size_t launches;     /* number of launches covered by the variance; 0: unknown */
};

/* Spread of launches: variance added to the variance of any median. */
struct launches {
    double log_variance, freedom; /* 0 and INFINITY with fewer than 3 launches */
};

struct comparing {
    const struct mpg_signature *a, *b;
    double tolerance;
    struct mpg_difference *result;
};

struct launches compare_launches(const struct mpg_network_path *path);
/* Adds an independent variance to E, with degrees of freedom by Welch and Satterthwaite. */
void compare_add_variance(struct estimate *e, double log_variance, double freedom);

/* Returns a new parameter with every number NaN; NULL: out of memory. */
struct mpg_parameter *compare_new(struct comparing *c, struct mpg_error *err,
                                   enum mpg_quantity quantity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Fills ITEM's ratio and t-test of the measurements from A and B; returns the degrees of freedom of the ratio. */
double compare_estimates(struct mpg_parameter *item, const struct estimate *a,
                         const struct estimate *b);
/* Returns the two-sided probability that DISTANCE is at least as large by chance. VARIANCE may be 0. */
double compare_t_test(double distance, double variance, double freedom);
/* Adds two parameters called NAME: the median of A and B, with the test of the distributions, and the 99th percentile. */
int compare_samples(struct comparing *c, const char *name, enum mpg_quantity quantity,
                    const char *unit, const struct mpg_distribution *a,
                    const struct mpg_distribution *b,
                    const struct launches *launches_a, const struct launches *launches_b,
                    struct mpg_error *err);
/* Adds a parameter without a test, for the reason WHY. A, B: values or NaN. */
int compare_only(struct comparing *c, const char *name, enum mpg_quantity quantity,
                 const char *unit, double a, double b, const char *why, struct mpg_error *err);

/* Adds all parameters with tests of the measurements. */
int compare_all(struct comparing *c, struct mpg_error *err);
/* Turns tests of the measurements into intervals of the machines' ratios and tests against the tolerance. */
int compare_machines(struct comparing *c, const struct mpg_comparing *how,
                     struct mpg_error *err);

int compare_noise(struct comparing *c, struct mpg_error *err);
int compare_network(struct comparing *c, struct mpg_error *err);
int compare_compute(struct comparing *c, struct mpg_error *err);

#endif
