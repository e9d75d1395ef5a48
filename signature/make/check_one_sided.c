/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality of the times of one-sided operations. */
#include "config.h"

#include <math.h>

#include "common/units.h"
#include "signature/make/check_private.h"

/* Returns half the width of the interval of D's median, ns; 0: not stated; infinite: too few samples. */
static double half_width_ns(const struct mpg_distribution *d)
{
    const double median_ns = mpg_distribution_quantile(d, 0.5);
    for (size_t i = 0; i < d->intervals; i++)
        if (d->interval[i].p == 0.5)
            return fmax(d->interval[i].high - median_ns, median_ns - d->interval[i].low);
    return 0;
}

/* Checks how precisely the time of OPERATION on P is known, at the I-th size: both parts together. */
static int check_size(struct mpg_check *c, const struct mpg_network_path *p, enum mpg_one_sided operation, size_t i,
                      struct mpg_error *err)
{
    const struct mpg_network_size *call = &p->one_sided[operation].call.size[i];
    const struct mpg_distribution *complete = p->one_sided[operation].complete.size[i].time_ns;
    const double ns = mpg_distribution_quantile(call->time_ns, 0.5) + mpg_distribution_quantile(complete, 0.5);
    const double width_ns = half_width_ns(call->time_ns) + half_width_ns(complete);
    char size[32];
    if (!(width_ns > MPG_MESSAGES_MATTER * ns))
        return 0;
    mpg_units_format_size(size, sizeof size, call->size_bytes);
    if (isinf(width_ns) || ns <= 0)
        return mpg_check_add_finding(c, MPG_FOUND_ONE_SIDED, MPG_MOVES_UNKNOWN, err,
                                     "onesided, %s, %s, %s: %zu samples are too few for an interval of the median",
                                     mpg_path_name(p->path), mpg_one_sided_name(operation), size, call->time_ns->n);
    return mpg_check_add_finding(c, MPG_FOUND_ONE_SIDED, fmin(width_ns / ns, 1), err,
                                 "onesided, %s, %s, %s: the median is known to +-%.0f %%, by %zu samples",
                                 mpg_path_name(p->path), mpg_one_sided_name(operation), size, 100 * width_ns / ns,
                                 call->time_ns->n);
}

int mpg_check_one_sided(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err)
{
    for (size_t k = 0; k < sig->paths; k++)
        for (int o = 0; o < MPG_ONE_SIDED_OPERATIONS; o++)
            for (size_t i = 0; i < sig->network[k].one_sided[o].call.n; i++)
                if (check_size(c, &sig->network[k], (enum mpg_one_sided)o, i, err) < 0)
                    return -1;
    return 0;
}
