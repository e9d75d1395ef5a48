/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common declarations of the comparison. */
#ifndef MPG_COMPARE_PRIVATE_H
#define MPG_COMPARE_PRIVATE_H

#include "signature/diff/compare.h"

/* A non-negative quantity with its uncertainty. */
struct estimate {
    double value;
    double log_variance; /* variance of the value's logarithm */
    double freedom;      /* degrees of freedom of log_variance; INFINITY: the variance is known exactly */
    double error;        /* standard error of a value of 0, which has no logarithm */
    size_t launches;     /* number of launches whose differences log_variance includes; 0: none */
};

/* Differences between launches of a path class: a variance to be added to a median's variance. */
struct launches {
    double log_variance, freedom; /* 0 and INFINITY with fewer than 3 launches */
};

struct comparison {
    const struct mpg_signature *a, *b;
    double tolerance;
    int (*direction)(const struct mpg_parameter *item); /* see struct mpg_compare_options; NULL: a single direction */
    struct mpg_difference *result;
};

struct launches mpg_diff_launches(const struct mpg_network_path *path);
/* Adds to E's variance LOG_VARIANCE with FREEDOM degrees of freedom. E's new degrees of freedom follow Welch and
 * Satterthwaite. */
void mpg_diff_add_variance(struct estimate *e, double log_variance, double freedom);

/* Appends a parameter named by FORMAT, all numbers NaN, to the comparison. Returns the parameter, or NULL with ERR if memory runs
 * out. */
struct mpg_parameter *mpg_diff_add_parameter(struct comparison *c, struct mpg_error *err,
                                   enum mpg_quantity quantity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Sets ITEM's values, ratio and t-test from estimates A and B. Returns the degrees of freedom of the test. */
double mpg_diff_estimates(struct mpg_parameter *item, const struct estimate *a,
                          const struct estimate *b);
/* Returns the two-sided p-value of a t-test: DISTANCE >= 0 from the hypothesis, VARIANCE (may be 0) with FREEDOM
 * degrees of freedom. */
double mpg_diff_t_test(double distance, double variance, double freedom);
/* Appends two parameters that compare A with B: the median with a test of the whole distributions, and the 99th percentile. The
 * parameters' names begin with NAME. LAUNCHES_A and _B are added if a distribution does not include differences between
 * launches. */
int mpg_diff_samples(struct comparison *c, const char *name, enum mpg_quantity quantity,
                     const char *unit, const struct mpg_distribution *a,
                     const struct mpg_distribution *b,
                     const struct launches *launches_a, const struct launches *launches_b,
                     struct mpg_error *err);
/* Appends a parameter that cannot be tested, for the reason WHY, a constant string. A and B: the parameter's values or NaN. */
int mpg_diff_untested(struct comparison *c, const char *name, enum mpg_quantity quantity,
                 const char *unit, double a, double b, const char *why, struct mpg_error *err);

/* Compares all parameters as measured, without the spread between measurements of one machine. */
int mpg_diff_all(struct comparison *c, struct mpg_error *err);
/* Adds to each parameter the interval that includes the spread between measurements of one machine, and the test
 * against the tolerance. */
int mpg_diff_machines(struct comparison *c, const struct mpg_compare_options *options,
                      struct mpg_error *err);

int mpg_diff_noise(struct comparison *c, struct mpg_error *err);
int mpg_diff_network(struct comparison *c, struct mpg_error *err);
int mpg_diff_sharing(struct comparison *c, struct mpg_error *err);
int mpg_diff_compute(struct comparison *c, struct mpg_error *err);

#endif
