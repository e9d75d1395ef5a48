/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of sharing curves, point by point. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "common/units.h"
#include "signature/diff/compare_private.h"

static const struct mpg_sharing_point *find(const struct mpg_signature *sig, const struct mpg_sharing_point *like)
{
    for (size_t i = 0; i < sig->sharings; i++) {
        const struct mpg_sharing_point *p = &sig->sharing[i];
        if (p->path == like->path && p->both == like->both && p->size_bytes == like->size_bytes && p->pairs == like->pairs)
            return p;
    }
    return NULL;
}

/* Compares the points of both signatures with LIKE's class, direction, size and number of pairs. */
static int compare_point(struct comparison *c, const struct mpg_sharing_point *like, struct mpg_error *err)
{
    static const struct launches no_launches = {0, INFINITY};
    const struct mpg_sharing_point *a = find(c->a, like), *b = find(c->b, like);
    char name[160], size[32];
    snprintf(name, sizeof name, "%s: %d pair%s at once, %s, %s", mpg_path_name(like->path), like->pairs,
             like->pairs == 1 ? "" : "s", like->both ? "both directions" : "one direction",
             mpg_units_format_size(size, sizeof size, like->size_bytes));
    if (a && b)
        return compare_samples(c, name, MPG_PER_SECOND, "B/s", a->bandwidth, b->bandwidth, &no_launches, &no_launches, err);
    return compare_untested(c, name, MPG_PER_SECOND, "B/s", a ? mpg_distribution_quantile(a->bandwidth, 0.5) : NAN,
                            b ? mpg_distribution_quantile(b->bandwidth, 0.5) : NAN,
                            a ? "measured only in a" : "measured only in b", err);
}

int compare_sharing(struct comparison *c, struct mpg_error *err)
{
    for (size_t i = 0; i < c->a->sharings; i++)
        if (compare_point(c, &c->a->sharing[i], err) < 0)
            return -1;
    for (size_t i = 0; i < c->b->sharings; i++)
        if (!find(c->a, &c->b->sharing[i]) && compare_point(c, &c->b->sharing[i], err) < 0)
            return -1;
    return 0;
}
