/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of two signatures by parameter, with tests. */
#ifndef MPG_COMPARE_H
#define MPG_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "signature/signature.h"

enum mpg_verdict {
    MPG_VERDICT_SAME,    /* no significant difference */
    MPG_VERDICT_DIFFERS, /* the measurements differ significantly, but the machines not beyond the tolerance */
    MPG_VERDICT_BEYOND,  /* the machines differ beyond the tolerance */
    MPG_VERDICT_NONE,    /* not comparable or not tested: see WHY */
};

enum mpg_quantity { MPG_TIME_NS, MPG_PERCENT, MPG_PER_SECOND, MPG_SIZE_BYTES };

struct mpg_parameter {
    char *name;                /* "node: one way 8 B, median" */
    enum mpg_quantity quantity;
    const char *unit;          /* unit of a rate: "flop/s"; owned by a signature */
    double a, b;               /* the parameter in signatures A and B; NaN: not measured */
    double ratio, low, high;   /* b / a; its 95 % interval, with the spread between measurements of a machine; NaN: unknown */
    double log_variance, freedom; /* variance of log(b / a) as measured, and its degrees of freedom */
    double log_above_zero;     /* if one of a and b is 0: log(the other / standard error of the 0); else NaN */
    bool varies;               /* the parameter is noise or a 99th percentile, which differ more between measurements of one
                                  machine */
    double distance;           /* Kolmogorov-Smirnov distance; NaN: not tested */
    double p;                  /* p-value of "a and b are equal", from the t-test of the ratio and the test of the
                                  distributions; NaN: not tested */
    double p_beyond;           /* p-value of "the ratio is within the tolerance"; NaN: not tested */
    enum mpg_verdict verdict;
    bool detail;               /* shown only by --all: a message size that one signature lacks, a spectral line of both, too few
                                  samples */
    const char *why;           /* reason why the parameter was not compared, a constant string; else NULL */
};

struct mpg_header_difference {
    const char *key, *a, *b;   /* values of header line KEY, owned by the signatures; NULL: the signature lacks the line */
};

struct mpg_difference {
    size_t n;
    struct mpg_parameter *item;
    size_t facts;              /* number of header lines that describe the machine and differ */
    struct mpg_header_difference *fact;
    size_t count[MPG_VERDICT_NONE + 1];
    bool few_launches;         /* a path measured in both signatures has fewer than 3 launches in one of them: intervals do not
                                  cover differences between launches */
};

struct mpg_compare_options {
    double tolerance;          /* within [0, 1): ratios from 1 - tolerance to 1 + tolerance count as equal */
    double spread;             /* standard deviation of the logarithm between measurements of one machine, >= 0 */
    struct mpg_signature *const *repeat; /* other measurements of a's machine */
    size_t repeats;             /* number of elements of REPEAT, at most MPG_COMPARE_MAX_REPEATS */
    /* Returns the direction of ITEM's change, 0 to MPG_COMPARE_DIRECTIONS - 1; the false discovery rate of changes beyond the
     * tolerance holds in each direction. NULL: a single direction. */
    int (*direction)(const struct mpg_parameter *item);
};

enum { MPG_COMPARE_DIRECTIONS = 3 };

enum { MPG_COMPARE_MAX_REPEATS = 100 };

/* Default of mpg_compare_options.spread: a factor of about e^0.3 = 1.35. */
#define MPG_COMPARE_SPREAD 0.3

/* Compares the parameters of A and B by OPTIONS, and lists parameters in only one signature.
 *
 * Intervals. Medians and 99th percentiles use the intervals stored in the signatures, which include differences between
 * launches. Older signatures have none: mpg_distribution_interval() is used, and the spread of launches at the smallest
 * message is added. Fractions and rates of detours use the means of 32 blocks of the record. Degrees of freedom follow
 * Welch and Satterthwaite. Distributions are compared by the Kolmogorov-Smirnov test with effective sample numbers.
 *
 * Machines. Two measurements of a machine differ more than successive launches do. With two or more further measurements
 * REPEAT of A's machine, the variance of the logarithms is estimated for each parameter, and A's value becomes the mean.
 * Otherwise SPREAD is assumed (a standard deviation of the logarithm), three times as much for noise and 99th percentiles.
 *
 * Verdicts. A parameter differs if the procedure of Benjamini and Yekutieli (Ann. Stat. 29 (2001) 1165), which holds under
 * any dependence between tests, rejects equality at 5 %. It is beyond the tolerance if in addition the machines' whole
 * interval is outside, and the same procedure rejects the tolerance. So at most 5 % of comparisons of two measurements of
 * one machine have a parameter beyond: without real differences every discovery is false.
 *
 * RESULT points into A and B; the caller clears RESULT. Returns 0, or -1 with ERR if memory runs out. */
int mpg_compare(const struct mpg_signature *a, const struct mpg_signature *b,
                const struct mpg_compare_options *options, struct mpg_difference *result,
                struct mpg_error *err);
void mpg_difference_clear(struct mpg_difference *difference);

#endif
