/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two signatures, parameter by parameter: how much they differ and how sure
 * that is. */
#ifndef MPG_COMPARE_H
#define MPG_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "signature/signature.h"

enum mpg_verdict {
    MPG_VERDICT_SAME,    /* nothing says that it differs */
    MPG_VERDICT_DIFFERS, /* surely, but not surely beyond the tolerance */
    MPG_VERDICT_BEYOND,  /* surely beyond the tolerance */
    MPG_VERDICT_NONE,    /* not comparable, or listed without a test: see why */
};

enum mpg_quantity { MPG_TIME_NS, MPG_PERCENT, MPG_PER_SECOND, MPG_SIZE_BYTES };

struct mpg_parameter {
    char *name;                /* "node: one way 8 B, median" */
    enum mpg_quantity quantity;
    const char *unit;          /* of MPG_PER_SECOND: "flop/s"; belongs to a signature */
    double a, b;               /* NaN: not there */
    double ratio, low, high;   /* b / a with its 95 % interval; NaN: unknown */
    double distance;           /* Kolmogorov-Smirnov of the distributions; NaN: no test */
    double p;                  /* that they would be this far apart if they were alike: of the
                                * ratio's t-test and the distributions'; NaN: no test */
    double p_beyond;           /* the same, if the ratio were at the tolerance; NaN: no test */
    enum mpg_verdict verdict;
    bool detail;               /* of something that both have: one of its sizes is not in both,
                                * or has too few samples */
    const char *why;           /* static text, or NULL */
};

struct mpg_header_difference {
    const char *key, *a, *b;   /* belong to the signatures; a or b may be NULL */
};

struct mpg_difference {
    size_t n;
    struct mpg_parameter *item;
    size_t facts;              /* header lines that matter and differ */
    struct mpg_header_difference *fact;
    size_t count[MPG_VERDICT_NONE + 1];
    bool few_launches;         /* of a network that was compared: fewer than 3, so that no
                                * interval covers how launches differ */
};

/* Compares what both have and lists what one has not. TOLERANCE is in [0, 1):
 * ratios from 1 - TOLERANCE to 1 + TOLERANCE are near enough.
 *
 * Medians and 99th percentiles have intervals from the order statistics of as
 * many independent samples as there effectively are: n (1 - r) / (1 + r) with r
 * the lag-1 autocorrelation if it is positive. Fractions and rates of detours
 * have theirs from the means of 32 blocks of the record. Where 3 or more launches
 * were measured, the variance of the logarithms of their medians, divided by their
 * number, comes on top, and the degrees of freedom are Welch and Satterthwaite's.
 * Distributions are compared by Kolmogorov and Smirnov's test on as many samples
 * as have the same variance. A parameter differs when Benjamini and Hochberg's
 * procedure (J. R. Stat. Soc. B 57 (1995) 289) at 5 % over all of them says so;
 * it differs beyond the tolerance when, besides, its whole interval lies outside
 * and the same procedure over the t-tests against the tolerance says so.
 *
 * RESULT points into A and B. The caller clears it. Errors: out of memory. */
int mpg_compare(const struct mpg_signature *a, const struct mpg_signature *b, double tolerance,
                struct mpg_difference *result, struct mpg_error *err);
void mpg_difference_clear(struct mpg_difference *difference);

#endif
