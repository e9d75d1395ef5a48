/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of model shapes, the set of process counts, and the path from shape to shape for the tube bound. */
#include <math.h>
#include <stdlib.h>

#include "statistics/growth_private.h"

const struct mpg_growth_shape *mpg_growth_shape(int shape)
{
    static const struct mpg_growth_shape shapes[MPG_GROWTH_SHAPES] = {
        {0, 1, 1}, {0, 1, 2}, {1, 4, 0}, {1, 3, 0}, {1, 4, 1}, {1, 3, 1}, {1, 4, 2}, {1, 3, 2},
        {1, 2, 0}, {1, 2, 1}, {1, 2, 2}, {2, 3, 0}, {3, 4, 0}, {2, 3, 1}, {3, 4, 1}, {4, 5, 0},
        {2, 3, 2}, {3, 4, 2}, {1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {5, 4, 0}, {5, 4, 1}, {4, 3, 0},
        {4, 3, 1}, {3, 2, 0}, {3, 2, 1}, {3, 2, 2}, {5, 3, 0}, {7, 4, 0}, {2, 1, 0}, {2, 1, 1},
        {2, 1, 2}, {9, 4, 0}, {7, 3, 0}, {5, 2, 0}, {5, 2, 1}, {5, 2, 2}, {8, 3, 0}, {11, 4, 0},
        {3, 1, 0}, {3, 1, 1},
        {-1, 4, 0}, {-1, 3, 0}, {-1, 2, 0}, {-2, 3, 0}, {-3, 4, 0}, {-4, 5, 0}, {-1, 1, 0},
        {-5, 4, 0}, {-4, 3, 0}, {-3, 2, 0}, {-5, 3, 0}, {-7, 4, 0}, {-2, 1, 0}, {-9, 4, 0},
        {-7, 3, 0}, {-5, 2, 0}, {-8, 3, 0}, {-11, 4, 0}, {-3, 1, 0},
    };
    return shape >= 0 && shape < MPG_GROWTH_SHAPES ? &shapes[shape] : NULL;
}

double mpg_growth_term(int shape, double n)
{
    const struct mpg_growth_shape *s = mpg_growth_shape(shape);
    if (!s)
        return 0;
    double term = pow(n, (double)s->numerator / s->denominator);
    for (int i = 0; i < s->logs; i++)
        term *= log2(n);
    return term;
}

void mpg_growth_design_free(struct growth_design *d)
{
    free(d->n);
    free(d->weight);
    free(d->term);
    free(d->scale);
    *d = (struct growth_design){0};
}

int mpg_growth_design_make(const double *ordered_n, size_t values, struct growth_design *d)
{
    *d = (struct growth_design){.values = (double)values};
    d->n = malloc(values * sizeof *d->n);
    d->weight = calloc(values, sizeof *d->weight);
    d->scale = malloc(MPG_GROWTH_SHAPES * sizeof *d->scale);
    if (!d->n || !d->weight || !d->scale)
        goto out;
    for (size_t i = 0; i < values; i++) {
        if (d->counts == 0 || d->n[d->counts - 1] != ordered_n[i])
            d->n[d->counts++] = ordered_n[i];
        d->weight[d->counts - 1]++;
    }
    d->term = malloc(MPG_GROWTH_SHAPES * d->counts * sizeof *d->term);
    if (!d->term)
        goto out;
    for (int s = 0; s < MPG_GROWTH_SHAPES; s++) {
        d->scale[s] = mpg_growth_term(s, d->n[s < MPG_GROWTH_RISING ? d->counts - 1 : 0]);
        for (size_t k = 0; k < d->counts; k++)
            d->term[(size_t)s * d->counts + k] = mpg_growth_term(s, d->n[k]) / d->scale[s];
    }
    return 0;
out:
    mpg_growth_design_free(d);
    return -1;
}

/* Returns the angle, in radians, between the vectors A and B with one component for each process count, after subtracting
 * their means. */
static double angle(const struct growth_design *d, const double *a, const double *b)
{
    double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
    for (size_t k = 0; k < d->counts; k++) {
        mean_a += d->weight[k] * a[k] / d->values;
        mean_b += d->weight[k] * b[k] / d->values;
    }
    for (size_t k = 0; k < d->counts; k++) {
        aa += d->weight[k] * (a[k] - mean_a) * (a[k] - mean_a);
        bb += d->weight[k] * (b[k] - mean_b) * (b[k] - mean_b);
        ab += d->weight[k] * (a[k] - mean_a) * (b[k] - mean_b);
    }
    const double cosine = ab / sqrt(aa * bb);
    return cosine < 1 ? acos(fmax(cosine, -1)) : 0;
}

double mpg_growth_path(const struct growth_design *d, int first, int last)
{
    int order[MPG_GROWTH_SHAPES];
    double key[MPG_GROWTH_SHAPES], mean_log = 0, path = 0;
    for (size_t k = 0; k < d->counts; k++)
        mean_log += log(d->n[k]) / (double)d->counts;
    for (int s = first; s < last; s++) {
        const struct mpg_growth_shape *shape = mpg_growth_shape(s);
        key[s] = fabs((double)shape->numerator / shape->denominator) + shape->logs / mean_log;
        int i = s - first;
        for (; i > 0 && key[order[i - 1]] > key[s]; i--)
            order[i] = order[i - 1];
        order[i] = s;
    }
    for (int i = 1; i < last - first; i++)
        path += angle(d, d->term + (size_t)order[i - 1] * d->counts,
                      d->term + (size_t)order[i] * d->counts);
    double begin[MPG_GROWTH_MAX_COUNTS];
    for (size_t k = 0; k < d->counts; k++)
        begin[k] = first < MPG_GROWTH_RISING ? k > 0 : -log(d->n[k]);
    return path + angle(d, begin, d->term + (size_t)order[0] * d->counts);
}
