/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quality of the capacities of shared ports and memories. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "common/units.h"
#include "signature/make/check_private.h"

/* Returns the confidence interval of D's median; NULL: D has no interval. */
static const struct mpg_quantile_interval *interval_of(const struct mpg_distribution *d)
{
    for (size_t i = 0; i < d->intervals; i++)
        if (d->interval[i].p == 0.5)
            return &d->interval[i];
    return NULL;
}

static double median_of(const struct mpg_sharing_point *p)
{
    return mpg_distribution_quantile(p->value, 0.5);
}

/* Formats P in TEXT of SIZE bytes: "between nodes, one direction, 4 MiB, 2 pairs". */
static void format_point(const struct mpg_sharing_point *p, char *text, size_t size)
{
    char bytes[32];
    snprintf(text, size, "%s, %s, %s, %d pair%s", mpg_path_name(p->path), p->both ? "both directions" : "one direction",
             mpg_units_format_size(bytes, sizeof bytes, p->size_bytes), p->pairs, p->pairs == 1 ? "" : "s");
}

/* Checks how precisely P's median is known. */
static int check_precision(struct mpg_check *c, const struct mpg_sharing_point *p, struct mpg_error *err)
{
    const struct mpg_quantile_interval *interval = interval_of(p->value);
    char text[160];
    double median = median_of(p);
    if (!interval)
        return 0;
    double width = fmax(interval->high - median, median - interval->low) / median;
    if (width <= MPG_MESSAGES_MATTER)
        return 0;
    format_point(p, text, sizeof text);
    if (isinf(width))
        return mpg_check_add_finding(c, MPG_FOUND_CAPACITY, MPG_MOVES_UNKNOWN, err,
                                     "sharing, %s: %zu samples are too few for an interval of the median", text,
                                     p->value->n);
    return mpg_check_add_finding(c, MPG_FOUND_CAPACITY, fmin(width, 1), err,
                                 "sharing, %s: the median is known to +-%.0f %%, by %zu samples", text, 100 * width,
                                 p->value->n);
}

/* Checks whether the pairs of point P, more than at point FEWER, transfer significantly less in total. P and FEWER have equal
 * class, direction and size. */
static int check_fall(struct mpg_check *c, const struct mpg_sharing_point *fewer, const struct mpg_sharing_point *p,
                      struct mpg_error *err)
{
    const struct mpg_quantile_interval *before = interval_of(fewer->value), *after = interval_of(p->value);
    char text[160], rate[2][32];
    double fall = 1 - median_of(p) / median_of(fewer);
    if (!before || !after || fall <= MPG_MESSAGES_MATTER || !(after->high < before->low))
        return 0;
    format_point(p, text, sizeof text);
    snprintf(rate[0], sizeof rate[0], "%.4g MB/s", median_of(p) / 1e6);
    snprintf(rate[1], sizeof rate[1], "%.4g MB/s", median_of(fewer) / 1e6);
    return mpg_check_add_finding(c, MPG_FOUND_FALL, fmin(fall, 1), err, "sharing, %s: %s together, %s with %d", text,
                                 rate[0], rate[1], fewer->pairs);
}

/* Checks the N points of a curve from P on. */
static int check_curve(struct mpg_check *c, const struct mpg_sharing_point *p, size_t n, struct mpg_error *err)
{
    size_t most = 0; /* index of the point with the largest capacity before the current point */
    for (size_t i = 0; i < n; i++) {
        if (check_precision(c, &p[i], err) < 0 || check_fall(c, &p[most], &p[i], err) < 0)
            return -1;
        most = median_of(&p[i]) > median_of(&p[most]) ? i : most;
    }
    return 0;
}

int mpg_check_sharing(struct mpg_check *c, const struct mpg_signature *sig, struct mpg_error *err)
{
    size_t n;
    for (size_t first = 0; first < sig->sharings; first += n) {
        const struct mpg_sharing_point *p = &sig->sharing[first], *next;
        n = mpg_signature_curve_points(sig, first);
        next = first + n < sig->sharings ? p + n : NULL;
        if (next && next->path == p->path && next->both == p->both)
            continue; /* a larger size follows */
        if (check_curve(c, p, n, err) < 0)
            return -1;
    }
    return 0;
}
