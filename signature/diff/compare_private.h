/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common declarations of the comparison. */
#ifndef MPG_COMPARE_PRIVATE_H
#define MPG_COMPARE_PRIVATE_H

#include "signature/diff/compare.h"

/* A non-negative quantity with its uncertainty. */
struct estimate {
    double value;
    double log_variance; /* variance of the logarithm */
    double freedom;      /* degrees of freedom; INFINITY: variance known */
    double error;        /* standard error of a value of 0, which has no logarithm */
    size_t launches;     /* launches whose differences are included; 0: unknown */
};

/* Spread of launches: added to the variance of medians. */
struct launches {
    double log_variance, freedom; /* 0 and INFINITY with fewer than 3 launches */
};

struct comparison {
    const struct mpg_signature *a, *b;
    double tolerance;
    struct mpg_difference *result;
};

struct launches compare_launches(const struct mpg_network_path *path);
/* Adds the variance LOG_VARIANCE, which has FREEDOM degrees of freedom, to E's variance; E's new degrees of freedom
 * follow Welch and Satterthwaite. */
void compare_add_variance(struct estimate *e, double log_variance, double freedom);

/* Appends a parameter with all numbers NaN; NULL with ERR if memory runs out. */
struct mpg_parameter *compare_add_parameter(struct comparison *c, struct mpg_error *err,
                                   enum mpg_quantity quantity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Sets ITEM's ratio and test from two estimates; returns the degrees of freedom. */
double compare_estimates(struct mpg_parameter *item, const struct estimate *a,
                         const struct estimate *b);
/* Returns the two-sided p-value of DISTANCE; VARIANCE may be 0. */
double compare_t_test(double distance, double variance, double freedom);
/* Appends two parameters that compare A with B: the median, tested with the whole distributions, and the 99th
 * percentile. Their names begin with NAME. */
int compare_samples(struct comparison *c, const char *name, enum mpg_quantity quantity,
                    const char *unit, const struct mpg_distribution *a,
                    const struct mpg_distribution *b,
                    const struct launches *launches_a, const struct launches *launches_b,
                    struct mpg_error *err);
/* Appends an untested parameter with the reason WHY; A and B are values or NaN. */
int compare_untested(struct comparison *c, const char *name, enum mpg_quantity quantity,
                 const char *unit, double a, double b, const char *why, struct mpg_error *err);

/* Compares all parameters as measured. */
int compare_all(struct comparison *c, struct mpg_error *err);
/* Adds intervals and tests against the tolerance for the machines. */
int compare_machines(struct comparison *c, const struct mpg_compare_options *options,
                     struct mpg_error *err);

int compare_noise(struct comparison *c, struct mpg_error *err);
int compare_network(struct comparison *c, struct mpg_error *err);
int compare_compute(struct comparison *c, struct mpg_error *err);

#endif
