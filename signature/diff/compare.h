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
    MPG_VERDICT_DIFFERS, /* the measurements do, the machines need not beyond the tolerance */
    MPG_VERDICT_BEYOND,  /* the machines do, beyond the tolerance */
    MPG_VERDICT_NONE,    /* not comparable, or listed without a test: see why */
};

enum mpg_quantity { MPG_TIME_NS, MPG_PERCENT, MPG_PER_SECOND, MPG_SIZE_BYTES };

struct mpg_parameter {
    char *name;                /* "node: one way 8 B, median" */
    enum mpg_quantity quantity;
    const char *unit;          /* of MPG_PER_SECOND: "flop/s"; belongs to a signature */
    double a, b;               /* NaN: not there */
    double ratio, low, high;   /* b / a with the 95 % interval of the machines'; NaN: unknown */
    double log_variance, freedom; /* of the measurements' logarithm of the ratio */
    double log_above_zero;     /* where one is 0: of the other against that one's error; NaN */
    bool varies;               /* of noise or a 99th percentile, which vary more */
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

struct mpg_comparing {
    double tolerance;          /* in [0, 1): ratios from 1 - tolerance to 1 + tolerance are near
                                * enough */
    double spread;             /* >= 0: what measurements of one machine differ by */
    struct mpg_signature *const *again; /* other measurements of a's machine */
    size_t agains;             /* at most MPG_COMPARE_MOST_AGAIN */
};

enum { MPG_COMPARE_MOST_AGAIN = 100 };

/* The default of spread. */
#define MPG_COMPARE_SPREAD 0.3

/* Compares what both have and lists what one has not, as HOW says.
 *
 * Medians and 99th percentiles have the intervals that the signatures state for each quantity and
 * size, which cover what launches differ in; of older signatures, which state none, those of
 * mpg_distribution_interval(), and the spread of launches at the smallest message comes on top.
 * Fractions and rates of detours have theirs from the means of 32 blocks of the record. Degrees
 * of freedom are Welch and Satterthwaite's. Distributions are compared by Kolmogorov and
 * Smirnov's test on as many samples as have the same variance.
 *
 * Two measurements of one machine differ by more than the launches of each, which follow one
 * another in seconds. How much, is estimated for each parameter from A and AGAIN, other
 * measurements of A's machine, where there are two or more of those: their logarithms' variance
 * with as many degrees of freedom, and A stands for their mean. Otherwise it is taken to be
 * SPREAD (a standard deviation of the logarithm), three times that for noise and for 99th
 * percentiles, which are what noise makes them.
 *
 * A parameter of the measurements differs when Benjamini and Yekutieli's procedure (Ann. Stat.
 * 29 (2001) 1165), which holds however tests depend on each other, at 5 % over all of them says
 * so; it is beyond the tolerance when, besides, the machines' whole interval lies outside and the
 * same procedure over the t-tests of the machines against the tolerance says so. So of two
 * measurements of one machine at most 5 % have anything that is beyond: where nothing differs,
 * every discovery is a false one, and the rate of those is then the probability of any.
 *
 * RESULT points into A and B. The caller clears it. Errors: out of memory. */
int mpg_compare(const struct mpg_signature *a, const struct mpg_signature *b,
                const struct mpg_comparing *how, struct mpg_difference *result,
                struct mpg_error *err);
void mpg_difference_clear(struct mpg_difference *difference);

#endif
