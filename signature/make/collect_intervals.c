/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confidence intervals of the quantiles that a signature states: median and 99th percentile. */
#include "signature/make/collect_private.h"

#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.95
enum { STATED = 2 };

static const double stated[STATED] = {0.5, 0.99};

/* Returns the interval of D's quantile P: distance of each bound from the quantile is PART times the distance of ESTIMATE's bound
 * from ESTIMATE's value. The lower bound is not below 0 if D has no negative values. */
static struct mpg_quantile_interval around(const struct mpg_distribution *d, double p,
                                           const struct mpg_quantile_estimate *estimate, double part)
{
    double value = mpg_distribution_quantile(d, p), min = fmin(d->quantiles[0], 0);
    return (struct mpg_quantile_interval){
        .p = p,
        .low = isinf(estimate->low) ? -INFINITY
                                : fmax(value - part * (estimate->value - estimate->low), min),
        .high = value + part * (estimate->high - estimate->value),
        .independent = estimate->independent,
        .freedom = estimate->freedom,
        .launches = estimate->launches,
    };
}

int mpg_collect_intervals(struct mpg_distribution *d, const struct mpg_samples *s, double part,
                          struct mpg_error *err)
{
    struct mpg_quantile_estimate estimate[STATED];
    struct mpg_quantile_interval *interval = calloc(STATED, sizeof *interval);
    if (!interval || mpg_estimate_quantiles(s, stated, STATED, CONFIDENCE, estimate, &d->rank_lag1) < 0) {
        free(interval);
        return mpg_collect_no_memory(err);
    }
    for (int i = 0; i < STATED; i++)
        interval[i] = around(d, stated[i], &estimate[i], part);
    free(d->interval);
    d->interval = interval;
    d->intervals = STATED;
    return 0;
}
