/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares two signatures parameter by parameter: ratios, intervals and tests. */
#ifndef MPG_COMPARE_H
#define MPG_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "signature/signature.h"

enum mpg_verdict {
    MPG_VERDICT_SAME,    /* no significant difference */
    MPG_VERDICT_DIFFERS, /* the measurements differ significantly, the machines perhaps only within the tolerance */
    MPG_VERDICT_BEYOND,  /* the machines differ significantly beyond the tolerance */
    MPG_VERDICT_NONE,    /* not comparable, or listed without a test; `why` gives the reason */
};

enum mpg_quantity { MPG_TIME_NS, MPG_PERCENT, MPG_PER_SECOND, MPG_SIZE_BYTES };

struct mpg_parameter {
    char *name;                /* for example "node: one way 8 B, median" */
    enum mpg_quantity quantity;
    const char *unit;          /* of MPG_PER_SECOND, for example "flop/s"; owned by a signature */
    double a, b;               /* NaN: absent */
    double ratio, low, high;   /* b / a and the 95 % interval of the machines' ratio; NaN: unknown */
    double log_variance, freedom; /* of the logarithm of the measurements' ratio */
    double log_above_zero;     /* if a or b is 0: logarithm of the positive value over the standard error of the zero value;
                                  NaN: otherwise */
    bool varies;               /* noise or a 99th percentile, which vary more between measurements */
    double distance;           /* Kolmogorov-Smirnov distance of the distributions; NaN: no test */
    double p;                  /* probability of a difference at least as large if the measurements were equal, from the
                                  ratio's t-test and the distributions' test; NaN: no test */
    double p_beyond;           /* probability of a ratio at least as far away if the machines' ratio were at the tolerance;
                                  NaN: no test */
    enum mpg_verdict verdict;
    bool detail;               /* of a parameter in both signatures: a message size is in one only, or has too few samples */
    const char *why;           /* static text, or NULL */
};

struct mpg_header_difference {
    const char *key, *a, *b;   /* owned by the signatures; A or B may be NULL */
};

struct mpg_difference {
    size_t n;
    struct mpg_parameter *item;
    size_t facts;              /* number of relevant header lines that differ */
    struct mpg_header_difference *fact;
    size_t count[MPG_VERDICT_NONE + 1];
    bool few_launches;         /* a compared network path has fewer than 3 launches, so its intervals do not cover differences
                                  between launches */
};

struct mpg_comparing {
    double tolerance;          /* in [0, 1): ratios from 1 - tolerance to 1 + tolerance count as equal */
    double spread;             /* >= 0: standard deviation of the logarithm between measurements of one machine */
    struct mpg_signature *const *again; /* other measurements of A's machine */
    size_t agains;             /* number of signatures in `again`, at most MPG_COMPARE_MOST_AGAIN */
};

enum { MPG_COMPARE_MOST_AGAIN = 100 };

/* Default of `spread`. */
#define MPG_COMPARE_SPREAD 0.3

/* Compares all parameters in both A and B, and lists parameters in one only. HOW: settings.
 *
 * Intervals: medians and 99th percentiles have the intervals stated in the signatures, which cover
 * differences between launches. For older signatures without intervals: mpg_distribution_interval(), plus
 * the spread of launches at the smallest message. Fractions and rates of detours: from the means of 32
 * blocks of the record. Degrees of freedom: Welch and Satterthwaite. Distributions: Kolmogorov and
 * Smirnov's test with the number of samples that gives the median's variance.
 *
 * From measurements to machines: launches of one measurement follow one another in seconds, so two
 * measurements of one machine differ by more than launches do. With at least two signatures in AGAIN, the
 * variance between measurements is estimated for each parameter from the logarithms of A and AGAIN, and
 * A's value is replaced by their mean. Otherwise the standard deviation of the logarithm is taken to be
 * SPREAD, or three times SPREAD for noise and for 99th percentiles, which noise causes.
 *
 * Verdicts: a parameter "differs" if Benjamini and Yekutieli's procedure (Ann. Stat. 29 (2001) 1165; valid
 * for any dependence between tests) at 5 % over all parameters says so. A parameter is "beyond" the
 * tolerance if the machines' whole interval lies outside the tolerance and the procedure over the t-tests
 * of the machines against the tolerance says so. Hence at most 5 % of comparisons of two measurements
 * of one machine have any parameter beyond: without true differences every discovery is false, and the
 * false discovery rate equals the probability of any discovery.
 *
 * RESULT points into A and B; the caller clears RESULT. Error: out of memory. */
int mpg_compare(const struct mpg_signature *a, const struct mpg_signature *b,
                const struct mpg_comparing *how, struct mpg_difference *result,
                struct mpg_error *err);
void mpg_difference_clear(struct mpg_difference *difference);

#endif
