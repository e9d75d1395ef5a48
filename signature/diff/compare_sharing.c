/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of sharing curves, point by point. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/units.h"
#include "signature/diff/compare_private.h"

enum kind { CURVES, OPPOSITE, LEADS };

/* The points of a signature, of one kind. */
struct points {
    const struct mpg_sharing_point *of;
    size_t n;
};

static const struct mpg_sharing_point *find(const struct points *in, const struct mpg_sharing_point *like)
{
    for (size_t i = 0; i < in->n; i++) {
        const struct mpg_sharing_point *p = &in->of[i];
        if (p->path == like->path && p->both == like->both && p->size_bytes == like->size_bytes && p->pairs == like->pairs)
            return p;
    }
    return NULL;
}

/* Compares the points IN_A and IN_B of KIND with LIKE's class, direction, size and number of pairs. */
static int compare_point(struct comparison *c, const struct points *in_a, const struct points *in_b, enum kind kind,
                         const struct mpg_sharing_point *like, struct mpg_error *err)
{
    static const struct launches no_launches = {0, INFINITY};
    const struct mpg_sharing_point *a = find(in_a, like), *b = find(in_b, like);
    char name[160], size[32];
    if (kind == LEADS)
        snprintf(name, sizeof name, "%s: lead of the first of %d messages at once, %s", mpg_path_name(like->path), like->pairs,
                 mpg_units_format_size(size, sizeof size, like->size_bytes));
    else if (kind == OPPOSITE)
        snprintf(name, sizeof name, "%s: message after an opposite one of %s pair, %s", mpg_path_name(like->path),
                 like->pairs == 1 ? "the same" : "another", mpg_units_format_size(size, sizeof size, like->size_bytes));
    else
        snprintf(name, sizeof name, "%s: %d pair%s at once, %s, %s", mpg_path_name(like->path), like->pairs,
                 like->pairs == 1 ? "" : "s", like->both ? "both directions" : "one direction",
                 mpg_units_format_size(size, sizeof size, like->size_bytes));
    if (kind != LEADS && a && b)
        return mpg_diff_samples(c, name, MPG_PER_SECOND, "B/s", a->value, b->value, &no_launches, &no_launches, err);
    return mpg_diff_untested(c, name, kind == LEADS ? MPG_TIME_NS : MPG_PER_SECOND, "B/s",
                             a ? mpg_distribution_quantile(a->value, 0.5) : NAN,
                             b ? mpg_distribution_quantile(b->value, 0.5) : NAN,
                             a && b ? "leads of one machine vary" : a ? "measured only in a" : "measured only in b", err);
}

static int compare_points(struct comparison *c, const struct points *a, const struct points *b, enum kind kind,
                          struct mpg_error *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (compare_point(c, a, b, kind, &a->of[i], err) < 0)
            return -1;
    for (size_t i = 0; i < b->n; i++)
        if (!find(a, &b->of[i]) && compare_point(c, a, b, kind, &b->of[i], err) < 0)
            return -1;
    return 0;
}

int mpg_diff_sharing(struct comparison *c, struct mpg_error *err)
{
    const struct points a = {c->a->sharing, c->a->sharings}, b = {c->b->sharing, c->b->sharings};
    const struct points late_a = {c->a->opposite, c->a->opposites}, late_b = {c->b->opposite, c->b->opposites};
    const struct points lead_a = {c->a->lead, c->a->leads}, lead_b = {c->b->lead, c->b->leads};
    if (compare_points(c, &a, &b, CURVES, err) < 0 || compare_points(c, &late_a, &late_b, OPPOSITE, err) < 0)
        return -1;
    return compare_points(c, &lead_a, &lead_b, LEADS, err);
}
